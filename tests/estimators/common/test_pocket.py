"""The pocket: against a plain loop in rational arithmetic, and Gallant's ratchet property."""

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from expected_failures import WEIGHTED_IS_REPEATED
from model_files import saved_with
from naive import exact_dot, extended, sign
from rosenblatt import InputError, Outcome, Perceptron, load, save
from strategies import INTEGERS, labels, matrices, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks(
    [Perceptron(keep="pocket", max_iter=50)],
    expected_failed_checks=lambda _: WEIGHTED_IS_REPEATED,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


class Pocket(NamedTuple):
    weights: list[float]
    longest: int
    mistakes: float


def mistakes_of(
    rows: np.ndarray, signs: Sequence[int], weights: list[float], masses: Sequence[float], tie: int
) -> float:
    total = 0.0
    for row, side, mass in zip(rows, signs, masses, strict=True):
        if side != 0 and (sign(exact_dot(row, weights)) or tie) != side:
            total += mass
    return total


def by_hand(
    X: np.ndarray,
    signs: Sequence[int],
    epochs: int,
    *,
    ratchet: bool = True,
    masses: Sequence[float] | None = None,
    tie: int = 0,
) -> list[Pocket]:
    """Return the pocket after each epoch, computed literally in one loop over all visits."""
    rows = extended(X, 1.0)
    masses = [1.0] * len(rows) if masses is None else masses
    last = [0.0] * rows.shape[1]
    pocket, longest, run = list(last), 0, 0
    fewest = mistakes_of(rows, signs, last, masses, tie)
    found = []
    for _ in range(epochs):
        clean = True
        for i, row in enumerate(rows):
            if signs[i] == 0:
                continue
            if (sign(exact_dot(row, last)) or tie) == signs[i]:
                run += 1
                if run <= longest:
                    continue
                if ratchet and last != pocket:
                    mass = mistakes_of(rows, signs, last, masses, tie)
                    if mass >= fewest:
                        continue
                    fewest = mass
                pocket, longest = list(last), run
            else:
                clean, run = False, 0
                step = signs[i] * masses[i]
                last = [w + step * value for w, value in zip(last, row.tolist(), strict=True)]
        if ratchet and mistakes_of(rows, signs, last, masses, tie) < fewest:
            pocket, fewest = list(last), mistakes_of(rows, signs, last, masses, tie)
        found.append(Pocket(pocket, longest, fewest))
        if clean:
            break
    return found


def weights_of(p: Perceptron) -> np.ndarray:
    return np.column_stack([p.coef_, p.intercept_])


@given(
    data=st.data(),
    epochs=st.integers(1, 4),
    store=st.sampled_from([np.asarray, sp.csr_matrix]),
    ties=st.sampled_from(["mistake", "positive", "negative"]),
)
def test_pocket_equals_the_plain_loop(
    data: st.DataObject, epochs: int, store: Any, ties: str
) -> None:
    X = data.draw(samples())
    y = data.draw(labels(len(X), list("abc")))
    tie = {"mistake": 0, "positive": 1, "negative": -1}[ties]
    found = Perceptron(order="cyclic", keep="pocket", max_iter=epochs, ties=ties).fit(store(X), y)
    positives = found.classes_ if len(found.classes_) > 2 else found.classes_[1:]
    for k, positive in enumerate(positives):
        signs = np.where(y == positive, 1, -1)
        pocket = by_hand(X, signs, epochs, tie=tie)[-1]
        assert weights_of(found)[k].tolist() == pocket.weights
        assert found.pocket_mistakes_[k] == pocket.mistakes


@given(data=st.data(), epochs=st.integers(1, 4))
def test_samples_count_by_weight(data: st.DataObject, epochs: int) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 3)))
    y = data.draw(labels(len(X), [-1, 1]))
    masses = data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    heavy = {-1: 2, 1: 1}
    own = [mass * heavy[label] for mass, label in zip(masses, y.tolist(), strict=True)]
    if not any(masses):
        return
    signs = np.where(np.array(masses) > 0, y, 0)
    found = Perceptron(order="cyclic", keep="pocket", max_iter=epochs, class_weight=heavy).fit(
        X, y, sample_weight=masses
    )
    pocket = by_hand(X, signs, epochs, masses=own)[-1]
    assert weights_of(found)[0].tolist() == pocket.weights
    assert found.pocket_mistakes_.tolist() == [pocket.mistakes]


