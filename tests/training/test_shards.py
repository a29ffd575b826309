"""Mixed shards against a naive twin; the theorem's bounds; averages that count each visit once."""

from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import naive
from rosenblatt import InputError, Outcome, Perceptron
from rosenblatt.bounds import epoch_bound, mistake_bound
from rosenblatt.core.types import Flags, Floats
from rosenblatt.kernels.epochs.panel_types import MISTAKES
from rosenblatt.training.loop import Log, train
from rosenblatt.training.rules.perceptron_rule import PerceptronRule
from rosenblatt.training.shards.array_shards import ArrayShards
from rosenblatt.training.shards.dealing import (
    block_numbers,
    block_size,
    block_starts,
    shard_visits,
)
from rosenblatt.training.shards.mixing import ShardEpoch, Shards
from strategies import Separable, labels, samples, separable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def errs(X: np.ndarray, signs: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether weights misclassify some sample, in exact arithmetic."""
    exact = [Fraction(weight) for weight in weights.tolist()]
    scores = [
        sum(Fraction(value) * own for value, own in zip([*x, 1.0], exact, strict=True))
        for x in X.tolist()
    ]
    return any(sign * score <= 0 for sign, score in zip(signs.tolist(), scores, strict=True))


def mixed_by_hand(
    X: np.ndarray, signs: np.ndarray, n_shards: int, epochs: int
) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Return the weights, their average over all visits of all shards, and mistakes by epoch."""
    width = X.shape[1] + 1
    weights, total, visits = np.zeros(width), np.zeros(width), 0
    numbers: list[list[int]] = []
    while len(numbers) < epochs and (not numbers or sum(numbers[-1])):
        shards = []
        for part in naive.dealt(len(X), n_shards):
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
@given(st.data(), samples(max_rows=12), st.integers(2, 4), st.sampled_from([2, 3]))
def test_shards_match_the_definition(
    data: st.DataObject, X: np.ndarray, n_shards: int, n_classes: int
) -> None:
    """Every halfspace has the same run as alone."""
    n_shards = min(n_shards, len(X))
    y = data.draw(labels(len(X), [0, 1, 2][:n_classes]))
    positives = [max(y)] if len(set(y)) == 2 else [0, 1, 2]
    alone = [mixed_by_hand(X, np.where(y == one, 1, -1), n_shards, 4) for one in positives]
    for form in (X, sp.csr_array(X)):
        p = Perceptron(keep="last", order="cyclic", shards=n_shards, n_jobs=2, max_iter=4).fit(
            form, y
        )
        found = np.column_stack([p.coef_, p.intercept_])
        assert found.tobytes() == np.array([weights for weights, _, _ in alone]).tobytes()
        epochs = [[sum(shards) for shards in numbers] for _, _, numbers in alone]
        assert p.history_.mistakes.tolist() == [
            sum(column) for column in zip_longest(*epochs, fillvalue=0)
        ]
        assert p.ledger_.mistake_counts.sum(axis=1).tolist() == [sum(one) for one in epochs]
        assert p.n_mistakes_ == sum(map(sum, epochs))
        # The last mixture may be right about all samples, even if the last epoch had mistakes.
        pairs = zip(positives, found, strict=True)
        left = any(errs(X, np.where(y == one, 1, -1), weights) for one, weights in pairs)
        assert p.outcome_ is (Outcome.MIXED if left else Outcome.SEPARATED)


@settings(max_examples=40)
@given(st.data(), st.integers(2, 4), st.integers(1, 4))
def test_averages_count_every_visit_once(data: st.DataObject, n_shards: int, epochs: int) -> None:
    X = data.draw(samples(max_rows=12))
    n_shards = min(n_shards, len(X))
    y = data.draw(labels(len(X), [0, 1, 2]))
    positives = [max(y)] if len(set(y)) == 2 else [0, 1, 2]
    p = Perceptron(order="cyclic", keep="average", shards=n_shards, max_iter=epochs).fit(X, y)
    size = np.abs(X).max() + 1.0
    for k, one in enumerate(positives):
        _, average, _ = mixed_by_hand(X, np.where(y == one, 1, -1), n_shards, epochs)
        found = np.append(p.coef_[k], p.intercept_[k])
        np.testing.assert_allclose(found, average, atol=1e-9 * size)


def test_stream_continues_from_mixed_averages() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, (60, 4)).astype(float), rng.integers(0, 2, 60)
    p = Perceptron(keep="average", shards=3, n_jobs=3, max_iter=2).fit(X, y)
    last = Perceptron(keep="last", shards=3, n_jobs=3, max_iter=2).fit(X, y)
    before, visits = np.append(p.coef_, p.intercept_), 60 * p.n_iter_
    weights, total = np.append(last.coef_, last.intercept_), visits * before
    for i in range(60):
        weights, _ = naive.learn(X, np.where(y == 1, 1, -1), [i], start=weights)
        total = total + weights
    with pytest.raises(InputError, match="shards=3 is only for fit and fit_stream"):
        p.partial_fit(X, y)
    p.set_params(shards=1).partial_fit(X, y)
    with pytest.raises(InputError, match="shards=2 is only for fit and fit_stream"):
        p.set_params(shards=2).learn_one(X[0], y[0])
    np.testing.assert_allclose(np.append(p.coef_, p.intercept_), total / (visits + 60))


