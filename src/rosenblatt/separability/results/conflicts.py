"""Conflicts: a few samples that contradict each other, and a sentence that says why.

A conflict is irreducible: without any one of its samples, the others can be separated.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rosenblatt.certificates.label_codes import Label
from rosenblatt.core.errors import InputError

_MAX_NAMES = 8
_MAX_WEIGHT = 1000

Part = str | tuple[int, ...]
"""A part of a sentence: text, or rows to be named."""


@dataclass(frozen=True)
class Conflict:
    """Samples that cannot be separated: their rows, integer weights, and a sentence.

    The signed, extended samples, times the weights, sum to zero. For many classes jointly there is one
    weight per pair of a row and a rival class, so there may be more weights than rows.

    >>> print(equal_samples((118, 4071), ("ham", "spam")))
    rows 118 and 4071 are equal but have the labels 'ham' and 'spam'
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def sentence(self) -> str:
        """The reason why these samples cannot be separated; rows are numbered from 0."""
        return self.named(row_names)

    def named(self, names: Callable[[Sequence[int]], str]) -> str:
        """Return the sentence with other names for rows, such as lines of a file.

        >>> conflict = equal_samples((118, 4071), ("ham", "spam"))
        >>> conflict.named(lambda rows: f"lines {' and '.join(str(row + 1) for row in rows)}")
        "lines 119 and 4072 are equal but have the labels 'ham' and 'spam'"
        """
        return "".join(part if isinstance(part, str) else names(part) for part in self.parts)

    def __str__(self) -> str:
        return self.sentence


class ConflictError(InputError):
    """Raised for a request that contradictory samples make impossible."""

    def __init__(self, text: str, conflict: Conflict) -> None:
        super().__init__(f"{text}: {conflict}")
        self.text, self.conflict = text, conflict


def zero_sample(row: int) -> Conflict:
    """Return the conflict of a zero sample without an intercept."""
    parts = ((row,), " is zero, so it is on every hyperplane through the origin")
    return Conflict((row,), (1,), parts)


def equal_samples(rows: tuple[int, int], labels: tuple[Label, Label]) -> Conflict:
    """Return the conflict of two equal samples with different labels."""
    parts = (rows, f" are equal but have the labels {labels[0]!r} and {labels[1]!r}")
    return Conflict(rows, (1, 1), parts)


def mixed_samples(
    rows: Sequence[int],
    weights: Sequence[int],
    sides: Sequence[str],
    names: dict[str, str],
    *,
    has_intercept: bool,
) -> Conflict:
    """Return the conflict of samples whose signed sum, times the weights, is zero.

    ``sides`` has "+" or "-" for each sample, ``names`` has the name of each side.

    >>> names = {"-": "label 'no'", "+": "label 'yes'"}
    >>> print(mixed_samples([0, 1, 2, 3], [2, 2, 2, 2], "-++-", names, has_intercept=True))
    rows 0 and 3 with label 'no' and rows 1 and 2 with label 'yes' overlap: 1/2·row 0 + 1/2·row 3 is \
the same point as 1/2·row 1 + 1/2·row 2
    >>> print(mixed_samples([4, 9], [1, 3], "+-", names, has_intercept=False))
    rows 4 and 9 contradict each other for every hyperplane through the origin: 1·row 4 - 3·row 9 is zero
    >>> print(mixed_samples([4, 9], [1, 3], "++", names, has_intercept=False))
    no hyperplane through the origin has rows 4 and 9 on one side: 1/4·row 4 + 3/4·row 9 is the origin
    """
    rows, weights = tuple(rows), _lowest_terms(weights)
    if len(rows) == 1:
        return zero_sample(rows[0])
    short = len(rows) <= _MAX_NAMES and max(weights) < _MAX_WEIGHT
    if not has_intercept and len(set(sides)) == 1:
        parts: list[Part] = ["no hyperplane through the origin has ", rows, " on one side"]
        if short:
            parts += [": ", *_mixture(list(zip(rows, weights, strict=True))), " is the origin"]
        return Conflict(rows, weights, tuple(parts))
    if not has_intercept:
        parts = [rows, " contradict each other for every hyperplane through the origin"]
        if short:
            signs = ["- " if side == "-" else "+ " for side in sides]
            signs[0] = signs[0].removeprefix("+ ")
            terms = zip(
                [": " + signs[0], *(f" {sign}" for sign in signs[1:])], weights, rows, strict=True
            )
            parts += _flat((f"{sign}{weight}·", (row,)) for sign, weight, row in terms)
            parts.append(" is zero")
        return Conflict(rows, weights, tuple(parts))
    minus, plus = (
        [
            (row, weight)
            for row, weight, own in zip(rows, weights, sides, strict=True)
            if own == side
        ]
        for side in "-+"
    )
    parts = [
        tuple(row for row, _ in minus),
        f" with {names['-']} and ",
        tuple(row for row, _ in plus),
        f" with {names['+']} overlap",
    ]
    if short:
        parts += [": ", *_mixture(minus), " is the same point as ", *_mixture(plus)]
    return Conflict(rows, weights, tuple(parts))


