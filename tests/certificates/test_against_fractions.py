"""The checker agrees with its slow twin, which computes in fractions, on any data."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from margin import max_margin_squared
from proofs import margin_squared, summed, upper_squared, vectors
from rosenblatt.certificates import Digest, HullIntersection, SeparatingHyperplane, from_json
from rosenblatt.certificates.combination import Combination
from rosenblatt.certificates.rounding import Weights
from strategies import INTEGERS, labels, matrices, samples


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int | None, int, str]:
    X = draw(samples())
    y = draw(labels(len(X), ["a", "b", "c"]))
    positive = draw(st.sampled_from([*sorted(set(y.tolist())), None]))
    constant = draw(st.integers(0, 1))
    affine = constant == 1 and positive is not None and draw(st.booleans())
    return X, y, positive, constant, "affine" if affine else "augmented"


@given(problems(), st.data())
def test_checker_agrees_with_fractions(problem: tuple, data: st.DataObject) -> None:
    X, y, positive, constant, margin = problem
    z = vectors(X, y, positive, constant)
    size = len(next(iter(z.values())))
    pool = st.one_of(
        st.integers(-9, 9).map(float), st.floats(-1e9, 1e9), st.sampled_from([1e300, 1e-300])
    )
    weights: Weights = np.array(data.draw(st.lists(pool, min_size=size, max_size=size)))
    if data.draw(st.booleans()):
        # Weights that separate more often: a sum of the vectors themselves.
        weights = np.array([float(value) for value in summed(z, dict.fromkeys(z, 1))])
        assume(np.isfinite(weights).all())
    if data.draw(st.booleans()):
        weights = tuple(int(Fraction(weight) * 2**60) for weight in weights.tolist())
    counts: Combination = data.draw(
        st.dictionaries(st.sampled_from(sorted(z)), st.integers(1, 9), min_size=1, max_size=5)
    )
    classes = tuple(sorted(set(y.tolist())))
    stored = data.draw(st.sampled_from([X, sp.csr_array(X)]))
    digest, exact = Digest.of(stored, y), data.draw(st.booleans())
    common = digest, classes, positive, float(constant), margin

    crossing = HullIntersection(*common, counts)
    assert crossing.verify(stored, y, exact=exact) == (not any(summed(z, counts)))

    true = margin_squared(z, weights, margin)
    claimed = true if true is not None else Fraction(1, 10**900)
    plane = SeparatingHyperplane(*common, weights, claimed)
    assert plane.verify(stored, y, exact=exact) == (true is not None)
    higher = replace(plane, lower_squared=claimed * Fraction(2**90 + 1, 2**90))
    assert not higher.verify(stored, y, exact=exact)
    if true is None:
        return
    upper = upper_squared(z, counts)
    both = replace(plane, combination=counts, upper_squared=upper)
    balanced = margin == "augmented" or summed(z, counts)[-1] == 0
    assert both.verify(X, y, exact=exact) == balanced
    lower = replace(both, upper_squared=upper * Fraction(2**90 - 1, 2**90))
    assert not lower.verify(X, y, exact=exact)
    if balanced:
        assert from_json(both.to_json()) == both


@given(
    matrices(INTEGERS, st.integers(1, 5), st.just(2)),
    st.tuples(*[st.integers(-5, 5)] * 3),
    st.data(),
)
def test_the_interval_contains_the_maximum_margin(
    X: np.ndarray, weights: tuple[int, ...], data: st.DataObject
) -> None:
    scores = X @ weights[:2] + weights[2]
    X, y = X[scores != 0], np.sign(scores[scores != 0]).astype(int)
    assume(1 in y)
    classes = tuple(sorted(set(y.tolist())))
    z = vectors(X, y, 1, 1)
    true, lower = max_margin_squared(z.values()), margin_squared(z, weights, "augmented")
    counts = data.draw(st.dictionaries(st.sampled_from(sorted(z)), st.integers(1, 9), min_size=1))
    upper = upper_squared(z, counts)
    assert lower is not None
    assert lower <= true <= upper
    common = Digest.of(X, y), classes, 1, 1.0, "augmented"
    claim = SeparatingHyperplane(*common, weights, lower, counts, upper)
    assert claim.verify(X, y)
    assert not replace(claim, lower_squared=true + Fraction(1, 10**30)).verify(X, y)
    assert not replace(claim, upper_squared=true - Fraction(1, 10**30)).verify(X, y)
    assert not HullIntersection(*common, counts).verify(X, y)
