"""`rosenblatt mark1`: the machine of 1958 learns right from left, card by card."""

import sys
import time
from collections.abc import Iterator

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.lectures.mark1 import Card, Mark1, Trial, draw_cards, last_mistake

_NEW_CARDS = 1000
_SECONDS_FOR_A_CARD = 0.15


def show_cards(
    n_cards: int, *, n_units: int, noise: float, seed: int, fast: bool, quiet: bool, as_json: bool
) -> None:
    """Show the machine so many cards, and report how it did and how it does on new ones."""
    machine = Mark1(n_units=n_units, seed=seed)
    cards = draw_cards(np.random.default_rng(seed), noise)
    trials = list(_watched(machine, cards, n_cards, fast=fast, silent=quiet or as_json))
    n_right = machine.n_right(cards, _NEW_CARDS)
    if as_json:
        print_json(_document(trials, n_right, n_units=n_units, noise=noise, seed=seed))
    else:
        print_facts(_facts(trials, n_right, n_units))


def _watched(
    machine: Mark1, cards: Iterator[Card], n_cards: int, *, fast: bool, silent: bool
) -> Iterator[Trial]:
    """Yield the trials: drawn on a terminal, else as lines."""
    if silent or not sys.stdout.isatty():
        for _ in range(n_cards):
            trial = machine.show(next(cards))
            if not silent:
                print(_line(trial), flush=True)
            yield trial
        return
    n_mistakes = 0
    with Live(console=Console(), auto_refresh=False, transient=True) as live:
        for _ in range(n_cards):
            trial = machine.show(next(cards))
            n_mistakes += not trial.is_right
            live.update(_picture(trial, n_cards, n_mistakes), refresh=True)
            if not fast:
                time.sleep(_SECONDS_FOR_A_CARD)
            yield trial


def _picture(trial: Trial, n_cards: int, n_mistakes: int) -> Group:
    """Return the card and what the machine said of it, for a terminal."""
    card = Panel(Text("\n".join(trial.card.lines())), expand=False, title=f"card {trial.number}")
    said = Text(_line(trial), style="green" if trial.is_right else "bold red")
    return Group(card, said, Text(f"{n_mistakes} wrong so far; {n_cards} cards in all"))


def _line(trial: Trial) -> str:
    """Return a trial in words."""
    said = "nothing" if trial.said is None else trial.said
    verdict = "right" if trial.is_right else "wrong"
    return f"card {trial.number:>4}  square on the {trial.card.side:<5}  said {said:<7}  {verdict}"


def _facts(trials: list[Trial], n_right: int, n_units: int) -> dict[str, str]:
    n_mistakes = sum(not trial.is_right for trial in trials)
    last = last_mistake(trials)
    return {
        "Machine": f"400 photocells, {n_units:,} association units, 1 response unit",
        "Cards": f"{len(trials):,} shown, wrong about {n_mistakes:,}, the last time at card {last:,}",
        "New cards": f"right about {n_right:,} of {_NEW_CARDS:,} ({n_right / _NEW_CARDS:.1%})",
    }


def _document(
    trials: list[Trial], n_right: int, *, n_units: int, noise: float, seed: int
) -> dict[str, object]:
    return {
        "units": n_units,
        "noise": noise,
        "seed": seed,
        "cards": len(trials),
        "mistakes": sum(not trial.is_right for trial in trials),
        "last_mistake": last_mistake(trials),
        "new_cards": _NEW_CARDS,
        "right": n_right,
        "trials": [
            {"side": trial.card.side, "said": trial.said, "right": trial.is_right}
            for trial in trials
        ],
    }
