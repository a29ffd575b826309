"""Joint learning: against exact arithmetic, with its bound, margin and certificate."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import model_selection as peer

import naive
from margin import max_margin_squared
from rosenblatt import InputError, Outcome, Perceptron, cross_validate, load, save, separate
from rosenblatt.io.models.codec import decode, encode
from strategies import INTEGERS, matrices, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORAGE = [np.asarray, sp.csr_array, np.float32, lambda X: sp.csr_array(np.float32(X))]


def joint(**options: Any) -> Perceptron:
    return Perceptron(multiclass="joint", **{"keep": "last", **options})


@st.composite
def classes(draw: st.DrawFn, n: int, n_classes: int) -> np.ndarray:
    """Draw class numbers for n samples; every class occurs if n is large enough."""
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    y[:n_classes] = range(n_classes)
    return np.array(y[:n])


@st.composite
def problems(draw: st.DrawFn, max_classes: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Draw samples and their class numbers, with three or more classes."""
    X = draw(samples())
    n_classes = draw(st.integers(3, max_classes))
    X = np.vstack([X, *([X[:1]] * max(0, n_classes - len(X)))])
    return X, draw(classes(len(X), n_classes))


def _weights(p: Perceptron) -> np.ndarray:
    return np.column_stack([p.coef_, p.intercept_])


