"""The command line: it parses, calls and formats. `run` turns errors into exit codes."""

import sys

from rosenblatt.cli.app import InterruptionError, app
from rosenblatt.errors import InputError


def main() -> None:
    """Run the command line and exit: 0 when done, 2 on bad input, 130 when interrupted."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        app(args=arguments, prog_name="rosenblatt")
    except InputError as error:
        print(f"rosenblatt: {error}", file=sys.stderr)
        return 2
    except InterruptionError:
        print("rosenblatt: interrupted; no file was left half-written", file=sys.stderr)
        return 130
    except SystemExit as end:
        return int(end.code or 0)
    return 0
