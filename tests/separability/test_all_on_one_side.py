"""Samples of one class, through the origin: the same as two classes with half of the samples negated."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hulls import gamma_squared, signed
from rosenblatt import HullIntersection, InputError, SeparatingHyperplane, separate
from rosenblatt.certificates import Digest, from_json
from rosenblatt.core.types import MatrixLike
from separation_checks import Problem, check_proofs, problems
from strategies import INTEGERS

FORMS = [np.asarray, sp.csr_matrix, lambda X: np.asarray(X, dtype=np.float32)]


@given(problems(), st.booleans())
def test_every_certificate_is_true(problem: Problem, exact: bool) -> None:
    alone = Problem(problem.X, np.ones(len(problem.X), dtype=np.int64))
    check_proofs(alone, {"fit_intercept": False, "exact": exact})


@given(problems(INTEGERS))
def test_negating_samples_with_their_labels_changes_nothing(problem: Problem) -> None:
    signs = np.array(problem.signs)
    two = separate(problem.X, problem.y, fit_intercept=False, exact=True)
    negated = problem.X * signs[:, None]
    one = separate(negated, ["yes"] * len(signs), fit_intercept=False, exact=True)
    assert one.verdict is two.verdict
    assert one.squared_margin == two.squared_margin
    assert one.squared_margin == gamma_squared(signed(negated, [1] * len(signs), constant=False))
    assert (one.radius, one.mistake_bound) == (two.radius, two.mistake_bound)


@pytest.mark.parametrize("form", FORMS)
def test_which_samples_contradict_each_other(form: Callable[[np.ndarray], MatrixLike]) -> None:
    X = form(np.array([[1.0, 1.0], [2.0, 0.0], [-3.0, -3.0], [2.0, 1.0]]))
    y = ["in"] * 4
    s = separate(X, y, fit_intercept=False)
    assert str(s) == (
        "INSEPARABLE: no hyperplane through the origin puts every sample strictly on its positive "
        "side"
    )
    assert s.conflicts[0].sentence == (
        "no hyperplane through the origin has rows 0 and 2 on one side: 3/4·row 0 + 1/4·row 2 is the "
        "origin"
    )
    assert isinstance(s.certificate, HullIntersection)
    assert s.certificate.claim == (
        "no hyperplane through the origin puts every sample strictly on its positive side, and 2 rows "
        "prove it"
    )
    assert from_json(s.certificate.to_json()).verify(X, y)


def test_zero_row_is_a_conflict() -> None:
    s = separate([[1.0], [0.0]], ["in", "in"], fit_intercept=False)
    assert s.conflicts[0].sentence == (
        "row 1 is zero, so it is on every hyperplane through the origin"
    )


def test_claim_about_one_class_names_no_others() -> None:
    X, y = [[3.0, 4.0], [4.0, 3.0]], [7, 7]
    s = separate(X, y, fit_intercept=False, exact=True)
    assert isinstance(s.certificate, SeparatingHyperplane)
    assert s.certificate.claim.startswith(
        "a hyperplane through the origin puts every sample strictly on its positive side, and"
    )
    assert (s.squared_margin, s.mistake_bound) == (49 / 2, 1)
    assert s.scope == s.certificate.scope


def test_a_claim_about_other_labels_is_false() -> None:
    X = [[1.0], [2.0]]
    s = separate(X, ["in", "in"], fit_intercept=False)
    assert s.certificate.falsehood(X, ["in", "out"]) is not None
    jointly = HullIntersection(Digest.of(X, [1, 1]), (1,), None, 0.0, "augmented", {(0, 0): 1})
    assert jointly.falsehood(X, [1, 1]) == (
        "the data has fewer than two classes, so no class has a rival"
    )


def test_one_class_with_an_intercept_is_rejected() -> None:
    with pytest.raises(
        InputError, match="use fit_intercept=False to look for a hyperplane through"
    ):
        separate([[1.0], [2.0]], [1, 1])


def test_one_row_decides() -> None:
    found = separate([[1, 2], [2, 3]], ["x", "x"], fit_intercept=False)
    assert "1 row determines the margin" in found._repr_html_()
