"""The command line: it parses, calls and formats. `run` turns errors into exit codes.

Exit codes
----------
- 0: done; of `verify`, the certificate is true.
- 1: the certificate is false. Nothing else ends with 1.
- 2: the input cannot be used, or the output cannot be written.
- 70: a fault in the program itself, which prints where.
- 130: interrupted (128 + SIGINT).
- 141: whoever was reading the output has gone, as in `rosenblatt trace | head -1` (128 + SIGPIPE).
"""

import io
import os
import sys
import traceback
from contextlib import suppress

from rosenblatt.core.errors import ClosedPipeError, InputError, InterruptionError


def main() -> None:
    """Run the command line and exit."""
    if (
        sys.stderr is None
    ):  # closed; libraries write to it all the same, some when they are imported
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that the terminal lacks
    try:
        code = run(sys.argv[1:])
    except Exception:
        with suppress(OSError):
            traceback.print_exc()
        code = 70
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    if sys.stdout is None:
        return _refused("the output cannot be written (it is closed)")
    try:
        code = _call(arguments)
        sys.stdout.flush()
    except InputError as error:
        return _refused(str(error))
    except InterruptionError as error:
        _say(f"interrupted; no file was left half-written{error}")
        return 130
    except KeyboardInterrupt:
        code = 130
    except (BrokenPipeError, ClosedPipeError):
        _drop_output()
        return 141
    except OSError as error:
        if error.filename is not None:
            return _refused(f"{error.filename}: {error.strerror}")
        _drop_output()
        return _refused(f"the output cannot be written ({error.strerror})")
    if code == 130:
        _say("interrupted; no file was left half-written")
    return code


def _refused(text: str) -> int:
    _say(text)
    return 2


def _say(text: str) -> None:
    """Print one sentence for the user, if there is anyone to read it."""
    if sys.stderr is not None:
        try:
            print(f"rosenblatt: {text}", file=sys.stderr, flush=True)
        except OSError:
            _drop_output(2)


def _drop_output(stream: int = 1) -> None:
    """Give what is still to be written somewhere to go, when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _call(arguments: list[str]) -> int:
    from rosenblatt.cli.app import app
    from rosenblatt.cli.compile_notice import compiling_is_said

    try:
        with compiling_is_said(quiet="--quiet" in arguments):
            app(args=arguments, prog_name="rosenblatt")
    except SystemExit as end:
        return int(end.code or 0)
    return 0
