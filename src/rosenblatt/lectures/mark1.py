"""The machine of 1958: a retina, association units, and a response unit that learns right from left.

Cards are shown to a retina of 20 × 20 photocells, each with a square in its left or its right half. The
photocells are wired at random to 1,000 association units (see `AssociationLayer`), which never change;
what learns is the response unit, a perceptron on the association units that fire.

The New York Times of July 8, 1958 reports of the demonstration on an IBM 704 that it was fed two cards,
"one with squares marked on the left side and the other with squares on the right side", and made no
distinction between them in the first fifty trials. This machine needs fewer (`draw_two_cards`), so it is
given more to learn: squares of any size and place (`draw_cards`), and letters (``letters``). Having seen
fifty cards with squares it is right about at least 95 % of 200 new ones for 980 of a thousand seeds,
about at least 99 % for 821 and about all of them for 663 (``benchmarks/mark1.py``).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Flags, MatrixLike, Singles
from rosenblatt.estimators.association_layer import AssociationLayer
from rosenblatt.estimators.perceptron import Perceptron

WIDTH = 20
"""Photocells in a row of the retina, and rows."""

SIDES = ("left", "right")

# The sides of squares: fifty cards do not show every place that smaller ones may be in.
_SMALLEST, _LARGEST = 6, 9


class Card(NamedTuple):
    """A card: the light on each photocell, 0 or 1, and the side that is marked, or the letter."""

    cells: Singles
    side: str

    def lines(self) -> list[str]:
        """Return the card as text, two rows of photocells in each line.

        >>> card = next(draw_cards(np.random.default_rng(0)))
        >>> card.side, len(card.lines()), {len(line) for line in card.lines()}
        ('right', 10, {20})
        """
        cells = self.cells.reshape(WIDTH, WIDTH) > 0
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return [
            "".join(" ▄▀█"[2 * up + down] for up, down in zip(upper, lower, strict=True))
            for upper, lower in ((u.tolist(), d.tolist()) for u, d in pairs)
        ]


class Trial(NamedTuple):
    """One card shown: its number from 1, what it was, and what the machine said before it was told.

    Of its first card the machine says nothing, and that is a mistake too.
    """

    number: int
    card: Card
    said: str | None

    @property
    def is_right(self) -> bool:
        """Whether the machine said what was on the card."""
        return self.said == self.card.side


def draw_cards(rng: np.random.Generator, noise: float = 0.0) -> Iterator[Card]:
    """Yield cards for ever: a square of 6 to 9 photocells a side, anywhere in one half.

    The side, the size and the place are drawn uniformly. With noise every photocell is wrong, light for
    dark or dark for light, with that probability.

    >>> cards = draw_cards(np.random.default_rng(0))
    >>> [int(next(cards).cells.sum()) for _ in range(5)]
    [64, 36, 81, 64, 64]
    """
    half = WIDTH // 2
    while True:
        side, size = int(rng.integers(2)), int(rng.integers(_SMALLEST, _LARGEST + 1))
        top = int(rng.integers(WIDTH - size + 1))
        left = half * side + int(rng.integers(half - size + 1))
        cells = np.zeros((WIDTH, WIDTH), dtype=np.bool_)
        cells[top : top + size, left : left + size] = True
        yield Card(with_noise(cells, rng, noise).ravel().astype(np.float32), SIDES[side])


def draw_two_cards(rng: np.random.Generator, noise: float = 0.0) -> Iterator[Card]:
    """Yield one of two cards for ever, by chance: squares on the left, or squares on the right.

    Each has two squares of 6 photocells a side, one above the other. With noise every photocell is wrong
    with that probability, each time that a card is shown.

    >>> cards = draw_two_cards(np.random.default_rng(0))
    >>> sorted({(card.side, int(card.cells.sum())) for card, _ in zip(cards, range(20))})
    [('left', 72), ('right', 72)]
    """
    while True:
        side = int(rng.integers(2))
        cells = np.zeros((WIDTH, WIDTH), dtype=np.bool_)
        for top in (2, 12):
            cells[top : top + _SMALLEST, 2 + 10 * side : 8 + 10 * side] = True
        yield Card(with_noise(cells, rng, noise).ravel().astype(np.float32), SIDES[side])


def with_noise(cells: Flags, rng: np.random.Generator, noise: float) -> Flags:
    """Return cells each of which is wrong with a probability; nothing is drawn if it is 0."""
    if not 0.0 <= noise <= 1.0:
        raise InputError(f"noise={noise!r} is not accepted: use a number from 0 to 1")
    return cells ^ (rng.random(cells.shape) < noise) if noise > 0.0 else cells


class Mark1:
    """The machine: association units wired by the seed, and a perceptron that has learned nothing yet.

    >>> machine, cards = Mark1(seed=1), draw_cards(np.random.default_rng(1))
    >>> trials = [machine.show(next(cards)) for _ in range(50)]
    >>> last_mistake(trials), machine.n_right(cards, 1000)
    (8, 1000)
    """

    def __init__(self, *, n_units: int = 1000, seed: int = 0) -> None:
        self.layer = AssociationLayer(n_units, random_state=seed)
        self.layer.fit(np.zeros((1, WIDTH * WIDTH)))
        self.response = Perceptron(order="cyclic")  # cards are learned as they are shown
        self.n_shown = 0

    def show(self, card: Card) -> Trial:
        """Show a card, hear what the machine says, and tell it what it is: one visit."""
        units = self._units([card])
        said = self.response.predict_one(units)
        self.response.learn_one(units, card.side)
        self.n_shown += 1
        return Trial(self.n_shown, card, said)

    def n_right(self, cards: Iterator[Card], n_cards: int) -> int:
        """Return how many of the next cards the machine is right about; it learns nothing from them."""
        new = [next(cards) for _ in range(n_cards)]
        said = self.response.predict(self._units(new))
        return int((said == np.array([card.side for card in new])).sum())

    def _units(self, cards: list[Card]) -> MatrixLike:
        """Return which association units fire."""
        return self.layer.transform(np.array([card.cells for card in cards]))


def last_mistake(trials: list[Trial]) -> int:
    """Return the number of the last card that the machine was wrong about, 0 if there was none.

    >>> dark = Card(np.zeros(400, dtype=np.float32), "left")
    >>> last_mistake([Trial(1, dark, None), Trial(2, dark, "right"), Trial(3, dark, "left")])
    2
    """
    return max((trial.number for trial in trials if not trial.is_right), default=0)
