"""The public answer: its verdicts and their proofs, what may change without changing it, bad input."""

import dataclasses
import math
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from hulls import affine_gamma_squared, gamma_squared, signed, squared
from rosenblatt import (
    HullIntersection,
    InputError,
    Perceptron,
    SeparatingHyperplane,
    Verdict,
    separate,
)
from rosenblatt.certificates import Digest, from_json
from strategies import INTEGERS, MAGNITUDES, TENTHS, labels, matrices, samples

SETTINGS = [
    {"fit_intercept": False},
    {"fit_intercept": True},
    {"margin": "affine"},
]
ALSO_EXACT = [{**options, "exact": exact} for options in SETTINGS for exact in (False, True)]

# Four points and one more that makes them inseparable.
X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [5.0, 3.0]])
y = np.array([0, 0, 1, 1])
BETWEEN = np.array([[4.5, 2.0]])

SMALLEST = 5e-324


class Problem(NamedTuple):
    X: np.ndarray
    y: np.ndarray

    @property
    def signs(self) -> list[int]:
        return np.where(self.y == 1, 1, -1).tolist()


@st.composite
def problems(draw: st.DrawFn, pool: list[float] | None = None) -> Problem:
    own = samples() if pool is None else matrices(pool, st.integers(2, 7), st.integers(1, 4))
    X = draw(own)
    return Problem(X, draw(labels(len(X), [0, 1])))


def _is_proved(s: Any, X: Any, y: Any) -> bool:
    """Say whether the certificate is of the right kind, true, and says what the result says."""
    certificate = s.certificate
    if s.verdict is Verdict.SEPARABLE:
        kind: type = SeparatingHyperplane
        lower, upper = Fraction(s.margin.lower), Fraction(s.margin.upper)
        says = (
            lower > 0
            and lower**2 <= certificate.lower_squared
            and certificate.upper_squared <= upper**2
        )
    else:
        kind = HullIntersection
        says = s.margin == (0.0, 0.0) and s.squared_margin == 0 and bool(s.conflicts)
    return (
        type(certificate) is kind
        and says
        and certificate.falsehood(X, y) is None
        and certificate.falsehood(X, y, exact=True) is None
    )


def _is_closed(s: Any, tolerance: float) -> bool:
    """Say whether the interval is as narrow as wanted, or as two neighbouring floats."""
    lower, upper = s.margin
    return upper - lower <= tolerance * upper or math.nextafter(lower, math.inf) == upper


# What the result has.


def test_a_separable_result() -> None:
    s = separate(X, y)
    assert s.verdict is Verdict.SEPARABLE
    assert 0 < s.margin.lower <= s.margin.upper
    assert s.radius == pytest.approx(math.sqrt(35))
    assert s.mistake_bound == pytest.approx((s.radius / s.margin.lower) ** 2, abs=1)
    assert ((X @ s.coef + s.intercept > 0) == (y == 1)).all()
    assert s.coef.shape == (2,)
    assert isinstance(s.intercept, float)
    assert s.support.dtype == np.int64
    assert set(s.support.tolist()) <= set(range(4))
    assert s.conflicts == ()
    assert s.history_[0].method == "perceptron"
    assert s.history_[-1].lower == pytest.approx(s.margin.lower)
    assert repr(s).startswith("<SEPARABLE: the maximum margin (augmented) is in [")


def test_an_inseparable_result() -> None:
    samples, classes = np.vstack([X, BETWEEN]), np.append(y, 0)
    s = separate(samples, classes)
    assert s.verdict is Verdict.INSEPARABLE
    assert s.margin == (0.0, 0.0)
    assert s.squared_margin == 0
    assert (s.mistake_bound, s.coef, s.intercept) == (None, None, None)
    assert s.support.tolist() == [2, 3, 4]
    assert s.certificate.combination == {2: 1, 3: 1, 4: 2}
    assert len(s.conflicts) == 1
    assert s.conflicts[0].rows == (2, 3, 4)
    assert s.conflicts[0].weights == (1, 1, 2)
    assert str(s.conflicts[0]) == (
        "row 4 of label 0 and rows 2 and 3 of label 1 cross: row 4 is the same point as "
        "1/2·row 2 + 1/2·row 3"
    )
    assert repr(s) == f"<INSEPARABLE: {s.conflicts[0]}>"


def test_an_undecided_result(monkeypatch: pytest.MonkeyPatch) -> None:
    # Floats cannot prove that nothing separates: without whole numbers the answer is open.
    monkeypatch.setattr(
        "rosenblatt.separability.decide._is_solvable", lambda *_args, **_options: False
    )
    samples, classes = np.vstack([X, BETWEEN]), np.append(y, 0)
    s = separate(samples, classes)
    assert s.verdict is Verdict.UNDECIDED
    assert s.margin.lower == 0.0
    assert 0.0 <= s.margin.upper < 1e-6
    assert (s.certificate, s.coef, s.intercept, s.mistake_bound) == (None, None, None, None)
    assert s.squared_margin is None
    assert s.conflicts == ()
    assert repr(s).startswith("<UNDECIDED: the maximum margin (augmented) is in [0, ")


def test_the_history_only_ever_narrows() -> None:
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(30_000, 60))
    s = separate(samples, (samples[:, 0] + 0.01 > 0).astype(int))
    assert len(s.history_) > 2
    for before, after in zip(s.history_, s.history_[1:], strict=False):
        assert before.lower <= after.lower <= after.upper <= before.upper
        assert before.seconds <= after.seconds


