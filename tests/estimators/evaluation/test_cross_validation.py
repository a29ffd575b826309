"""Folds learned in one pass equal separate fits; everything else is scikit-learn's own."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn import model_selection as peer
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit

from rosenblatt import InputError, MaxMargin, Outcome, Perceptron, cross_validate
from rosenblatt.estimators.evaluation import cross_validation
from strategies import labels, samples

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORAGE = {
    "dense": np.asarray,
    "dense float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_array,
    "csr float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}


@pytest.fixture
def require_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make any separate fit of a fold fail."""

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("handed to scikit-learn")

    monkeypatch.setattr(cross_validation.peer, "cross_validate", never)


def facts(model: Perceptron) -> dict[str, Any]:
    """Return everything that a model has learned, as bits."""
    ledger, history = model.ledger_, model.history_
    return {
        "classes": (model.classes_.tolist(), model.classes_.dtype),
        "weights": (model.coef_.tobytes(), model.intercept_.tobytes(), model.coef_.shape),
        "learned": pickle.dumps(model._learned),
        "outcome": (model.outcome_, model.n_iter_, model.n_mistakes_, model.n_exact_),
        "history": [epoch[:3] for epoch in history],
        "margin": model.margin_,
        "counts": (ledger.mistake_counts.tolist(), ledger.mistake_counts.dtype),
        "sequences": None if ledger.sequences is None else [s.tolist() for s in ledger.sequences],
        "ledger": (ledger.steps.tolist(), ledger.start.tobytes(), ledger.eta0),
    }


PARAMETERS = {
    "order": st.just("cyclic"),
    "max_iter": st.sampled_from([1, 3, 20]),
    "fit_intercept": st.booleans(),
    "eta0": st.sampled_from([1.0, 0.1]),
    "ties": st.sampled_from(["mistake", "positive", "negative"]),
    "keep": st.sampled_from(["last", "average"]),
    "record": st.booleans(),
    "random_state": st.just(5),
}


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, dict, list]:
    """Draw samples exact in float32, labels, parameters, and folds with ascending rows."""
    X = np.clip(draw(samples(max_rows=14)), -1e17, 1e17).astype(np.float32).astype(np.float64)
    y = draw(labels(len(X), draw(st.sampled_from([[0, 1], ["d", "bb", "a"], [3, -1, 7, 2]]))))
    parameters = draw(st.fixed_dictionaries(PARAMETERS))
    parameters["class_weight"] = draw(
        st.sampled_from([None, None, "balanced", {y[0].item(): 0.3, y[-1].item(): 2.0}])
    )
    aside = draw(st.lists(st.sets(st.integers(0, len(X) - 1), min_size=1), min_size=1, max_size=4))
    tests = [np.array(sorted(rows)) for rows in aside]
    splits = [(np.setdiff1d(np.arange(len(X)), test), test) for test in tests]
    weighed = parameters["class_weight"] if isinstance(parameters["class_weight"], dict) else ()
    seen = [(s, np.unique(y[s[0]]).tolist()) for s in splits]
    return X, y, parameters, [s for s, own in seen if len(own) > 1 and {*weighed} <= {*own}]


def check_same_bits(problem: tuple, storage: str, weight: list[float], n_jobs: int) -> None:
    X, y, parameters, splits = problem
    X, weight = STORAGE[storage](X), np.resize(weight, len(y))
    splits = [s for s in splits if weight[s[0]].any()]
    if not splits:
        return
    learner = Perceptron(**parameters)
    alone = [clone(learner).fit(X[a], y[a], sample_weight=weight[a]) for a, _ in splits]
    found = cross_validate(
        learner,
        X,
        y,
        cv=splits,
        n_jobs=n_jobs,
        params={"sample_weight": weight},
        return_train_score=True,
        return_estimator=True,
    )
    assert [facts(model) for model in found["estimator"]] == [facts(model) for model in alone]
    for kind, side in (("train", 0), ("test", 1)):
        expected = [m.score(X[s[side]], y[s[side]]) for m, s in zip(alone, splits, strict=True)]
        assert found[f"{kind}_score"].tolist() == expected


any_weights = st.lists(st.sampled_from([1.0, 1.0, 0.3, 0.0, 2.0]), min_size=1, max_size=14)


@quiet
@pytest.mark.usefixtures("require_one_pass")
@pytest.mark.parametrize("storage", STORAGE)
def test_same_bits_as_separate_fits(storage: str) -> None:
    @given(problems(), any_weights, st.sampled_from([1, 2, 3]))
    @settings(max_examples=40)
    def check(problem: tuple, weight: list[float], n_jobs: int) -> None:
        check_same_bits(problem, storage, weight, n_jobs)

    check()


@quiet
@pytest.mark.slow
@settings(max_examples=2000)
@given(problems(), st.sampled_from(list(STORAGE)), any_weights, st.sampled_from([1, 2, 3]))
def test_many_examples(problem: tuple, storage: str, weight: list[float], n_jobs: int) -> None:
    check_same_bits(problem, storage, weight, n_jobs)


