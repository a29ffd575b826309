"""The vote: against plain loops in rational arithmetic."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt.training.deciders.vote_counts
from expected_failures import WEIGHTED_IS_REPEATED
from model_files import saved_with
from naive import exact_dot, extended, sign
from rosenblatt import InputError, Outcome, Perceptron, load, save
from strategies import INTEGERS, labels, matrices, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TIES = {"mistake": 0, "positive": 1, "negative": -1}


@parametrize_with_checks(
    [Perceptron(keep="vote", max_iter=50)],
    expected_failed_checks=lambda _: WEIGHTED_IS_REPEATED,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


Voter = tuple[list[float], int]


def voters_by_hand(
    X: np.ndarray, signs: Any, epochs: int, *, tie: int = 0, steps: Any = None
) -> list[Voter]:
    """Return all weights with their lifetimes, as in Freund and Schapire's algorithm."""
    rows = extended(X, 1.0)
    steps = [1.0] * len(rows) if steps is None else steps
    weights, lifetime, found = [0.0] * rows.shape[1], 0, []
    for _ in range(epochs):
        clean = True
        for row, side, step in zip(rows, signs, steps, strict=True):
            if side == 0:
                continue
            if (sign(exact_dot(row, weights)) or tie) == side:
                lifetime += 1
            else:
                clean = False
                found.append((weights, lifetime))
                moved = zip(weights, row.tolist(), strict=True)
                weights, lifetime = [w + side * step * value for w, value in moved], 1
        if clean:
            break
    return [*found, (weights, lifetime)]


def vote_by_hand(voters: list[Voter], x: np.ndarray, tie: int = 0) -> int:
    row = [*x.tolist(), 1.0]
    return sum(lifetime * (sign(exact_dot(row, w)) or tie) for w, lifetime in voters)


def positives_of(p: Perceptron) -> np.ndarray:
    return p.classes_ if len(p.classes_) > 2 else p.classes_[1:]


@given(
    data=st.data(),
    epochs=st.integers(1, 4),
    store=st.sampled_from([np.asarray, sp.csr_matrix]),
    ask=st.sampled_from([np.asarray, sp.csr_matrix]),
    ties=st.sampled_from(list(TIES)),
)
@pytest.mark.slow
def test_vote_equals_the_papers(
    data: st.DataObject, epochs: int, store: Any, ask: Any, ties: str
) -> None:
    X = data.draw(samples())
    y = data.draw(labels(len(X), list("abc")))
    others = data.draw(matrices([*INTEGERS, 0.1], st.just(4), st.just(X.shape[1])))
    asked = np.vstack([X, others])
    found = Perceptron(order="cyclic", keep="vote", max_iter=epochs, ties=ties).fit(store(X), y)
    shares = found.decision_function(ask(asked)).reshape(len(asked), -1)
    assert (np.abs(shares) <= 1.0).all()
    for k, positive in enumerate(positives_of(found)):
        voters = voters_by_hand(X, np.where(y == positive, 1, -1), epochs, tie=TIES[ties])
        visits = sum(lifetime for _, lifetime in voters)
        for x, share in zip(asked, shares[:, k].tolist(), strict=True):
            assert share == vote_by_hand(voters, x, TIES[ties]) / visits
    if shares.shape[1] > 1:
        expected = found.classes_[shares.argmax(axis=1)]
    elif ties == "negative":
        expected = found.classes_[(shares[:, 0] > 0).astype(int)]
    else:
        expected = found.classes_[(shares[:, 0] >= 0).astype(int)]
    assert (found.predict(ask(asked)) == expected).all()
    assert [found.predict_one(x) for x in asked] == expected.tolist()


@given(data=st.data())
def test_votes_are_exact_in_any_block(data: st.DataObject) -> None:
    X = data.draw(samples())
    y = data.draw(labels(len(X), [0, 1]))
    found = Perceptron(keep="vote", max_iter=3).fit(X, y)
    at_once = found.decision_function(X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rosenblatt.training.deciders.vote_counts, "_NUMBERS_AT_ONCE", 1)
        assert (found.decision_function(X) == at_once).all()
        assert (found.decision_function(sp.csr_matrix(X)) == at_once).all()


