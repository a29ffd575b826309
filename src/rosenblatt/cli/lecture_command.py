"""`rosenblatt lecture TOPIC`: what the lectures show, as experiments."""

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from rosenblatt.cli.options import Json
from rosenblatt.cli.progress import standing
from rosenblatt.cli.report import Facts, print_columns, print_json, time_text
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError

lecture_app = typer.Typer(
    name="lecture",
    help="Show what the lectures describe: rosenblatt lecture TOPIC",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_HEADS = ["points", "per dimension", "formula", "found", "trials"]
_WIDTHS = [6, 13, 9, 7, 11]
_ROWS_PER_DIMENSION = 5
_NOTES = """
The share of all labelings of points in {} dimensions that a hyperplane through the origin gives:
formula: Cover's theorem, for points in general position.
found: random points with random labels, each decided with a proof.
At {} points, two per dimension, it is exactly one half.
Time: {}."""


@lecture_app.command()
def capacity(
    dimensions: Annotated[
        int, typer.Option("--dimensions", min=1, help="The number of dimensions.")
    ] = 10,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            help="The numbers of points: one, FIRST:LAST or FIRST:LAST:STEP; by default up to four per "
            "dimension.",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", min=1, help="How often points are drawn, for each number.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seeds the points.")] = 0,
    json: Json = False,
) -> None:
    """Compare Cover's theorem with random points: what share of all labelings is separable."""
    from rosenblatt.lectures.counting import separable_fraction, simulate

    counts: Sequence[int] = _default(dimensions) if points is None else _range(points)
    watch = Stopwatch()
    rows: list[Facts] = []
    n_undecided = 0
    if not json:
        print_columns(_HEADS, _WIDTHS)
    for number, n_points in enumerate(counts, start=1):
        with standing(f"{number} of {len(counts)}: {n_points} points"):
            done = simulate(n_points, dimensions, trials=trials, seed=seed)
        formula = float(separable_fraction(n_points, dimensions))
        n_undecided += done.undecided
        rows.append(
            {
                "points": n_points,
                "points_per_dimension": n_points / dimensions,
                "formula": formula,
                "found": done.fraction,
                "separable": done.separable,
                "trials": trials,
                "undecided": done.undecided,
            }
        )
        if not json:
            share = f"{n_points / dimensions:.2f}"
            found = [f"{formula:.6f}", f"{done.fraction:.4f}", f"{done.separable}/{trials}"]
            print_columns([str(n_points), share, *found], _WIDTHS)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if json:
        facts: Facts = {"dimensions": dimensions, "seed": seed}
        times = {"seconds": seconds, "compile_seconds": compile_seconds}
        print_json({**facts, **times, "rows": rows})
        return
    print(_NOTES.format(dimensions, 2 * dimensions, time_text(seconds, compile_seconds)))
    if n_undecided:
        print(f"Undecided trials, counted as not separable: {n_undecided}.")


def _default(n_dimensions: int) -> list[int]:
    """Return numbers of points up to four per dimension, two per dimension among them."""
    steps = range(1, 4 * _ROWS_PER_DIMENSION + 1)
    return sorted({max(1, round(n_dimensions * step / _ROWS_PER_DIMENSION)) for step in steps})


def _range(text: str) -> Sequence[int]:
    """Return the numbers that FIRST:LAST or FIRST:LAST:STEP, or one number, stands for."""
    parts = text.split(":")
    if len(parts) <= 3 and all(re.fullmatch("[0-9]{1,9}", part) for part in parts):
        first, last, step = [*map(int, parts), *[int(parts[0]), 1][len(parts) - 1 :]]
        if 1 <= first <= last and step >= 1:
            return range(first, last + 1, step)
    raise InputError(
        f"--points {text}: give a number of points, FIRST:LAST or FIRST:LAST:STEP, as in 10:40:5"
    )
