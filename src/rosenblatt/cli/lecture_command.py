"""`rosenblatt lecture TOPIC`: experiments from the lectures."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import Json, Seed
from rosenblatt.cli.progress import fixed_line
from rosenblatt.cli.report import Facts, print_columns, print_facts, print_json, time_text
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.lectures.mark1 import Trial

_HEADS = ["points", "per dimension", "formula", "found", "trials"]
_WIDTHS = [6, 13, 9, 7, 11]
_ROWS_PER_DIMENSION = 5
_NOTES = """
The share of all labelings of points in {} dimensions that a hyperplane through the origin separates.
formula: Cover's theorem, for points in general position.
found: random points with random labels, each decided with a proof.
At {} points, two per dimension, the share is exactly one half.
Time: {}."""
_NEW_CARDS = 1000


def capacity(
    dimensions: Annotated[
        int,
        typer.Option("--dimensions", metavar="N", min=1, help="The number of dimensions."),
    ] = 10,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            metavar="N",
            help="The numbers of points: one, FIRST:LAST or FIRST:LAST:STEP; by default up to four per "
            "dimension.",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int,
        typer.Option(
            "--trials",
            metavar="N",
            min=1,
            help="How many random labelings for each number of points.",
        ),
    ] = 100,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare Cover's theorem with the separable share of random labelings."""
    from rosenblatt.lectures.counting import checked_sizes, separable_fraction, simulate

    counts: Sequence[int] = _default(dimensions) if points is None else _range(points)
    checked_sizes(counts[-1], dimensions)
    watch = Stopwatch()
    rows: list[Facts] = []
    n_undecided = 0
    if not json:
        print_columns(_HEADS, _WIDTHS)
    for number, n_points in enumerate(counts, start=1):
        with fixed_line(f"{number} of {len(counts)}: {n_points} points"):
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


def mark1(
    cards: Annotated[
        int, typer.Option("--cards", metavar="N", min=1, help="The number of cards to show.")
    ] = 50,
    units: Annotated[
        int,
        typer.Option(
            "--units",
            metavar="N",
            min=1,
            max=100_000,
            help="The number of association units.",
        ),
    ] = 1000,
    noise: Annotated[
        float,
        typer.Option(
            "--noise",
            metavar="SHARE",
            min=0,
            max=1,
            help="The probability that a photocell is wrong.",
        ),
    ] = 0.0,
    seed: Seed = 0,
    two_cards: Annotated[
        bool,
        typer.Option("--two-cards", help="Show only two cards, again and again, as in 1958."),
    ] = False,
    letters: Annotated[
        str | None,
        typer.Option(
            "--letters",
            metavar="LETTERS",
            help="Show two letters instead of squares, such as EX.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Let the machine of 1958 learn to tell left from right.

    It has 400 photocells and, by default, 1,000 association units.
    """
    import numpy as np

    from rosenblatt.lectures.mark1 import (
        Mark1,
        draw_cards,
        draw_letters,
        draw_two_cards,
        last_mistake,
    )

    if two_cards and letters is not None:
        raise InputError(f"--two-cards does not go with --letters {letters}: leave one of them out")
    rng = np.random.default_rng(seed)
    if letters is not None:
        drawn = draw_letters(letters, rng, noise)
    else:
        drawn = draw_two_cards(rng, noise) if two_cards else draw_cards(rng, noise)
    machine = Mark1(n_units=units, seed=seed)
    what = "letter" if letters is not None else "squares on the" if two_cards else "square on the"
    trials: list[Trial] = []
    for _ in range(cards):
        trials.append(machine.show(next(drawn)))
        if not json:
            print(_line(trials[-1], what), flush=True)
    n_mistakes = sum(not trial.is_right for trial in trials)
    n_right = machine.n_right(drawn, _NEW_CARDS)
    if json:
        print_json(
            {
                "units": units,
                "noise": noise,
                "seed": seed,
                "two_cards": two_cards,
                "letters": letters,
                "cards": cards,
                "mistakes": n_mistakes,
                "last_mistake": last_mistake(trials),
                "new_cards": _NEW_CARDS,
                "right": n_right,
                "trials": [
                    {"card": trial.card.side, "said": trial.answer, "right": trial.is_right}
                    for trial in trials
                ],
            }
        )
        return
    print_facts(
        {
            "Machine": f"400 photocells, {units:,} association unit{'s'[: units > 1]}, 1 response unit",
            "Cards": f"{cards:,} shown, {n_mistakes:,} mistakes, "
            f"the last at card {last_mistake(trials):,}",
            "Shown again"
            if two_cards
            else "New cards": f"{n_right:,} of {_NEW_CARDS:,} right ({n_right / _NEW_CARDS:.1%})",
        }
    )


def _line(trial: "Trial", what: str) -> str:
    # A sign shows whether the answer was right, because "right" is a side, too.
    said = "nothing" if trial.answer is None else trial.answer
    sign = "✓" if trial.is_right else "✗"
    return f"card {trial.number:>4}  {what} {trial.card.side:<5}  said {said:<7}  {sign}"


def _default(n_dimensions: int) -> list[int]:
    """Return numbers of points up to four per dimension, including two per dimension."""
    steps = range(1, 4 * _ROWS_PER_DIMENSION + 1)
    return sorted({max(1, round(n_dimensions * step / _ROWS_PER_DIMENSION)) for step in steps})


def _range(text: str) -> Sequence[int]:
    """Return the numbers in FIRST:LAST, FIRST:LAST:STEP, or a single number."""
    parts = text.split(":")
    if len(parts) <= 3 and all(re.fullmatch("[0-9]{1,9}", part) for part in parts):
        first, last, step = [*map(int, parts), *[int(parts[0]), 1][len(parts) - 1 :]]
        if 1 <= first <= last and step >= 1:
            return range(first, last + 1, step)
    raise InputError(
        f"--points {text}: give a number of points, FIRST:LAST or FIRST:LAST:STEP, as in 10:40:5"
    )
