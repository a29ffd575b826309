"""`rosenblatt warmup`: compile everything now, so that nothing has to be compiled later."""

import warnings

from rosenblatt.cli.progress import standing
from rosenblatt.core.compiling import n_compiled, n_loaded


def warmup() -> None:
    """Compile everything now, for this processor: when an image is built, or before a first run."""
    from rosenblatt.cli.warmup_calls import warmup_calls
    from rosenblatt.kernels.cache.code_files import folders_used

    calls = warmup_calls()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few samples in a few epochs: learners say so
        for number, call in enumerate(calls, start=1):
            with standing(f"{number} of {len(calls)}"):
                call()
    folder = next(iter(folders_used()), None)
    where = f"kept in {folder}" if folder else "not kept: no folder can be written"
    print(f"{n_compiled():,} functions compiled, {n_loaded():,} already there, {where}")