def test_plain_floats_would_vote_differently() -> None:
    rng = np.random.default_rng(3)
    n_other = 0
    for _ in range(40):
        X, y = rng.integers(-12, 13, (12, 4)) / 10, rng.integers(0, 2, 12)
        y[:2] = 0, 1
        found = Perceptron(order="cyclic", keep="vote", max_iter=3).fit(X, y)
        exact = found.decision_function(X)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rosenblatt.training.deciders.vote_counts, "TWO_ROUNDOFFS", 0.0)
            patch.setattr(rosenblatt.training.deciders.vote_counts, "SMALL_PRODUCT", 0.0)
            by_floats = found.decision_function(X)
        if (by_floats != exact).any():
            n_other += 1
            voters = voters_by_hand(X, np.where(y == 1, 1, -1), 3)
            visits = sum(lifetime for _, lifetime in voters)
            assert exact.tolist() == [vote_by_hand(voters, x) / visits for x in X]
    assert n_other > 0


@given(data=st.data(), epochs=st.integers(1, 3))
def test_sample_and_class_weights(data: st.DataObject, epochs: int) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 3)))
    y = data.draw(labels(len(X), [-1, 1]))
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))))
    if not weight.any():
        return
    found = Perceptron(
        order="cyclic", keep="vote", max_iter=epochs, class_weight={-1: 2, 1: 1}
    ).fit(X, y, sample_weight=weight)
    signs = np.where(weight > 0, y, 0)
    voters = voters_by_hand(X, signs, epochs, steps=weight * np.where(y < 0, 2.0, 1.0))
    visits = sum(lifetime for _, lifetime in voters)
    expected = [vote_by_hand(voters, x) / visits for x in X]
    assert found.decision_function(X).tolist() == expected


@given(data=st.data())
def test_same_bits_in_any_chunks(data: st.DataObject) -> None:
    X = data.draw(samples(max_rows=12))
    y = data.draw(labels(len(X), list("abc")))
    fitted = Perceptron(order="cyclic", keep="vote", max_iter=1).fit(X, y)
    chunked, single = Perceptron(keep="vote"), Perceptron(keep="vote")
    cut = data.draw(st.integers(1, len(X)))
    for start, stop in ((0, cut), (cut, len(X))):
        if stop > start:
            chunked.partial_fit(sp.csr_matrix(X[start:stop]), y[start:stop], classes=np.unique(y))
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        single.learn_one(sp.csr_matrix([x]) if t % 3 == 1 else x, label)
        single.predict_one(x)
    expected = fitted.decision_function(X)
    for p in (chunked, single):
        assert p.decision_function(X).tobytes() == expected.tobytes()
        assert p.n_mistakes_ == fitted.n_mistakes_
        assert set(fitted.support_.tolist()) <= set(p.support_.tolist())


def noisy(n: int = 80, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (n, 3)).astype(float)
    scores = X @ rng.integers(-3, 4, (3, n_classes)) + rng.normal(size=(n, n_classes)) * 8
    return X, scores.argmax(axis=1)


def test_one_mistake_leaves_one_voter() -> None:
    X, y = [[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0]], [1, 1, 0]
    vote = Perceptron(keep="vote", fit_intercept=False).fit(X, y)
    last = Perceptron(fit_intercept=False).fit(X, y)
    assert vote.n_mistakes_ == last.n_mistakes_ == 1
    asked = np.random.default_rng(0).integers(-3, 4, (50, 2))
    assert (vote.predict(asked) == last.predict(asked)).all()
    assert vote.decision_function(asked).tolist() == np.sign(asked[:, 0]).tolist()
    assert vote.outcome_ is Outcome.SEPARATED


