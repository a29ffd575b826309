"""`rosenblatt plot`, put together: a command for each kind of picture."""

import typer

from rosenblatt.cli.plot.lecture_kinds import capacity, cards, criterion, unit, weights
from rosenblatt.cli.plot.plane_kinds import movie, plane, separators, update
from rosenblatt.cli.plot.run_kinds import ledger, lives, margin, mistakes, run

plot_app = typer.Typer(
    name="plot",
    help="Draw samples, runs and what the lectures draw: rosenblatt plot KIND [FILE] -o OUT.png",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_KINDS = (
    plane,
    separators,
    update,
    movie,
    run,
    mistakes,
    margin,
    lives,
    ledger,
    unit,
    weights,
    capacity,
    criterion,
    cards,
)
for _kind in _KINDS:
    plot_app.command()(_kind)
