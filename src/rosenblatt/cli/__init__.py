"""The command line: it parses, calls and formats. `run` turns errors into exit codes.

Exit codes
----------
- 0: done; for `verify`, the certificate is true.
- 1: the certificate is false; nothing else exits with 1.
- 2: bad input, or unwritable output.
- 70: internal error; the traceback is printed.
- 130: interrupted (128 + SIGINT).
- 141: the output pipe was closed, as in `rosenblatt trace | head -1` (128 + SIGPIPE).
"""

import _thread
import io
import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from types import FrameType

from rosenblatt.cli.report import print_line, printable
from rosenblatt.core.errors import ClosedPipeError, InputError, InterruptionError


def main() -> None:
    """Run the command line and exit."""
    if sys.stderr is None:  # closed; libraries write to it anyway, some when they are imported
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that the terminal cannot show
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if it is ignored
        signal.signal(signal.SIGINT, interrupt)
    try:
        code = run(sys.argv[1:])
    except Exception:
        with suppress(OSError):
            print(printable(traceback.format_exc(), keep="\n"), end="", file=sys.stderr)
        code = 70
    sys.exit(code)


def interrupt(_signal: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; during an import, after it: libraries would raise errors of their own."""
    while frame is not None and frame.f_code is not main.__code__:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _interrupt_soon(thread: int) -> None:
    time.sleep(0.02)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:  # this also ends waiting for input
        signal.pthread_kill(thread, signal.SIGINT)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    if sys.stdout is None:
        return _failed("the output cannot be written (it is closed)")
    try:
        code = _call(arguments)
        sys.stdout.flush()
    except InputError as error:
        return _failed(str(error))
    except InterruptionError as error:
        _print_error(f"interrupted; no file was left half-written{error}")
        return 130
    except KeyboardInterrupt:
        code = 130
    except (BrokenPipeError, ClosedPipeError):
        _discard_output()
        return 141
    except OSError as error:
        if error.filename is not None:
            return _failed(f"{error.filename}: {error.strerror}")
        _discard_output()
        return _failed(f"the output cannot be written ({error.strerror})")
    if code == 130:
        _print_error("interrupted; no file was left half-written")
    return code


def _failed(text: str) -> int:
    _print_error(text)
    return 2


def _print_error(text: str) -> None:
    if sys.stderr is not None:
        try:
            print_line(f"rosenblatt: {text}", sys.stderr)
        except OSError:
            _discard_output(2)


def _discard_output(stream: int = 1) -> None:
    """Send buffered output nowhere, so that Python can flush it when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _call(arguments: list[str]) -> int:
    from rosenblatt.cli.app import app
    from rosenblatt.cli.progress import compile_notice

    try:
        with compile_notice():
            app(args=arguments, prog_name="rosenblatt")
    except SystemExit as end:
        return int(end.code or 0)
    return 0
