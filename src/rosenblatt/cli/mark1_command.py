"""`rosenblatt mark1`: the machine of 1958 learns right from left, card by card."""

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import Json
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.errors import InputError

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.lectures.mark1 import Trial

_NEW_CARDS = 1000
_SECONDS_FOR_A_CARD = 0.15


def mark1(
    cards: Annotated[int, typer.Option(min=1, help="How many cards are shown.")] = 50,
    units: Annotated[int, typer.Option(min=1, help="The number of association units.")] = 1000,
    noise: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of photocells that are wrong.")
    ] = 0.0,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seeds the wiring and the cards.")
    ] = 0,
    two_cards: Annotated[
        bool,
        typer.Option("--two-cards", help="Show two cards only, as in 1958, again and again."),
    ] = False,
    letters: Annotated[
        str | None, typer.Option(help="Show two letters instead of squares, such as EX.")
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause after each card.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show the result only.")] = False,
    json: Json = False,
) -> None:
    """Watch the machine of 1958 learn left from right: 400 photocells, 1,000 association units."""
    import numpy as np

    from rosenblatt.lectures.letters import draw_letters
    from rosenblatt.lectures.mark1 import Mark1, draw_cards, draw_two_cards, last_mistake

    if two_cards and letters is not None:
        raise InputError(f"--two-cards and --letters {letters} are both given: give one of them")
    rng = np.random.default_rng(seed)
    if letters is not None:
        drawn = draw_letters(letters, rng, noise)
    else:
        drawn = draw_two_cards(rng, noise) if two_cards else draw_cards(rng, noise)
    machine = Mark1(n_units=units, seed=seed)
    shown = (machine.show(next(drawn)) for _ in range(cards))
    what = "letter" if letters is not None else "squares on the" if two_cards else "square on the"
    trials = list(shown if quiet or json else _watched(shown, cards, what, pause=not fast))
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
                    {
                        "letter" if letters is not None else "side": trial.card.side,
                        "said": trial.said,
                        "right": trial.is_right,
                    }
                    for trial in trials
                ],
            }
        )
        return
    print_facts(
        {
            "Machine": f"400 photocells, {units:,} association unit{'s'[: units > 1]}, 1 response unit",
            "Cards": f"{cards:,} shown, wrong about {n_mistakes:,}, "
            f"the last time at card {last_mistake(trials):,}",
            "Shown again"
            if two_cards
            else "New cards": f"right about {n_right:,} of {_NEW_CARDS:,} ({n_right / _NEW_CARDS:.1%})",
        }
    )


def _watched(
    trials: "Iterator[Trial]", n_cards: int, what: str, *, pause: bool
) -> "Iterator[Trial]":
    """Yield the trials, and show each: drawn on a terminal, else as a line."""
    if not sys.stdout.isatty():
        for trial in trials:
            print(_line(trial, what), flush=True)
            yield trial
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.panel import Panel
    from rich.text import Text

    n_mistakes = 0
    with Live(console=Console(), auto_refresh=False, transient=True) as live:
        for trial in trials:
            n_mistakes += not trial.is_right
            picture = Text("\n".join(trial.card.lines()))
            card = Panel(picture, expand=False, title=f"card {trial.number}")
            said = Text(_line(trial, what), style="green" if trial.is_right else "bold red")
            count = Text(f"{n_mistakes} wrong so far; {n_cards} cards in all")
            live.update(Group(card, said, count), refresh=True)
            if pause:
                time.sleep(_SECONDS_FOR_A_CARD)
            yield trial


def _line(trial: "Trial", what: str) -> str:
    """Return a trial in words; "right" is a side, so that a sign says whether it was right."""
    said = "nothing" if trial.said is None else trial.said
    sign = "✓" if trial.is_right else "✗"
    return f"card {trial.number:>4}  {what} {trial.card.side:<5}  said {said:<7}  {sign}"
