"""Positive multiples of the vectors z: their exact sum bounds the margin, or proves inseparability.

For any counts a > 0 the maximum margin is at most ‖Σ a·z‖ / Σ a; if the sum is 0, no weights separate
the data. For the affine margin both sides need the same total count, so that the constant cancels.
"""

from fractions import Fraction

from rosenblatt.certificates.display import short_repr
from rosenblatt.certificates.float_check import is_clearly_short
from rosenblatt.certificates.integer_check import Term, exact_sum
from rosenblatt.certificates.scope import Setting, row_list

Combination = dict[int, int] | dict[tuple[int, int], int]
"""Counts per row, or per row and index of the rival class if all classes are separated jointly."""


def rows_of(combination: Combination) -> list[int]:
    """Return the rows in a combination, ascending.

    >>> rows_of({(5, 0): 1, (2, 1): 7, (5, 1): 1})
    [2, 5]
    """
    return sorted({key if isinstance(key, int) else key[0] for key in combination})


def row_counts(combination: Combination) -> dict[int, int]:
    """Return how often each row counts, summed over its rivals, in ascending order of rows.

    >>> row_counts({(5, 0): 1, (2, 1): 7, (5, 1): 1})
    {2: 7, 5: 2}
    """
    counts = dict.fromkeys(rows_of(combination), 0)
    for key, count in combination.items():
        counts[key if isinstance(key, int) else key[0]] += count
    return counts


def form_falsehood(setting: Setting, combination: object) -> str | None:
    """Return why an object is not a combination of this setting's vectors, or None if it is one."""
    if not isinstance(combination, dict) or len(combination) == 0:
        return "the combination of rows is empty"
    for key, count in combination.items():
        if type(count) is not int or count <= 0:
            times = f"{short_repr(key)} {short_repr(count)} times"
            return f"the combination counts {times}, which is not a positive integer"
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
                f"the combination names {short_repr(key)}, which is not a pair of a row and a rival "
                "class"
            )
        row, rival = key
    if type(row) is not int or not 0 <= row < n_samples:
        named = f"the combination names row {short_repr(row)}"
        return f"{named}, but the data has rows 0 to {n_samples - 1}"
    if setting.positive is not None:
        return None
    if type(rival) is not int or not 0 <= rival < setting.n_blocks or rival == codes[row]:
        return f"the combination names class {short_repr(rival)}, which is not a rival of row {row}"
    return None


def upper_falsehood(
    setting: Setting, combination: Combination, upper_squared: Fraction, *, exact: bool
) -> str | None:
    """Return why the combination does not prove that margin² is at most ``upper_squared``, or None."""
    terms, total_count = terms_of(setting, combination), sum(combination.values())
    if setting.margin == "affine" and sum(term.times for term in terms) != 0:
        return (
            "the two sides have different total counts, so the combination bounds no affine margin"
        )
    if not exact and is_clearly_short(setting, terms, total_count, upper_squared):
        return None
    summed = exact_sum(setting.samples, terms, setting.constant, setting.width)
    if isinstance(summed, str):
        return summed
    sums, exponent = summed
    squares = sum(number * number for number in sums.values()) * upper_squared.denominator
    if squares > (upper_squared.numerator * total_count * total_count) << -2 * exponent:
        return "the claimed upper bound on the margin is too low for this combination"
    return None


def zero_falsehood(setting: Setting, combination: Combination) -> str | None:
    """Return why the combination does not sum to zero, or None if it does."""
    terms = terms_of(setting, combination)
    summed = exact_sum(setting.samples, terms, setting.constant, setting.width)
    if isinstance(summed, str):
        return summed
    for coordinate, number in sorted(summed[0].items()):
        if number != 0:
            rows, column = row_list(rows_of(combination)), setting.describe_column(coordinate)
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
