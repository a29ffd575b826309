"""Kesler's construction: its rows, its margin, and its relation to separating single classes."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hulls import combined, gamma_squared, is_separable, kesler, squared
from rosenblatt import HullIntersection, Perceptron, SeparatingHyperplane, Verdict, separate
from rosenblatt.core.types import MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.decide import decide
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.kesler_rows import joint_rows, samples_and_rivals
from strategies import INTEGERS, labels, matrices, samples


def _vectors(X: MatrixLike, codes: np.ndarray, n_classes: int, constant: float) -> Vectors:
    rows = joint_rows(as_rows(X, constant), codes, n_classes)
    count = len(codes) * (n_classes - 1)
    return Vectors(rows, np.ones(count, dtype=np.int8), n_classes * (X.shape[1] + 1))


def _written_out(
    X: np.ndarray, codes: Iterable[int], n_classes: int, constant: float
) -> np.ndarray:
    """Return all the vectors, with one weight for the constant in each block."""
    extended = np.column_stack([X, np.full(len(X), constant)])
    Z = kesler(extended, list(codes), n_classes, constant=False)
    return np.array([[float(value) for value in z] for z in Z])


# The rows.


@pytest.mark.parametrize("form", ["dense", "csr", "float32"])
@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_rows_match_the_definition(form: str, constant: float, n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = rng.integers(-4, 5, (7, 3)).astype(np.float32 if form == "float32" else np.float64)
    codes = rng.integers(0, n_classes, 7)
    Z = _written_out(X, codes, n_classes, constant)
    vectors = _vectors(sp.csr_matrix(X) if form == "csr" else X, codes, n_classes, constant)
    assert vectors.count == len(Z) == 7 * (n_classes - 1)
    every = np.arange(vectors.count)
    assert vectors.unpacked(every).tolist() == Z.tolist()
    np.testing.assert_allclose(vectors.lengths, np.linalg.norm(Z, axis=1), rtol=1e-14)
    weights = rng.integers(-5, 6, Z.shape[1]).astype(float)
    assert vectors.margins(weights).tolist() == (Z @ weights).tolist()
    factors = rng.integers(0, 5, vectors.count).astype(float)
    assert vectors.combined(every, factors).tolist() == (factors @ Z).tolist()
    order = every[::-2]
    assert vectors.gram(order).tolist() == (Z[order] @ Z[order].T).tolist()
    packed = vectors.packed(order)
    assert packed.toarray().tolist() == Z[order].tolist()
    alone = vectors.chosen(order)
    assert alone.unpacked(np.arange(len(order)))[:, : Z.shape[1]].tolist() == Z[order].tolist()
    pairs = samples_and_rivals(vectors.rows, every)
    for row, (i, rival) in enumerate(zip(pairs.samples, pairs.rivals, strict=True)):
        assert rival != codes[i]
        width = X.shape[1] + 1
        assert Z[row, rival * width : rival * width + 3].tolist() == (-X[i]).tolist()


# The margin.


@given(matrices(INTEGERS, st.integers(2, 7), st.integers(1, 3)), st.data(), st.booleans())
def test_two_classes_jointly_have_the_margin_of_one_halfspace_times_the_root_of_two(
    X: np.ndarray, data: st.DataObject, intercept: bool
) -> None:
    # z = (x, -x) has √2 times the length of x, and so has every combination of them: γ² and R² double,
    # and the mistake bound is the same.
    y = data.draw(labels(len(X), [0, 1]))
    one = separate(X, y, exact=True, fit_intercept=intercept)
    vectors = _vectors(X, y, 2, 1.0 if intercept else 0.0)
    both = decide(vectors, 1e-6, math.inf, wants_exact=True)
    assert both.exact is not None
    assert both.exact.squared_margin == 2 * one.squared_margin
    assert vectors.lengths.max() == pytest.approx(one.radius * math.sqrt(2))


@given(matrices(INTEGERS, st.integers(3, 4), st.just(1)), st.data(), st.booleans())
def test_brute_force(X: np.ndarray, data: st.DataObject, intercept: bool) -> None:
    y = data.draw(labels(len(X), [0, 1, 2]))
    if len(set(y.tolist())) < 3:
        y[:3] = [0, 1, 2]
    expected = gamma_squared(kesler(X, y.tolist(), 3, constant=intercept))
    exact = separate(X, y, exact=True, fit_intercept=intercept).joint
    assert exact.squared_margin == expected
    floats = separate(X, y, fit_intercept=intercept).joint
    assert floats.verdict is exact.verdict
    lower, upper = map(Fraction, floats.margin)
    assert lower**2 <= expected <= upper**2


# Properties.


@st.composite
def many_classes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    X = draw(samples(max_rows=8, max_columns=3))
    y = draw(labels(len(X), ["a", "b", "c", "d"]))
    return X, y


def _check(X: np.ndarray, y: np.ndarray, options: dict) -> None:
    s = separate(X, y, **options)
    if len(set(y.tolist())) == 2:
        return
    assert list(s.by_class) == s.classes.tolist() == sorted(set(y.tolist()))
    for label, one in s.by_class.items():
        assert one.certificate.positive == label
        binary = separate(X, y == label, **options)
        assert one.verdict is binary.verdict
        assert one.squared_margin == binary.squared_margin
    for one in [*s.by_class.values(), s.joint]:
        assert one.verdict is not Verdict.UNDECIDED
        assert one.certificate.falsehood(X, y) is None
        assert one.certificate.falsehood(X, y, exact=True) is None
    joint = s.joint
    assert s.verdict is joint.verdict
    assert joint.certificate.positive is None
    if all(one.verdict is Verdict.SEPARABLE for one in s.by_class.values()):
        assert joint.verdict is Verdict.SEPARABLE
    if joint.verdict is Verdict.SEPARABLE:
        assert isinstance(joint.certificate, SeparatingHyperplane)
        assert joint.coef.shape == (len(s.classes), X.shape[1])
        assert joint.intercept.shape == (len(s.classes),)
    else:
        assert isinstance(joint.certificate, HullIntersection)
        assert joint.conflicts


@given(many_classes(), st.sampled_from([{}, {"fit_intercept": False}, {"exact": True}]))
def test_each_class_and_all_jointly(problem: tuple[np.ndarray, np.ndarray], options: dict) -> None:
    _check(*problem, options)


@given(many_classes())
def test_affine_margin_is_only_for_single_classes(
    problem: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = problem
    s = separate(X, y, margin="affine", exact=True)
    if len(set(y.tolist())) > 2:
        assert s.joint.certificate.margin == "augmented"
        assert s.joint.squared_margin == separate(X, y, exact=True).joint.squared_margin
        for one in s.by_class.values():
            assert one.certificate.margin == "affine"
            assert one.certificate.falsehood(X, y) is None


@pytest.mark.slow
@settings(max_examples=300)
@given(many_classes(), st.sampled_from([{}, {"fit_intercept": False}, {"exact": True}]))
def test_each_class_and_all_jointly_on_many_examples(
    problem: tuple[np.ndarray, np.ndarray], options: dict
) -> None:
    _check(*problem, options)


def test_jointly_separable_although_the_middle_class_is_inseparable() -> None:
    X, y = np.arange(9.0)[:, None], np.repeat(["low", "middle", "high"], 3)
    s = separate(X, y)
    assert s.by_class["middle"].verdict is Verdict.INSEPARABLE
    assert s.by_class["low"].verdict is Verdict.SEPARABLE
    assert s.by_class["high"].verdict is Verdict.SEPARABLE
    assert s.verdict is Verdict.SEPARABLE
    scores = X @ s.joint.coef.T + s.joint.intercept
    assert s.classes[scores.argmax(axis=1)].tolist() == y.tolist()
    assert s.joint.certificate.verify(X, y)


@pytest.mark.parametrize(
    "form", [np.asarray, sp.csr_matrix, sp.csc_matrix], ids=lambda f: f.__name__
)
def test_samples_get_their_class(form: Callable[[np.ndarray], MatrixLike]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X @ rng.normal(size=(5, 4))).argmax(axis=1)
    for exact in (False, True):
        s = separate(form(X), y, exact=exact)
        assert s.verdict is Verdict.SEPARABLE
        scores = X @ s.joint.coef.T + s.joint.intercept
        assert (scores.argmax(axis=1) == y).all()
        assert s.joint.certificate.verify(X, y)
    assert s.joint.squared_margin is not None


def test_the_bound_holds_for_the_multiclass_perceptron() -> None:
    # The joint vectors are one halfspace through the origin, so the perceptron's theorem applies.
    rng = np.random.default_rng(1)
    X = rng.integers(-5, 6, (30, 3)).astype(float)
    y = (np.column_stack([X, np.ones(30)]) @ rng.integers(-3, 4, (4, 3))).argmax(axis=1)
    s = separate(X, y, exact=True)
    if s.verdict is Verdict.INSEPARABLE:  # ties: break them by dropping the samples that conflict
        raise AssertionError("choose another seed")
    Z = _written_out(X, y, 3, 1.0)
    signs = np.where(np.arange(len(Z)) % 2, 1, -1)
    p = Perceptron(fit_intercept=False, max_iter=100_000).fit(Z * signs[:, None], signs)
    assert 0 < p.n_mistakes_ <= s.joint.mistake_bound
    assert s.joint.radius**2 == pytest.approx((Z**2).sum(axis=1).max())


# Conflicts.


def test_equal_samples_of_three_classes() -> None:
    X, y = [[1.0], [5.0], [1.0], [7.0]], ["a", "b", "c", "b"]
    s = separate(X, y)
    assert s.by_class["a"].conflicts[0].rows == s.joint.conflicts[0].rows == (0, 2)
    assert s.by_class["b"].verdict is Verdict.SEPARABLE
    assert s.joint.certificate.combination == {(0, 2): 1, (2, 0): 1}
    assert str(s.joint.conflicts[0]) == ("rows 0 and 2 are equal but have the labels 'a' and 'c'")
    assert s.joint.certificate.verify(X, y)


def test_a_sample_between_two_of_another_class() -> None:
    X, y = np.array([[0.0], [2.0], [1.0], [9.0]]), ["a", "a", "b", "c"]
    s = separate(X, y)
    assert s.verdict is Verdict.INSEPARABLE
    assert s.joint.certificate.combination == {(0, 1): 1, (1, 1): 1, (2, 0): 2}
    assert s.joint.conflicts[0].rows == (0, 1, 2)
    assert s.joint.support.tolist() == [0, 1, 2]
    assert str(s.joint.conflicts[0]) == (
        "no weights can score the class of row 0 above 'b', the class of row 1 above 'b' and the class "
        "of row 2 above 'a'"
    )


@given(many_classes())
def test_joint_conflicts_are_irreducible(problem: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = problem
    classes = sorted(set(y.tolist()))
    if len(classes) < 3:
        return
    s = separate(X, y).joint
    if s.verdict is not Verdict.INSEPARABLE:
        return
    combination = s.certificate.combination
    codes = [classes.index(label) for label in y.tolist()]
    every = kesler(X, codes, len(classes), constant=True)
    place = {}
    for i, own in enumerate(codes):
        for rival in range(len(classes)):
            if rival != own:
                place[i, rival] = len(place)
    weights = {place[key]: count for key, count in combination.items()}
    assert squared(combined(every, weights)) == 0
    vectors = [every[place[key]] for key in combination]
    if len(vectors) <= 8:
        for k in range(len(vectors)):
            assert is_separable(vectors[:k] + vectors[k + 1 :])
    assert s.conflicts[0].rows == tuple(dict.fromkeys(key[0] for key in combination))
    assert len(s.conflicts[0].weights) == len(combination)
