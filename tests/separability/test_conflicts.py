"""Conflicts: a few samples, integer weights, and a sentence that is true of them."""

import re
from collections.abc import Callable
from fractions import Fraction
from math import gcd

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hulls import combined, differences, is_separable, signed, squared
from rosenblatt import Verdict, separate
from rosenblatt.core.types import MatrixLike
from rosenblatt.separability.results.conflicts import equal_samples, mixed_samples, rival_samples
from separation_checks import SETTINGS
from strategies import labels, samples


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    X = draw(samples(max_rows=9, max_columns=3))
    return X, draw(labels(len(X), [0, 1]))


def _separable(X: np.ndarray, signs: list[int], options: dict) -> bool:
    if not signs:
        return True
    if options.get("margin") == "affine":
        return len(set(signs)) < 2 or is_separable(differences(X, signs))
    return is_separable(signed(X, signs, constant=options["fit_intercept"]))


def _check_conflicts(X: np.ndarray, y: np.ndarray, options: dict) -> None:
    s = separate(X, y, **options)
    if s.verdict is Verdict.SEPARABLE:
        assert s.conflicts == ()
        return
    signs = np.where(y == 1, 1, -1).tolist()
    extended = signed(X, signs, constant=options.get("fit_intercept", True))
    for conflict in s.conflicts:
        rows = list(conflict.rows)
        assert len(rows) == len(set(rows)) == len(conflict.weights) <= X.shape[1] + 2
        assert gcd(*conflict.weights) == 1
        assert min(conflict.weights) > 0
        # The samples contradict each other …
        weights = dict(zip(rows, conflict.weights, strict=True))
        assert squared(combined(extended, weights)) == 0
        # … and do not without any one of them.
        for dropped in rows:
            rest = [row for row in rows if row != dropped]
            assert _separable(X[rest], [signs[row] for row in rest], options), (conflict, dropped)
    first = s.conflicts[0]
    assert s.certificate.combination == dict(zip(first.rows, first.weights, strict=True))
    assert s.support.tolist() == sorted(first.rows)


@given(problems(), st.sampled_from(SETTINGS))
def test_conflicts_are_contradictions_and_irreducible(
    problem: tuple[np.ndarray, np.ndarray], options: dict
) -> None:
    _check_conflicts(*problem, options)


@pytest.mark.slow
@settings(max_examples=800)
@given(problems(), st.sampled_from(SETTINGS))
def test_conflicts_are_contradictions_and_irreducible_on_many_examples(
    problem: tuple[np.ndarray, np.ndarray], options: dict
) -> None:
    _check_conflicts(*problem, options)


def test_equal_zero_rows_are_one_conflict_each_through_the_origin() -> None:
    # One zero row is contradiction enough.
    X, y = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]]), np.array([0, 1, 1])
    _check_conflicts(X, y, {"fit_intercept": False})


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize(("n", "d"), [(60, 4), (300, 10), (800, 30)])
def test_larger_conflicts_are_irreducible(n: int, d: int, options: dict) -> None:
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    s = separate(X, y, **options)
    assert s.verdict is Verdict.INSEPARABLE
    rows = list(s.conflicts[0].rows)
    assert len(rows) <= d + 2
    assert s.certificate.verify(X, y)
    assert separate(X[rows], y[rows], **options).verdict is Verdict.INSEPARABLE
    for dropped in rows:
        rest = [row for row in rows if row != dropped]
        assert separate(X[rest], y[rest], **options).verdict is Verdict.SEPARABLE


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=lambda form: form.__name__)
def test_mislabeled_sample_is_part_of_the_conflict(
    form: Callable[[np.ndarray], MatrixLike],
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 20))
    scores = X @ rng.normal(size=20)
    y = (scores > 0).astype(int)
    assert separate(form(X), y).verdict is Verdict.SEPARABLE
    wrong = int(scores.argmax())
    y[wrong] = 0
    s = separate(form(X), y)
    assert s.verdict is Verdict.INSEPARABLE
    rows = list(s.conflicts[0].rows)
    assert wrong in rows
    assert len(rows) <= 22
    assert s.certificate.verify(form(X), y)
    for dropped in rows:
        rest = [row for row in rows if row != dropped]
        assert len(set(y[rest].tolist())) == 1 or (
            separate(form(X)[rest], y[rest]).verdict is Verdict.SEPARABLE
        )


# The sentences.

_TERM = re.compile(r"(?:(\d+(?:/\d+)?)·)?row (\d+)")


def _mixture(text: str, X: np.ndarray) -> list[Fraction]:
    """Return the point described by a mixture of rows."""
    terms = _TERM.findall(text)
    assert sum(Fraction(share or 1) for share, _ in terms) == 1
    return [
        sum((Fraction(share or 1) * Fraction(X[int(row), j]) for share, row in terms), Fraction(0))
        for j in range(X.shape[1])
    ]


