"""What weights do on some samples, rigorously: a worker's part of a proof.

Each sample's margin is known from below by a float score less a bound on its error, as sharp as the
magnitudes of its own terms: a function of the sample and the weights, so that the least of all samples
is the same however they are cut. Where floats leave open on which side a sample is, its score is taken
in whole numbers; for weights in whole numbers, also where they leave open whether its margin is as large
as was claimed. (Those of a large margin are many, and clear; those in doubt are few.)
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.certificates.rounding import Weights, near_weights, sqrt_up
from rosenblatt.core.constants import SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.rows import CSRRows
from rosenblatt.separability.checked_input import check_lengths
from rosenblatt.separability.sharded.claims import Asked, Chunk, Claim
from rosenblatt.separability.signed_samples import Vectors, norm_up
from rosenblatt.separability.solvers.integers import whole
from rosenblatt.separability.solvers.kesler_rows import JointRows

_NUMBERS = 1 << 20
"""Numbers that are unpacked at once, to be looked at as whole ones."""

_SPARE = 2.0**-48
"""What a few roundings, of weights and of a threshold, may come to."""


class Measured(NamedTuple):
    """What was found of weights on some samples.

    ``n_mistakes`` counts, exactly, the samples that are not strictly on their own side, and ``n_short``
    those that are not shown to have the margin that was claimed. ``least``, if it is above 0, is not
    above any sample's margin, in the unit of the weights; None where there is no sample.
    """

    n_samples: int = 0
    n_mistakes: int = 0
    n_short: int = 0
    least: Fraction | None = None


class Margins(NamedTuple):
    """The margins of some samples: each in floats, which of them are short, and the least of all."""

    values: Floats
    short: Flags
    measured: Measured


def measured(asked: Asked, claim: Claim, chunks: Iterable[Chunk]) -> Measured:
    """Return what weights do on all samples of some chunks.

    >>> asked = Asked(np.array([0, 1]), 1.0)
    >>> chunk = Chunk(np.array([[-1.0], [2.0]]), np.array([0, 1]), np.arange(2))
    >>> found = measured(asked, Claim(1, np.array([1.0, 0.0])), [chunk])
    >>> found.n_samples, found.n_mistakes, 0.999 < found.least <= 1
    (2, 0, True)
    """
    return joined(margins(asked, claim, chunk).measured for chunk in chunks)


def joined(parts: Iterable[Measured]) -> Measured:
    """Return what was found on several parts of the samples.

    >>> joined([Measured(2, 1, 1, Fraction(-1)), Measured(3, 0, 0, Fraction(2)), Measured()])
    Measured(n_samples=5, n_mistakes=1, n_short=1, least=Fraction(-1, 1))
    """
    found = list(parts)
    return Measured(
        sum(part.n_samples for part in found),
        sum(part.n_mistakes for part in found),
        sum(part.n_short for part in found),
        min((part.least for part in found if part.least is not None), default=None),
    )


def margins(asked: Asked, claim: Claim, chunk: Chunk) -> Margins:
    """Return the margins of the samples of a chunk, over their lengths if these are to be 1."""
    n_samples = len(chunk.codes)
    if n_samples == 0:
        return Margins(np.zeros(0), np.zeros(0, dtype=np.bool_), Measured())
    samples = asked.samples(chunk.X)
    vectors = asked.vectors(samples, chunk.codes, claim.positive)
    if asked.unit_length:
        check_lengths(samples.lengths, chunk.numbers)
    near, exponent = _near(claim.weights)
    values, bands = vectors.sharp_margins(near)
    if not np.isfinite(bands).all():
        check_lengths(samples.lengths, chunk.numbers)
    terms = _terms(vectors)
    # The bands are for as many terms as there are weights; a row may have fewer.
    bands = bands * ((terms + 8) / (len(near) + 8)) * (1.0 + _SPARE) + SMALL_PRODUCT
    shortest, longest = _lengths(asked, samples, terms)
    found = _decided(asked, claim, vectors, _Floats(values, bands, shortest, longest), exponent)
    # A sample is as good as it is against the rival that comes nearest.
    by_sample = (n_samples, vectors.count // n_samples)
    short: Flags = ~np.asarray(found.clear.reshape(by_sample).all(axis=1))
    n_mistakes = int(found.wrong.reshape(by_sample).any(axis=1).sum())
    return Margins(
        (values / longest).reshape(by_sample).min(axis=1),
        short,
        Measured(n_samples, n_mistakes, int(short.sum()), found.least),
    )


class _Floats(NamedTuple):
    """The scores of vectors, bounds on their errors, and on the lengths that they are divided by."""

    values: Floats
    bands: Floats
    shortest: Floats
    longest: Floats


class _Decided(NamedTuple):
    """Which vectors are not on their side, which have the margin claimed, and the least of all."""

    wrong: Flags
    clear: Flags
    least: Fraction


def _decided(
    asked: Asked, claim: Claim, vectors: Vectors, scores: _Floats, exponent: int
) -> _Decided:
    """Decide about vectors, in whole numbers where floats leave a doubt.

    The scores are of the weights over 2 to the exponent.
    """
    values, bands, shortest, longest = scores
    near, _ = _near(claim.weights)
    needed = _needed(asked, claim, near)
    floors, ceilings = values - bands, values + bands
    wrong = ceilings < 0.0
    clear = (floors > 0.0) & (floors >= needed * longest)
    # What has overflowed compares with nothing.
    in_doubt = ~wrong & ~(floors > 0.0)
    if isinstance(claim.weights, tuple):
        in_doubt |= ~clear & ~(ceilings < needed * shortest * (1.0 - len(near) * _SPARE))
    known = (floors / longest)[~in_doubt]
    least = [Fraction(float(known.min())) * Fraction(2) ** exponent] if len(known) else []
    squares = _squared_needed(asked, claim)
    for order in _blocks(np.flatnonzero(in_doubt), vectors.n_terms):
        for i, margin in zip(order.tolist(), _exact(vectors, claim.weights, order), strict=True):
            length = Fraction(float(longest[i]))
            wrong[i] = margin <= 0
            clear[i] = margin > 0 and margin**2 >= squares * length**2
            least.append(margin / length)
    return _Decided(wrong, clear, min(least))


def _near(weights: Weights) -> tuple[Floats, int]:
    """Return weights as floats, over 2 to an exponent, which is also returned."""
    if not isinstance(weights, tuple):
        # Those of a certificate must not be written to, which to compiled code is another type.
        return weights if weights.flags.writeable else weights.copy(), 0
    return near_weights(weights), max(weight.bit_length() for weight in weights) - 1


def _terms(vectors: Vectors) -> Floats:
    """Return how many terms each score has, at most."""
    joint = isinstance(vectors.rows, JointRows)
    rows = vectors.rows.base if joint else vectors.rows
    if isinstance(rows, CSRRows):
        own = np.diff(rows.indptr) + 1.0
    else:
        own = np.full(len(rows.values), rows.values.shape[1] + 1.0)
    return np.repeat(2.0 * own, vectors.rows.n_classes - 1) if joint else own


def _lengths(asked: Asked, samples: Vectors, terms: Floats) -> tuple[Floats, Floats]:
    """Return bounds on the length that each margin is divided by: 1 unless samples are scaled."""
    if not asked.unit_length:
        return np.ones(len(terms)), np.ones(len(terms))
    lengths = np.repeat(samples.lengths, len(terms) // samples.count)
    slack = (terms + 8) * TWO_ROUNDOFFS
    return lengths * (1.0 - slack), np.nextafter(lengths * (1.0 + slack), math.inf)


def counted_weights(asked: Asked, positive: int | None, weights: Weights) -> Weights:
    """Return the weights that count in the length of all: not the bias where it is free.

    >>> counted_weights(Asked(np.array([0, 1]), 1.0, "affine"), 1, (2, 5))
    (2,)
    """
    return weights[:-1] if asked.scope(positive).margin == "affine" else weights


def _needed(asked: Asked, claim: Claim, near: Floats) -> float:
    """Return what a score must be, for the margin to be as large as is claimed, rounded up."""
    if claim.lower_squared is None:
        return 0.0
    counted = counted_weights(asked, claim.positive, near)
    assert isinstance(counted, np.ndarray)
    reach = sqrt_up(claim.lower_squared) * norm_up(counted) * (1.0 + _SPARE)
    return math.nextafter(reach, math.inf)


def _squared_needed(asked: Asked, claim: Claim) -> Fraction:
    """Return the square of what a score must be; of weights in whole numbers, exactly that."""
    if claim.lower_squared is None:
        return Fraction(0)
    return claim.lower_squared * squared_length(
        counted_weights(asked, claim.positive, claim.weights)
    )


def squared_length(weights: Weights) -> Fraction:
    """Return the square of the length of weights: of floats, rounded up.

    >>> squared_length((3, 4)), 25 <= squared_length(np.array([3.0, 4.0])) < 25.0001
    (Fraction(25, 1), True)
    """
    if isinstance(weights, tuple):
        return Fraction(sum(weight * weight for weight in weights))
    return Fraction(norm_up(weights)) ** 2


def _blocks(order: Counts, n_terms: int) -> list[Counts]:
    """Cut vectors of so many terms into blocks that are unpacked at once."""
    size = max(1, _NUMBERS // n_terms)
    return [order[start : start + size] for start in range(0, len(order), size)]


def _exact(vectors: Vectors, weights: Weights, order: Counts) -> list[Fraction]:
    """Return the scores of some vectors, signed, as the rational numbers that they are."""
    rows = sp.csr_matrix(vectors.packed(order))
    columns, places = np.unique(rows.indices, return_inverse=True)
    if isinstance(weights, tuple):
        factors, own = [weights[j] for j in columns.tolist()], 0
    else:
        (factors,), own = whole(weights[None, columns])
    (numbers,), exponent = whole(rows.data[None])
    products = [number * factors[k] for number, k in zip(numbers, places.tolist(), strict=True)]
    unit = Fraction(2) ** (exponent + own)
    return [sum(products[start:stop]) * unit for start, stop in pairwise(rows.indptr.tolist())]
