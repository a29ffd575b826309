"""Shards that are mixed: against a plain twin, with the theorem's bounds, averages counted once."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import naive
from rosenblatt import InputError, Outcome, Perceptron
from rosenblatt.training.shards import deal
from strategies import Separable, labels, samples, separable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def mixed_by_hand(
    X: np.ndarray, signs: np.ndarray, n_shards: int, epochs: int
) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Return the weights, their average over all visits of all shards, and mistakes by epoch."""
    width = X.shape[1] + 1
    weights, total, visits = np.zeros(width), np.zeros(width), 0
    numbers: list[list[int]] = []
    while len(numbers) < epochs and (not numbers or sum(numbers[-1])):
        shards = []
        for part in naive.dealt(signs.tolist(), n_shards):
            own, mistakes = weights, 0
            for i in part:
                own, found = naive.learn(X, signs, [i], start=own)
                mistakes += len(found)
                total, visits = total + own, visits + 1
            shards.append((own, mistakes))
        numbers.append([mistakes for _, mistakes in shards])
        if sum(numbers[-1]):
            mixture = np.zeros(width)
            for own, mistakes in shards:
                mixture = mixture + mistakes / sum(numbers[-1]) * own
            weights = mixture
    return weights, total / visits, numbers


@settings(max_examples=40)
@given(st.data(), samples(max_rows=12), st.integers(2, 4))
def test_shards_learn_as_the_definition_says(
    data: st.DataObject, X: np.ndarray, n_shards: int
) -> None:
    y = data.draw(labels(len(X), [-1, 1]))
    weights, _, numbers = mixed_by_hand(X, y, n_shards, 4)
    for form in (X, sp.csr_array(X)):
        p = Perceptron(order="cyclic", shards=n_shards, n_jobs=2, max_iter=4).fit(form, y)
        assert np.append(p.coef_, p.intercept_).tobytes() == weights.tobytes()
        assert p.history_.mistakes.tolist() == [sum(shards) for shards in numbers]
        assert p.n_mistakes_ == sum(sum(shards) for shards in numbers)
        assert p.ledger_.mistake_counts.sum() == p.n_mistakes_
        assert p.outcome_ is (Outcome.MIXED_BUDGET if sum(numbers[-1]) else Outcome.MIXED)


@settings(max_examples=40)
@given(st.data(), st.integers(2, 4), st.integers(1, 4))
def test_no_visit_is_averaged_twice(data: st.DataObject, n_shards: int, epochs: int) -> None:
    X = data.draw(samples(max_rows=12))
    y = data.draw(labels(len(X), [-1, 1]))
    _, average, numbers = mixed_by_hand(X, y, n_shards, epochs)
    p = Perceptron(order="cyclic", keep="average", shards=n_shards, max_iter=epochs).fit(X, y)
    size = np.abs(X).max() + 1.0
    np.testing.assert_allclose(np.append(p.coef_, p.intercept_), average, atol=1e-9 * size)
    assert len(numbers) == p.n_iter_


def test_a_stream_goes_on_from_mixed_averages() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, (60, 4)).astype(float), rng.integers(0, 2, 60)
    p = Perceptron(keep="average", shards=3, n_jobs=3, max_iter=2).fit(X, y)
    last = Perceptron(shards=3, n_jobs=3, max_iter=2).fit(X, y)
    before, visits = np.append(p.coef_, p.intercept_), 60 * p.n_iter_
    weights, total = np.append(last.coef_, last.intercept_), visits * before
    for i in range(60):
        weights, _ = naive.learn(X, np.where(y == 1, 1, -1), [i], start=weights)
        total = total + weights
    p.partial_fit(X, y)
    np.testing.assert_allclose(np.append(p.coef_, p.intercept_), total / (visits + 60))