def noisy(n: int = 120, n_classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (n, 3)).astype(float)
    scores = X @ rng.integers(-3, 4, (3, n_classes)) + rng.normal(size=(n, n_classes)) * 8
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_training_mistakes_never_rise(order: str, n_classes: int) -> None:
    X, y = noisy(n_classes=n_classes)
    before = np.full(n_classes if n_classes > 2 else 1, np.inf)
    for epochs in range(1, 16):
        p = Perceptron(keep="pocket", max_iter=epochs, order=order, random_state=0).fit(X, y)
        last = Perceptron(keep="last", max_iter=epochs, order=order, random_state=0).fit(X, y)
        assert (p.pocket_mistakes_ <= before).all()
        before = p.pocket_mistakes_
        for k, positive in enumerate(p.classes_ if n_classes > 2 else p.classes_[1:]):
            signs = np.where(y == positive, 1, -1)
            rows = extended(X, 1.0)
            kept, lasts = ((signs * (rows @ weights_of(one)[k]) <= 0).sum() for one in (p, last))
            assert kept == p.pocket_mistakes_[k] <= lasts
    assert before.sum() < np.inf


def test_weights_that_are_not_tried_can_be_better() -> None:
    X, y = noisy(40, seed=7)
    p = Perceptron(order="cyclic", keep="pocket", max_iter=5, record=True).fit(X, y)
    rows, signs = extended(X, 1.0), np.where(y == 1, 1, -1)
    (sequence,) = p.ledger_.sequences
    weights = np.cumsum(signs[sequence, None] * rows[sequence], axis=0)
    fewest = (signs * (weights @ rows.T) <= 0).sum(axis=1).min()
    assert fewest < p.pocket_mistakes_[0]


def test_gallants_example() -> None:
    X, y = noisy(400)
    last = Perceptron(keep="last", order="cyclic", max_iter=30).fit(X, y)
    kept = Perceptron(order="cyclic", keep="pocket", max_iter=30).fit(X, y)
    assert kept.score(X, y) > last.score(X, y)
    assert kept.outcome_ is last.outcome_ is not Outcome.SEPARATED
    assert kept.n_mistakes_ == last.n_mistakes_
    assert kept.history_.mistakes.tolist() == last.history_.mistakes.tolist()


@given(data=st.data())
def test_clean_epoch_puts_the_last_weights_in_the_pocket(data: st.DataObject) -> None:
    X = data.draw(samples())
    y = data.draw(labels(len(X), [0, 1]))
    kept = Perceptron(keep="pocket", max_iter=30).fit(X, y)
    last = Perceptron(max_iter=30).fit(X, y)
    assert kept.outcome_ is last.outcome_
    if kept.outcome_ is Outcome.SEPARATED:
        assert weights_of(kept).tobytes() == weights_of(last).tobytes()
        assert kept.pocket_mistakes_.tolist() == [0.0]


