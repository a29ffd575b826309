"""The commands, put together; each is declared in a file of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from typer.core import TyperGroup

from rosenblatt import __version__
from rosenblatt.cli.learn.learn_command import learn
from rosenblatt.cli.lecture_command import lecture_app
from rosenblatt.cli.models.apply_command import evaluate, predict
from rosenblatt.cli.models.convert_command import convert
from rosenblatt.cli.models.explain_command import explain
from rosenblatt.cli.models.show_command import show
from rosenblatt.cli.plot_command import plot
from rosenblatt.cli.separability.separate_command import separate, verify
from rosenblatt.cli.stream.stream_command import stream
from rosenblatt.cli.trace_command import trace
from rosenblatt.cli.warmup_command import warmup
from rosenblatt.core.errors import ClosedPipeError, InterruptionError

_EXIT_CODES = (
    "Exit codes: 0 done, 1 the certificate is false, 2 the input cannot be used or the output cannot be "
    "written, 70 a fault in the program, 130 interrupted, 141 the reader of the output has gone."
)


@contextmanager
def _own_errors() -> Iterator[None]:
    """Raise errors of our own where Typer would choose the exit code: of a closed pipe it makes 1."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise InterruptionError from error
    except BrokenPipeError as error:
        raise ClosedPipeError from error


class Commands(TyperGroup):
    """The commands, which leave all exit codes but those of usage to `run`."""

    make_context = _own_errors()(TyperGroup.make_context)  # parses, and prints help
    invoke = _own_errors()(TyperGroup.invoke)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"rosenblatt {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


app = typer.Typer(
    name="rosenblatt",
    cls=Commands,
    callback=_root,
    help="Learn linear threshold functions, and say what was proved on the way.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_COMMANDS = (
    learn,
    stream,
    separate,
    verify,
    predict,
    evaluate,
    show,
    explain,
    convert,
    trace,
    plot,
    warmup,
)
for _command in _COMMANDS:
    app.command()(_command)
app.add_typer(lecture_app)