def test_voters_sum_to_the_average() -> None:
    X, y = noisy()
    vote = Perceptron(order="cyclic", keep="vote", max_iter=4).fit(X, y)
    average = Perceptron(order="cyclic", keep="average", max_iter=4).fit(X, y)
    for x, score in zip(X, average.decision_function(X), strict=True):
        every = vote.deciding_mistakes(x, n=len(X))
        np.testing.assert_allclose(every.influences.sum() + every.start, score, atol=1e-9)
    voters = voters_by_hand(X, np.where(y == 1, 1, -1), 4)
    total = sum(lifetime * np.array(w) for w, lifetime in voters)
    visits = sum(lifetime for _, lifetime in voters)
    np.testing.assert_allclose(average.coef_[0], (total / visits)[:-1], rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_influence_equals_the_plain_loop(n_classes: int) -> None:
    X, y = noisy(30, n_classes)
    p = Perceptron(order="cyclic", keep="vote", max_iter=3, eta0=0.5).fit(X, y)
    rows = extended(X, 1.0)
    for k, positive in enumerate(positives_of(p)):
        signs = np.where(y == positive, 1, -1)
        last, added, visits = np.zeros(4), np.zeros(len(X)), 0
        made = np.zeros(len(X))  # updates so far, by sample
        for _ in range(3):
            for i, row in enumerate(rows):
                if signs[i] * (row @ last) <= 0:
                    last = last + signs[i] * row
                    made[i] += signs[i]
                added += made * (rows @ rows[7])
                visits += 1
        found = p.deciding_mistakes(X[7], n=4, label=positive)
        assert len(found.samples) == 4
        np.testing.assert_allclose(found.influences, 0.5 * added[found.samples] / visits)
        largest = np.sort(np.abs(0.5 * added / visits))[::-1][:4]
        np.testing.assert_allclose(np.abs(found.influences), largest)
        assert np.isin(found.samples, p.support_).all()
        assert k < n_classes


def test_influence_of_the_predicted_class_by_default() -> None:
    X, y = noisy(30, 3)
    p = Perceptron(keep="vote", max_iter=3).fit(X, y)
    wanted = p.predict_one(X[3])
    by_default, by_name = p.deciding_mistakes(X[3]), p.deciding_mistakes(X[3], label=wanted)
    assert by_default.samples.tolist() == by_name.samples.tolist()
    with pytest.raises(InputError, match="label=9 is not accepted"):
        p.deciding_mistakes(X[3], label=9)
    with pytest.raises(InputError):
        p.deciding_mistakes([np.nan, 0.0, 0.0])


def test_vote_with_errors_is_voted_outcome() -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    vote = Perceptron(order="cyclic", keep="vote").fit(X, y)
    assert Perceptron(order="cyclic").fit(X, y).outcome_ is Outcome.SEPARATED
    assert vote.score(X, y) < 1.0
    assert vote.outcome_ is Outcome.VOTED
    easy = Perceptron(order="cyclic", keep="vote").fit([[-1.0], [1.0]], [0, 1])
    assert easy.outcome_ is Outcome.SEPARATED
    assert easy.score([[-1.0], [1.0]], [0, 1]) == 1.0


def test_coef_is_not_available() -> None:
    p = Perceptron(keep="vote").fit([[-1.0], [1.0]], [0, 1])
    for name in ("coef_", "intercept_"):
        with pytest.raises(AttributeError, match="there is no single weight vector"):
            getattr(p, name)
    other = Perceptron().fit([[-1.0], [1.0]], [0, 1])
    with pytest.raises(AttributeError, match="support_ exists only with keep='vote'"):
        _ = other.support_
    with pytest.raises(AttributeError, match="deciding_mistakes exists only with keep='vote'"):
        other.deciding_mistakes([1.0])


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_files_and_pickles_continue(tmp_path: Path, store: Any) -> None:
    X, y = noisy(n_classes=3)
    fitted = Perceptron(keep="vote", max_iter=3).fit(store(X), y)
    save(fitted, tmp_path / "model")
    loaded, copied = load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))
    expected = fitted.decision_function(X)
    assert (np.ptp(expected, axis=0) > 0).all()
    assert loaded.decision_function(X).tobytes() == expected.tobytes()
    for p in (fitted, loaded, copied):
        p.partial_fit(X[::-1], y[::-1])
    assert (fitted.decision_function(X) != expected).any()
    assert loaded.decision_function(X).tobytes() == fitted.decision_function(X).tobytes()
    assert copied.decision_function(X).tobytes() == fitted.decision_function(X).tobytes()


def test_record_is_a_copy() -> None:
    X, y = noisy()
    p = Perceptron(keep="vote", max_iter=3).fit(X, y)
    asked, expected = X.copy(), p.decision_function(X)
    X[:] = 0.0
    assert (p.decision_function(asked) == expected).all()


