"""`rosenblatt warmup`: compile everything now, so that nothing has to be compiled later."""

import warnings

from rosenblatt.cli.options import Json
from rosenblatt.cli.progress import standing
from rosenblatt.cli.report import print_facts, print_json, seconds_text
from rosenblatt.core.compiling import Stopwatch, n_compiled, n_loaded


def warmup(json: Json = False) -> None:
    """Compile everything now, for this processor: when an image is built, or before a first run."""
    from rosenblatt.cli.warmup.public_calls import steps
    from rosenblatt.kernels.cache.code_files import folders_used

    watch = Stopwatch()
    before = n_compiled(), n_loaded()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few samples in a few epochs: learners say so
        all_steps = list(steps())
        for number, step in enumerate(all_steps, start=1):
            with standing(f"{number} of {len(all_steps)}: {step.name}"):
                step.call()
    compiled, found = n_compiled() - before[0], n_loaded() - before[1]
    folder = next(iter(folders_used()), None)
    if json:
        print_json(
            {
                "compiled": compiled,
                "found": found,
                "compile_seconds": watch.compile_seconds(),
                "seconds": watch.seconds(),
                "folder": None if folder is None else str(folder),
            }
        )
        return
    print_facts(
        {
            "Compiled": f"{compiled:,} functions in {seconds_text(watch.compile_seconds())}",
            "Found": f"{found:,} that were compiled before",
            "Folder": _NOWHERE if folder is None else str(folder),
        }
    )


_NOWHERE = "none that can be written and that nobody else can: each process compiles for itself"