def test_the_affine_hyperplane_has_the_same_distance_from_both_classes() -> None:
    for exact in (False, True):
        s = separate(X, y, margin="affine", exact=exact)
        distances = (X @ s.coef + s.intercept) / np.linalg.norm(s.coef)
        assert distances[y == 1].min() == pytest.approx(-distances[y == 0].max())
        assert distances[y == 1].min() == pytest.approx(s.margin.upper)


# Every claim is proved, on any data.


def _check_proofs(problem: Problem, options: dict) -> None:
    s = separate(problem.X, problem.y, **options)
    assert s.verdict is not Verdict.UNDECIDED
    assert _is_proved(s, problem.X, problem.y)
    assert from_json(s.certificate.to_json()).verify(problem.X, problem.y)
    assert _is_closed(s, 1e-6)
    constant = options.get("fit_intercept", True)
    longest = max(squared(z) for z in signed(problem.X, problem.signs, constant=constant))
    assert longest <= Fraction(s.radius) ** 2
    less = max(Fraction(0), Fraction(s.radius) * Fraction(999_999, 1_000_000) - Fraction(SMALLEST))
    assert less**2 <= longest
    if options.get("exact"):
        assert s.squared_margin is not None
    if s.squared_margin:
        assert s.certificate.lower_squared == s.certificate.upper_squared == s.squared_margin


@given(problems(), st.sampled_from(ALSO_EXACT))
def test_every_certificate_is_true(problem: Problem, options: dict) -> None:
    _check_proofs(problem, options)


@pytest.mark.parametrize("pool", [MAGNITUDES, TENTHS], ids=["magnitudes", "tenths"])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_certificate_is_true_where_floats_lie(pool: list[float], options: dict) -> None:
    @settings(max_examples=40)
    @given(problems(pool))
    def check(problem: Problem) -> None:
        _check_proofs(problem, options)

    check()


@pytest.mark.slow
@settings(max_examples=1500)
@given(problems(), st.sampled_from(ALSO_EXACT))
def test_every_certificate_is_true_on_many_examples(problem: Problem, options: dict) -> None:
    _check_proofs(problem, options)


@st.composite
def tiny_and_wide(draw: st.DrawFn) -> Problem:
    X = draw(matrices(MAGNITUDES, st.integers(2, 5), st.integers(1, 2)))
    return Problem(X, draw(labels(len(X), [0, 1])))


@given(tiny_and_wide(), st.sampled_from(SETTINGS))
def test_wide_ranges_are_decided_rightly(problem: Problem, options: dict) -> None:
    if options.get("margin") == "affine":
        expected = affine_gamma_squared(problem.X, problem.signs)
    else:
        vectors = signed(problem.X, problem.signs, constant=options["fit_intercept"])
        expected = gamma_squared(vectors)
    assert separate(problem.X, problem.y, exact=True, **options).squared_margin == expected
    lower, upper = map(Fraction, separate(problem.X, problem.y, **options).margin)
    assert lower**2 <= expected <= upper**2


# What may change without changing the answer.


@given(problems(), st.sampled_from(SETTINGS), st.data())
def test_rows_may_be_permuted_and_repeated(
    problem: Problem, options: dict, data: st.DataObject
) -> None:
    n = len(problem.X)
    extra = data.draw(st.lists(st.integers(0, n - 1), max_size=6))
    order = data.draw(st.permutations([*range(n), *extra]))
    s = separate(problem.X, problem.y, exact=True, **options)
    t = separate(problem.X[order], problem.y[order], exact=True, **options)
    assert t.verdict is s.verdict
    assert t.squared_margin == s.squared_margin
    assert t.radius == s.radius
    assert t.mistake_bound == s.mistake_bound


@given(problems(), st.lists(st.integers(-30, 30), min_size=8, max_size=8))
def test_rows_may_be_scaled_without_changing_the_verdict(
    problem: Problem, exponents: list[int]
) -> None:
    scaled = problem.X * 2.0 ** np.array(exponents[: len(problem.X)])[:, None]
    s = separate(problem.X, problem.y, fit_intercept=False)
    t = separate(scaled, problem.y, fit_intercept=False)
    assert t.verdict is s.verdict is not Verdict.UNDECIDED


@given(problems(), st.integers(-60, 60), st.sampled_from(SETTINGS[::2]))
def test_the_margin_scales_with_the_data(problem: Problem, exponent: int, options: dict) -> None:
    s = separate(problem.X, problem.y, exact=True, **options)
    t = separate(problem.X * 2.0**exponent, problem.y, exact=True, **options)
    assert t.squared_margin == s.squared_margin * Fraction(4) ** exponent


@given(problems(INTEGERS), st.lists(st.integers(-50, 50), min_size=4, max_size=4))
def test_the_affine_margin_does_not_see_a_shift(problem: Problem, shift: list[int]) -> None:
    moved = problem.X + np.array(shift[: problem.X.shape[1]], dtype=float)
    s = separate(problem.X, problem.y, margin="affine", exact=True)
    t = separate(moved, problem.y, margin="affine", exact=True)
    assert t.squared_margin == s.squared_margin
    assert separate(moved, problem.y).verdict is separate(problem.X, problem.y).verdict


@given(problems(), st.sampled_from(ALSO_EXACT))
def test_sparse_or_dense(problem: Problem, options: dict) -> None:
    dense = separate(problem.X, problem.y, **options)
    sparse = separate(sp.csr_matrix(problem.X), problem.y, **options)
    assert sparse.verdict is dense.verdict
    if options["exact"]:
        assert sparse.squared_margin == dense.squared_margin
    assert sparse.margin.lower <= dense.margin.upper
    assert dense.margin.lower <= sparse.margin.upper
    # A proof about one is a proof about the other.
    for certificate in (dense.certificate, sparse.certificate):
        assert certificate.verify(problem.X, problem.y)
        assert certificate.verify(sp.csr_matrix(problem.X), problem.y)


