"""Columns that separate the classes alone, often because they are only known afterward.

A rule is a set of values for each class, or an interval for each class: for two classes, a threshold.
Missing values are one more value.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Floats, Labels
from rosenblatt.separability.results.conflicts import listed

_SHARE = 0.005  # of the rows may be on the wrong side
_CHANCE = 1e-3  # the largest probability that permuted labels give a column that is as good

# A sample rules out most columns. It has more rows of rare classes, of which a tenth may be mistakes.
_SAMPLE, _RARE_SAMPLE, _SAMPLE_MISTAKES = 1000, 200, 60

_MOST_CLASSES = 50


class Leak(NamedTuple):
    """A column that separates the classes alone, in all but a few rows."""

    column: str
    mistakes: int


def leaks(names: Sequence[str], column: Callable[[int], Floats], y: Labels) -> tuple[Leak, ...]:
    """Return the columns that separate the classes alone in all but 0.5 % of the rows, or one row.

    ``column`` returns the numbers of a column, NaN if missing. No column is reported that might separate
    permuted labels as well: the number of rules times the number of labelings close to each must be far
    below the number of all labelings.

    >>> X = np.random.default_rng(0).standard_normal((60, 2))
    >>> leaks(["age", "alive"], lambda k: X[:, k], X[:, 1] > 0.1)
    (Leak(column='alive', mistakes=0),)
    """
    classes, codes = np.unique(y, return_inverse=True)
    counts, n_rows = np.bincount(codes), len(codes)
    # a share of the rows may be all rows of a rare class
    most = min(max(1, int(_SHARE * n_rows)), (n_rows - int(counts.max())) // 10)
    if not (2 <= len(classes) <= _MOST_CLASSES and most):
        return ()
    rng, rare = np.random.default_rng(0), np.flatnonzero(codes != counts.argmax())
    some = np.union1d(rng.permutation(n_rows)[:_SAMPLE], rng.permutation(rare)[:_RARE_SAMPLE])
    found = []
    for k, name in enumerate(names):
        values = column(k)
        if n_rows > _SAMPLE and _fewest(values[some], codes[some], _SAMPLE_MISTAKES) is None:
            continue
        mistakes = _fewest(values, codes, most, len(names))
        if mistakes is not None:
            found.append(Leak(name, mistakes))
    return tuple(found)


def _fewest(values: Floats, codes: Counts, most: int, n_columns: int = 1) -> int | None:
    """Return the mistakes of the best rule that chance does not explain, or None."""
    counts = np.bincount(codes)
    n_rows, n_classes = len(codes), len(counts)
    labelings = math.lgamma(n_rows + 1) - sum(math.lgamma(n + 1) for n in counts.tolist())
    allowed = labelings + math.log(_CHANCE / n_columns)
    for mistakes, log_rules in sorted(_rules(values, codes, n_classes)):
        if mistakes > most:
            return None
        if log_rules + _log_labelings_near(mistakes, n_rows, n_classes) < allowed:
            return mistakes
    return None


def leaks_text(found: Sequence[Leak], remedy: str) -> str:
    """Return a sentence about columns; ``remedy`` says how to leave them out.

    >>> leaks_text([Leak("alive", 0)], "use ignore")
    'column alive alone separates the classes; if it is only known afterward, use ignore'
    >>> leaks_text([Leak("alive", 0), Leak("boat", 2)], "use ignore")
    'each of the columns alive and boat alone separates the classes in all but 2 rows; if they are only \
known afterward, use ignore'
    """
    which, they = listed("column", [one.column for one in found]), "they are"
    if len(found) == 1:
        they = "it is"
    else:
        which = f"each of the {which}"
    mistakes = max(one.mistakes for one in found)
    rows = f" in all but {mistakes} row{'s' * (mistakes > 1)}" if mistakes else ""
    return f"{which} alone separates the classes{rows}; if {they} only known afterward, {remedy}"


def _rules(values: Floats, codes: Counts, n_classes: int) -> Iterator[tuple[int, float]]:
    """Yield the mistakes of the best sets of values and of the best intervals.

    The second number is the logarithm of how many such rules there are.
    """
    missing = np.isnan(values)
    own = np.bincount(codes[missing], minlength=n_classes)
    lost, log_extra = int(own.sum() - own.max()), math.log(n_classes) * bool(missing.any())
    places = np.unique(values[~missing], return_inverse=True)[1]
    codes, n_values = codes[~missing], int(places.max(initial=-1)) + 1
    pairs, counts = np.unique(places * n_classes + codes, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // n_classes, prepend=-1))
    right = int(np.maximum.reduceat(counts, starts).sum()) if n_values else 0
    yield lost + len(codes) - right, log_extra + n_values * math.log(n_classes)
    log_intervals = (
        math.lgamma(n_values + n_classes) - math.lgamma(n_values + 1) + math.log(n_classes)
    )  # of the orders of classes, times the cuts
    yield lost + _interval_mistakes(places, codes, n_classes, n_values), log_extra + log_intervals


def _interval_mistakes(places: Counts, codes: Counts, n_classes: int, n_values: int) -> int:
    """Return the fewest mistakes with an interval for each class, in the order of their means."""
    by_class = [np.bincount(places[codes == k], minlength=n_values) for k in range(n_classes)]
    sums = np.bincount(codes, weights=places, minlength=n_classes)
    means = sums / np.maximum(np.bincount(codes, minlength=n_classes), 1)
    total = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=n_values))])
    mistakes = None  # of the first classes, for each end of the last interval
    for k in np.argsort(means, kind="stable").tolist():
        wrong = total - np.concatenate([[0], np.cumsum(by_class[k])])
        mistakes = wrong if mistakes is None else wrong + np.minimum.accumulate(mistakes - wrong)
    return int(mistakes[-1]) if mistakes is not None else 0


def _log_labelings_near(mistakes: int, n_rows: int, n_classes: int) -> float:
    """Return the logarithm of how many labelings differ from one in so many rows, at most."""
    chosen = math.lgamma(n_rows + 1) - math.lgamma(mistakes + 1)
    chosen -= math.lgamma(n_rows - mistakes + 1)
    return chosen + mistakes * math.log(max(1, n_classes - 1)) + math.log(mistakes + 1)