@quiet
@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_shuffled_folds_share_permutations_and_the_margin(
    n_classes: int, multiclass: str, class_weight: str | None
) -> None:
    X, y = clouds(n_classes=n_classes)
    learner = Perceptron(
        margin="auto", multiclass=multiclass, keep="average", max_iter=4, class_weight=class_weight
    )
    margin = clone(learner).fit(X, y).required_margin_
    found = cross_validate(learner, X, y, cv=4, return_estimator=True, return_indices=True)
    parts = zip(
        found["indices"]["train"], found["indices"]["test"], found["estimator"], strict=True
    )
    for (train, test, model), score in zip(parts, found["test_score"], strict=True):
        weight = np.zeros(len(y))
        weight[train] = 1.0
        by_class = None
        if class_weight:
            counts = {label: np.count_nonzero(y[train] == label) for label in np.unique(y).tolist()}
            by_class = {label: len(train) / (n_classes * n) for label, n in counts.items()}
        alone = clone(learner).set_params(margin=margin, class_weight=by_class)
        alone.fit(X, y, sample_weight=weight)
        assert model.coef_.tobytes() == alone.coef_.tobytes()
        assert model.get_params() == learner.get_params()
        assert model.required_margin_ == margin
        assert (model.n_updates_, model.n_mistakes_) == (alone.n_updates_, alone.n_mistakes_)
        assert score == alone.score(X[test], y[test])


def clouds(n: int = 120, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return overlapping clouds of samples, one per class."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=n)
    return rng.standard_normal((n, 6)) + 2.0 * np.eye(6)[y], np.array(list("abcd"))[y]


@quiet
@pytest.mark.usefixtures("require_one_pass")
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "cv", [None, 10, KFold(4), StratifiedKFold(3, shuffle=True, random_state=1)]
)
def test_folds_of_splitters(n_classes: int, cv: Any) -> None:
    X, y = clouds(n_classes=n_classes)
    learner = Perceptron(
        order="cyclic", max_iter=30, class_weight="balanced", keep="average", record=True
    )
    found = cross_validate(
        learner, X, y, cv=cv, n_jobs=2, return_estimator=True, return_indices=True
    )
    for model, train in zip(found["estimator"], found["indices"]["train"], strict=True):
        assert facts(model) == facts(clone(learner).fit(X[train], y[train]))


@quiet
def test_folds_finish_independently() -> None:
    X, y = clouds(50, 2)
    X[:, 0] += np.where(y == "a", 0.3, -0.3)
    found = cross_validate(
        Perceptron(order="cyclic", max_iter=15), X, y, cv=10, return_estimator=True
    )
    assert len({model.n_iter_ for model in found["estimator"]}) > 3
    outcomes = {model.outcome_ for model in found["estimator"]}
    assert outcomes == {Outcome.SEPARATED, Outcome.BUDGET}


