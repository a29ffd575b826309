"""What the command line says on a terminal when it begins to compile, whichever command it runs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rosenblatt.cli.progress import print_line
from rosenblatt.core.compiling import notified_of_compiling

_NOTICE = "compiling, once for this machine"


@contextmanager
def compiling_is_said(*, quiet: bool) -> Iterator[None]:
    """Say so the first time that something is compiled meanwhile, on a terminal, unless quiet."""
    said = quiet or sys.stderr is None or not sys.stderr.isatty()

    def say() -> None:
        nonlocal said
        if not said:
            said = True
            with suppress(OSError, ValueError):  # nobody may be listening any more
                print_line(_NOTICE)

    with notified_of_compiling(say):
        yield
