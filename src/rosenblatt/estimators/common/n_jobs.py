"""How many threads a parameter ``n_jobs`` stands for."""

import numbers
import os

from rosenblatt.core.checks import is_number
from rosenblatt.core.errors import InputError


def n_threads(n_jobs: object) -> int:
    """Return the number of threads: None is 1, -1 all processors, -2 all but one, and so on.

    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not is_number(n_jobs) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InputError(
            f"n_jobs={n_jobs!r} is not accepted: use None, a number of threads, or -1 for all processors"
        )
    asked = int(n_jobs)
    return asked if asked > 0 else max(1, (os.cpu_count() or 1) + 1 + asked)