def rival_samples(
    pairs: Sequence[tuple[int, int]],
    weights: Sequence[int],
    classes: Sequence[Label],
    *,
    has_intercept: bool,
) -> Conflict:
    """Return the conflict of samples whose own classes cannot all beat the rivals in the pairs.

    >>> print(rival_samples([(0, 1), (7, 0)], [1, 1], ["cat", "dog"], has_intercept=True))
    no weights can score the class of row 0 above 'dog' and the class of row 7 above 'cat'
    >>> print(rival_samples([(3, 1)], [1], ["cat", "dog"], has_intercept=False))
    row 3 is zero, so without intercepts all classes give it the same score
    """
    rows = tuple(dict.fromkeys(row for row, _ in pairs))
    if len(pairs) == 1:
        only = (rows, " is zero, so without intercepts all classes give it the same score")
        return Conflict(rows, (1,), only)
    claims: list[tuple[Part, ...]] = [
        ("the class of ", (row,), f" above {classes[rival]!r}") for row, rival in pairs
    ]
    if len(claims) > _MAX_NAMES:
        claims = [*claims[:_MAX_NAMES], (f"{len(claims) - _MAX_NAMES} more pairs",)]
    which = "no weights" if has_intercept else "no weights without intercepts"
    between = [" can score ", *[", "] * (len(claims) - 2), " and "]
    parts = _flat((sign, *claim) for sign, claim in zip(between, claims, strict=True))
    return Conflict(rows, _lowest_terms(weights), (which, *parts))


def _lowest_terms(weights: Sequence[int]) -> tuple[int, ...]:
    factor = math.gcd(*weights)
    return tuple(weight // factor for weight in weights)


def row_names(rows: Sequence[int]) -> str:
    """Name rows, numbered from 0, in a sentence.

    >>> row_names([3]), row_names([3, 5]), row_names(range(40))
    ('row 3', 'rows 3 and 5', 'rows 0, 1, 2, 3, 4, 5, 6, 7 and 32 more')
    """
    return listed("row", [str(row) for row in rows])


def listed(noun: str, names: Sequence[str]) -> str:
    """Return a noun and the first few names, as part of a sentence.

    >>> listed("line", ["3"]), listed("line", ["3", "5"])
    ('line 3', 'lines 3 and 5')
    """
    if len(names) == 1:
        return f"{noun} {names[0]}"
    if len(names) > _MAX_NAMES:
        names = [*names[:_MAX_NAMES], f"{len(names) - _MAX_NAMES} more"]
    return f"{noun}s {', '.join(names[:-1])} and {names[-1]}"


def _mixture(part: Sequence[tuple[int, int]]) -> list[Part]:
    total = sum(weight for _, weight in part)
    if len(part) == 1:
        return [(part[0][0],)]
    terms = ((f" + {Fraction(weight, total)}·", (row,)) for row, weight in part)
    first, *others = _flat(terms)
    assert isinstance(first, str)
    return [first.removeprefix(" + "), *others]


def _flat(parts: Iterable[tuple[Part, ...]]) -> list[Part]:
    return [part for some in parts for part in some]