@given(problems(INTEGERS + TENTHS), st.sampled_from(ALSO_EXACT), st.booleans())
def test_float32_or_float64_of_the_same_numbers(
    problem: Problem, options: dict, sparse: bool
) -> None:
    single = problem.X.astype(np.float32)
    double = single.astype(np.float64)
    if sparse:
        single, double = sp.csr_matrix(single), sp.csr_matrix(double)
    s, t = separate(single, problem.y, **options), separate(double, problem.y, **options)
    assert s.verdict is t.verdict
    assert s.squared_margin == t.squared_margin
    assert s.certificate.verify(double, problem.y)
    assert t.certificate.verify(single, problem.y)


@given(problems(), st.sampled_from(SETTINGS))
def test_labels_may_be_swapped(problem: Problem, options: dict) -> None:
    s = separate(problem.X, problem.y, exact=True, **options)
    t = separate(problem.X, 1 - problem.y, exact=True, **options)
    assert t.verdict is s.verdict
    assert t.squared_margin == s.squared_margin
    assert t.mistake_bound == s.mistake_bound


@given(problems())
def test_the_augmented_margin_is_at_most_the_affine_one(problem: Problem) -> None:
    augmented = separate(problem.X, problem.y, exact=True)
    affine = separate(problem.X, problem.y, exact=True, margin="affine")
    assert augmented.verdict is affine.verdict
    assert augmented.squared_margin <= affine.squared_margin
    through = separate(problem.X, problem.y, exact=True, fit_intercept=False)
    assert through.squared_margin <= augmented.squared_margin


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(problems(INTEGERS), st.sampled_from(ALSO_EXACT), st.sampled_from(["cyclic", "random"]))
def test_no_run_of_the_perceptron_makes_more_mistakes_than_the_bound(
    problem: Problem, options: dict, order: str
) -> None:
    s = separate(problem.X, problem.y, **options)
    if s.verdict is not Verdict.SEPARABLE:
        return
    p = Perceptron(
        fit_intercept=options.get("fit_intercept", True), max_iter=20_000, order=order
    ).fit(problem.X, problem.y)
    assert p.n_mistakes_ <= s.mistake_bound
    assert s.mistake_bound <= (s.radius / s.margin.lower) ** 2 * 1.001 + 1 or options.get("margin")


def test_the_affine_mistake_bound_speaks_of_the_perceptron_too() -> None:
    # Far from the origin the bias is large: the bound must not be (radius / affine margin)².
    far, classes = [[100.0], [102.0]], [0, 1]
    s = separate(far, classes, margin="affine")
    p = Perceptron(max_iter=10**6).fit(far, classes)
    assert s.margin.upper == pytest.approx(1.0)
    assert (s.radius / s.margin.lower) ** 2 < p.n_mistakes_ <= s.mistake_bound


# Where floats cannot decide.


@pytest.mark.parametrize("e", [1e-8, 1e-12, 1e-15])
@pytest.mark.parametrize("d", [2, 5, 12])
def test_planted_tiny_margins(e: float, d: int) -> None:
    rng = np.random.default_rng(d)
    samples = rng.normal(size=(20 * d, d))
    classes = rng.integers(0, 2, len(samples))
    samples[:, 0] = np.where(classes == 1, e, -e) * rng.uniform(1, 3, len(samples))
    s = separate(samples, classes, fit_intercept=False)
    assert s.verdict is Verdict.SEPARABLE
    assert _is_proved(s, samples, classes)
    assert _is_closed(s, 1e-6)
    assert s.margin.lower >= e * (1 - 1e-9)


@pytest.mark.parametrize("d", [2, 5, 30])
def test_the_same_data_without_the_planted_margin_is_inseparable(d: int) -> None:
    rng = np.random.default_rng(d)
    samples = rng.normal(size=(20 * d, d))
    classes = rng.integers(0, 2, len(samples))
    samples[:, 0] = 0.0
    s = separate(samples, classes, fit_intercept=False)
    assert s.verdict is Verdict.INSEPARABLE
    assert _is_proved(s, samples, classes)


@pytest.mark.parametrize("options", SETTINGS[1:], ids=str)
@pytest.mark.parametrize("value", [1.0, 0.1, 3e17, 1e-9, 1e100])
def test_near_duplicates_are_not_duplicates(value: float, options: dict) -> None:
    rng = np.random.default_rng(0)
    low = rng.normal(size=(1, 4)) * value
    high = low.copy()
    high[0, 2] = np.nextafter(high[0, 2], np.inf)
    s = separate(np.vstack([low, high]), [0, 1], **options)
    assert s.verdict is Verdict.SEPARABLE
    assert _is_proved(s, np.vstack([low, high]), [0, 1])
    assert separate(np.vstack([low, low]), [0, 1], **options).verdict is Verdict.INSEPARABLE


def test_near_duplicates_within_a_crowd() -> None:
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(120, 3))
    samples[:, 0] += np.repeat([6, -6], 60)
    classes = np.repeat([1, 0], 60)
    middle = np.array([[0.3, 0.2, 0.1]])
    above = np.nextafter(middle, [[1.0, 0.2, 0.1]])
    crowd, marks = np.vstack([samples, middle, above]), [*classes, 0, 1]
    s = separate(crowd, marks)
    assert s.verdict is Verdict.SEPARABLE
    assert _is_proved(s, crowd, marks)
    turned = separate(crowd, [*classes, 1, 0])
    assert turned.verdict is Verdict.INSEPARABLE
    assert _is_proved(turned, crowd, [*classes, 1, 0])
    u = separate(np.vstack([crowd, middle]), [*marks, 1])
    assert u.verdict is Verdict.INSEPARABLE
    assert u.conflicts[0].rows == (120, 122)


