"""`rosenblatt capacity`: Cover's theorem and an experiment, side by side."""

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from rosenblatt.cli.options import Json
from rosenblatt.cli.progress import standing
from rosenblatt.cli.report import Facts, print_columns, print_json, time_text
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError

_HEADS = ["points", "per dimension", "formula", "found", "trials", ""]
_WIDTHS = [6, 13, 9, 7, 11, 0]
_PICTURE = 40
_ROWS = 20
_NOTES = """
The part of all labelings of points in {} dimensions that a hyperplane through the origin gives:
formula: Cover's theorem, for points in general position (o in the picture).
found: by experiment, random points with random labels, decided with proofs (x; both: *).
At {} points, two a dimension, it is exactly one half.
Time: {}."""


def capacity(
    dimensions: Annotated[
        int, typer.Option("--dimensions", min=1, help="The number of dimensions.")
    ] = 10,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            help="The numbers of points: one, FIRST:LAST or FIRST:LAST:STEP; by default up to four a "
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
    """Compare Cover's theorem with random points: what part of all labelings is separable."""
    from rosenblatt.capacity import separable_fraction, simulate

    counts: Sequence[int] = _default(dimensions) if points is None else _range(points)
    watch = Stopwatch()
    rows: list[Facts] = []
    n_undecided = 0
    if not json:
        print_columns([*_HEADS[:-1], " " + _scale()], _WIDTHS)
    for number, n_points in enumerate(counts, start=1):
        with standing(f"{number} of {len(counts)}: {n_points} points"):
            done = simulate(n_points, dimensions, trials=trials, seed=seed)
        formula = separable_fraction(n_points, dimensions, exact=False)
        spread = (formula * (1.0 - formula) / trials) ** 0.5
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
                # in standard deviations of the count
                "deviation": (done.fraction - formula) / spread if spread > 0.0 else 0.0,
            }
        )
        if not json:
            print_columns(
                [
                    str(n_points),
                    f"{n_points / dimensions:.2f}",
                    f"{formula:.6f}",
                    f"{done.fraction:.4f}",
                    f"{done.separable}/{trials}",
                    " " + _picture(formula, done.fraction),
                ],
                _WIDTHS,
            )
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
    """Return numbers of points up to four a dimension, two a dimension among them."""
    fifths = (n_dimensions * step / (_ROWS // 4) for step in range(1, _ROWS + 1))
    return sorted({max(1, round(points)) for points in fifths})


def _range(text: str) -> Sequence[int]:
    """Return the numbers that FIRST:LAST or FIRST:LAST:STEP, or one number, stands for."""
    parts = text.split(":")
    if len(parts) > 3 or not all(re.fullmatch("[0-9]{1,9}", part) for part in parts):
        raise _bad_range(text)
    first, last, step = [*map(int, parts), *[int(parts[0]), 1][len(parts) - 1 :]]
    if not 1 <= first <= last or step < 1:
        raise _bad_range(text)
    return range(first, last + 1, step)


def _bad_range(text: str) -> InputError:
    return InputError(
        f"--points {text}: give a number of points, FIRST:LAST or FIRST:LAST:STEP, as in 10:40:5"
    )


def _picture(formula: float, found: float) -> str:
    """Return a line with a mark for each.

    >>> _picture(0.5, 0.4)
    '|                x   o                    |'
    """
    signs = [" "] * (_PICTURE + 1)
    signs[round(formula * _PICTURE)] = "o"
    place = round(found * _PICTURE)
    signs[place] = "*" if signs[place] == "o" else "x"
    return f"|{''.join(signs)}|"


def _scale() -> str:
    half = _PICTURE // 2
    return f"|0{'1/2'.center(2 * half - 1)}1|"