def _zeros(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.zeros((y.max() + 1, X.shape[1] + 1))


@settings(max_examples=40)
@given(problems(), st.sampled_from(STORAGE), st.booleans(), st.data())
def test_run_equals_exact_arithmetic(
    problem: tuple[np.ndarray, np.ndarray], store: Any, intercept: bool, data: st.DataObject
) -> None:
    X, y = problem
    stored = store(np.clip(X, -1e30, 1e30))
    X = (stored.toarray() if sp.issparse(stored) else stored).astype(np.float64)
    by_sample = st.lists(st.sampled_from([1.0, 0.3, 0.0, 2.0]), min_size=len(y), max_size=len(y))
    weight = np.array(data.draw(by_sample.filter(any)))
    by_class = {k: data.draw(st.sampled_from([1.0, 0.7])) for k in np.unique(y).tolist()}
    steps = weight * np.array([by_class[k] for k in y.tolist()])
    options = {"class_weight": by_class, "fit_intercept": intercept}
    p = joint(order="cyclic", record=True, max_iter=3, **options)
    p.fit(stored, y, sample_weight=weight)
    order = [*range(len(y))] * len(p.history_)
    twin, mistakes = naive.learn_jointly(
        X, y, order, start=_zeros(X, y), constant=float(intercept), steps=steps
    )
    assert _weights(p).tobytes() == twin.tobytes()
    recorded = [sequence.tolist() for sequence in p.ledger_.sequences]
    assert list(zip(*recorded, strict=True)) == mistakes
    counts = np.zeros((y.max() + 1, len(y)), int)
    np.add.at(counts, tuple(np.array(mistakes, int).reshape(-1, 2).T[::-1]), 1)
    assert p.ledger_.mistake_counts.tolist() == counts.tolist()
    assert p.n_mistakes_ == p.history_.mistakes.sum() == len(mistakes)
    coef, constants = p.ledger_.replay(stored, y)
    assert np.column_stack([coef, constants]).tobytes() == twin.tobytes()
    assert (p.outcome_ is Outcome.SEPARATED) == (p.history_.mistakes[-1] == 0)


@settings(max_examples=40)
@given(problems(), st.data())
def test_every_option_is_recorded_for_a_replay(
    problem: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    X, y = np.clip(problem[0], -1e17, 1e17), problem[1]
    options = {
        "eta0": data.draw(st.sampled_from([1.0, 0.1])),
        "order": data.draw(st.sampled_from(["cyclic", "shuffle", "random"])),
        "random_state": 0,
        "max_iter": 4,
    }
    size = len(np.unique(y))
    start = data.draw(
        st.none() | st.lists(st.sampled_from([-1.5, 0.3]), min_size=size, max_size=size)
    )
    p = joint(record=True, **options).fit(X, y, intercept_init=start)
    coef, intercept = p.ledger_.replay(sp.csr_array(X), y)
    assert coef.tobytes() == p.coef_.tobytes()
    assert intercept.tobytes() == p.intercept_.tobytes()
    again = joint(**options).fit(sp.csr_array(X), y, intercept_init=start)
    assert again.coef_.tobytes() == p.coef_.tobytes()
    if p.outcome_ is Outcome.SEPARATED:
        assert p.predict(X).tolist() == y.tolist()
        scores = p.decision_function(X)
        gaps = np.sort(scores, axis=1)
        # The exact sign may belong to a score within rounding error of 0: then no margin is proved.
        is_plain = (gaps[:, -1] - gaps[:, -2]).min() > 1e-9 * np.abs(scores).max()
        assert start is not None or p.margin_.lower > 0.0 or not is_plain


@st.composite
def separable(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw integer samples, their class numbers, and integer weights that classify them correctly.

    All weight vectors have the same length, so each one is itself a sample of its own class.
    """
    numbers = st.permutations([1, 2, draw(st.sampled_from([0, 3]))])
    vectors = st.tuples(numbers, st.tuples(*[st.sampled_from([-1, 1])] * 3))
    chosen = st.lists(
        vectors.map(lambda v: tuple(np.multiply(*v).tolist())), min_size=3, unique=True
    )
    truth = np.array(draw(chosen)[:4])
    X = draw(matrices(INTEGERS, st.integers(1, 8), st.just(3)))
    scores = np.sort(X @ truth.T, axis=1)
    X = np.vstack([truth, X[scores[:, -1] > scores[:, -2]]])
    return X, (X @ truth.T).argmax(axis=1), truth


def _pairs(X: np.ndarray, y: np.ndarray) -> list[list[Fraction]]:
    """Return the vectors of Kesler's construction."""
    vectors = []
    for row, own in zip(X, y, strict=True):
        for rival in set(range(y.max() + 1)) - {int(own)}:
            blocks = np.zeros((y.max() + 1, X.shape[1]))
            blocks[own], blocks[rival] = row, -row
            vectors.append([Fraction(float(value)) for value in blocks.ravel()])
    return vectors


@given(separable(), st.sampled_from(["cyclic", "shuffle", "random"]))
def test_the_mistakes_are_at_most_twice_the_squared_ratio(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], order: str
) -> None:
    X, y, truth = problem
    p = joint(fit_intercept=False, order=order, random_state=0, max_iter=100_000).fit(X, y)
    scores = (X @ truth.T).astype(int)
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -1_000_000
    margin = int((own - scores.max(axis=1)).min())
    radius_squared = int((X * X).sum(axis=1).max())
    assert p.outcome_ is Outcome.SEPARATED
    assert p.n_mistakes_ * margin**2 <= 2 * radius_squared * int((truth * truth).sum())
    assert p.predict(X).tolist() == y.tolist()
    assert p.margin_.lower <= p.margin_.upper


@settings(max_examples=20)
@given(separable(), st.sampled_from([1, 2, 3000]), st.sampled_from([1, 2]))
def test_the_interval_contains_the_joint_margin(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], max_iter: int, n_shards: int
) -> None:
    X, y, _ = problem
    X, y = X[[0, 1, 2]], y[[0, 1, 2]]
    squared = max_margin_squared(_pairs(X, y))
    p = joint(fit_intercept=False, max_iter=max_iter, shards=n_shards).fit(X, y)
    assert Fraction(p.margin_.lower) ** 2 <= squared
    assert p.margin_.upper == np.inf or squared <= Fraction(p.margin_.upper) ** 2
    separated = p.outcome_ is Outcome.SEPARATED
    assert separated or p.margin_.lower == 0.0
    # Mixed weights are fractions, which floats represent only approximately: 2/3 - 1e-16.
    assert p.margin_.lower > 0.0 or not separated or n_shards > 1


def _clouds(n: int = 60, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.resize(["a", "b", "c", "d"], n)
    centres = np.array([[4.0, 0.0, 1.0], [0.0, 4.0, 1.0], [-4.0, -4.0, 0.0], [0.0, 0.0, 6.0]])
    return spread * rng.standard_normal((n, 3)) + centres[np.unique(y, return_inverse=True)[1]], y


def test_two_classes_learn_one_halfspace() -> None:
    X, y = _clouds()
    few = np.isin(y, ["a", "b"])
    p, q = joint().fit(X[few], y[few]), Perceptron().fit(X[few], y[few])
    assert p.coef_.tobytes() == q.coef_.tobytes()
    assert p.margin_ == q.margin_
    assert joint(ties="mistake").fit(X[few], y[few]).ledger_.joint is False


def test_averages_are_over_all_visits() -> None:
    X, y = _clouds(spread=3.0)
    own = np.unique(y, return_inverse=True)[1]
    weights, total = np.zeros((4, 4)), np.zeros((4, 4))
    for i in [*range(60)] * 3:
        weights, _ = naive.learn_jointly(X, own, [i], start=weights)
        total += weights
    for form in (X, sp.csr_array(X)):
        p = joint(order="cyclic", keep="average", max_iter=3).fit(form, y)
        np.testing.assert_allclose(_weights(p), total / 180, rtol=1e-9, atol=1e-9)
    for _ in range(3):
        p = (p if _ else joint(keep="average")).partial_fit(X, y, classes=list("abcd"))
    fitted = joint(order="cyclic", keep="average", max_iter=3).fit(X, y)
    assert _weights(p).tobytes() == _weights(fitted).tobytes()


def test_average_with_errors_is_averaged_outcome() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    p = joint(order="cyclic", keep="average").fit(X, [0, 1, 2])
    assert p.outcome_ is Outcome.AVERAGED
    assert p.predict(X).tolist() != [0, 1, 2]


@pytest.mark.parametrize("n_shards", [2, 3])
def test_shards_follow_the_definition(n_shards: int) -> None:
    X, y = _clouds(spread=2.0)
    own = np.unique(y, return_inverse=True)[1]
    weights, counts = np.zeros((4, 4)), []
    for _ in range(3):
        found = [
            naive.learn_jointly(X, own, part, start=weights)
            for part in naive.dealt(len(own), n_shards)
        ]
        counts.append([len(mistakes) for _, mistakes in found])
        mixture = np.zeros((4, 4))
        for learned, mistakes in found:
            mixture = mixture + len(mistakes) / sum(counts[-1]) * learned
        weights = mixture
    for form in (X, sp.csr_array(X)):
        p = joint(order="cyclic", shards=n_shards, max_iter=3).fit(form, y)
        assert _weights(p).tobytes() == weights.tobytes()
        assert p.history_.mistakes.tolist() == [sum(shards) for shards in counts]
        assert p.ledger_.n_mistakes == p.n_mistakes_
        assert p.outcome_ is Outcome.MIXED
    separated = joint(shards=n_shards, keep="average").fit(*_clouds(spread=0.3))
    assert separated.outcome_ in (Outcome.SEPARATED, Outcome.AVERAGED)
    with pytest.raises(InputError, match="record=True and shards=2"):
        joint(shards=2, record=True).fit(X, y)


@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_chunks_and_single_samples_equal_an_epoch(keep: str, store: Any) -> None:
    X, y = _clouds(spread=3.0)
    options = {"keep": keep, "eta0": 0.3, "class_weight": {"a": 2.0}}
    batch = joint(order="cyclic", max_iter=1, **options).fit(X, y)
    chunks = joint(**options)
    for start in range(0, 60, 7):
        part = slice(start, start + 7)
        chunks.partial_fit(store(X[part]), y[part], classes=list("abcd"))
    single = joint(**options).partial_fit(store(X[:1]), y[:1], classes=list("abcd"))
    for i in range(1, 60):
        x = X[i] if store is np.asarray else store(X[i : i + 1])
        single.learn_one(x, y[i])
        assert single.predict_one(x) == single.predict(store(X[i : i + 1]))[0]
    for learner in (chunks, single):
        assert learner.coef_.tobytes() == batch.coef_.tobytes()
        assert learner.n_mistakes_ == batch.n_mistakes_
        assert learner.outcome_ is Outcome.STREAM
    assert batch.partial_fit(X, y).coef_.tobytes() == chunks.partial_fit(X, y).coef_.tobytes()
    assert not hasattr(batch, "ledger_")


def test_streams_need_all_classes() -> None:
    X, y = _clouds()
    with pytest.raises(InputError, match="all classes from the beginning"):
        joint().partial_fit(X, y)
    with pytest.raises(InputError, match="all classes from the beginning"):
        joint().learn_one(X[0], y[0])
    p = joint().partial_fit(X[:3], y[:3], classes=["a", "b", "c"])
    before = p.coef_.tobytes()
    with pytest.raises(InputError, match=r"y contains 'd'.*'a', 'b', 'c'"):
        p.partial_fit(X, y)
    with pytest.raises(InputError, match="y contains 'd'"):
        p.learn_one(X[0], "d")
    with pytest.raises(InputError, match="is a dict"):
        p.learn_one({"x": 1.0}, "a")
    assert p.coef_.tobytes() == before
    unnamed = Perceptron().partial_fit(X, y).set_params(multiclass="joint")
    with pytest.raises(InputError, match="classes were not named"):
        unnamed.partial_fit(X, y)


def test_incompatible_parameters() -> None:
    X, y = _clouds()
    with pytest.raises(InputError, match="ties='positive' and multiclass='joint'"):
        joint(ties="positive").fit(X, y)
    with pytest.raises(InputError, match="multiclass='all' is not accepted"):
        Perceptron(multiclass="all").fit(X, y)
    with pytest.raises(InputError, match="nothing to learn"):
        joint(class_weight=dict.fromkeys("abcd", 0)).fit(X, y)
    with pytest.raises(InputError, match="X contains NaN in row 5, column 1"):
        joint().fit(np.where(np.arange(180).reshape(60, 3) == 16, np.nan, X), y)


def test_one_certificate_for_all_classes() -> None:
    X, y = np.array([[-1.0], [0.0], [1.0], [9.0]]), np.array(["a", "b", "c", "c"])
    p = joint(certify=True).fit(X, y)
    assert p.certificate_.verify(X, y)
    margin = separate(X, y).joint.margin
    assert p.margin_.lower <= margin.upper
    assert margin.lower <= p.margin_.upper
    assert p.conflicts_ == []
    late = np.array([[0.0], [5.0], [5.1], [5.2]])
    q = joint(certify=True, max_iter=100_000).fit(late, y)
    assert q.n_iter_ > 10
    assert q.certificate_.verify(late, y)


def test_inseparable_classes_are_certified() -> None:
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array(["a", "b", "c", "c"])
    p = joint(certify=True).fit(X, y)
    assert p.outcome_ is Outcome.INSEPARABLE
    assert p.certificate_.verify(X, y)
    assert p.conflicts_ == ["rows 1 and 2 are equal but have the labels 'b' and 'c'"]
    assert p.n_iter_ == 10
    seen = [1, 1, 0, 1]
    q = joint(certify=True).fit(X, y, sample_weight=seen)
    assert q.certificate_.verify(X[[0, 1, 3]], y[[0, 1, 3]])
    without = joint(certify=True).fit(X, y, sample_weight=[1, 1, 0, 0])
    assert without.certificate_.verify(X[:2], y[:2])


def test_saved_and_loaded(tmp_path: Path) -> None:
    X, y = _clouds()
    p = joint(record=True, certify=True).fit(X, y)
    save(p, tmp_path / "model")
    q = load(tmp_path / "model")
    assert q.multiclass == "joint"
    assert (q.margin_, q.certificate_, q.multilabel_) == (p.margin_, p.certificate_, False)
    assert q.ledger_.joint
    assert q.ledger_.replay(X, y)[0].tobytes() == p.coef_.tobytes()
    assert q.partial_fit(-X, y).coef_.tobytes() == p.partial_fit(-X, y).coef_.tobytes()


def test_ledger_without_the_joint_field() -> None:
    ledger = Perceptron(record=True).fit(*_clouds()).ledger_
    tensors: dict[str, Any] = {}
    content = encode(ledger, tensors, "ledger_")["ledger"]
    del content["joint"], content["multilabel"]
    old = decode({"ledger": content}, tensors)
    assert (old.joint, old.multilabel) == (False, False)
    assert old.replay(*_clouds())[0].tobytes() == ledger.replay(*_clouds())[0].tobytes()


def test_inconsistent_ledger() -> None:
    ledger = joint(record=True).fit(*_clouds()).ledger_
    samples_of, rivals = ledger.sequences
    for sequences in ([samples_of], [samples_of, rivals[1:]], [samples_of, rivals + 4]):
        with pytest.raises(InputError, match="do not fit together"):
            type(ledger)(**{**vars(ledger), "sequences": sequences})


def test_cross_validation_equals_scikit_learns() -> None:
    X, y = _clouds(spread=2.0)
    learner = joint(max_iter=5, order="cyclic")
    ours = cross_validate(learner, X, y, cv=3, return_estimator=True)
    theirs = peer.cross_validate(learner, X, y, cv=3)
    assert ours["test_score"].tolist() == theirs["test_score"].tolist()
    assert ours["estimator"][0].ledger_.joint


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e16, 1e30, 1e100])
def test_numbers_beyond_float32(size: float) -> None:
    rng = np.random.default_rng(0)
    X = size * rng.integers(-9, 10, (30, 4)).astype(float)
    y = np.resize([0, 1, 2], 30)
    twin, _ = naive.learn_jointly(X, y, [*range(30)] * 2, start=np.zeros((3, 5)))
    for form in (X, sp.csr_array(X)):
        p = joint(order="cyclic", max_iter=2).fit(form, y)
        assert _weights(p).tobytes() == twin.tobytes()
    assert joint(max_iter=2).fit(np.full((6, 4), size), np.resize([0, 1, 2], 6)).n_exact_ > 0