@given(separable(), st.data(), st.integers(2, 4), st.sampled_from(["cyclic", "shuffle"]))
def test_mistakes_are_within_the_bounds_of_the_theorem(
    problem: Separable, data: st.DataObject, n_shards: int, order: str
) -> None:
    X, signs = problem.X.astype(float), problem.signs
    n_shards = min(n_shards, len(X))
    others = np.array(
        data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X)))
    )
    Y = (np.column_stack([signs, others]) > 0).astype(int)  # the second may be inseparable
    learner = Perceptron(fit_intercept=False, shards=n_shards, max_iter=500, order=order)
    batch, sums, epochs = learner.prepared(X, Y), np.zeros(2), np.zeros(2)
    shards = ArrayShards(batch.panel, n_shards, order, batch.seed)

    def run_round(epoch: int, weights: Floats, finished: Flags) -> list[ShardEpoch]:
        found = shards.run_round(epoch, weights, finished)
        mistakes = np.array([one.tally[MISTAKES] for one in found])
        nonlocal sums, epochs
        sums = sums + (mistakes**2).sum(axis=0) / np.maximum(mistakes.sum(axis=0), 1)
        epochs = epochs + mistakes.any(axis=0)
        return found

    rule = PerceptronRule(batch.panel, Shards(batch.panel, run_round))
    train(rule, batch.epochs, learner.max_iter, [Log()])
    # R²/γ² is exact for integers; mixtures are rounded, so a small slack is allowed.
    bound = problem.radius_squared * problem.truth_squared / problem.margin**2
    assert sums[0] <= bound * (1 + 1e-9)
    assert epochs[0] <= bound
    assert batch.panel.mistakes[0] <= n_shards * bound
    radius, margin = problem.radius_squared**0.5, problem.margin / problem.truth_squared**0.5
    assert batch.panel.mistakes[0] <= mistake_bound(radius, margin, shards=n_shards)
    assert epochs[0] < epoch_bound(mistake_bound(radius, margin))
    if bound < learner.max_iter:
        assert batch.panel.clean[0]
        assert (signs * (X @ batch.panel.weights[0, :-1]) > 0).all()
    interval = batch.margins()[0]
    assert interval.lower <= interval.upper
    assert margin <= interval.upper


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


@given(st.integers(1, 3000), st.integers(1, 5), st.integers(0, 9), st.integers(0, 9))
def test_every_sample_belongs_to_one_shard(n: int, n_shards: int, seed: int, epoch: int) -> None:
    starts, parts = block_starts(n), naive.dealt(n, n_shards)
    assert starts.tolist() == [0, *(i + block_size(i) for i in starts[:-2].tolist()), n]
    blocks = block_numbers(np.arange(n))
    for shard, part in enumerate(parts):
        assert np.flatnonzero(blocks % n_shards == shard).tolist() == part
        own, sizes = starts[shard:-1:n_shards], np.diff(starts)[shard::n_shards]
        wholes = [list(range(i, i + n)) for i, n in zip(own, sizes, strict=True)]
        for order in ("cyclic", "shuffle"):
            visits = shard_visits(sizes, order, seed, epoch, shard)
            numbers = visits.numbers(own, sizes).tolist()
            visited = naive.visited(wholes, order, seed, epoch, shard)
            assert numbers == [i for block in visited for i in block]
            assert numbers == part if order == "cyclic" else sorted(numbers) == part


