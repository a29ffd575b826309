"""The margins of a given hyperplane, and how they relate to each other."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from naive import exact_dot
from rosenblatt import Hyperplane, InputError, Perceptron, bounds, separate

numbers = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))
KINDS = ("functional", "geometric", "augmented", "cosine")


@st.composite
def planes(draw: st.DrawFn) -> tuple[Hyperplane, np.ndarray, np.ndarray]:
    """A hyperplane, some samples and their labels."""
    d, n = draw(st.integers(1, 4)), draw(st.integers(2, 6))
    coef = draw(st.lists(numbers, min_size=d, max_size=d).filter(any))
    rows = st.lists(numbers, min_size=d, max_size=d)
    X = np.array(draw(st.lists(rows, min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[:2] = -1, 1
    return Hyperplane(coef, draw(numbers)), X, y


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return np.allclose(a, b, rtol=1e-13, atol=0.0, equal_nan=True)


@given(planes(), st.sampled_from([2.0**-700, 1e-3, 3.0, 1e150]))
def test_only_the_functional_margin_depends_on_the_length_of_the_weights(
    made: tuple[Hyperplane, np.ndarray, np.ndarray], c: float
) -> None:
    h, X, y = made
    # Multiplying by a power of two is exact; of other factors the rounding may change a margin of 0.
    c = 2.0 ** round(math.log2(c))
    longer = Hyperplane(c * h.coef, c * h.intercept)
    one, other = h.margins(X, y), longer.margins(X, y)
    for kind in KINDS[1:]:
        assert close(getattr(one, kind), getattr(other, kind))
    assert close(c * one.functional, other.functional)
    assert math.isclose(h.distance_to_origin, longer.distance_to_origin, rel_tol=1e-14)


@given(planes())
def test_margins_are_exact_sums_rounded(made: tuple[Hyperplane, np.ndarray, np.ndarray]) -> None:
    h, X, y = made
    m = h.margins(X, y)
    for x, sign, functional in zip(X, y, m.functional, strict=True):
        exact = exact_dot([*h.coef, h.intercept], [*x, 1.0])
        assert functional == float(Fraction(int(sign)) * exact)
    assert (np.abs(m.geometric) == h.distances(X)).all()


@given(planes())
def test_both_forms_agree(made: tuple[Hyperplane, np.ndarray, np.ndarray]) -> None:
    """w·x + b = 0 in the samples' space is (w, b)·(x, 1) = 0 through the origin of one more."""
    h, X, y = made
    through = Hyperplane([*h.coef, h.intercept])
    longer = np.column_stack([X, np.ones(len(X))])
    one, other = h.margins(X, y, extended=True), through.margins(longer, y)
    assert (one.functional == other.functional).all()
    assert close(one.augmented, other.geometric)
    assert close(one.augmented, other.augmented)
    assert close(one.cosine, other.cosine)
    unit = longer / np.linalg.norm(longer, axis=1)[:, None]
    # Scaled samples are rounded: scores near 0 relative to their terms stay near 0.
    assert np.allclose(through.margins(unit, y).geometric, one.cosine, atol=1e-13)


@given(planes())
def test_storage_changes_nothing(made: tuple[Hyperplane, np.ndarray, np.ndarray]) -> None:
    h, X, y = made
    single = X.astype(np.float32)
    for stored, same in (
        (sp.csr_array(X), X),
        (single, single.astype(float)),
        (sp.csc_matrix(X), X),
    ):
        for kind in KINDS:
            one, other = getattr(h.margins(stored, y), kind), getattr(h.margins(same, y), kind)
            assert np.array_equal(one, other, equal_nan=True)


@given(planes())
def test_the_least_margins(made: tuple[Hyperplane, np.ndarray, np.ndarray]) -> None:
    h, X, y = made
    m = h.margins(X, y, extended=True)
    for least, row, kind in zip(m.smallest, m.rows, KINDS, strict=True):
        assert least == getattr(m, kind)[row] == min(getattr(m, kind))
    proved = bounds.geometric_margin(X, y, h.coef, h.intercept)
    assert proved <= max(0.0, m.smallest.augmented) <= proved * (1 + 1e-12) + 1e-290


def test_a_sample_at_the_origin_has_no_cosine() -> None:
    m = Hyperplane([1.0]).margins([[0.0], [2.0]], [-1, 1])
    assert np.isnan(m.cosine).tolist() == [True, False]
    assert m.cosine[1] == 1.0
    assert Hyperplane([1.0]).margins([[0.0]], [1], extended=True).cosine[0] == 0.0


def test_signs_are_right_where_floats_cancel() -> None:
    m = Hyperplane([1e16, 1.0, -1e16]).margins([[1.0, 1e-3, 1.0]], ["only"])
    assert m.functional.tolist() == [1e-3]


@pytest.mark.parametrize("scale", [2.0**-1070, 2.0**-470, 2.0**1021])
def test_weights_of_any_size_have_the_same_distances(scale: float) -> None:
    plain, scaled = Hyperplane([7.0, 7.0], 3.0), Hyperplane([7.0 * scale, 7.0 * scale], 3.0 * scale)
    assert scaled.distance_to_origin == plain.distance_to_origin
    X = [[-3 / 14, -3 / 14], [2.0**-40, 0.5]] if scale > 1 else [[2.0**-900, 0.0], [3.0, 1.0]]
    assert scaled.distances(X).tolist() == plain.distances(X).tolist()
    mine, theirs = scaled.margins(X, [1, 1]), plain.margins(X, [1, 1])
    for kind in ("geometric", "augmented", "cosine"):
        assert getattr(mine, kind).tolist() == getattr(theirs, kind).tolist()
    near = [[2.0**-664]] if scale < 1 else [[0.25]]
    assert Hyperplane([scale]).distances(near).tolist() == near[0]


def test_hyperplane_of_estimators_and_separations() -> None:
    X, y = [[0.0], [2.0]], ["no", "yes"]
    p = Perceptron().fit(X, y)
    for thing in (p, separate(X, y), (p.coef_, p.intercept_), Hyperplane(p.coef_, p.intercept_)):
        assert Hyperplane.of(thing).margins(X, y).smallest.functional > 0.0
    assert Hyperplane.of(p).coef.tolist() == p.coef_[0].tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hyperplane([0.0, 0.0], 1.0), "no hyperplane"),
        (lambda: Hyperplane([1.0, np.nan]), "finite"),
        (lambda: Hyperplane([1.0], np.inf), "finite"),
        (lambda: Hyperplane([[1.0], [2.0]]), "shape"),
        (lambda: Hyperplane(["a"]), "not a number"),
        (lambda: Hyperplane.of(3), "int has no hyperplane"),
        (lambda: Hyperplane.of(separate([[0.0], [0.0]], [0, 1])), "no hyperplane"),
        (lambda: Hyperplane([1.0]).distances([[1.0, 2.0]]), "2 features"),
        (lambda: Hyperplane([1.0]).distances([1.0, 2.0]), "matrix"),
        (lambda: Hyperplane([1.0]).distances([[np.nan]]), "row 0"),
        (lambda: Hyperplane([1e200]).distances([[1.0], [1e200]]), "row 1 of X overflows"),
        (lambda: Hyperplane([1.0]).margins([[1.0]] * 3, [1, 2, 3]), "3 classes"),
        (lambda: Hyperplane([1.0]).margins([[1.0]], [1, 2]), "one label per row"),
    ],
)
def test_invalid_arguments(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