@pytest.mark.parametrize("towards", [0.0, 0.5, 1.0])
def test_a_point_one_ulp_from_inseparable(towards: float) -> None:
    # On the line between two samples of the other label, or just below it, or just above.
    samples = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, np.nextafter(0.5, towards)], [0.0, 9.0]])
    s = separate(samples, [0, 0, 1, 1])
    assert s.verdict is (Verdict.SEPARABLE if towards > 0.5 else Verdict.INSEPARABLE)
    assert _is_proved(s, samples, [0, 0, 1, 1])


def _scaled_columns(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    samples = rng.normal(size=(n, d))
    classes = (samples @ rng.normal(size=d) > 0).astype(int)
    return samples * 10.0 ** rng.integers(-8, 9, d), classes


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_columns_of_very_different_scales(options: dict) -> None:
    samples, classes = _scaled_columns(100, 10)
    s = separate(samples, classes, **options)
    assert s.verdict is Verdict.SEPARABLE
    assert _is_proved(s, samples, classes)


@pytest.mark.slow
def test_many_columns_of_very_different_scales_are_decided_in_seconds() -> None:
    samples, classes = _scaled_columns(300, 35)
    s = separate(samples, classes, time_limit=15)
    assert s.verdict is Verdict.SEPARABLE
    assert _is_proved(s, samples, classes)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_columns_that_depend_on_each_other(options: dict) -> None:
    rng = np.random.default_rng(3)
    base = rng.integers(-4, 5, (30, 2)).astype(float)
    wide = np.column_stack(
        [base, base[:, 0] * 2, base[:, 1] - base[:, 0], np.zeros(30), np.ones(30)]
    )
    for classes in (rng.integers(0, 2, 30), (base @ [1.0, 0.5] > 0.6).astype(int)):
        s = separate(wide, classes, **options)
        assert s.verdict is not Verdict.UNDECIDED
        assert _is_proved(s, wide, classes)
        if options.get("fit_intercept", True):
            assert s.verdict is separate(base, classes).verdict
        wider = np.column_stack([wide, np.zeros((30, 3))])
        t = separate(wider, classes, exact=True, **options)
        assert t.squared_margin == separate(wide, classes, exact=True, **options).squared_margin


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_fewer_samples_than_features(options: dict) -> None:
    rng = np.random.default_rng(4)
    for n, d in [(2, 1), (2, 50), (10, 40), (40, 41)]:
        samples = rng.normal(size=(n, d)) + 0.01
        classes = np.arange(n) % 2
        s = separate(samples, classes, **options)
        assert _is_proved(s, samples, classes)
        if d >= n:
            assert s.verdict is Verdict.SEPARABLE


def test_one_feature() -> None:
    s = separate([[1.0], [2.0], [5.0], [6.0]], [0, 0, 1, 1], margin="affine", exact=True)
    assert s.squared_margin == Fraction(9, 4)
    assert s.support.tolist() == [1, 2]
    t = separate([[1.0], [2.0], [5.0], [6.0]], [0, 1, 0, 1])
    assert t.conflicts[0].rows in ((0, 1, 2), (1, 2, 3))


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_thousands_of_equal_rows(options: dict) -> None:
    many = np.repeat(X, 2500, axis=0)
    classes = np.repeat(y, 2500)
    s, t = separate(X, y, exact=True, **options), separate(many, classes, exact=True, **options)
    assert t.verdict is s.verdict
    assert t.squared_margin == s.squared_margin
    assert len(t.support) <= 4
    assert _is_proved(t, many, classes)


def test_constant_data() -> None:
    samples = np.full((6, 3), 2.5)
    s = separate(samples, [0, 1, 0, 1, 0, 1])
    assert s.verdict is Verdict.INSEPARABLE
    assert _is_proved(s, samples, [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_all_zero(options: dict) -> None:
    samples, classes = np.zeros((4, 2)), [0, 1, 1, 0]
    for data in (samples, sp.csr_matrix(samples)):
        s = separate(data, classes, **options)
        assert s.verdict is Verdict.INSEPARABLE
        assert _is_proved(s, data, classes)


def test_a_zero_row_lies_on_every_hyperplane_through_the_origin() -> None:
    samples, classes = [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]], [1, 1, 0]
    s = separate(samples, classes, fit_intercept=False)
    assert s.verdict is Verdict.INSEPARABLE
    assert s.conflicts[0].rows == (1,)
    assert "row 1 is zero" in str(s.conflicts[0])
    assert _is_proved(s, samples, classes)
    assert separate(samples, classes).verdict is Verdict.SEPARABLE


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-160, 1e-100, 1e100, 1e149])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_any_size(size: float, options: dict) -> None:
    samples, classes = np.array([[1.0, 1.0], [-1.0, 2.0], [3.0, -1.0]]) * size, np.array([1, 0, 1])
    s = separate(samples, classes, exact=True, **options)
    assert s.verdict is Verdict.SEPARABLE
    assert _is_proved(s, samples, classes)
    problem = Problem(samples, classes)
    _check_proofs(problem, options)


# Whole numbers beyond what float64 can tell apart.


