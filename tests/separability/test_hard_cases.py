"""Cases that floats cannot decide: tiny margins, near duplicates, touching hulls, extreme sizes."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import InputError, Verdict, separate
from rosenblatt.core.types import MatrixLike
from separation_checks import SETTINGS, Options, Problem, X, check_proofs, is_closed, is_proved, y


@pytest.mark.parametrize("e", [1e-8, 1e-12, 1e-15])
@pytest.mark.parametrize("d", [2, 5, 12])
def test_planted_tiny_margins(e: float, d: int) -> None:
    rng = np.random.default_rng(d)
    samples = rng.normal(size=(20 * d, d))
    classes = rng.integers(0, 2, len(samples))
    samples[:, 0] = np.where(classes == 1, e, -e) * rng.uniform(1, 3, len(samples))
    s = separate(samples, classes, fit_intercept=False)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, samples, classes)
    assert is_closed(s, 1e-6)
    assert s.margin.lower >= e * (1 - 1e-9)


@pytest.mark.parametrize("d", [2, 5, 30])
def test_the_same_data_without_the_planted_margin_is_inseparable(d: int) -> None:
    rng = np.random.default_rng(d)
    samples = rng.normal(size=(20 * d, d))
    classes = rng.integers(0, 2, len(samples))
    samples[:, 0] = 0.0
    s = separate(samples, classes, fit_intercept=False)
    assert s.verdict is Verdict.INSEPARABLE
    assert is_proved(s, samples, classes)


@pytest.mark.parametrize("options", SETTINGS[1:], ids=str)
@pytest.mark.parametrize("value", [1.0, 0.1, 3e17, 1e-9, 1e100])
def test_near_duplicates_are_not_duplicates(value: float, options: Options) -> None:
    rng = np.random.default_rng(0)
    low = rng.normal(size=(1, 4)) * value
    high = low.copy()
    high[0, 2] = np.nextafter(high[0, 2], np.inf)
    s = separate(np.vstack([low, high]), [0, 1], **options)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, np.vstack([low, high]), [0, 1])
    assert separate(np.vstack([low, low]), [0, 1], **options).verdict is Verdict.INSEPARABLE


def test_near_duplicates_among_many_samples() -> None:
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(120, 3))
    samples[:, 0] += np.repeat([6, -6], 60)
    classes = np.repeat([1, 0], 60)
    middle = np.array([[0.3, 0.2, 0.1]])
    above = np.nextafter(middle, [[1.0, 0.2, 0.1]])
    crowd, marks = np.vstack([samples, middle, above]), [*classes, 0, 1]
    s = separate(crowd, marks)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, crowd, marks)
    turned = separate(crowd, [*classes, 1, 0])
    assert turned.verdict is Verdict.INSEPARABLE
    assert is_proved(turned, crowd, [*classes, 1, 0])
    u = separate(np.vstack([crowd, middle]), [*marks, 1])
    assert u.verdict is Verdict.INSEPARABLE
    assert u.conflicts[0].rows == (120, 122)


@pytest.mark.parametrize("towards", [0.0, 0.5, 1.0])
def test_a_point_one_ulp_from_inseparable(towards: float) -> None:
    # On the line between two samples of the other label, or just below it, or just above.
    samples = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, np.nextafter(0.5, towards)], [0.0, 9.0]])
    s = separate(samples, [0, 0, 1, 1])
    assert s.verdict is (Verdict.SEPARABLE if towards > 0.5 else Verdict.INSEPARABLE)
    assert is_proved(s, samples, [0, 0, 1, 1])


def _scaled_columns(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    samples = rng.normal(size=(n, d))
    classes = (samples @ rng.normal(size=d) > 0).astype(int)
    return samples * 10.0 ** rng.integers(-8, 9, d), classes


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_columns_of_very_different_scales(options: Options) -> None:
    samples, classes = _scaled_columns(100, 10)
    s = separate(samples, classes, **options)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, samples, classes)


@pytest.mark.slow
def test_many_columns_of_very_different_scales_are_decided_in_seconds() -> None:
    samples, classes = _scaled_columns(300, 35)
    s = separate(samples, classes, time_limit=15)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, samples, classes)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_columns_that_depend_on_each_other(options: Options) -> None:
    rng = np.random.default_rng(3)
    base = rng.integers(-4, 5, (30, 2)).astype(float)
    wide = np.column_stack(
        [base, base[:, 0] * 2, base[:, 1] - base[:, 0], np.zeros(30), np.ones(30)]
    )
    for classes in (rng.integers(0, 2, 30), (base @ [1.0, 0.5] > 0.6).astype(int)):
        s = separate(wide, classes, **options)
        assert s.verdict is not Verdict.UNDECIDED
        assert is_proved(s, wide, classes)
        if options.get("fit_intercept", True):
            assert s.verdict is separate(base, classes).verdict
        wider = np.column_stack([wide, np.zeros((30, 3))])
        t = separate(wider, classes, exact=True, **options)
        assert t.squared_margin == separate(wide, classes, exact=True, **options).squared_margin


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_fewer_samples_than_features(options: Options) -> None:
    rng = np.random.default_rng(4)
    for n, d in [(2, 1), (2, 50), (10, 40), (40, 41)]:
        samples = rng.normal(size=(n, d)) + 0.01
        classes = np.arange(n) % 2
        s = separate(samples, classes, **options)
        assert is_proved(s, samples, classes)
        if d >= n:
            assert s.verdict is Verdict.SEPARABLE


def test_one_feature() -> None:
    s = separate([[1.0], [2.0], [5.0], [6.0]], [0, 0, 1, 1], margin="affine", exact=True)
    assert s.squared_margin == Fraction(9, 4)
    assert s.support.tolist() == [1, 2]
    t = separate([[1.0], [2.0], [5.0], [6.0]], [0, 1, 0, 1])
    assert t.conflicts[0].rows in ((0, 1, 2), (1, 2, 3))


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_thousands_of_equal_rows(options: Options) -> None:
    many = np.repeat(X, 2500, axis=0)
    classes = np.repeat(y, 2500)
    s, t = separate(X, y, exact=True, **options), separate(many, classes, exact=True, **options)
    assert t.verdict is s.verdict
    assert t.squared_margin == s.squared_margin
    assert len(t.support) <= 4
    assert is_proved(t, many, classes)


def test_constant_data() -> None:
    samples = np.full((6, 3), 2.5)
    s = separate(samples, [0, 1, 0, 1, 0, 1])
    assert s.verdict is Verdict.INSEPARABLE
    assert is_proved(s, samples, [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_all_zero(options: Options) -> None:
    samples, classes = np.zeros((4, 2)), [0, 1, 1, 0]
    for data in (samples, sp.csr_matrix(samples)):
        s = separate(data, classes, **options)
        assert s.verdict is Verdict.INSEPARABLE
        assert is_proved(s, data, classes)


def test_zero_row_is_inseparable_through_the_origin() -> None:
    samples, classes = [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]], [1, 1, 0]
    s = separate(samples, classes, fit_intercept=False)
    assert s.verdict is Verdict.INSEPARABLE
    assert s.conflicts[0].rows == (1,)
    assert "row 1 is zero" in str(s.conflicts[0])
    assert is_proved(s, samples, classes)
    assert separate(samples, classes).verdict is Verdict.SEPARABLE


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-160, 1e-100, 1e100, 1e149])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_any_size(size: float, options: Options) -> None:
    samples, classes = np.array([[1.0, 1.0], [-1.0, 2.0], [3.0, -1.0]]) * size, np.array([1, 0, 1])
    s = separate(samples, classes, exact=True, **options)
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, samples, classes)
    problem = Problem(samples, classes)
    check_proofs(problem, options)


def test_hulls_that_touch_are_decided() -> None:
    data = [[0.5, 1], [1, 0.5], [0.5, 0.5], [0.5, 0], [0, 0.5], [0.5, 0.5]]
    s = separate(data, [0, 0, 1, 1, 0, 1], margin="affine")
    assert s.verdict is Verdict.INSEPARABLE
    assert is_proved(s, data, [0, 0, 1, 1, 0, 1])


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
            assert is_proved(s, data, classes)


def test_a_narrow_tolerance() -> None:
    rng = np.random.default_rng(8)
    data = rng.normal(size=(80, 20))
    classes = (data[:, 0] > 0).astype(int)
    for tolerance in (0.5, 1e-2, 1e-6, 1e-12, 1e-15):
        s = separate(data, classes, tolerance=tolerance)
        assert is_closed(s, tolerance)
        assert is_proved(s, data, classes)


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
def test_different_numbers_are_never_treated_as_equal(samples: MatrixLike) -> None:
    # The samples are separable: SEPARABLE and an error are correct, INSEPARABLE would be false.
    try:
        verdict = separate(samples, [0, 1]).verdict
    except InputError as error:
        message = str(error)
    else:
        message = f"float64: {verdict.name}"
    assert "float64" in message
    assert "INSEPARABLE" not in message