def test_class_missing_from_one_fold() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [2.0, 0.0], [0.0, 2.0]])
    y = np.array(["a", "b", "c", "a", "b"])
    cv = [(np.array([0, 1, 3, 4]), np.array([2])), (np.array([1, 2, 3]), np.array([0, 4]))]
    found = cross_validate(Perceptron(order="cyclic"), X, y, cv=cv, return_estimator=True)
    assert [model.classes_.tolist() for model in found["estimator"]] == [["a", "b"], list("abc")]
    assert [len(model.coef_) for model in found["estimator"]] == [1, 3]
    assert found["test_score"].tolist() == [0.0, 1.0]


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Assert that two results have the same structure, scores and rows."""
    assert list(ours) == list(theirs)
    for name in ours:
        if name == "estimator":
            assert [type(model) for model in ours[name]] == [type(m) for m in theirs[name]]
        elif name == "indices":
            for kind in ("train", "test"):
                rows, others = ours[name][kind], theirs[name][kind]
                assert all(np.array_equal(a, b) for a, b in zip(rows, others, strict=True))
        elif name.endswith("_time"):
            assert (ours[name].shape, ours[name].dtype) == (theirs[name].shape, theirs[name].dtype)
        else:
            assert ours[name].tolist() == theirs[name].tolist(), name


def _two_scores(model: Any, X: Any, y: Any) -> dict[str, float]:
    return {"right": model.score(X, y), "mistakes": float((model.predict(X) != y).sum())}


@quiet
@pytest.mark.usefixtures("require_one_pass")
@pytest.mark.parametrize(
    "scoring",
    [
        None,
        "accuracy",
        "f1_macro",
        ["accuracy", "f1_macro"],
        {"mine": make_scorer(lambda a, b: float((a == b).sum()))},
        _two_scores,
    ],
)
@pytest.mark.parametrize("more", [False, True])
def test_result_equals_scikit_learns(scoring: Any, more: bool) -> None:
    X, y = clouds()
    wanted = {f"return_{name}": more for name in ("train_score", "estimator", "indices")}
    learner = Perceptron(order="cyclic", max_iter=10)
    ours = cross_validate(learner, X, y, scoring=scoring, cv=4, **wanted)
    same(ours, _theirs(learner, X, y, scoring=scoring, cv=4, **wanted))


_theirs = peer.cross_validate


@quiet
@pytest.mark.usefixtures("require_one_pass")
@pytest.mark.parametrize("cv", [TimeSeriesSplit(3), KFold(3), peer.GroupKFold(3)])
@pytest.mark.parametrize("store", [np.ndarray.tolist, sp.csc_array, pd.DataFrame])
def test_other_containers_and_splitters(cv: Any, store: Any) -> None:
    X, y = clouds()
    X = store(X)
    groups = np.arange(120) % 7 if isinstance(cv, peer.GroupKFold) else None
    if store is pd.DataFrame:
        X.columns, y = list("uvwxyz"), pd.Series(y, index=range(7, 127))
    options = {"cv": cv, "groups": groups, "scoring": "f1_macro", "return_train_score": True}
    ours = cross_validate(
        Perceptron(order="cyclic", max_iter=5), X, y, return_estimator=True, **options
    )
    same(
        ours,
        _theirs(Perceptron(order="cyclic", max_iter=5), X, y, return_estimator=True, **options),
    )
    assert hasattr(ours["estimator"][0], "feature_names_in_") == (store is pd.DataFrame)


CYCLIC = Perceptron(max_iter=5, order="cyclic")


@quiet
@pytest.mark.parametrize(
    ("learner", "options"),
    [
        (Perceptron(max_iter=5, order="random", random_state=3), {}),
        (Perceptron(max_iter=5, order="cyclic", certify=True), {}),
        (Perceptron(max_iter=5, order="cyclic", n_jobs=2), {"return_estimator": True}),
        (CYCLIC, {"cv": ShuffleSplit(3, random_state=0), "return_indices": True}),
        (CYCLIC, {"params": {"coef_init": np.ones((2, 6))}}),
        (MaxMargin(tolerance=0.1), {}),
        (RidgeClassifier(), {"scoring": ["accuracy", "f1_macro"], "return_train_score": True}),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_other_cases_are_passed_to_scikit_learn(
    learner: Any, options: dict, n_classes: int
) -> None:
    X, y = clouds(60, n_classes)
    if isinstance(learner, MaxMargin):
        X[:, : len("abc")] += 9.0 * (y[:, None] == np.array(list("abc")))
    options = {"cv": 3, **options}
    if "params" in options:
        options["params"] = {"coef_init": np.ones((1 if n_classes == 2 else n_classes, 6))}
    same(cross_validate(learner, X, y, **options), _theirs(learner, X, y, **options))


@quiet
def test_metadata_routing_is_passed_to_scikit_learn() -> None:
    X, y = clouds()
    weight = np.arange(120) % 3 + 1.0
    with config_context(enable_metadata_routing=True):
        learner = Perceptron(order="cyclic", max_iter=5).set_fit_request(sample_weight=True)
        learner.set_score_request(sample_weight=True)
        params = {"sample_weight": weight}
        same(cross_validate(learner, X, y, params=params), _theirs(learner, X, y, params=params))


def test_one_warning_covers_all_folds() -> None:
    X, y = clouds()
    with pytest.warns(ConvergenceWarning, match="max_iter=2 .* for 4 of 4 folds") as caught:
        cross_validate(Perceptron(keep="last", order="cyclic", max_iter=2), X, y, cv=4)
    assert [one.filename for one in caught] == [__file__]


def test_estimator_is_not_changed() -> None:
    X, y = clouds(n_classes=2)
    X[:, 0] += np.where(y == "a", 9.0, -9.0)
    learner = Perceptron(order="cyclic")
    before = dict(vars(learner))
    cross_validate(learner, X, y)
    assert vars(learner) == before


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"cv": [(np.array([0, 1]), np.array([2]))]}, "fold 0 has only one class, 'a'"),
        ({"params": {"sample_weight": np.eye(6)[4]}}, "part of fold 1: there is"),
        ({"params": {"sample_weight": np.ones(4)}}, "sample_weight has shape"),
        (
            {"X": np.array([[1.0], [2.0], [np.nan], [4.0], [5.0], [6.0]])},
            "X contains NaN in row 2, column 0",
        ),
        ({"n_jobs": 0}, "n_jobs=0 is not accepted"),
        ({"learner": Perceptron(order="cyclic", eta0=-1.0)}, "eta0=-1.0 is not accepted"),
    ],
)
def test_errors(change: dict[str, Any], complaint: str) -> None:
    X, y = np.arange(6.0)[:, None], np.array(["a", "a", "a", "b", "b", "b"])
    options = {
        "learner": Perceptron(order="cyclic", max_iter=50),
        "X": X,
        "cv": StratifiedKFold(3),
        **change,
    }
    learner, X = options.pop("learner"), options.pop("X")
    with pytest.raises(InputError, match=complaint):
        cross_validate(learner, X, y, **options)


def test_scikit_learns_own_errors() -> None:
    X, y = clouds()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        cross_validate(Perceptron(), X, y[:-1])
    with pytest.raises(ValueError, match="'nonsense'"):
        cross_validate(Perceptron(), X, y, scoring="nonsense")
