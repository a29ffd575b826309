"""Properties on any data: certificates are true, and the answer does not depend on the data's form."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hulls import affine_gamma_squared, gamma_squared, signed
from rosenblatt import Perceptron, Verdict, separate
from separation_checks import ALSO_EXACT, SETTINGS, Options, Problem, check_proofs, problems
from strategies import INTEGERS, MAGNITUDES, TENTHS, labels, matrices


@given(problems(), st.sampled_from(ALSO_EXACT))
def test_every_certificate_is_true(problem: Problem, options: Options) -> None:
    check_proofs(problem, options)


@pytest.mark.parametrize("pool", [MAGNITUDES, TENTHS], ids=["magnitudes", "tenths"])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_certificate_is_true_despite_rounding(pool: list[float], options: Options) -> None:
    @settings(max_examples=40)
    @given(problems(pool))
    def check(problem: Problem) -> None:
        check_proofs(problem, options)

    check()


@pytest.mark.slow
@settings(max_examples=1500)
@given(problems(), st.sampled_from(ALSO_EXACT))
def test_every_certificate_is_true_on_many_examples(problem: Problem, options: Options) -> None:
    check_proofs(problem, options)


@st.composite
def tiny_and_wide(draw: st.DrawFn) -> Problem:
    X = draw(matrices(MAGNITUDES, st.integers(2, 5), st.integers(1, 2)))
    return Problem(X, draw(labels(len(X), [0, 1])))


@given(tiny_and_wide(), st.sampled_from(SETTINGS))
def test_wide_ranges_are_decided_correctly(problem: Problem, options: Options) -> None:
    if options.get("margin") == "affine":
        expected = affine_gamma_squared(problem.X, problem.signs)
    else:
        vectors = signed(problem.X, problem.signs, constant=options["fit_intercept"])
        expected = gamma_squared(vectors)
    assert separate(problem.X, problem.y, exact=True, **options).squared_margin == expected
    lower, upper = map(Fraction, separate(problem.X, problem.y, **options).margin)
    assert lower**2 <= expected <= upper**2


@given(problems(), st.sampled_from(SETTINGS), st.data())
def test_permuting_and_repeating_rows_changes_nothing(
    problem: Problem, options: Options, data: st.DataObject
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
def test_scaling_rows_does_not_change_the_verdict(problem: Problem, exponents: list[int]) -> None:
    scaled = problem.X * 2.0 ** np.array(exponents[: len(problem.X)])[:, None]
    s = separate(problem.X, problem.y, fit_intercept=False)
    t = separate(scaled, problem.y, fit_intercept=False)
    assert t.verdict is s.verdict is not Verdict.UNDECIDED


@given(problems(), st.integers(-60, 60), st.sampled_from(SETTINGS[::2]))
def test_the_margin_scales_with_the_data(problem: Problem, exponent: int, options: Options) -> None:
    s = separate(problem.X, problem.y, exact=True, **options)
    t = separate(problem.X * 2.0**exponent, problem.y, exact=True, **options)
    assert t.squared_margin == s.squared_margin * Fraction(4) ** exponent


@given(problems(INTEGERS), st.lists(st.integers(-50, 50), min_size=4, max_size=4))
def test_shifting_does_not_change_the_affine_margin(problem: Problem, shift: list[int]) -> None:
    moved = problem.X + np.array(shift[: problem.X.shape[1]], dtype=float)
    s = separate(problem.X, problem.y, margin="affine", exact=True)
    t = separate(moved, problem.y, margin="affine", exact=True)
    assert t.squared_margin == s.squared_margin
    assert separate(moved, problem.y).verdict is separate(problem.X, problem.y).verdict


@given(problems(), st.sampled_from(ALSO_EXACT))
def test_sparse_or_dense(problem: Problem, options: Options) -> None:
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
    problem: Problem, options: Options, sparse: bool
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
def test_swapping_labels_changes_nothing(problem: Problem, options: Options) -> None:
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
    problem: Problem, options: Options, order: str
) -> None:
    s = separate(problem.X, problem.y, **options)
    if s.verdict is not Verdict.SEPARABLE:
        return
    p = Perceptron(
        fit_intercept=options.get("fit_intercept", True), max_iter=20_000, order=order
    ).fit(problem.X, problem.y)
    assert p.n_mistakes_ <= s.mistake_bound
    ratio = (s.radius / s.margin.lower) ** 2
    assert s.mistake_bound <= ratio * (1.0 + 1e-9 + ratio * 2.0**-51) or options.get("margin")


def test_affine_mistake_bound_holds_for_the_perceptron() -> None:
    # Far from the origin the bias is large: the bound must not be (radius / affine margin)².
    far, classes = [[100.0], [102.0]], [0, 1]
    s = separate(far, classes, margin="affine")
    p = Perceptron(max_iter=10**6).fit(far, classes)
    assert s.margin.upper == pytest.approx(1.0)
    assert (s.radius / s.margin.lower) ** 2 < p.n_mistakes_ <= s.mistake_bound