def test_large_blocks() -> None:
    n = 2**21 + 5
    starts = block_starts(n)
    numbers = np.searchsorted(starts, np.arange(n), side="right") - 1
    assert (block_numbers(np.arange(n)) == numbers).all()
    assert np.diff(starts).max() == 4096


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("options", [{}, {"multiclass": "joint"}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sorted_samples_are_learned_as_well_as_shuffled_ones(
    order: str, options: dict, n_classes: int
) -> None:
    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(0, n_classes, 300))
    X = rng.standard_normal((300, 4)) + 4 * np.eye(4)[y]
    mixed = rng.permutation(300)
    learner = Perceptron(shards=2, order=order, max_iter=5, **options)
    accuracies = [clone(learner).fit(X[a], y[a]).score(X, y) for a in (np.arange(300), mixed)]
    assert accuracies[0] >= accuracies[1] - 0.02


@pytest.mark.parametrize("shards", [4, 10**9])
def test_more_shards_than_samples_are_refused(shards: int) -> None:
    X, y = [[-1.0], [1.0], [2.0]], [0, 1, 1]
    message = f"shards={shards} is more than 3 samples can be dealt to: use at most 3"
    with pytest.raises(InputError, match=message):
        Perceptron(shards=shards).fit(X, y)
    with pytest.raises(InputError, match=message):
        Perceptron(shards=shards).fit_stream([(X, y)], classes=[0, 1])
    assert Perceptron(shards=3).fit(X, y).outcome_ is Outcome.SEPARATED
    with pytest.raises(InputError, match="1000 samples can be dealt to: use at most 756"):
        Perceptron(shards=757).fit(np.arange(1000.0)[:, None], np.arange(1000) % 2)


def test_number_of_threads_does_not_change_many_halfspaces() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 6)), rng.integers(0, 5, 200)
    runs = [Perceptron(n_jobs=n_jobs, max_iter=7).fit(X, y) for n_jobs in (None, 2, 3, 9, -1)]
    assert len({run.coef_.tobytes() for run in runs}) == 1
    assert {run.outcome_ for run in runs} == {Outcome.BUDGET}


@pytest.mark.parametrize("classes", [2, 5])
def test_number_of_threads_never_changes_a_result(classes: int) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, 6)), rng.integers(0, classes, 200)
    for options in ({}, {"multiclass": "joint"}, {"keep": "average"}):
        runs = [Perceptron(n_jobs=n_jobs, max_iter=5, **options).fit(X, y) for n_jobs in (None, 2)]
        assert len({run.coef_.tobytes() for run in runs}) == 1
        assert {run.outcome_ for run in runs} == {Outcome.BUDGET}


def test_finished_halfspaces_keep_their_weights_and_averages() -> None:
    X = np.array([[1.0, 0.3], [-1.0, 0.1], [1.0, 0.2], [-1.0, 0.4]])
    Y = np.array([[1, 1], [0, 0], [1, 0], [0, 1]])
    runs = [
        Perceptron(shards=2, keep="average", max_iter=n, order="cyclic").fit(X, Y) for n in (3, 9)
    ]
    assert runs[0].outcome_ is Outcome.MIXED
    assert runs[0].coef_[0].tobytes() == runs[1].coef_[0].tobytes()
    assert runs[0].coef_[1].tobytes() != runs[1].coef_[1].tobytes()
    assert runs[1].ledger_.shards == 2


def test_inseparable_samples_get_a_certificate() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [5.0, 5.0], [6.0, 5.0]])
    y = np.array([0, 1, 1, 0, 2, 2])
    p = Perceptron(shards=3, certify=True).fit(X, y)
    assert p.outcome_ is Outcome.INSEPARABLE
    separating, *crossing = p.certificate_[::-1]
    assert separating.verify(X, y)
    assert all(proof.verify(X, y) for proof in crossing)


def test_record_and_shards_cannot_be_combined() -> None:
    with pytest.raises(InputError, match="record=True and shards=2 do not go together"):
        Perceptron(record=True, shards=2).fit([[-1.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_invalid_numbers_of_threads_are_refused(n_jobs: Any) -> None:
    with pytest.raises(InputError, match=r"n_jobs=.* is not accepted"):
        Perceptron(n_jobs=n_jobs).fit([[-1.0], [1.0]], [0, 1])