@pytest.mark.parametrize(
    "samples",
    [
        np.array([[2**53], [2**53 + 1]]),
        np.array([[2**64 - 2], [2**64 - 1]], dtype=np.uint64),
        [[2**70], [2**70 + 1]],
        np.array([[1], [1]], dtype=np.longdouble) + np.array([[0], [1e-18]], dtype=np.longdouble),
        [[Fraction(1, 3)], [Fraction(1, 3) + Fraction(1, 10**30)]],
        [[Decimal("0.1")], [Decimal("0.1000000000000000000000001")]],
    ],
    ids=["int64", "uint64", "int", "longdouble", "Fraction", "Decimal"],
)
def test_different_numbers_are_never_called_equal(samples: Any) -> None:
    # Separable: either that is found, or the numbers are refused; "inseparable" would be false.
    try:
        verdict = separate(samples, [0, 1]).verdict
    except InputError as error:
        message = str(error)
    else:
        message = f"float64: {verdict.name}"
    assert "float64" in message
    assert "INSEPARABLE" not in message


# Forms of the same data.

FORMS = {
    "list": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "int8": lambda X: X.astype(np.int8),
    "uint8": lambda X: X.astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
    "float16": lambda X: X.astype(np.float16),
    "float32": lambda X: X.astype(np.float32),
    "big-endian": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "DataFrame": lambda X: pd.DataFrame(X, columns=["a", "b"]),
    "mixed DataFrame": lambda X: pd.DataFrame({"a": X[:, 0].astype(int), "b": X[:, 1]}),
    "csr_matrix": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "lil": sp.lil_matrix,
    "float32 csr": lambda X: sp.csr_matrix(X.astype(np.float32)),
    "int csr": lambda X: sp.csr_matrix(X.astype(np.int16)),
}


def _read_only(data: Any) -> Any:
    parts = [data] if isinstance(data, np.ndarray) else []
    if sp.issparse(data) and data.format in ("csr", "csc"):
        parts = [data.data, data.indices, data.indptr]
    for part in parts:
        part.flags.writeable = False
    return data


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_forms_of_the_same_data(form: str, options: dict) -> None:
    data = _read_only(FORMS[form](X.copy()))
    s = separate(data, y, exact=True, **options)
    assert s.squared_margin == separate(X, y, exact=True, **options).squared_margin
    assert s.certificate.verify(data, y)
    assert s.certificate.verify(X, y)
    bad = FORMS[form](np.vstack([X, [[4.0, 1.0]]]))
    assert separate(bad, [*y, 0], **options).conflicts[0].rows == (2, 4)


def test_bool_samples() -> None:
    s = separate(np.array([[False, True], [True, True]]), [0, 1], exact=True)
    assert s.squared_margin == separate([[0, 1], [1, 1]], [0, 1], exact=True).squared_margin


@pytest.mark.parametrize(
    "damage", ["explicit zeros", "unsorted", "duplicates", "empty rows", "int64 indices"]
)
def test_untidy_csr(damage: str) -> None:
    dense = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 0.0], [0.0, 6.0, 0.0]])
    classes = np.array([0, 0, 1, 1])
    values, indices, indptr = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 2, 2, 0, 1, 1], [0, 2, 3, 5, 6]
    if damage == "explicit zeros":
        values, indices = [1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 0.0, 6.0], [0, 1, 2, 2, 0, 1, 2, 1]
        indptr = [0, 3, 4, 7, 8]
    if damage == "unsorted":
        values, indices = [2.0, 1.0, 3.0, 5.0, 4.0, 6.0], [2, 0, 2, 1, 0, 1]
    if damage == "duplicates":
        values, indices = [0.5, 2.0, 0.5, 3.0, 4.0, 5.0, 6.0], [0, 2, 0, 2, 0, 1, 1]
        indptr = [0, 3, 4, 6, 7]
    if damage == "empty rows":
        dense[1] = 0.0
        values, indices, indptr = [1.0, 2.0, 4.0, 5.0, 6.0], [0, 2, 0, 1, 1], [0, 2, 2, 4, 5]
    kind = np.int64 if damage == "int64 indices" else np.int32
    matrix = sp.csr_matrix(
        (np.array(values), np.array(indices, dtype=kind), np.array(indptr, dtype=kind)),
        shape=(4, 3),
    )
    before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
    for options in SETTINGS:
        s = separate(matrix, classes, exact=True, **options)
        assert s.squared_margin == separate(dense, classes, exact=True, **options).squared_margin
        assert s.certificate.verify(matrix, classes)
        assert s.certificate.verify(dense, classes)
    for part, kept in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        assert part.tobytes() == kept.tobytes()


def test_equal_rows_are_found_among_explicit_zeros() -> None:
    # Row 0 stores five zeros that row 3 does not.
    values = [0.1, 0.0, 0.2, 0.0, 0.3, 0.0, 0.7, 0.0, 0.9, 5.0, 6.0, 0.1, 0.2, 0.3, 0.7, 0.9]
    indices = [*range(9), 0, 1, 0, 2, 4, 6, 8]
    matrix = sp.csr_matrix((values, indices, [0, 9, 10, 11, 16]), shape=(4, 9))
    for options in SETTINGS:
        s = separate(matrix, [0, 0, 1, 1], **options)
        assert s.verdict is Verdict.INSEPARABLE
        assert s.conflicts[0].rows == (0, 3)
        assert _is_proved(s, matrix, [0, 0, 1, 1])


