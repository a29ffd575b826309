"""Letters on the retina: the machine that was announced was to read and write."""

from collections.abc import Iterator

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Flags
from rosenblatt.lectures.mark1 import WIDTH, Card, with_noise

# Five columns and seven rows: each number is a row, its bits from left to right.
_ROWS = {
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
_COLUMNS = 5
_SCALE = 2
_ALL = "".join(_ROWS)


def draw_letters(letters: str, rng: np.random.Generator, noise: float = 0.0) -> Iterator[Card]:
    r"""Yield cards for ever, each with one of two letters, 10 photocells wide and 14 high, anywhere.

    The letter and its place are drawn uniformly. With noise every photocell is wrong, light for dark or
    dark for light, with that probability. Letters are harder than squares: they may be in 77 places, and
    share most of them.

    >>> card = next(draw_letters("EX", np.random.default_rng(0)))
    >>> print(card.side, *(line.rstrip() for line in card.lines() if line.strip()), sep="\n")
    X
         ██      ██
         ██      ██
           ██  ██
             ██
           ██  ██
         ██      ██
         ██      ██
    """
    two = tuple(letters) if isinstance(letters, str) else ()
    if len(set(two)) != 2 or len(two) != 2 or not set(two) <= set(_ALL):
        raise InputError(f"letters={letters!r} is not accepted: use two different ones of {_ALL}")
    pictures = [_picture(letter) for letter in two]
    height, width = pictures[0].shape
    while True:
        k = int(rng.integers(2))
        top, left = int(rng.integers(WIDTH - height + 1)), int(rng.integers(WIDTH - width + 1))
        cells = np.zeros((WIDTH, WIDTH), dtype=np.bool_)
        cells[top : top + height, left : left + width] = pictures[k]
        yield Card(with_noise(cells, rng, noise).ravel().astype(np.float32), two[k])


def _picture(letter: str) -> Flags:
    rows = [int(row, 16) for row in _ROWS[letter].split()]
    small = [[row >> (_COLUMNS - 1 - column) & 1 for column in range(_COLUMNS)] for row in rows]
    return np.kron(small, np.ones((_SCALE, _SCALE))) > 0
