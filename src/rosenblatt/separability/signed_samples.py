"""The vectors that separability is about: z_i = sign_i·(x_i, constant), and what can be proved of them.

One group: is there a w with w·z_i > 0 for every i, and how large can min_i w·z_i/‖w‖ be? Two groups, the
positive samples and the negative ones, without a constant: the same with a bias b that costs nothing.
Both ends of the answer need no trust in whoever found w or the weights of a combination:

- any w bounds the maximum margin from below by min_i w·z_i/‖w‖ (two groups: by half the sum of both
  groups' minima);
- any weights ≥ 0 bound it from above by ‖Σ weight_i·z_i‖ / Σ weight_i (two groups: with the same sum
  in each).

Both are rounded the safe way here.
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

# Weights of a combination are whole multiples of 2**-80, or of less where one is smaller: so little that
# nothing is lost where large vectors cancel to a small one.
WEIGHT_EXPONENT = 80


class Sketch(NamedTuple):
    """What tells most different samples apart: scores on one direction, of some length, and lengths."""

    scores: Floats
    lengths: Floats
    norm: float


@dataclass(frozen=True)
class Vectors:
    """The rows, their signs, the number of weights, and of groups."""

    rows: Any  # Rows or JointRows, which the kernels, typed for Rows alone, take as well
    signs: Signs
    dimension: int
    n_groups: int = 1

    def signed(self, signs: Signs, *, n_groups: int) -> "Vectors":
        """Return the same samples with other signs; what was measured of them is not measured again."""
        vectors = Vectors(self.rows, signs, self.dimension, n_groups)
        vectors.__dict__["sketch"] = self.sketch  # the place of a cached property
        return vectors

    @property
    def count(self) -> int:
        """How many vectors there are."""
        return len(self.signs)

    @cached_property
    def groups(self) -> Counts:
        """The group of each vector."""
        if self.n_groups == 1:
            return np.zeros(self.count, dtype=np.int64)
        return (self.signs < 0).astype(np.int64)

    @property
    def lengths(self) -> Floats:
        """The length of each vector, to a few roundings."""
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
        """The most terms that a score has."""
        rows = self.rows.base if isinstance(self.rows, JointRows) else self.rows
        blocks = 2 if isinstance(self.rows, JointRows) else 1
        if isinstance(rows, CSRRows):
            return blocks * (int(np.diff(rows.indptr).max(initial=0)) + 1)
        return int(blocks * (rows.values.shape[1] + 1))

    def margins(self, weights: Floats) -> Floats:
        """Return w·z_i for each vector, in floats."""
        rows = self.rows
        if isinstance(rows, DenseRows) and rows.values.dtype == np.float64:
            # What no conversion stands in the way of is BLAS's, which uses all cores.
            out = rows.values @ weights[:-1]
            out += rows.constant * weights[-1]
        else:
            out = np.empty(self.count)
            score_all(rows, weights, out)
        out *= self.signs
        return out

    def bands(self, weights: Floats) -> Floats:
        """Return a bound on the error of each of those floats."""
        return self.error_factor * norm_up(weights) * self.lengths + SMALL_PRODUCT

    @property
    def error_factor(self) -> float:
        """The relative error of a score of two vectors of length 1, at most."""
        return (self.n_terms + 8) * TWO_ROUNDOFFS

    def unpacked(self, order: Counts) -> Floats:
        """Return the vectors in order as the rows of an array."""
        out = np.empty((len(order), self.dimension))
        unpack(self.rows, self.signs, order, out)
        return out

    def combined(self, order: Counts, factors: Floats) -> Floats:
        """Return Σ factor·z over the vectors in order."""
        out = np.zeros(self.dimension)
        combine(self.rows, self.signs, order, factors, out)
        return out

    def packed(self, order: Counts) -> MatrixLike:
        """Return the vectors in order as the rows of an array, or of a matrix if they are sparse."""
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
        places = (
            np.concatenate([pairs.row, pairs.row]),
            np.concatenate([pairs.col + own, pairs.col + other]),
        )
        return sp.csr_matrix((values, places), shape=(len(order), self.dimension))

    def gram(self, order: Counts) -> Floats:
        """Return all products of the vectors in order with each other."""
        packed = self.packed(order)
        products = packed @ packed.T
        return np.asarray(products.toarray() if is_sparse(products) else products)

    def chosen(self, order: Counts) -> "Vectors":
        """Return some of the vectors alone, each with one more feature, which is 0."""
        packed = self.packed(order)
        signs = self.signs[order]
        samples = packed.multiply(signs[:, None]) if is_sparse(packed) else packed * signs[:, None]
        return Vectors(as_rows(samples, 0.0), signs, self.dimension + 1, self.n_groups)

    def minima(self, margins: Floats) -> Floats:
        """Return the least margin of each group."""
        return np.array([margins[self.groups == g].min() for g in range(self.n_groups)])

    def sharp_margins(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return w·z_i for each vector, and a bound on its error from the magnitudes of its terms."""
        out, bands = scores(self.rows, np.arange(self.count), weights)
        return out * self.signs, bands

    def lower(self, weights: Floats, margins: Floats, bands: Floats | None = None) -> float:
        """Return a lower bound on the maximum margin, rounded down, from the margins of w."""
        norm = norm_up(weights)
        if not 0.0 < norm < math.inf:
            return -math.inf
        floors = margins - (self.bands(weights) if bands is None else bands)
        least = self.minima(floors)
        # With two groups a bias makes up for their difference, and is rounded too.
        rounding = 4 * TWO_ROUNDOFFS * float(np.abs(least).max()) if self.n_groups == 2 else 0.0
        return (float(least.mean()) - rounding) / norm * (1.0 - 16 * TWO_ROUNDOFFS)

    def biased(self, weights: Floats) -> tuple[float, float]:
        """Return the bias that gives both groups the same margin, and the bound that is then proved."""
        found = (0.0, -math.inf)
        plain = self.margins(weights), self.bands(weights)
        for margins, bands in (plain, self.sharp_margins(weights)):
            lower = self.lower(weights, margins, bands)
            if lower > found[1]:
                least = self.minima(margins - bands)
                found = (float(least[1] - least[0]) / 2, lower)
        return found

    def upper(self, order: Counts, weights: Floats) -> float:
        """Return an upper bound on the maximum margin, rounded up, from weights that are all above 0.

        With two groups the weights of each group must have the same sum.
        """
        point = self.combined(order, weights)
        spread = float(weights @ self.lengths[order])
        rounding = (len(order) + 4) * TWO_ROUNDOFFS * spread + SMALL_PRODUCT
        total = float(weights.sum()) * (1.0 - (len(order) + 4) * TWO_ROUNDOFFS)
        return (norm_up(point) + rounding) / total * (1.0 + 4 * TWO_ROUNDOFFS)


def joint_vectors(rows: Rows, width: int, classes: Counts, n_classes: int) -> Vectors:
    """Return each row, with as many weights as its width, against every rival of its class."""
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


def whole_weights(vectors: Vectors, order: Counts, weights: Floats) -> tuple[Counts, list[int]]:
    """Return weights as whole numbers, in units of 2**-80 of their sum or less, and whose they are.

    With two groups the numbers of each group have the same sum.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> one = Vectors(as_rows([[1.0], [2.0]], 0.0), np.array([1, 1], dtype=np.int8), 2)
    >>> order, numbers = whole_weights(one, np.array([0, 1]), np.array([0.25, 0.0]))
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
