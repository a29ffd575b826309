"""`rosenblatt warmup`: compile everything ahead of time."""

import warnings

from rosenblatt.cli.progress import fixed_line
from rosenblatt.core.compiling import n_compiled, n_loaded


def warmup() -> None:
    """Compile all numerical code now, so that later runs start fast.

    The code is for this processor: run this when an image is built, or before the first run.
    """
    from rosenblatt.cli.warmup_calls import warmup_calls
    from rosenblatt.kernels.cache.code_files import folders_used

    calls = warmup_calls()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # learners warn that a few epochs are not enough
        for number, call in enumerate(calls, start=1):
            with fixed_line(f"{number} of {len(calls)}"):
                call()
    folder = next(iter(folders_used()), None)
    where = f"stored in {folder}" if folder else "not stored: no folder is writable"
    print(f"{n_compiled():,} functions compiled, {n_loaded():,} already compiled, {where}")
