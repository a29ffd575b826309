"""Every sentence about separability names the weights it is about, and claims only what was proved."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    HullIntersection,
    MaxMargin,
    Outcome,
    Perceptron,
    Verdict,
    separate,
    separate_in_feature_space,
)
from rosenblatt.bounds import margin_class
from rosenblatt.certificates import from_json
from rosenblatt.certificates.scope import Scope
from rosenblatt.core.errors import InputError
from rosenblatt.separability.results.result import Separation

# samples, labels; whether they are separable with an intercept, and through the origin
TWO: dict[str, object] = {
    "both": ([[1.0], [-3.0], [2.0], [-4.0]], ["p", "n", "p", "n"], True, True),
    "with an intercept only": ([[1.0], [2.0], [3.0], [0.5]], ["n", "p", "p", "n"], True, False),
    "neither": ([[1.0], [2.0], [3.0], [4.0]], ["n", "p", "n", "p"], False, False),
}
THREE: dict[str, object] = {
    "both": ([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"], True, True),
    "with an intercept only": ([[1.0], [2.0], [3.0]], ["a", "b", "c"], True, False),
    "neither": ([[1.0], [2.0], [1.0], [4.0]], ["a", "b", "b", "c"], False, False),
}
SETTINGS: list[dict[str, object]] = [
    {},
    {"margin": "affine"},
    {"fit_intercept": False},
]


def _name(options: dict[str, object]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "plain"


def _sentences(one: Separation) -> list[str]:
    """Return all sentences about one question, except the most general one."""
    said = [str(one), repr(one), one.sentence, *map(str, one.conflicts)]
    if one.certificate is not None:
        said += [one.certificate.claim, repr(one.certificate)]
        assert from_json(one.certificate.to_json()).claim == one.certificate.claim
    return said


def _check(one: Separation, *, joint: bool, intercept: bool, affine: bool) -> None:
    for said in _sentences(one):
        print(said)
        restricted = (
            "through the origin" in said or "no intercept" in said or "without interc" in said
        )
        if intercept:
            assert not restricted, said
        elif "are equal but have" not in said:  # which is a conflict with an intercept, too
            assert restricted, said
        if "margin" in said:
            kind = "affine" if affine else "augmented" if intercept else "through the origin"
            assert f"the maximum margin ({'joint, ' if joint else ''}{kind})" in said
    claims = [one.sentence] if one.certificate is None else [one.sentence, one.certificate.claim]
    for said in claims:
        assert ("per class" in said) == joint
        assert ("hyperplane" in said) == (not joint)
        if one.verdict is Verdict.INSEPARABLE:
            # Weights of 0 give every class the same score: only strictness can be ruled out.
            assert "strictly" in said


@pytest.mark.parametrize("options", SETTINGS, ids=_name)
@pytest.mark.parametrize("name", TWO)
def test_two_classes(name: str, options: dict[str, object]) -> None:
    X, y, anywhere, origin = TWO[name]
    intercept = options.get("fit_intercept", True)
    one = separate(X, y, **options)
    assert (one.verdict is Verdict.SEPARABLE) == (anywhere if intercept else origin)
    _check(one, joint=False, intercept=intercept, affine="margin" in options)
    assert one.certificate.verify(X, y, exact=True)


@pytest.mark.parametrize("options", SETTINGS, ids=_name)
@pytest.mark.parametrize("name", THREE)
def test_three_classes(name: str, options: dict[str, object]) -> None:
    X, y, anywhere, origin = THREE[name]
    intercept, affine = options.get("fit_intercept", True), "margin" in options
    both = separate(X, y, **options)
    assert (both.verdict is Verdict.SEPARABLE) == (anywhere if intercept else origin)
    assert str(both) == str(both.joint)
    assert ("through the origin" in repr(both)) == (not intercept)
    # There is no affine margin of all classes jointly.
    _check(both.joint, joint=True, intercept=intercept, affine=False)
    for label, one in both.by_class.items():
        _check(one, joint=False, intercept=intercept, affine=affine)
        assert f"separates {label!r} from all other samples" in one.certificate.claim


@pytest.mark.parametrize("options", SETTINGS, ids=_name)
@pytest.mark.parametrize("problems", [TWO, THREE], ids=["two", "three"])
def test_undecided(
    problems: dict[str, object], options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rosenblatt.separability.decide._is_solvable", lambda *_args, **_options: False
    )
    X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [3.0, 3.0]]
    y = ["n", "n", "p", "p", "p" if problems is TWO else "q"]
    X = np.array(X) + 1.0
    found = separate(X, y, **options)
    intercept, affine = options.get("fit_intercept", True), "margin" in options
    asked = [(found, False)] if problems is TWO else [(found.joint, True)]
    for one, joint in asked:
        if one.verdict is Verdict.UNDECIDED:
            _check(one, joint=joint, intercept=intercept, affine=affine and not joint)
    assert Verdict.UNDECIDED in {one.verdict for one, _ in asked} or not intercept


def test_verdict_without_a_scope_refers_to_the_question() -> None:
    for verdict in Verdict:
        assert str(verdict) == f"{verdict.name}: {verdict.sentence}"
        assert "of the requested kind" in verdict.sentence
        for positive in ("yes", None):
            for constant in (0.0, 1.0):
                said = verdict.within(Scope(positive, constant, "augmented"))
                assert ("origin" in said or "no intercept" in said) == (constant == 0.0)


def test_a_zero_row_without_intercepts_is_a_conflict_of_all_classes() -> None:
    found = separate([[0.0], [1.0], [2.0]], ["a", "b", "c"], fit_intercept=False)
    assert str(found.joint.conflicts[0]) == (
        "row 0 is zero, so without intercepts all classes give it the same score"
    )


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
@pytest.mark.parametrize("problems", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("intercept", [True, False])
def test_inseparable_fit_warns_with_the_proof(
    intercept: bool, problems: dict[str, object], multiclass: str
) -> None:
    X, y, *_ = problems["neither" if intercept else "with an intercept only"]
    learner = Perceptron(keep="last", certify=True, fit_intercept=intercept, multiclass=multiclass)
    with pytest.warns(ConvergenceWarning) as caught:
        learner.fit(X, y)
    said = str(caught[0].message)
    print(said)
    assert learner.outcome_ is Outcome.INSEPARABLE
    assert ("through the origin" in said or "no intercept" in said) == (not intercept)
    joint = multiclass == "joint" and problems is THREE
    assert ("per class" in said) == joint
    proofs = (
        learner.certificate_ if isinstance(learner.certificate_, list) else [learner.certificate_]
    )
    first = next(proof for proof in proofs if isinstance(proof, HullIntersection))
    assert said.startswith(first.scope.inseparable)


def test_inseparable_label_is_named() -> None:
    X, y = [[0.0], [1.0], [2.0]], [[0, 0], [0, 1], [1, 0]]
    with pytest.warns(ConvergenceWarning, match="label 1: no hyperplane strictly separates 1"):
        Perceptron(keep="last", certify=True).fit(X, y)


def test_max_margin_error_names_the_scope() -> None:
    X, y, *_ = TWO["with an intercept only"]
    with pytest.raises(InputError, match="no hyperplane through the origin strictly separates 'p'"):
        MaxMargin(fit_intercept=False).fit(X, y)
    with pytest.raises(InputError, match="because no hyperplane strictly separates 'p'"):
        MaxMargin().fit(*TWO["neither"][:2])


def test_margin_class_names_its_margin() -> None:
    X, y, *_ = TWO["both"]
    said = {
        repr(margin_class(X, y, 0.5, **options))
        for options in ({}, {"kind": "affine"}, {"fit_intercept": False})
    }
    for kind in ("(augmented)", "(affine)", "(through the origin)"):
        assert sum(kind in one for one in said) == 1


def test_a_kernel_without_a_constant_is_about_the_origin_of_its_features() -> None:
    found = separate_in_feature_space([[0], [1], [2]], [0, 1, 0], degree=2, coef0=0)
    assert "through the origin" in str(found)
    assert "origin" not in str(separate_in_feature_space([[0], [1], [2]], [0, 1, 0], degree=2))


@pytest.mark.parametrize("ties", ["negative", "positive"])
def test_samples_on_the_hyperplane_are_no_proof_where_a_tie_is_right(ties: str) -> None:
    # Through the origin, row 0 always has the score 0, which is right if ties have its sign.
    X = np.array([[0.0, 0.0], [1.0, 5.0], [2.0, 9.9], [3.0, 14.0]])
    y = np.array([0, 1, 0, 0])
    right = ties == "negative"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if not right else "error")
        found = Perceptron(fit_intercept=False, certify=True, ties=ties, max_iter=10_000).fit(X, y)
    assert found.outcome_ is (Outcome.SEPARATED if right else Outcome.INSEPARABLE)
    assert (found.predict(X) == y).all() == right
    assert found.n_iter_ > 10 or not right


def test_equal_samples_stay_hopeless_whatever_ties_are() -> None:
    X, y = [[1.0], [1.0]], [0, 1]
    for ties in ("negative", "positive", "mistake"):
        with pytest.warns(ConvergenceWarning, match="rows 0 and 1 are equal"):
            found = Perceptron(keep="last", fit_intercept=False, certify=True, ties=ties).fit(X, y)
        assert found.outcome_ is Outcome.INSEPARABLE
