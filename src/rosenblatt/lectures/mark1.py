"""Rosenblatt's machine of 1958: a retina, association units, and a response unit that learns.

Cards are shown to a retina of 20 × 20 photocells. Each association unit is wired at random to four of
them, by three excitatory connections (+1) and one inhibitory connection (-1); it fires if their sum is
at least 2. The wiring never changes. Only the response unit learns: it is a perceptron on the outputs of
the association units.

The New York Times of July 8, 1958 reports that the machine, simulated on an IBM 704, was fed two cards,
"one with squares marked on the left side and the other with squares on the right side", and made no
distinction between them in the first fifty trials. This one needs fewer (`draw_two_cards`), so there
are harder cards: squares of any size and position (`draw_cards`), and letters (`draw_letters`). After
fifty cards with squares, it is right about at least 95% of 200 new ones with 980 of a thousand seeds
(``benchmarks/mark1.py``).

F. Rosenblatt, The perceptron: a probabilistic model for information storage and organization in the
brain, Psychological Review 65 (1958).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Singles
from rosenblatt.estimators.perceptron import Perceptron

WIDTH = 20
"""The retina has this many rows and columns of photocells."""

_MOST_UNITS = 100_000
_EXCITATORY, _INHIBITORY, _THRESHOLD = 3, 1, 2

# With the most units, that takes 160 MB.
_SHOWN_AT_ONCE = 100

# The side lengths of squares. Fifty cards would not cover the positions of smaller squares.
_SMALLEST, _LARGEST = 6, 9

# Five columns and seven rows: each number is a row of pixels, most significant bit on the left.
_LETTERS = {
    "A": "0e 11 11 1f 11 11 11",
    "B": "1e 11 11 1e 11 11 1e",
    "C": "0e 11 10 10 10 11 0e",
    "D": "1e 11 11 11 11 11 1e",
    "E": "1f 10 10 1e 10 10 1f",
    "F": "1f 10 10 1e 10 10 10",
    "G": "0e 11 10 17 11 11 0e",
    "H": "11 11 11 1f 11 11 11",
    "I": "0e 04 04 04 04 04 0e",
    "J": "07 02 02 02 02 12 0c",
    "K": "11 12 14 18 14 12 11",
    "L": "10 10 10 10 10 10 1f",
    "M": "11 1b 15 15 11 11 11",
    "N": "11 19 15 13 11 11 11",
    "O": "0e 11 11 11 11 11 0e",
    "P": "1e 11 11 1e 10 10 10",
    "Q": "0e 11 11 11 15 12 0d",
    "R": "1e 11 11 1e 14 12 11",
    "S": "0f 10 10 0e 01 01 1e",
    "T": "1f 04 04 04 04 04 04",
    "U": "11 11 11 11 11 11 0e",
    "V": "11 11 11 11 11 0a 04",
    "W": "11 11 11 15 15 1b 11",
    "X": "11 11 0a 04 0a 11 11",
    "Y": "11 11 0a 04 04 04 04",
    "Z": "1f 01 02 04 08 10 1f",
}


class Card(NamedTuple):
    """A card: the light on each photocell, 0 or 1, and the correct answer (a side or a letter)."""

    cells: Singles
    side: str


class Trial(NamedTuple):
    """A card shown to the machine: its number, counted from 1, the card, and the machine's answer.

    The machine has no answer to its first card, which counts as a mistake.
    """

    number: int
    card: Card
    answer: str | None

    @property
    def is_right(self) -> bool:
        """Whether the machine gave the correct answer."""
        return self.answer == self.card.side


class Mark1:
    """The machine: association units wired at random by the seed, and a new perceptron.

    >>> machine, cards = Mark1(seed=1), draw_cards(np.random.default_rng(1))
    >>> trials = [machine.show(next(cards)) for _ in range(50)]
    >>> last_mistake(trials), machine.n_right(cards, 1000)
    (8, 1000)
    """

    def __init__(self, *, n_units: int = 1000, seed: int = 0) -> None:
        rng = np.random.RandomState(whole_number("seed", seed, 0, 2**32 - 1))
        shape = (whole_number("n_units", n_units, 1, _MOST_UNITS), _EXCITATORY + _INHIBITORY)
        self.wiring: Counts = rng.randint(WIDTH * WIDTH, size=shape)
        """The photocell of each connection, one row per unit, excitatory ones first."""
        self.response = Perceptron(order="cyclic", keep="last")  # learns cards in order
        self.n_shown = 0

    def fires(self, cells: Singles) -> Singles:
        """Return the output of each unit (1 if it fires, else 0) for each row of photocells."""
        light = cells[:, self.wiring]
        sums = light[..., :_EXCITATORY].sum(axis=2) - light[..., _EXCITATORY:].sum(axis=2)
        fires: Singles = (sums >= _THRESHOLD).astype(np.float32)
        return fires

    def show(self, card: Card) -> Trial:
        """Show a card, record the machine's answer, then let it learn the correct one: one visit."""
        units = self.fires(card.cells[None])[0]
        answer = self.response.predict_one(units)
        self.response.learn_one(units, card.side)
        self.n_shown += 1
        return Trial(self.n_shown, card, answer)

    def n_right(self, cards: Iterator[Card], n_cards: int) -> int:
        """Return how many of the next cards are answered correctly, without learning from them."""
        n_right = 0
        for start in range(0, n_cards, _SHOWN_AT_ONCE):
            new = [next(cards) for _ in range(min(_SHOWN_AT_ONCE, n_cards - start))]
            answers = self.response.predict(self.fires(np.array([card.cells for card in new])))
            n_right += int((answers == np.array([card.side for card in new])).sum())
        return n_right


