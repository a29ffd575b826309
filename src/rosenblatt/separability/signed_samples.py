"""The vectors to be separated, z_i = sign_i·(x_i, constant), and bounds on their maximum margin.

One group: is there a w with w·z_i > 0 for every i, and how large can min_i w·z_i/‖w‖ be? Two groups, the
positive and the negative samples, without a constant: the same with a free bias b. Neither bound depends
on trusting the method that found w or the weights of a combination:

- any w bounds the maximum margin from below by min_i w·z_i/‖w‖ (two groups: by half the sum of both
  groups' minima);
- any weights ≥ 0 bound it from above by ‖Σ weight_i·z_i‖ / Σ weight_i (two groups: with the same sum
  in each).

Both are rounded in the safe direction here.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.constants import SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Floats, MatrixLike, Signs, is_sparse
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows, as_rows
from rosenblatt.kernels.scoring import combine, measure_all, score_all, scores, unpack
from rosenblatt.separability.solvers.kesler_rows import JointRows, joint_rows, samples_and_rivals

_SEED = 0

# The weights of a combination are integer multiples of 2**-80, or of less if a weight is smaller: fine
# enough to lose nothing when large vectors cancel to a small one.
WEIGHT_EXPONENT = 80


class Sketch(NamedTuple):
    """Scores on one direction, its norm, and lengths: most different samples differ in these."""

    scores: Floats
    lengths: Floats
    norm: float


@dataclass(frozen=True)
class Vectors:
    """The rows, their signs, and the numbers of weights and groups."""

    rows: Any  # Rows or JointRows, which the kernels, typed for Rows alone, take as well
    signs: Signs
    dimension: int
    n_groups: int = 1

    def signed(self, signs: Signs, *, n_groups: int) -> "Vectors":
        """Return the same samples with other signs; they share the sketch."""
        vectors = Vectors(self.rows, signs, self.dimension, n_groups)
        vectors.__dict__["sketch"] = self.sketch  # fills the cached property
        return vectors

    @property
    def count(self) -> int:
        """The number of vectors."""
        return len(self.signs)

    @cached_property
    def groups(self) -> Counts:
        """The group of each vector."""
        if self.n_groups == 1:
            return np.zeros(self.count, dtype=np.int64)
        return (self.signs < 0).astype(np.int64)

    @property
    def lengths(self) -> Floats:
        """The length of each vector, up to a few roundings."""
        return self.sketch.lengths

    @cached_property
    def sketch(self) -> Sketch:
        """The samples' scores on a random direction, and their lengths."""
        direction = np.random.default_rng(_SEED).standard_normal(self.dimension)
        out, lengths = np.empty(self.count), np.empty(self.count)
        measure_all(self.rows, direction, out, lengths)
        return Sketch(out, lengths, norm_up(direction))

    @cached_property
    def n_terms(self) -> int:
        """The largest number of terms in a score."""
        rows = self.rows.base if isinstance(self.rows, JointRows) else self.rows
        blocks = 2 if isinstance(self.rows, JointRows) else 1
        if isinstance(rows, CSRRows):
            return blocks * (int(np.diff(rows.indptr).max(initial=0)) + 1)
        return int(blocks * (rows.values.shape[1] + 1))

    def margins(self, weights: Floats) -> Floats:
        """Return w·z_i for each vector, in floats."""
        rows = self.rows
        if isinstance(rows, DenseRows) and rows.values.dtype == np.float64:
            # Without a conversion BLAS can do this, on all cores.
            out = rows.values @ weights[:-1]
            out += rows.constant * weights[-1]
        else:
            out = np.empty(self.count)
            score_all(rows, weights, out)
        out *= self.signs
        return out

    def bands(self, weights: Floats) -> Floats:
        """Return a bound on the rounding error of each of the `margins`."""
        return self.error_factor * norm_up(weights) * self.lengths + SMALL_PRODUCT

    @property
    def error_factor(self) -> float:
        """A bound on the error of a score of two vectors of length 1."""
        return (self.n_terms + 8) * TWO_ROUNDOFFS

    def unpacked(self, order: Counts) -> Floats:
        """Return the given vectors as the rows of an array."""
        out = np.empty((len(order), self.dimension))
        unpack(self.rows, self.signs, order, out)
        return out

    def combined(self, order: Counts, factors: Floats) -> Floats:
        """Return Σ factor·z over the given vectors."""
        out = np.zeros(self.dimension)
        combine(self.rows, self.signs, order, factors, out)
        return out

    def packed(self, order: Counts) -> MatrixLike:
        """Return the given vectors as the rows of an array, or of a matrix if they are sparse."""
        if isinstance(self.rows, DenseRows):
            return self.unpacked(order)
        if isinstance(self.rows, CSRRows):
            samples = _extended(self.rows, order, self.dimension - 1)
            return sp.csr_matrix(samples.multiply(self.signs[order][:, None]))
        rivals = samples_and_rivals(self.rows, order)
        base, width = self.rows.base, self.dimension // self.rows.n_classes
        pairs = sp.coo_matrix(_extended(base, rivals.samples, width - 1))
        own = (self.rows.classes[rivals.samples] * width)[pairs.row]
        other = (rivals.rivals * width)[pairs.row]
        values = np.concatenate([pairs.data, -pairs.data])
        coordinates = (
            np.concatenate([pairs.row, pairs.row]),
            np.concatenate([pairs.col + own, pairs.col + other]),
        )
        return sp.csr_matrix((values, coordinates), shape=(len(order), self.dimension))

    def gram(self, order: Counts) -> Floats:
        """Return the products of the given vectors with each other."""
        packed = self.packed(order)
        products = packed @ packed.T
        return np.asarray(products.toarray() if is_sparse(products) else products)

    def chosen(self, order: Counts) -> "Vectors":
        """Return only the given vectors, each with one more feature, which is 0."""
        packed = self.packed(order)
        signs = self.signs[order]
        samples = packed.multiply(signs[:, None]) if is_sparse(packed) else packed * signs[:, None]
        return Vectors(as_rows(samples, 0.0), signs, self.dimension + 1, self.n_groups)

    def minima(self, margins: Floats) -> Floats:
        """Return the smallest margin of each group."""
        return np.array([margins[self.groups == g].min() for g in range(self.n_groups)])

    def sharp_margins(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return w·z_i for each vector, with an error bound from the magnitudes of its terms."""
        out, bands = scores(self.rows, np.arange(self.count), weights)
        return out * self.signs, bands

    def lower(self, weights: Floats, margins: Floats, bands: Floats | None = None) -> float:
        """Return the lower bound on the maximum margin that w and its margins prove, rounded down."""
        norm = norm_up(weights)
        if not 0.0 < norm < math.inf:
            return -math.inf
        floors = margins - (self.bands(weights) if bands is None else bands)
        least = self.minima(floors)
        # With two groups a bias compensates for their difference, and is rounded, too.
        rounding = 4 * TWO_ROUNDOFFS * float(np.abs(least).max()) if self.n_groups == 2 else 0.0
        return (float(least.mean()) - rounding) / norm * (1.0 - 16 * TWO_ROUNDOFFS)

    def biased(self, weights: Floats) -> tuple[float, float]:
        """Return the bias that gives both groups the same margin, and the bound that it proves."""
        found = (0.0, -math.inf)
        plain = self.margins(weights), self.bands(weights)
        for margins, bands in (plain, self.sharp_margins(weights)):
            lower = self.lower(weights, margins, bands)
            if lower > found[1]:
                least = self.minima(margins - bands)
                found = (float(least[1] - least[0]) / 2, lower)
        return found

    def upper(self, order: Counts, weights: Floats) -> float:
        """Return the upper bound on the maximum margin that weights above 0 prove, rounded up.

        With two groups the weights of each group must have the same sum.
        """
        point = self.combined(order, weights)
        spread = float(weights @ self.lengths[order])
        rounding = (len(order) + 4) * TWO_ROUNDOFFS * spread + SMALL_PRODUCT
        total = float(weights.sum()) * (1.0 - (len(order) + 4) * TWO_ROUNDOFFS)
        return (norm_up(point) + rounding) / total * (1.0 + 4 * TWO_ROUNDOFFS)


def joint_vectors(rows: Rows, width: int, classes: Counts, n_classes: int) -> Vectors:
    """Return one vector per row and rival class; ``width`` is the number of weights in a block."""
    signs = np.ones(len(classes) * (n_classes - 1), dtype=np.int8)
    return Vectors(joint_rows(rows, classes, n_classes), signs, n_classes * width)


def _extended(rows: Rows, order: Counts, n_features: int) -> sp.csr_matrix:
    """Return samples with their constant as the rows of a sparse matrix of float64."""
    if isinstance(rows, CSRRows):
        shape = (len(rows.indptr) - 1, n_features)
        samples = sp.csr_matrix((rows.values, rows.indices, rows.indptr), shape=shape)[order]
    else:
        samples = sp.csr_matrix(rows.values[order])
    constant = sp.csr_matrix(np.full((len(order), 1), rows.constant))
    return sp.csr_matrix(sp.hstack([samples.astype(np.float64), constant]))


def norm_up(vector: Floats) -> float:
    """Return a vector's length, rounded up."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not 0.0 < largest < math.inf:
        return largest
    scale = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    norm = float(np.linalg.norm(vector / scale)) * scale
    return norm * (1.0 + (len(vector) + 8) * TWO_ROUNDOFFS / 2)


def integer_weights(vectors: Vectors, order: Counts, weights: Floats) -> tuple[Counts, list[int]]:
    """Return the vectors with positive weights, and the weights as integers.

    The unit is 2**-80 of their sum, or less. With two groups the integers of each have the same sum.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> one = Vectors(as_rows([[1.0], [2.0]], 0.0), np.array([1, 1], dtype=np.int8), 2)
    >>> order, numbers = integer_weights(one, np.array([0, 1]), np.array([0.25, 0.0]))
    >>> order, numbers[0] == 2**80
    (array([0]), True)
    """
    scaled = weights / weights.sum()
    least = float(scaled[scaled > 0.0].min())
    exponent = max(WEIGHT_EXPONENT, 54 - math.frexp(least)[1])
    numbers = [round(Fraction(weight) * 2**exponent) for weight in scaled.tolist()]
    if vectors.n_groups == 2:
        groups = vectors.groups[order].tolist()
        sums = [sum(k for k, g in zip(numbers, groups, strict=True) if g == own) for own in (0, 1)]
        behind = 0 if sums[0] < sums[1] else 1
        largest = max(
            (t for t in range(len(numbers)) if groups[t] == behind), key=numbers.__getitem__
        )
        numbers[largest] += abs(sums[0] - sums[1])
    kept = [t for t, number in enumerate(numbers) if number > 0]
    return order[kept], [numbers[t] for t in kept]