@given(data=st.data())
def test_stream_keeps_the_longest_run_in_any_chunks(data: st.DataObject) -> None:
    X = data.draw(samples(max_rows=12))
    y = data.draw(labels(len(X), list("abc")))
    whole = Perceptron(keep="pocket").partial_fit(X, y)
    chunked, single = Perceptron(keep="pocket"), Perceptron(keep="pocket")
    cut = data.draw(st.integers(1, len(X)))
    for start, stop in ((0, cut), (cut, len(X))):
        if stop > start:
            chunked.partial_fit(sp.csr_matrix(X[start:stop]), y[start:stop], classes=np.unique(y))
    for x, label in zip(X, y, strict=True):
        single.learn_one(x, label)
        single.predict_one(x)
    positives = whole.classes_ if len(whole.classes_) > 2 else whole.classes_[1:]
    for k, positive in enumerate(positives):
        (pocket,) = by_hand(X, np.where(y == positive, 1, -1), 1, ratchet=False)
        for p in (whole, chunked, single):
            assert weights_of(p)[k].tolist() == pocket.weights
    for x in X:
        assert single.predict_one(x) == single.predict([x])[0]
    with pytest.raises(
        AttributeError, match="only after fit with keep='pocket', not after a stream"
    ):
        _ = single.pocket_mistakes_


def test_stream_continues_from_a_fit_and_a_file(tmp_path: Path) -> None:
    X, y = noisy(n_classes=3)
    fitted = Perceptron(keep="pocket", max_iter=3).fit(X, y)
    save(fitted, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.pocket_mistakes_.tolist() == fitted.pocket_mistakes_.tolist()
    assert (loaded.predict(X) == fitted.predict(X)).all()
    copied = pickle.loads(pickle.dumps(fitted))
    for p in (fitted, loaded, copied):
        p.partial_fit(X[::-1], y[::-1])
    assert weights_of(loaded).tobytes() == weights_of(fitted).tobytes()
    assert weights_of(copied).tobytes() == weights_of(fitted).tobytes()


def test_new_class_after_a_fit_is_learned() -> None:
    X, y = noisy()
    p = Perceptron(keep="pocket", max_iter=3).fit(X, y)
    before = weights_of(p)[0]
    p.learn_one(X[0], 7)
    assert p.classes_.tolist() == [0, 1, 7]
    assert p.coef_.shape == (3, 3)
    assert weights_of(p)[1].tolist() == before.tolist()
    assert weights_of(p)[0].tolist() == (-before + 0.0).tolist()


def test_matrix_of_labels() -> None:
    X, y = noisy(n_classes=3)
    Y = np.column_stack([y == 0, y != 2]).astype(int)
    p = Perceptron(keep="pocket", max_iter=5).fit(X, Y)
    for k in range(2):
        alone = Perceptron(keep="pocket", max_iter=5).fit(X, Y[:, k])
        assert (p.predict(X)[:, k] == alone.predict(X)).all()
        assert p.pocket_mistakes_[k] == alone.pocket_mistakes_[0]


def test_incompatible_parameters() -> None:
    X, y = noisy()
    with pytest.raises(InputError, match="keep='pocket' and multiclass='joint'"):
        Perceptron(keep="pocket", multiclass="joint").fit(X, y)
    with pytest.raises(InputError, match="keep='pocket' and shards=2"):
        Perceptron(keep="pocket", shards=2).fit(X, y)
    with pytest.raises(InputError, match="which keep='pocket' does not support"):
        Perceptron(keep="pocket").learn_one({"a": 1.0}, 0)
    with pytest.raises(AttributeError, match="keep='pocket'"):
        _ = Perceptron().fit(X[:2], [0, 1]).pocket_mistakes_
    stream = clone(Perceptron(keep="pocket")).partial_fit(X, y)
    stream.keep = "last"
    with pytest.raises(InputError, match="keep='last' differs from the start of the stream"):
        stream.partial_fit(X, y)


def test_threads_learn_the_same_pockets() -> None:
    X, y = noisy(n_classes=4)
    one, two = (Perceptron(keep="pocket", max_iter=5, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert weights_of(one).tobytes() == weights_of(two).tobytes()


def test_broken_pocket_in_a_file_is_rejected(tmp_path: Path) -> None:
    X, y = noisy()
    p = Perceptron(keep="pocket", max_iter=3).fit(X, y)
    saved_with(
        p,
        tmp_path / "model",
        lambda _, tensors: tensors.update({"learned.kept.longest": np.arange(2)}),
    )
    with pytest.raises(InputError, match="pockets do not fit"):
        load(tmp_path / "model")