def last_mistake(trials: list[Trial]) -> int:
    """Return the number of the last card that was answered incorrectly, or 0."""
    return max((trial.number for trial in trials if not trial.is_right), default=0)


def draw_cards(rng: np.random.Generator, noise: float = 0.0) -> Iterator[Card]:
    """Yield cards forever: a square with sides of 6 to 9 photocells, anywhere in one half.

    The half, size and position are uniformly distributed. ``noise`` is the probability that a photocell
    is inverted.

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
        yield _card(cells, ("left", "right")[side], rng, noise)


def draw_two_cards(rng: np.random.Generator, noise: float = 0.0) -> Iterator[Card]:
    """Yield cards forever, at random one of two: two squares on the left, or two on the right.

    >>> cards = draw_two_cards(np.random.default_rng(0))
    >>> sorted({(card.side, int(card.cells.sum())) for card, _ in zip(cards, range(20))})
    [('left', 72), ('right', 72)]
    """
    while True:
        side = int(rng.integers(2))
        cells = np.zeros((WIDTH, WIDTH), dtype=np.bool_)
        for top in (2, 12):
            cells[top : top + _SMALLEST, 2 + 10 * side : 8 + 10 * side] = True
        yield _card(cells, ("left", "right")[side], rng, noise)


def draw_letters(letters: str, rng: np.random.Generator, noise: float = 0.0) -> Iterator[Card]:
    """Yield cards forever, each with one of two letters, 10 photocells wide and 14 high, anywhere.

    Letters are harder than squares: both have the same 77 possible positions.

    >>> next(draw_letters("EX", np.random.default_rng(0))).side
    'X'
    """
    two = tuple(letters) if isinstance(letters, str) else ()
    if len(set(two)) != 2 or len(two) != 2 or not set(two) <= set(_LETTERS):
        raise InputError(
            f"letters={letters!r} is not accepted: use two different letters of {''.join(_LETTERS)}"
        )
    pictures = [_picture(letter) for letter in two]
    height, width = pictures[0].shape
    while True:
        k = int(rng.integers(2))
        top, left = int(rng.integers(WIDTH - height + 1)), int(rng.integers(WIDTH - width + 1))
        cells = np.zeros((WIDTH, WIDTH), dtype=np.bool_)
        cells[top : top + height, left : left + width] = pictures[k]
        yield _card(cells, two[k], rng, noise)


def _picture(letter: str) -> Flags:
    """Return a letter with four photocells per pixel."""
    rows = [int(row, 16) for row in _LETTERS[letter].split()]
    pixels = [[row >> (4 - column) & 1 for column in range(5)] for row in rows]
    return np.kron(pixels, np.ones((2, 2))) > 0


def _card(cells: Flags, side: str, rng: np.random.Generator, noise: float) -> Card:
    if not 0.0 <= noise <= 1.0:
        raise InputError(f"noise={noise!r} is not accepted: use a number from 0 to 1")
    if noise > 0.0:
        cells = cells ^ (rng.random(cells.shape) < noise)
    return Card(cells.ravel().astype(np.float32), side)