@pytest.mark.parametrize("keep", ["vote", "pocket"])
def test_new_class_in_mid_stream_gives_the_same_bits(keep: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(-4, 5, (60, 3)).astype(float), np.array(list("ab" * 15 + "abc" * 10))
    stream: Any = Perceptron(keep=keep)
    for x, label in zip(X, y, strict=True):
        stream.learn_one(x, label)
    known = Perceptron(keep=keep).partial_fit(X, y, classes=["a", "b", "c"])
    assert stream.decision_function(X).tobytes() == known.decision_function(X).tobytes()


def test_new_class_after_a_fit_keeps_the_vote_of_two() -> None:
    X, y = noisy()
    p = Perceptron(keep="vote", max_iter=3).fit(X, y)
    before = p.decision_function(X)
    p.partial_fit(np.zeros((1, 3)), [7], sample_weight=[0.0])
    assert p.classes_.tolist() == [0, 1, 7]
    after = p.decision_function(X)
    assert (after[:, 1] == before).all()
    assert (after[:, 0] == -before).all()


def test_matrix_of_labels() -> None:
    X, y = noisy(n_classes=3)
    Y = np.column_stack([y == 0, y != 2]).astype(int)
    p = Perceptron(keep="vote", max_iter=4).fit(X, Y)
    for k in range(2):
        alone = Perceptron(keep="vote", max_iter=4).fit(X, Y[:, k])
        assert (p.predict(X)[:, k] == alone.predict(X)).all()
    assert p.predict_one(X[0]).tolist() == p.predict(X)[0].tolist()
    with pytest.raises(InputError, match="label=None"):
        p.deciding_mistakes(X[0])


def test_incompatible_parameters() -> None:
    X, y = noisy()
    for keep in ("vote", "pocket"):
        with pytest.raises(InputError, match=f"keep='{keep}' and multiclass='joint'"):
            Perceptron(keep=keep, multiclass="joint").fit(X, y)
        with pytest.raises(InputError, match=f"keep='{keep}' and shards=2"):
            Perceptron(keep=keep, shards=2).fit(X, y)
    stream = Perceptron(keep="vote").partial_fit(X, y)
    stream.eta0 = 0.3
    with pytest.raises(InputError, match="eta0 has changed since"):
        stream.partial_fit(X, y)


def test_samples_that_are_not_finite() -> None:
    p = Perceptron(keep="vote").fit([[-1.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match="row 1"):
        p.predict([[1.0], [np.nan]])
    with pytest.raises(InputError):
        p.predict_one([np.inf])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("places", np.array([99, 99])),
        ("columns", np.array([0, 5])),
        ("values", np.zeros((2, 7))),
        ("steps", np.zeros(1)),
    ],
)
def test_broken_record_in_a_file_is_rejected(tmp_path: Path, field: str, value: Any) -> None:
    p = Perceptron(keep="vote", max_iter=1).fit([[3.0, 3.0], [1.0, 1.0]], [1, -1])
    place = f"learned.kept.pieces.0.{field}"
    saved_with(p, tmp_path / "model", lambda _, tensors: tensors.update({place: value}))
    with pytest.raises(InputError, match=r"fit (together|the weights)"):
        load(tmp_path / "model")


@pytest.mark.parametrize("keep", ["vote", "pocket"])
def test_record_and_certify_change_nothing(keep: str) -> None:
    X, y = noisy(40)
    plain = Perceptron(keep=keep, max_iter=12).fit(X, y)
    recorded = Perceptron(keep=keep, max_iter=12, record=True).fit(X, y)
    assert recorded.decision_function(X).tobytes() == plain.decision_function(X).tobytes()
    assert sum(map(len, recorded.ledger_.sequences)) == plain.n_mistakes_
    proved = Perceptron(keep=keep, max_iter=10, certify=True).fit(X, y)
    assert proved.outcome_ is Outcome.INSEPARABLE
    ten = Perceptron(keep=keep, max_iter=10).fit(X, y)
    assert proved.decision_function(X).tobytes() == ten.decision_function(X).tobytes()


def test_number_of_pieces_stays_small() -> None:
    X, y = noisy(80)
    p = Perceptron(keep="vote")
    for x, label in zip(X, y, strict=True):
        p.learn_one(x, label)
    assert p.n_mistakes_ > 16
    assert len(p._learned.kept.pieces) <= 8


def test_arguments_of_deciding_mistakes() -> None:
    model = Perceptron(keep="vote", order="cyclic")
    with pytest.raises(NotFittedError):
        model.deciding_mistakes([2, 2])
    model.fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    with pytest.raises(InputError, match="n=-1"):
        model.deciding_mistakes([2, 2], -1)
    with pytest.raises(InputError, match="label=9"):
        model.deciding_mistakes([2, 2], label=9)
    assert model.deciding_mistakes([2, 2], label=1).samples.tolist() == [0, 2]
