"""Positive multiples of the vectors z, and the one thing that matters about them: their exact sum.

For any counts a > 0 the maximum margin is at most ‖Σ a·z‖ / Σ a; where the sum is 0 no weights separate
the data. The affine margin needs counts that weigh both sides alike, so that the constant cancels.
"""

from fractions import Fraction

from rosenblatt.certificates.display import shown
from rosenblatt.certificates.float_check import is_clearly_short
from rosenblatt.certificates.integer_check import Term, total
from rosenblatt.certificates.scope import Setting, listed

Combination = dict[int, int] | dict[tuple[int, int], int]
"""Counts by row; for all classes jointly, by row and index of the rival class."""


def rows_of(combination: Combination) -> list[int]:
    """Return the rows that have a part in a combination, ascending.

    >>> rows_of({(5, 0): 1, (2, 1): 7, (5, 1): 1})
    [2, 5]
    """
    return sorted({key if isinstance(key, int) else key[0] for key in combination})


def row_counts(combination: Combination) -> dict[int, int]:
    """Return how often each row counts, rivals taken together, in ascending order of rows.

    >>> row_counts({(5, 0): 1, (2, 1): 7, (5, 1): 1})
    {2: 7, 5: 2}
    """
    counts = dict.fromkeys(rows_of(combination), 0)
    for key, count in combination.items():
        counts[key if isinstance(key, int) else key[0]] += count
    return counts


def form_falsehood(setting: Setting, combination: object) -> str | None:
    """Return why something is no combination of this setting's vectors, if so."""
    if not isinstance(combination, dict) or len(combination) == 0:
        return "the combination of rows is empty"
    for key, count in combination.items():
        if type(count) is not int or count <= 0:
            times = f"{shown(key)} {shown(count)} times"
            return f"the combination counts {times}, which is no positive integer"
        false = _key_falsehood(setting, key)
        if false is not None:
            return false
    return None


def _key_falsehood(setting: Setting, key: object) -> str | None:
    n_samples, codes = setting.samples.n_samples, setting.samples.codes
    row, rival = key, None
    if setting.positive is None:
        if not isinstance(key, tuple) or len(key) != 2:
            return (
                f"the combination names {shown(key)}, which is no pair of a row and a rival class"
            )
        row, rival = key
    if type(row) is not int or not 0 <= row < n_samples:
        return f"the combination names row {shown(row)}, but the data has rows 0 to {n_samples - 1}"
    if setting.positive is not None:
        return None
    if type(rival) is not int or not 0 <= rival < setting.n_blocks or rival == codes[row]:
        return f"the combination names class {shown(rival)}, which is no rival of row {row}"
    return None


def upper_falsehood(
    setting: Setting, combination: Combination, upper_squared: Fraction, *, exact: bool
) -> str | None:
    """Return what is false in the claim that the maximum margin² is at most ``upper_squared``."""
    terms, mass = terms_of(setting, combination), sum(combination.values())
    if setting.margin == "affine" and sum(term.times for term in terms) != 0:
        return "the combination does not count both sides alike, so it bounds no affine margin"
    if not exact and is_clearly_short(setting, terms, mass, upper_squared):
        return None
    summed = total(setting.samples, terms, setting.constant, setting.width)
    if isinstance(summed, str):
        return summed
    sums, exponent = summed
    squares = sum(number * number for number in sums.values()) * upper_squared.denominator
    if squares > (upper_squared.numerator * mass * mass) << -2 * exponent:
        return "the claimed upper bound on the margin is too low: the combination is longer"
    return None


def zero_falsehood(setting: Setting, combination: Combination) -> str | None:
    """Return what is false in the claim that the combination sums to zero."""
    summed = total(setting.samples, terms_of(setting, combination), setting.constant, setting.width)
    if isinstance(summed, str):
        return summed
    for place, number in sorted(summed[0].items()):
        if number != 0:
            rows, column = listed(rows_of(combination)), setting.describe_column(place)
            return f"the combination of {rows} does not sum to zero in {column}"
    return None


def terms_of(setting: Setting, combination: Combination) -> list[Term]:
    """Return how often each sample counts in each block of coordinates."""
    codes = setting.samples.codes
    counts: dict[tuple[int, int], int] = {}

    def add(row: int, block: int, count: int) -> None:
        counts[row, block] = counts.get((row, block), 0) + count

    for key, count in combination.items():
        if isinstance(key, int):
            add(key, 0, count if codes[key] == setting.positive else -count)
        else:
            add(key[0], int(codes[key[0]]), count)
            add(key[0], key[1], -count)
    return [Term(row, block, count) for (row, block), count in sorted(counts.items())]
