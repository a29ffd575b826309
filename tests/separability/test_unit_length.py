"""Samples scaled to unit length: cosine margins, which the samples as they are prove."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hulls import is_separable, kesler, signed
from rosenblatt import InputError, Perceptron, Separation, Verdict, separate
from rosenblatt.certificates import from_json
from rosenblatt.core.types import LabelsLike, MatrixLike
from separation_checks import Options, Problem, is_closed, is_proved, problems
from strategies import INTEGERS, MAGNITUDES, TENTHS, matrices

INTERCEPTS: list[Options] = [{"fit_intercept": False}, {"fit_intercept": True}]
FORMS = [
    np.asarray,
    sp.csr_matrix,
    lambda X: X.astype(np.float32),
    lambda X: sp.csr_array(X, dtype=np.float32),
]


def by_hand(X: np.ndarray, *, fit_intercept: bool) -> np.ndarray:
    """The samples with their constant as a feature, divided by their lengths."""
    extended = np.column_stack([X, np.full(len(X), float(fit_intercept))])
    out: np.ndarray = extended / np.linalg.norm(extended, axis=1)[:, None]
    return out


def check(X: np.ndarray, y: np.ndarray, options: Options, *, is_moderate: bool) -> None:
    s = separate(X, y, unit_length=True, **options)
    constant = bool(options["fit_intercept"])
    true = is_separable(signed(X, np.where(y == 1, 1, -1).tolist(), constant=constant))
    assert s.verdict is (Verdict.SEPARABLE if true else Verdict.INSEPARABLE)
    assert is_proved(s, X, y)
    assert from_json(s.certificate.to_json()).verify(X, y)
    assert s.scope == s.certificate.scope
    assert s.scope.unit_length
    if not true:
        return
    assert s.radius == 1.0
    assert s.squared_margin is None
    if not is_moderate:
        return
    assert is_closed(s, 1e-6)
    assert s.mistake_bound == math.floor(1.0 / s.margin.lower**2 * (1.0 + 1e-9))
    other = separate(by_hand(X, **options), y, fit_intercept=False)
    assert other.margin.lower <= s.margin.upper * (1.0 + 1e-9)
    assert s.margin.lower <= other.margin.upper * (1.0 + 1e-9)


@given(problems(INTEGERS), st.sampled_from(INTERCEPTS))
def test_it_is_the_margin_of_samples_normalised_by_hand(problem: Problem, options: Options) -> None:
    check(*problem, options, is_moderate=True)


@pytest.mark.parametrize("options", INTERCEPTS, ids=str)
@pytest.mark.parametrize("pool", [MAGNITUDES, TENTHS], ids=["magnitudes", "tenths"])
def test_every_certificate_is_true_where_floats_lie(pool: list[float], options: Options) -> None:
    @settings(max_examples=40)
    @given(problems(pool))
    def check_one(problem: Problem) -> None:
        check(*problem, options, is_moderate=False)

    check_one()


@given(problems(INTEGERS), st.data())
def test_the_lengths_of_samples_do_not_matter(problem: Problem, data: st.DataObject) -> None:
    X, y = problem
    n = len(X)
    exponents = data.draw(st.lists(st.integers(-150, 150), min_size=n, max_size=n))
    longer = np.ldexp(X, np.array(exponents)[:, None])
    options: Options = {"fit_intercept": False, "unit_length": True}
    s, t = separate(X, y, **options), separate(longer, y, **options)
    assert s.verdict is t.verdict
    assert is_proved(t, longer, y)
    if s.verdict is Verdict.SEPARABLE:
        assert t.margin.lower == pytest.approx(s.margin.lower, rel=3e-6)
        assert t.margin.upper == pytest.approx(s.margin.upper, rel=3e-6)
        assert is_closed(t, 1e-6)


@given(matrices(INTEGERS, st.integers(3, 6), st.integers(1, 3)), st.data())
def test_many_classes_are_scaled_too(X: np.ndarray, data: st.DataObject) -> None:
    rest = data.draw(st.lists(st.sampled_from("abc"), min_size=len(X) - 3, max_size=len(X) - 3))
    y = np.array(["a", "b", "c", *rest])
    options = data.draw(st.sampled_from(INTERCEPTS))
    found = separate(X, y, unit_length=True, **options)
    constant = bool(options["fit_intercept"])
    codes = np.searchsorted(found.classes, y).tolist()
    true = is_separable(kesler(X, codes, 3, constant=constant))
    assert found.verdict is (Verdict.SEPARABLE if true else Verdict.INSEPARABLE)
    assert is_proved(found.joint, X, y)
    if not true:
        return
    assert is_closed(found.joint, 1e-6)
    assert Fraction(found.joint.radius) ** 2 >= 2
    other = separate(by_hand(X, **options), y, fit_intercept=False).joint
    assert found.joint.margin.upper == pytest.approx(other.margin.upper, rel=3e-6)
    for label, one in found.by_class.items():
        assert is_proved(one, X, y)
        assert one.scope.positive == label


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", INTERCEPTS, ids=str)
def test_larger_tables(form: Callable[[np.ndarray], MatrixLike], options: Options) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12)) * 2.0 ** rng.integers(-9, 9, size=(300, 1))
    stored = form(X * (np.abs(X) > 0.3 * np.abs(X).max(axis=1)[:, None]))
    dense = np.asarray(stored.todense() if sp.issparse(stored) else stored, dtype=np.float64)
    y = dense @ rng.normal(size=12) > 0
    s = separate(stored, y, unit_length=True, **options)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, stored, y)
    assert is_closed(s, 1e-6)
    other = separate(by_hand(dense, **options), y, fit_intercept=False)
    assert s.margin.lower == pytest.approx(other.margin.lower, rel=3e-6)
    scores = by_hand(dense, **options) @ np.append(s.coef, s.intercept)
    cosines = scores * np.where(y, 1, -1) / math.hypot(*s.coef, s.intercept)
    assert cosines.min() == pytest.approx(s.margin.lower, rel=1e-5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(problems(INTEGERS), st.sampled_from(INTERCEPTS), st.sampled_from(["cyclic", "random"]))
def test_no_run_that_scales_samples_makes_more_mistakes_than_the_bound(
    problem: Problem, options: Options, order: str
) -> None:
    s = separate(problem.X, problem.y, unit_length=True, **options)
    if s.verdict is not Verdict.SEPARABLE:
        return
    p = Perceptron(unit_length=True, max_iter=20_000, order=order, **options)
    assert p.fit(problem.X, problem.y).n_mistakes_ <= s.mistake_bound


def test_one_label() -> None:
    s = separate([[5.0, 0.0], [0.0, 0.1]], [1, 1], fit_intercept=False, unit_length=True)
    assert s.margin.lower == pytest.approx(math.sqrt(0.5))
    assert s.mistake_bound == 2
    assert str(s.scope.margin_name) == "the maximum margin (through the origin, unit length)"


def two_rows(e: float) -> tuple[MatrixLike, LabelsLike]:
    return np.array([[1.0, e], [-1000.0, 1000.0 * e]]), [1, 1]


@pytest.mark.parametrize("e", [1e-3, 1e-9, 1e-15, 1e-100])
def test_margins_that_are_tiny(e: float) -> None:
    X, y = two_rows(e)
    s: Separation = separate(X, y, fit_intercept=False, unit_length=True)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, X, y)
    squared = Fraction(e) ** 2 / (1 + Fraction(e) ** 2)
    assert Fraction(s.margin.lower) ** 2 <= squared <= Fraction(s.margin.upper) ** 2


def test_zero_rows_are_conflicts_as_ever() -> None:
    s = separate([[0.0], [1.0]], [0, 1], fit_intercept=False, unit_length=True)
    assert s.conflicts[0].rows == (0,)
    assert is_proved(s, [[0.0], [1.0]], [0, 1])
    many = separate([[0.0], [1.0], [2.0]], ["a", "b", "c"], fit_intercept=False, unit_length=True)
    assert many.joint.conflicts[0].rows == (0,)
    assert is_proved(many.joint, [[0.0], [1.0], [2.0]], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": "affine"}, "margin='affine' is not that of samples of unit length"),
        ({"exact": True}, "leave one of exact and unit_length out"),
        ({"unit_length": 1}, "unit_length=1 is not accepted"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(options: Options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        separate([[1.0], [2.0]], [0, 1], **{"unit_length": True, **options})
