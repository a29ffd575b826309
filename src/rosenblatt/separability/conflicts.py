"""Why nothing separates, in words: a few samples that contradict each other.

A conflict is irreducible: without any one of its samples the others could be separated.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rosenblatt.certificates.label_codes import Label

_MOST_NAMED = 8
_LARGEST_NAMED = 1000


@dataclass(frozen=True)
class Conflict:
    """Samples that none of the weights asked about separates: their rows, whole weights, and a sentence.

    The signed, extended samples, times the weights, sum to zero. For many classes jointly there is a
    weight for each pair of a row and a rival class, so that there may be more weights than rows.

    >>> print(equal_samples((118, 4071), ("ham", "spam")))
    rows 118 and 4071 are equal and carry the opposite labels 'ham' and 'spam'
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def zero_sample(row: int) -> Conflict:
    """Return the conflict of a sample that is zero, where there is no intercept."""
    sentence = f"row {row} is zero, so that it lies on every hyperplane through the origin"
    return Conflict((row,), (1,), sentence)


def equal_samples(rows: tuple[int, int], labels: tuple[Label, Label]) -> Conflict:
    """Return the conflict of two equal samples with different labels."""
    sentence = (
        f"rows {rows[0]} and {rows[1]} are equal and carry the opposite labels "
        f"{labels[0]!r} and {labels[1]!r}"
    )
    return Conflict(rows, (1, 1), sentence)


def mixed_samples(
    rows: Sequence[int],
    weights: Sequence[int],
    sides: Sequence[str],
    names: dict[str, str],
    *,
    has_intercept: bool,
) -> Conflict:
    """Return the conflict of samples whose signed sum, times the weights, is zero.

    ``sides`` has "+" or "-" for each sample, ``names`` says what each side is called.

    >>> names = {"-": "label 'no'", "+": "label 'yes'"}
    >>> print(mixed_samples([0, 1, 2, 3], [2, 2, 2, 2], "-++-", names, has_intercept=True))
    rows 0 and 3 of label 'no' and rows 1 and 2 of label 'yes' cross: 1/2·row 0 + 1/2·row 3 is the same \
point as 1/2·row 1 + 1/2·row 2
    >>> print(mixed_samples([4, 9], [1, 3], "++", names, has_intercept=False))
    rows 4 and 9 contradict each other for every hyperplane through the origin: 1·row 4 + 3·row 9 is zero
    """
    rows, weights = tuple(rows), _lowest_terms(weights)
    if len(rows) == 1:
        return zero_sample(rows[0])
    short = len(rows) <= _MOST_NAMED and max(weights) < _LARGEST_NAMED
    if not has_intercept:
        sentence = f"{_rows(rows)} contradict each other for every hyperplane through the origin"
        if short:
            terms = [
                f"{'- ' if side == '-' else '+ '}{weight}·row {row}"
                for row, weight, side in zip(rows, weights, sides, strict=True)
            ]
            sentence += f": {' '.join(terms).removeprefix('+ ')} is zero"
        return Conflict(rows, weights, sentence)
    minus, plus = (
        [
            (row, weight)
            for row, weight, own in zip(rows, weights, sides, strict=True)
            if own == side
        ]
        for side in "-+"
    )
    sentence = (
        f"{_rows([row for row, _ in minus])} of {names['-']} and "
        f"{_rows([row for row, _ in plus])} of {names['+']} cross"
    )
    if short:
        sentence += f": {_mixture(minus)} is the same point as {_mixture(plus)}"
    return Conflict(rows, weights, sentence)


def rival_samples(
    pairs: Sequence[tuple[int, int]],
    weights: Sequence[int],
    classes: Sequence[Label],
    *,
    has_intercept: bool,
) -> Conflict:
    """Return the conflict of samples that cannot all beat the rival classes named in the pairs.

    >>> print(rival_samples([(0, 1), (7, 0)], [1, 1], ["cat", "dog"], has_intercept=True))
    no weights of the classes can have row 0 above 'dog' and row 7 above 'cat'
    >>> print(rival_samples([(3, 1)], [1], ["cat", "dog"], has_intercept=False))
    row 3 is zero, so that without intercepts all classes score it alike
    """
    rows = tuple(dict.fromkeys(row for row, _ in pairs))
    if len(pairs) == 1:
        sentence = f"row {rows[0]} is zero, so that without intercepts all classes score it alike"
        return Conflict(rows, (1,), sentence)
    claims = [f"row {row} above {classes[rival]!r}" for row, rival in pairs]
    if len(claims) > _MOST_NAMED:
        claims = [*claims[:_MOST_NAMED], f"{len(claims) - _MOST_NAMED} more such pairs"]
    which = "no weights of the classes" if has_intercept else "no weights without intercepts"
    sentence = f"{which} can have {', '.join(claims[:-1])} and {claims[-1]}"
    return Conflict(rows, _lowest_terms(weights), sentence)


def _lowest_terms(weights: Sequence[int]) -> tuple[int, ...]:
    factor = math.gcd(*weights)
    return tuple(weight // factor for weight in weights)


def _rows(rows: Sequence[int]) -> str:
    """Return rows in words.

    >>> _rows([3]), _rows([3, 5]), _rows(range(40))
    ('row 3', 'rows 3 and 5', 'rows 0, 1, 2, 3, 4, 5, 6, 7 and 32 more')
    """
    if len(rows) == 1:
        return f"row {rows[0]}"
    named = [str(row) for row in rows]
    if len(named) > _MOST_NAMED:
        named = [*named[:_MOST_NAMED], f"{len(named) - _MOST_NAMED} more"]
    return f"rows {', '.join(named[:-1])} and {named[-1]}"


def _mixture(part: Sequence[tuple[int, int]]) -> str:
    total = sum(weight for _, weight in part)
    if len(part) == 1:
        return f"row {part[0][0]}"
    return " + ".join(f"{Fraction(weight, total)}·row {row}" for row, weight in part)
