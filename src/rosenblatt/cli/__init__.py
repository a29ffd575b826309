"""The command line: it parses, calls and formats. `run` turns errors into exit codes."""

import io
import os
import sys

from rosenblatt.errors import InputError, InterruptionError


def main() -> None:
    """Run the command line and exit: 0 when done, 2 on bad input, 130 when interrupted.

    A reader that closes the pipe early ends the program without a word, with 1 as Typer has it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a sign that a terminal lacks is no reason to stop
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        code = _call(arguments)
        sys.stdout.flush()
    except InputError as error:
        print(f"rosenblatt: {error}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, InterruptionError):
        code = 130
    except OSError as error:
        # What is still to be written has nowhere to go, not even when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return 1
        print(f"rosenblatt: the output cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    if code == 130:
        print("rosenblatt: interrupted; no file was left half-written", file=sys.stderr)
    return code


def _call(arguments: list[str]) -> int:
    from rosenblatt.cli.app import app

    try:
        app(args=arguments, prog_name="rosenblatt")
    except SystemExit as end:
        return int(end.code or 0)
    return 0