@pytest.mark.parametrize(
    "names",
    [
        ("ham", "spam"),
        (False, True),
        (-1, 1),
        (0.5, 2.5),
        (2**62, 2**62 + 1),
        (2**63, 2**63 + 1),
        (2**80, 2**80 + 1),
        (-(2**63), 2**63 - 1),
        ("", "ü"),
    ],
    ids=str,
)
@pytest.mark.parametrize("container", [list, np.array, pd.Series, tuple])
def test_labels_of_any_kind(names: tuple, container: Any) -> None:
    classes = container([names[0], names[0], names[1], names[1]])
    s = separate(X, classes, exact=True)
    assert s.squared_margin == separate(X, y, exact=True).squared_margin
    assert s.certificate.verify(X, classes)
    assert s.certificate.positive == names[1]
    bad = np.vstack([X, X[:1]])
    crossed = container([*classes, names[1]])
    t = separate(bad, crossed)
    assert t.conflicts[0].rows == (0, 4)
    assert repr(names[0]) in str(t.conflicts[0])
    assert repr(names[1]) in str(t.conflicts[0])


def test_inputs_are_never_modified() -> None:
    rng = np.random.default_rng(5)
    dense = rng.normal(size=(50, 4))
    for data in (dense, np.asfortranarray(dense), dense.astype(np.float32), dense.tolist()):
        for classes in (rng.integers(0, 2, 50), rng.integers(0, 3, 50)):
            kept, marks = np.array(data, copy=True), classes.copy()
            for options in SETTINGS:
                separate(data, classes, **options)
            assert np.array(data).tobytes() == kept.tobytes()
            assert classes.tobytes() == marks.tobytes()


# Many classes.


def test_iris() -> None:
    data = load_iris()
    names = data.target_names[data.target]
    s = separate(data.data, names)
    assert s.classes.tolist() == ["setosa", "versicolor", "virginica"]
    verdicts = {name: one.verdict.name for name, one in s.by_class.items()}
    assert verdicts == {
        "setosa": "SEPARABLE",
        "versicolor": "INSEPARABLE",
        "virginica": "INSEPARABLE",
    }
    assert s.verdict is s.joint.verdict is Verdict.INSEPARABLE
    for one in [*s.by_class.values(), s.joint]:
        assert _is_proved(one, data.data, names)
    assert "'the other labels'" not in str(s.by_class["versicolor"].conflicts[0])
    assert "of the other labels" in str(s.by_class["versicolor"].conflicts[0])
    assert repr(s) == (
        "<jointly INSEPARABLE; each from the rest {'setosa': SEPARABLE, 'versicolor': INSEPARABLE, "
        "'virginica': INSEPARABLE}>"
    )


# Time.


@pytest.mark.parametrize("options", ALSO_EXACT, ids=str)
@pytest.mark.parametrize("kind", ["planted", "random", "tiny margin", "sparse", "three classes"])
def test_a_tiny_time_limit_ends_in_an_honest_interval(kind: str, options: dict) -> None:
    rng = np.random.default_rng(6)
    data: Any = rng.normal(size=(3000, 30)) + 0.5
    classes = rng.integers(0, 3 if kind == "three classes" else 2, 3000)
    if kind == "planted":
        classes = (data[:, 0] > 0.5).astype(int)
    if kind == "tiny margin":
        data[:, 0] = np.where(classes == 1, 1e-13, -1e-13)
    if kind == "sparse":
        data, classes = sp.csr_matrix(data[:300] * (data[:300] > 1)), classes[:300]
    results = separate(data, classes, time_limit=1e-9, **options)
    results = [*results.by_class.values(), results.joint] if kind == "three classes" else [results]
    for s in results:
        assert 0.0 <= s.margin.lower <= s.margin.upper
        if s.verdict is Verdict.UNDECIDED:
            assert s.certificate is None
            assert s.margin.lower == 0.0
        else:
            assert _is_proved(s, data, classes)
    if kind in ("planted", "random", "tiny margin"):
        full = separate(data, classes, **{**options, "exact": False})
        assert results[0].margin.lower <= full.margin.upper
        assert full.margin.lower <= results[0].margin.upper
        assert results[0].verdict in (full.verdict, Verdict.UNDECIDED)


@given(problems(), st.sampled_from(ALSO_EXACT))
def test_a_tiny_time_limit_on_anything(problem: Problem, options: dict) -> None:
    s = separate(problem.X, problem.y, time_limit=1e-9, **options)
    full = separate(problem.X, problem.y, **options)
    assert s.verdict in (full.verdict, Verdict.UNDECIDED)
    assert s.margin.lower <= full.margin.upper
    assert full.margin.lower <= s.margin.upper
    if s.verdict is not Verdict.UNDECIDED:
        assert _is_proved(s, problem.X, problem.y)


@pytest.mark.parametrize("margin", ["augmented", "affine"])
@pytest.mark.parametrize("kind", ["wide and sparse", "dense", "inseparable"])
def test_a_time_limit_is_kept(kind: str, margin: str) -> None:
    rng = np.random.default_rng(7)
    data: Any = rng.normal(size=(300, 200))
    classes = rng.integers(0, 2, 300)
    if kind == "wide and sparse":
        data = sp.random_array((1700, 1700), density=0.003, format="csr", rng=rng)
        classes = (data.sum(axis=1) > np.median(data.sum(axis=1))).astype(int)
    if kind == "inseparable":
        data, classes = rng.normal(size=(1500, 600)), rng.integers(0, 2, 1500)
    separate(data[:40], classes[:40], margin=margin)  # compiles
    separate(data, classes, margin=margin, time_limit=1e-3)
    started = time.perf_counter()
    limit = 0.02 if kind == "wide and sparse" else 0.2
    s = separate(data, classes, margin=margin, exact=True, time_limit=limit)
    assert time.perf_counter() - started < 4
    if s.verdict is not Verdict.UNDECIDED:
        assert _is_proved(s, data, classes)