@given(separable(), st.integers(2, 4))
def test_the_bounds_of_the_theorem_hold(problem: Separable, n_shards: int) -> None:
    X, signs = problem.X.astype(float), problem.signs
    if len(set(signs.tolist())) < 2:
        return
    p = Perceptron(fit_intercept=False, shards=n_shards, max_iter=100_000).fit(X, signs)
    assert p.outcome_ is Outcome.MIXED
    bound = problem.radius_squared * problem.truth_squared / problem.margin**2
    assert np.count_nonzero(p.history_.mistakes) <= bound
    assert p.n_mistakes_ <= n_shards * bound
    assert (signs * (X @ p.coef_[0]) > 0).all()
    truth = problem.margin / problem.truth_squared**0.5
    assert p.margin_.lower <= p.margin_.upper
    assert truth <= p.margin_.upper


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
def test_the_same_number_of_shards_gives_the_same_bits(order: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((500, 20)), rng.integers(0, 2, 500)
    options: dict[str, Any] = {"order": order, "max_iter": 5, "random_state": 1}
    runs = [
        Perceptron(shards=3, n_jobs=n_jobs, **options).fit(form, y)
        for form in (X, X, sp.csr_array(X))
        for n_jobs in (1, 2, 3)
    ]
    assert len({run.coef_.tobytes() for run in runs}) == 1
    assert runs[0].coef_.tobytes() != Perceptron(shards=2, **options).fit(X, y).coef_.tobytes()


@given(st.lists(st.integers(-1, 3), max_size=30), st.integers(1, 5), st.randoms())
def test_every_shard_has_its_share_of_each_class(
    sides: list[int], n_shards: int, random: Any
) -> None:
    order = np.array(random.sample(range(len(sides)), len(sides)), dtype=np.int64)
    own = np.array(sides, dtype=np.int64)[order]
    parts = deal(order, own, n_shards)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(sides)))
    place = np.argsort(order)
    assert all((np.diff(place[part]) > 0).all() for part in parts)  # it keeps to the order
    for chosen in ([-1], [0], [1], [2], [3], [-1, 0, 1, 2, 3]):
        counts = [sum(sides[i] in chosen for i in part) for part in parts]
        assert max(counts) - min(counts) <= 1
    assert n_shards > 1 or parts[0].tolist() == order.tolist()


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("options", [{}, {"multiclass": "joint"}])
def test_a_sorted_set_is_learned_as_well_as_a_shuffled_one(order: str, options: dict) -> None:
    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(0, 3 if options else 2, 300))
    X = rng.standard_normal((300, 4)) + 4 * np.eye(4)[y]
    mixed = rng.permutation(300)
    learner = Perceptron(shards=2, order=order, max_iter=5, **options)
    accuracies = [clone(learner).fit(X[a], y[a]).score(X, y) for a in (np.arange(300), mixed)]
    assert accuracies[0] >= accuracies[1] - 0.02


def test_more_shards_than_samples() -> None:
    p = Perceptron(shards=9).fit([[-1.0], [1.0], [2.0]], [0, 1, 1])
    assert p.outcome_ is Outcome.MIXED
    assert p.predict([[-3.0], [3.0]]).tolist() == [0, 1]


def test_several_halfspaces_do_not_depend_on_the_threads() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 6)), rng.integers(0, 5, 200)
    runs = [Perceptron(n_jobs=n_jobs, max_iter=7).fit(X, y) for n_jobs in (None, 2, 3, 9, -1)]
    assert len({run.coef_.tobytes() for run in runs}) == 1
    assert {run.outcome_ for run in runs} == {Outcome.BUDGET}


@pytest.mark.parametrize("classes", [2, 5])
def test_threads_never_change_a_result(classes: int) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, 6)), rng.integers(0, classes, 200)
    for options in ({}, {"multiclass": "joint"}, {"keep": "average"}):
        runs = [Perceptron(n_jobs=n_jobs, max_iter=5, **options).fit(X, y) for n_jobs in (None, 2)]
        assert len({run.coef_.tobytes() for run in runs}) == 1
        assert {run.outcome_ for run in runs} == {Outcome.BUDGET}


def test_several_halfspaces_are_not_mixed() -> None:
    with pytest.raises(InputError, match="shards=2 mixes one weight vector, but there are 3"):
        Perceptron(shards=2).fit([[-1.0], [1.0], [2.0]], [0, 1, 2])


def test_a_mixture_has_no_sequence() -> None:
    with pytest.raises(InputError, match="record=True and shards=2 do not go together"):
        Perceptron(record=True, shards=2).fit([[-1.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_a_number_of_threads_that_is_none(n_jobs: Any) -> None:
    with pytest.raises(InputError, match=r"n_jobs=.* is not accepted"):
        Perceptron(n_jobs=n_jobs).fit([[-1.0], [1.0]], [0, 1])
