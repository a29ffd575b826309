"""All targets."""

from attack.mutants.certificate_targets import CERTIFICATES
from attack.mutants.checkpoint_targets import CHECKPOINTS, FORGED_CHECKPOINTS
from attack.mutants.kernel_targets import LIBSVM_KERNEL
from attack.mutants.model_targets import FORGED, MODELS
from attack.mutants.packed_targets import ARROW, PACKED
from attack.mutants.stream_targets import STREAMS
from attack.mutants.target import Target
from attack.mutants.text_targets import CSV, CSV_STREAMS, LIBSVM

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        CSV,
        CSV_STREAMS,
        LIBSVM,
        LIBSVM_KERNEL,
        STREAMS,
        PACKED,
        ARROW,
        CHECKPOINTS,
        FORGED_CHECKPOINTS,
        MODELS,
        FORGED,
        CERTIFICATES,
    )
}