@given(problems())
def test_sentences_are_true(problem: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = problem
    s = separate(X, y)
    for conflict in s.conflicts:
        sentence = str(conflict)
        assert sentence == conflict.sentence
        assert "\n" not in sentence
        if "are equal" in sentence:
            first, second = conflict.rows
            assert sentence == (
                f"rows {first} and {second} are equal but have the labels "
                f"{y[first].item()!r} and {y[second].item()!r}"
            )
            assert (X[first] == X[second]).all()
        elif "is the same point as" in sentence:
            head, points = sentence.split(" overlap: ")
            left, right = points.split(" is the same point as ")
            assert _mixture(left, X) == _mixture(right, X)
            minus, plus = head.split(" and ro")
            for part, label in ((minus, 0), (plus, 1)):
                assert f"with label {label}" in part
            assert {int(row) for _, row in _TERM.findall(points)} == set(conflict.rows)
        else:
            assert sentence.endswith("overlap")


@given(problems())
def test_sentences_without_an_intercept_are_true(
    problem: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = problem
    s = separate(X, y, fit_intercept=False)
    for conflict in s.conflicts:
        sentence = str(conflict)
        if sentence.endswith(" is zero"):
            terms = re.findall(r"(- )?(?:\+ )?(\d+)·row (\d+)", sentence.split(": ")[1])
            assert {int(row) for *_, row in terms} == set(conflict.rows)
            for j in range(X.shape[1]):
                total = sum(
                    (-1 if minus else 1) * int(weight) * Fraction(X[int(row), j])
                    for minus, weight, row in terms
                )
                assert total == 0
        elif sentence.endswith(" is the origin"):
            point = sentence.split(": ")[1].removesuffix(" is the origin")
            assert not any(_mixture(point, X))
            assert {int(row) for _, row in _TERM.findall(point)} == set(conflict.rows)
            assert len(set(y[list(conflict.rows)])) == 1
        elif "is zero, so" in sentence:
            assert not X[conflict.rows[0]].any()
        else:
            assert re.search("are equal|contradict each other|on one side", sentence)


def test_many_rows_and_large_weights_are_abbreviated() -> None:
    names = {"-": "label 0", "+": "label 1"}
    long = mixed_samples(range(12), [1] * 12, "-+" * 6, names, has_intercept=True)
    assert str(long) == (
        "rows 0, 2, 4, 6, 8 and 10 with label 0 and rows 1, 3, 5, 7, 9 and 11 with label 1 overlap"
    )
    heavy = mixed_samples([0, 1, 2], [1001, 1, 1000], "-++", names, has_intercept=True)
    assert str(heavy) == "row 0 with label 0 and rows 1 and 2 with label 1 overlap"
    assert heavy.weights == (1001, 1, 1000)
    many = mixed_samples(range(40), [1] * 40, "-" + "+" * 39, names, has_intercept=True)
    assert str(many) == (
        "row 0 with label 0 and rows 1, 2, 3, 4, 5, 6, 7, 8 and 31 more with label 1 overlap"
    )
    apart = mixed_samples(range(12), [1] * 12, "-+" * 6, names, has_intercept=False)
    assert str(apart) == (
        "rows 0, 1, 2, 3, 4, 5, 6, 7 and 4 more contradict each other for every hyperplane through the "
        "origin"
    )


def test_weights_are_in_lowest_terms() -> None:
    names = {"-": "label 0", "+": "label 1"}
    conflict = mixed_samples([3, 5, 8], [6, 10, 16], "++-", names, has_intercept=True)
    assert conflict.weights == (3, 5, 8)
    assert str(conflict) == (
        "row 8 with label 0 and rows 3 and 5 with label 1 overlap: row 8 is the same point as "
        "3/8·row 3 + 5/8·row 5"
    )
    rivals = rival_samples([(0, 1), (7, 0)], [4, 6], ["cat", "dog"], has_intercept=True)
    assert rivals.weights == (2, 3)


def test_many_rivals_are_abbreviated() -> None:
    pairs = [(i, 1) for i in range(11)]
    conflict = rival_samples(pairs, [1] * 11, ["cat", "dog"], has_intercept=False)
    start = "no weights without intercepts can score the class of row 0 above 'dog', "
    assert str(conflict).startswith(start)
    assert conflict.rows == tuple(range(11))
    assert str(conflict).endswith("row 7 above 'dog' and 3 more pairs")
    assert str(conflict).count("above") == 8


@pytest.mark.parametrize("names", [("ham", "spam"), (0, 1), (0.5, 1.5), (False, True)], ids=str)
def test_labels_are_named_as_the_user_wrote_them(names: tuple[object, object]) -> None:
    y = np.array([names[0], names[1], names[1], names[0]])
    crossed = separate([[0, 0], [0, 1], [1, 0], [1, 1]], y).conflicts[0]
    assert f"with label {names[0]!r} and" in str(crossed)
    assert f"with label {names[1]!r} overlap" in str(crossed)
    equal = separate([[1], [1], [2], [3]], y).conflicts[0]
    assert str(equal).endswith(f"the labels {names[0]!r} and {names[1]!r}")
    assert "np." not in str(crossed) + str(equal)
    assert equal == equal_samples((0, 1), names)
