"""The command line: it parses, calls and formats. `main` turns errors into exit codes."""

import sys

import click

from rosenblatt.cli.app import app
from rosenblatt.errors import InputError


def main() -> None:
    """Run the command line and exit: 0 when done, 2 on bad input, 130 when interrupted."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        app(args=arguments, prog_name="rosenblatt", standalone_mode=False)
    except InputError as error:
        print(f"rosenblatt: {error}", file=sys.stderr)
        return 2
    except click.UsageError as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        print("rosenblatt: interrupted; nothing was written", file=sys.stderr)
        return 130
    return 0
