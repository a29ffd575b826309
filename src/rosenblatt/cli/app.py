"""The command line as a whole; each command is declared in its own file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from rosenblatt import __version__
from rosenblatt.cli.learn.learn_command import learn
from rosenblatt.cli.lecture_command import capacity, mark1
from rosenblatt.cli.models.apply_command import evaluate, predict
from rosenblatt.cli.models.convert_command import convert
from rosenblatt.cli.models.explain_command import explain
from rosenblatt.cli.models.show_command import show
from rosenblatt.cli.plot_command import plot
from rosenblatt.cli.separate_command import separate, verify
from rosenblatt.cli.stream_command import stream
from rosenblatt.cli.trace_command import trace
from rosenblatt.cli.warmup_command import warmup
from rosenblatt.core.errors import ClosedPipeError, InputError, InterruptionError

_EXIT_CODES = (
    "Exit codes: 0 done, 1 the certificate is false, 2 bad input or unwritable output, "
    "70 internal error, 130 interrupted, 141 the output pipe was closed."
)


_UsageError: Any = typer.BadParameter.__base__  # has no public name


@contextmanager
def _own_errors() -> Iterator[None]:
    """Raise our own errors: Typer would print several lines, and exit with 1 if a pipe is closed."""
    try:
        yield
    except _UsageError as error:
        text = (
            error.format_message().replace("Value error, ", "").replace("Input should", "it should")
        )
        if not text:  # there were no arguments, and the help is printed
            raise typer.Exit(2) from error
        command = error.ctx.command_path if error.ctx else "rosenblatt"
        hint = "" if text.endswith("?") else f"; see '{command} --help'"
        raise InputError(f"{text[0].lower()}{text[1:].rstrip('.')}{hint}") from error
    except KeyboardInterrupt as error:
        raise InterruptionError from error
    except BrokenPipeError as error:
        raise ClosedPipeError from error
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            raise ClosedPipeError from end
        raise


class Command(TyperCommand):
    """A command whose help does not print the types of flags and files, such as <bool>."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _untyped(super().get_params(ctx))


class Commands(TyperGroup):
    """A group of commands that leaves exit codes to `run`."""

    make_context = _own_errors()(TyperGroup.make_context)  # parses, and prints help
    invoke = _own_errors()(TyperGroup.invoke)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _untyped(super().get_params(ctx))


def _untyped(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if isinstance(parameter, TyperArgument) or getattr(parameter, "is_flag", False):
            vars(parameter)["display_type_rich"] = _no_type
    return parameters


def _no_type(ctx: Any) -> None:
    pass


def _print_version(is_given: bool) -> None:
    if is_given:
        print(f"rosenblatt {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_print_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    pass


app = typer.Typer(
    name="rosenblatt",
    cls=Commands,
    callback=_root,
    help="Learn linear classifiers, and prove what can be proved about them.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
_COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Learn": (learn, stream),
    "Use a model": (predict, evaluate, show, explain, convert),
    "Prove": (separate, verify),
    "See": (plot, trace),
}
for _panel, _functions in _COMMANDS.items():
    for _function in _functions:
        app.command(cls=Command, rich_help_panel=_panel)(_function)
_lectures = typer.Typer(
    cls=Commands,
    help="Run an experiment from the lectures.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
for _function in (capacity, mark1):
    _lectures.command(cls=Command)(_function)
app.add_typer(_lectures, name="lecture", rich_help_panel="See")
app.command(cls=Command, rich_help_panel="Set up")(warmup)