def test_hulls_that_touch_are_decided() -> None:
    data = [[0.5, 1], [1, 0.5], [0.5, 0.5], [0.5, 0], [0, 0.5], [0.5, 0.5]]
    s = separate(data, [0, 0, 1, 1, 0, 1], margin="affine")
    assert s.verdict is Verdict.INSEPARABLE
    assert _is_proved(s, data, [0, 0, 1, 1, 0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("margin", ["augmented", "affine"])
def test_hulls_that_touch_in_many_ways_are_decided(margin: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(10_000):
        shape = rng.integers(3, 9), rng.integers(1, 5)
        data, classes = rng.integers(0, 3, shape) / 2, rng.integers(0, 2, shape[0])
        if len(np.unique(classes)) == 2:
            s = separate(data, classes, margin=margin, time_limit=60)
            assert s.verdict is not Verdict.UNDECIDED
            assert _is_proved(s, data, classes)


def test_a_narrow_tolerance() -> None:
    rng = np.random.default_rng(8)
    data = rng.normal(size=(80, 20))
    classes = (data[:, 0] > 0).astype(int)
    for tolerance in (0.5, 1e-2, 1e-6, 1e-12, 1e-15):
        s = separate(data, classes, tolerance=tolerance)
        assert _is_closed(s, tolerance)
        assert _is_proved(s, data, classes)


# Certificates speak of one set of data only.


def _tampered(X: np.ndarray, y: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    flipped, changed = y.copy(), X.copy()
    flipped[0] = 1 - flipped[0]
    changed[0, 0] = np.nextafter(changed[0, 0], np.inf)
    order = np.roll(np.arange(len(y)), 1)
    return {
        "a flipped label": (X, flipped),
        "rows permuted, with their labels": (X[order], y[order]),
        "rows permuted alone": (X[order], y),
        "one value changed in its last bit": (changed, y),
        "a row less": (X[:-1], y[:-1]),
        "a row more": (np.vstack([X, X[:1]]), np.append(y, y[0])),
        "other data": (X + 1.0, y),
        "a column less": (X[:, :-1], y),
        "columns exchanged": (X[:, ::-1], y),
        "all labels swapped": (X, 1 - y),
    }


@pytest.mark.parametrize("options", ALSO_EXACT, ids=str)
@pytest.mark.parametrize("separable", [True, False])
def test_a_certificate_is_rejected_on_any_other_data(options: dict, separable: bool) -> None:
    rng = np.random.default_rng(9)
    data = rng.normal(size=(12, 3)) + 0.3
    classes = (data[:, 0] > 0.3).astype(int) if separable else np.arange(12) % 2
    if not separable:
        data[3] = (data[0] + data[2]) / 2
    s = separate(data, classes, **options)
    if separable:
        assert s.certificate.verify(data, classes) or options.get("fit_intercept") is False
    for name, (other, marks) in _tampered(data, classes).items():
        assert not s.certificate.verify(other, marks), name
        assert not s.certificate.verify(other, marks, exact=True), name


@pytest.mark.parametrize("options", ALSO_EXACT, ids=str)
def test_a_forged_digest_does_not_help(options: dict) -> None:
    def forged(certificate: Any, other: np.ndarray, marks: np.ndarray) -> Any:
        return dataclasses.replace(certificate, digest=Digest.of(other, marks))

    s = separate(X - 2.5, y, **options)
    assert s.verdict is Verdict.SEPARABLE
    row = int(s.support[0])
    flipped, moved = y.copy(), X - 2.5
    flipped[row] = 1 - flipped[row]
    moved[row] *= -1.0
    for other, marks in ((X - 2.5, flipped), (moved, y)):
        assert not forged(s.certificate, other, marks).verify(other, marks)
    t = separate(np.vstack([X, BETWEEN]) - 2.5, [*y, 0], **options)
    if t.verdict is Verdict.INSEPARABLE:
        changed = np.vstack([X, BETWEEN]) - 2.5
        changed[int(t.support[0]), 1] += 2.0**-40
        marks = np.append(y, 0)
        assert not forged(t.certificate, changed, marks).verify(changed, marks)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_a_claim_that_is_a_little_too_strong_is_rejected(options: dict) -> None:
    data = X - 2.5
    s = separate(data, y, exact=True, **options)
    little = Fraction(1, 10**40)
    for change in (
        {"lower_squared": s.squared_margin + little, "upper_squared": s.squared_margin + little},
        {"lower_squared": s.squared_margin / 2, "upper_squared": s.squared_margin - little},
    ):
        assert not dataclasses.replace(s.certificate, **change).verify(data, y)


# Bad input.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": "soft"}, r"margin='soft' is not accepted: use 'augmented' or 'affine'"),
        ({"margin": None}, "margin=None is not accepted"),
        ({"margin": "affine", "fit_intercept": False}, "needs fit_intercept=True"),
        ({"tolerance": 0}, "tolerance=0 is not accepted: use a number above 0 and below 1"),
        ({"tolerance": 1.0}, "tolerance=1.0 is not accepted"),
        ({"tolerance": -1e-6}, "tolerance=-1e-06 is not accepted"),
        ({"tolerance": math.nan}, "tolerance=nan is not accepted"),
        ({"tolerance": "1e-6"}, "tolerance='1e-6' is not accepted"),
        ({"tolerance": True}, "tolerance=True is not accepted"),
        ({"tolerance": None}, "tolerance=None is not accepted"),
        ({"time_limit": 0}, "time_limit=0 is not accepted"),
        ({"time_limit": -1.0}, "time_limit=-1.0 is not accepted"),
        ({"time_limit": math.nan}, "time_limit=nan is not accepted"),
        ({"time_limit": "1"}, "time_limit='1' is not accepted"),
        ({"time_limit": True}, "time_limit=True is not accepted"),
        ({"exact": "yes"}, "exact='yes' is not accepted"),
        ({"exact": 1}, "exact=1 is not accepted"),
        ({"exact": None}, "exact=None is not accepted"),
        ({"fit_intercept": "no"}, "fit_intercept='no' is not accepted"),
        ({"fit_intercept": 1}, "fit_intercept=1 is not accepted"),
        ({"fit_intercept": None}, "fit_intercept=None is not accepted"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        separate(X, y, **options)
    assert "\n" not in str(caught.value)


BAD_SAMPLES = [
    ([1.0, 2.0], r"X has shape \(2,\)"),
    (3.0, r"X has shape \(\)"),
    (np.ones((2, 2, 2)), r"X has shape \(2, 2, 2\)"),
    (np.ones((0, 2)), r"X has shape \(0, 2\)"),
    (np.ones((2, 0)), r"X has shape \(2, 0\)"),
    (sp.csr_matrix((0, 3)), r"X has shape \(0, 3\)"),
    ([["a"], ["b"]], "X has values of type <U1: give real numbers"),
    ([[1j], [2j]], "X has values of type complex128"),
    (sp.csr_matrix(np.array([[1j], [2j]])), "X has values of type complex128"),
    (np.array([["x"], [1.0]], dtype=object), "X has values that are not numbers"),
    ([[1.0, 2.0], [3.0]], "X has"),
    ([[1.0], [math.nan]], "row 1 of X contains NaN or infinity"),
    ([[1.0], [None]], "row 1 of X contains NaN or infinity"),
    ([[math.inf], [1.0]], "row 0 of X contains NaN or infinity"),
    ([[1.0], [-math.inf]], "row 1 of X contains NaN or infinity"),
    ([[1.0], [1e200]], r"row 1 of X contains .* values that are not below 1e\+150"),
    ([[1.0], [-1e150]], r"row 1 of X contains .* values that are not below 1e\+150"),
    ([[9e149, 9e149], [1.0, 1.0]], r"row 0 of X contains .* not below 1e\+150"),
    (sp.csr_matrix([[1.0], [math.nan]]), "row 1 of X contains NaN or infinity"),
    (sp.csr_matrix([[1.0], [1e200]]), "row 1 of X contains"),
    (np.array([[1.0], [np.inf]], dtype=np.float32), "row 1 of X contains NaN or infinity"),
    (pd.DataFrame({"a": [1.0, np.nan]}), "row 1 of X contains NaN or infinity"),
    (pd.DataFrame({"a": ["1", "x"]}), "X has values"),
    (None, "X has"),
]


@pytest.mark.parametrize(
    ("samples", "message"), BAD_SAMPLES, ids=[f"{k}" for k in range(len(BAD_SAMPLES))]
)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_bad_samples_are_named(samples: Any, message: str, options: dict) -> None:
    with pytest.raises(InputError, match=message) as caught:
        separate(samples, [0, 1], **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "place", ["by class", "joint"], ids=["in the first class", "in the last class"]
)
def test_bad_samples_among_many_classes_are_named(place: str) -> None:
    data = np.eye(3)
    data[0 if place == "by class" else 2, 1] = np.nan
    with pytest.raises(InputError, match=r"row [02] of X contains NaN or infinity"):
        separate(data, [0, 1, 2])


BAD_LABELS = [
    ([0, 1, 1], r"X has 2 rows, but y has shape \(3,\)"),
    ([[0], [1]], r"X has 2 rows, but y has shape \(2, 1\)"),
    (None, r"X has 2 rows, but y has shape \(\)"),
    ([1, 1], "y has one class only, 1: there is nothing to separate"),
    (["a", "a"], "y has one class only, 'a': there is nothing to separate"),
    ([True, True], "y has one class only, True: there is nothing to separate"),
    ([math.nan, 1.0], "y contains NaN or infinity"),
    ([math.inf, 1.0], "y contains NaN or infinity"),
    (np.array(["a", 1], dtype=object), "labels must be all text or all numbers"),
    ([None, 1], "label"),
    (np.array([math.nan, 1], dtype=object), "label"),
    ([b"a", b"b"], "label"),
    (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "label"),
    ([1j, 2j], "label"),
]


@pytest.mark.parametrize(
    ("classes", "message"), BAD_LABELS, ids=[f"{k}" for k in range(len(BAD_LABELS))]
)
def test_bad_labels_are_named(classes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        separate([[1.0], [2.0]], classes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("samples", "classes"),
    [
        ([[2**53 + 1, 0.5], [1, 2]], [0, 1]),
        (pd.DataFrame({"a": [2**53 + 1, 1], "b": [0.5, 1.5]}), [0, 1]),
        (np.array([[np.int64(2**53 + 1)], [1]], dtype=object), [0, 1]),
        ([[10**400], [1]], [0, 1]),
        ([[10**400, 0.5], [1, 2]], [0, 1]),
        ([[1.0], [2.0]], [1, "1"]),
        ([[1.0], [2.0], [3.0]], [1, "1", "2"]),
        ([[1.0], [2.0]], ["a\0", "b"]),
        ([[1.0], [2.0], [3.0]], [2**60 + 1, 2**60 + 3, 0.5]),
        ([[1.0], [2.0]], [b"1", "2"]),
    ],
)
def test_what_numpy_would_change_is_refused(samples: Any, classes: Any) -> None:
    with pytest.raises(InputError, match=r"X has|y (contains|mixes)"):
        separate(samples, classes)
