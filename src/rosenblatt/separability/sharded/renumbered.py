"""What was found of a few samples, said of all: rows have the numbers that they have among all."""

from dataclasses import replace

from rosenblatt.certificates import Digest, HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.combination import Combination
from rosenblatt.core.types import Counts
from rosenblatt.separability.results.conflicts import Conflict
from rosenblatt.separability.results.result import Separation


def renumbered(found: Separation, numbers: Counts, digest: Digest | None) -> Separation:
    """Return a separation of rows that have these numbers among all, whose digest is given.

    Without a certificate no digest is needed.

    >>> import numpy as np
    >>> from rosenblatt.separability.separate import separate
    >>> found = separate([[1.0], [1.0]], ["no", "yes"])
    >>> print(renumbered(found, np.array([40, 71]), found.certificate.digest).conflicts[0])
    rows 40 and 71 are equal and carry the opposite labels 'no' and 'yes'
    """
    return replace(
        found,
        certificate=_renumbered_certificate(found.certificate, numbers, digest),
        support=numbers[found.support],
        conflicts=tuple(_renumbered_conflict(conflict, numbers) for conflict in found.conflicts),
    )


def renumbered_combination(combination: Combination, numbers: Counts) -> Combination:
    """Return a combination of rows that have these numbers among all.

    >>> import numpy as np
    >>> renumbered_combination({(1, 2): 5}, np.array([40, 71]))
    {(71, 2): 5}
    """
    by_row, by_pair = {}, {}
    for key, count in combination.items():
        if isinstance(key, int):
            by_row[int(numbers[key])] = count
        else:
            by_pair[int(numbers[key[0]]), key[1]] = count
    return by_pair or by_row


def _renumbered_certificate(
    certificate: SeparatingHyperplane | HullIntersection | None,
    numbers: Counts,
    digest: Digest | None,
) -> SeparatingHyperplane | HullIntersection | None:
    if certificate is None:
        return None
    assert digest is not None
    combination = certificate.combination
    if combination is None:
        return replace(certificate, digest=digest)
    named = renumbered_combination(combination, numbers)
    return replace(certificate, digest=digest, combination=named)


def _renumbered_conflict(conflict: Conflict, numbers: Counts) -> Conflict:
    parts = tuple(
        part if isinstance(part, str) else _named(part, numbers) for part in conflict.parts
    )
    return replace(conflict, rows=_named(conflict.rows, numbers), parts=parts)


def _named(rows: tuple[int, ...], numbers: Counts) -> tuple[int, ...]:
    return tuple(int(numbers[row]) for row in rows)
