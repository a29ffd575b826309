"""`rosenblatt capacity`: Cover's theorem and an experiment, side by side."""

import re
import time
from collections.abc import Sequence
from typing import Any

from rosenblatt.capacity import Simulation, separable_fraction, simulate
from rosenblatt.cli.progress import standing
from rosenblatt.cli.report import print_columns, print_json, seconds_text
from rosenblatt.core.errors import InputError

_HEADS = ["points", "per dimension", "formula", "found", "trials", ""]
_WIDTHS = [6, 13, 9, 7, 11, 0]
_PICTURE = 40
_ROWS = 20


def capacity_table(
    n_dimensions: int, points: str | None, *, trials: int, seed: int, as_json: bool
) -> None:
    """Print how often random labels are separable, by formula and by experiment."""
    counts: Sequence[int] = _default(n_dimensions) if points is None else _range(points)
    started = time.perf_counter()
    rows: list[dict[str, Any]] = []
    if not as_json:
        print_columns([*_HEADS[:-1], " " + _scale()], _WIDTHS)
    for number, n_points in enumerate(counts, start=1):
        with standing(f"{number} of {len(counts)}: {n_points} points"):
            done = simulate(n_points, n_dimensions, trials=trials, seed=seed)
        row = _row(done)
        rows.append(row)
        if not as_json:
            _print_row(row)
    seconds = time.perf_counter() - started
    if as_json:
        facts = {"dimensions": n_dimensions, "seed": seed, "seconds": seconds}
        print_json({**facts, "rows": rows})
        return
    print(
        "\n"
        f"The part of all labelings of points in {n_dimensions} dimensions that a hyperplane through "
        "the origin gives:\n"
        "formula: Cover's theorem, for points in general position (o in the picture).\n"
        "found: by experiment, random points with random labels, decided with proofs (x; both: *).\n"
        f"At {2 * n_dimensions} points, two a dimension, it is exactly one half.\n"
        f"Time: {seconds_text(seconds)}."
    )
    undecided = sum(row["undecided"] for row in rows)
    if undecided:
        print(f"Undecided trials, counted as not separable: {undecided}.")


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


def _row(done: Simulation) -> dict[str, Any]:
    formula = separable_fraction(done.n_points, done.n_dimensions, exact=False)
    return {
        "points": done.n_points,
        "points_per_dimension": done.n_points / done.n_dimensions,
        "formula": formula,
        "found": done.fraction,
        "separable": done.separable,
        "trials": done.trials,
        "undecided": done.undecided,
        "deviation": _deviation(done, formula),
    }


def _deviation(done: Simulation, formula: float) -> float:
    """Return by how many standard deviations of the count the experiment is off."""
    spread = (formula * (1.0 - formula) / done.trials) ** 0.5
    return (done.fraction - formula) / spread if spread > 0.0 else 0.0


def _print_row(row: dict[str, Any]) -> None:
    print_columns(
        [
            str(row["points"]),
            f"{row['points_per_dimension']:.2f}",
            f"{row['formula']:.6f}",
            f"{row['found']:.4f}",
            f"{row['separable']}/{row['trials']}",
            " " + _picture(row["formula"], row["found"]),
        ],
        _WIDTHS,
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
