"""Shards with samples in chunks, mixed by a driver without samples: the same bits as `fit`."""

from collections.abc import Iterator
from itertools import cycle, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

import naive
from rosenblatt import InputError, Outcome, Perceptron
from rosenblatt.core.classes import Classes
from rosenblatt.core.types import Flags, Floats
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.common.validation import balanced_weights
from rosenblatt.estimators.streaming.chunk import validated_chunk
from rosenblatt.estimators.streaming.shard_run import ShardRun
from rosenblatt.training.loop import Log, train
from rosenblatt.training.rules.perceptron_rule import PerceptronRule
from rosenblatt.training.shards.dealing import block_starts
from rosenblatt.training.shards.mixing import ShardEpoch, Shards
from strategies import samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Driven(NamedTuple):
    """The result of a driver: the state, the run, and the wrong predictions of the first epoch."""

    learned: Any
    run: Any
    missed: int


class Driver:
    """Mixes shards that read their samples in chunks of whole blocks, cut at ``cuts``."""

    def __init__(self, learner: Perceptron, X: Any, y: Any, weights: Any, cuts: list[bool]) -> None:
        self.learner, self.cuts = learner, cuts
        self.X, self.y, self.weights = X, y, weights
        labels = np.arange(y.shape[1]) if y.ndim == 2 else np.unique(y)
        self.classes = Classes(labels, multilabel=y.ndim == 2)
        self.features = Features(X.shape[1])
        self.seed = 0

    def drive(self) -> Driven:
        learner, log = self.learner, Log()
        batch = learner.shard_problem(self.classes, self.features)
        self.seed = batch.seed
        passes = Shards(batch.panel, self.run_round)
        rule = PerceptronRule(batch.panel, passes, rate=batch.rate)
        train(rule, batch.epochs, learner.max_iter, [log])
        return Driven(*learner.shard_result(batch, log, errs=False), passes.missed)

    def run_round(self, epoch: int, weights: Floats, finished: Flags) -> list[ShardEpoch]:
        shards = range(self.learner.shards)
        return [self._run(shard, epoch, weights, finished).epoch() for shard in shards]

    def _run(self, shard: int, epoch: int, weights: Floats, finished: Flags) -> ShardRun:
        learner, counts = self.learner, epoch == 0
        run = ShardRun(
            learner,
            self.classes,
            self.features,
            weights,
            finished,
            counts_missed=counts,
        )
        rows, order, cuts = [], [], cycle(self.cuts)
        for block in self._blocks(shard, epoch):
            order += (len(rows) + np.argsort(np.argsort(block))).tolist()
            rows += sorted(block)
            if next(cuts):
                self._visit(run, rows, order)
                rows, order = [], []
        self._visit(run, rows, order)
        return run

    def _blocks(self, shard: int, epoch: int) -> Iterator[list[int]]:
        """Yield the samples block by block, in the order of visits."""
        starts, n_shards = block_starts(len(self.y)), self.learner.shards
        blocks = [list(range(*pair)) for pair in pairwise(starts)][shard::n_shards]
        yield from naive.visited(blocks, self.learner.order, self.seed, epoch, shard)

    def _visit(self, run: ShardRun, rows: list[int], order: list[int]) -> None:
        weights = None if self.weights is None else self.weights[rows]
        if rows:
            chunk = validated_chunk(self.learner, self.X[rows], self.y[rows], weights)
            run.visit(chunk, np.array(order, dtype=np.int64))


@st.composite
def targets(draw: st.DrawFn, n_samples: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Draw labels of two or more classes, or a matrix of labels, and a learner for them."""
    kind = draw(st.sampled_from(["two", "many", "joint", "matrix"]))
    size = {"min_size": n_samples, "max_size": n_samples}
    if kind == "matrix":
        rows = st.lists(st.integers(0, 1), min_size=2, max_size=2)
        return np.array(draw(st.lists(rows, **size))), {}
    y = np.array(draw(st.lists(st.integers(0, 1 if kind == "two" else 3), **size)))
    y[:2] = 0, 1
    return np.array(list("abcd"))[y], {"multiclass": "joint"} if kind == "joint" else {}


def _check(data: st.DataObject, X: np.ndarray, n_shards: int, repeats: int = 1) -> None:
    y, options = data.draw(targets(len(X)))
    weights = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    single = np.abs(X).max() < 1e30 and data.draw(st.booleans())
    form = data.draw(st.sampled_from([np.asarray, sp.csr_array]))
    Z = form(np.tile(X, (repeats, 1)).astype(np.float32 if single else np.float64))
    y = np.concatenate([y] * repeats)
    by_sample = None
    if weights is not None and any(weights):
        by_sample = np.tile(np.array(weights) / 3.0, repeats)
    learner = Perceptron(
        order=data.draw(st.sampled_from(["cyclic", "shuffle"])),
        keep=data.draw(st.sampled_from(["last", "average"])),
        random_state=data.draw(st.integers(0, 9)),
        shards=min(n_shards, len(y)),
        max_iter=3,
        **options,
    )
    whole, run = clone(learner).fit(Z, y, sample_weight=by_sample).state
    assert whole is not None
    assert run is not None
    cuts = data.draw(st.lists(st.booleans(), min_size=1, max_size=5))
    found = Driver(learner, Z, y, by_sample, cuts).drive()
    assert found.learned.weights.tobytes() == whole.weights.tobytes()
    assert found.learned.deciding.tobytes() == whole.deciding.tobytes()
    assert found.learned.visits.tolist() == whole.visits.tolist()
    assert found.learned.mistakes.tolist() == whole.mistakes.tolist()
    assert found.run.history.mistakes.tolist() == run.history.mistakes.tolist()
    assert found.run.history.norm.tolist() == run.history.norm.tolist()


@settings(max_examples=30)
@given(st.data(), samples(max_rows=12), st.integers(2, 5))
def test_chunks_give_the_same_bits_as_fit(
    data: st.DataObject, X: np.ndarray, n_shards: int
) -> None:
    _check(data, X, n_shards)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data(), samples(max_rows=20), st.integers(2, 5), st.sampled_from([1, 60]))
def test_any_chunks_give_the_same_bits_as_fit(
    data: st.DataObject, X: np.ndarray, n_shards: int, repeats: int
) -> None:
    _check(data, X, n_shards, repeats)


def _clouds(n_classes: int, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.array(list("abcd"))[rng.integers(0, n_classes, n)]
    return rng.standard_normal((n, 3)) + 3.0 * np.eye(4)[np.searchsorted(list("abcd"), y), :3], y


@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_one_shard(n_classes: int, keep: str) -> None:
    X, y = _clouds(n_classes)
    learner = Perceptron(order="cyclic", max_iter=4, keep=keep)
    found = Driver(learner, X, y, None, [False, True]).drive()
    learned, run = clone(learner).fit(X, y).state
    assert found.learned.weights.tobytes() == learned.weights.tobytes()
    np.testing.assert_allclose(found.learned.deciding, learned.deciding, rtol=1e-12)
    assert found.run.history.mistakes.tolist() == run.history.mistakes.tolist()


@pytest.mark.parametrize(("n_classes", "options"), [(2, {}), (4, {}), (4, {"multiclass": "joint"})])
def test_samples_are_predicted_before_learning(n_classes: int, options: dict) -> None:
    X, y = _clouds(n_classes)
    missed, one_by_one = 0, n_classes == 4 and not options
    for part in naive.dealt(len(X), 3):
        alone = Perceptron(keep="last", **options)
        for i in part:
            one = X[i : i + 1], y[i : i + 1]
            before = 0 if i == part[0] else alone.n_mistakes_
            predicted = "a" if i == part[0] else alone.predict(one[0])[0]  # the first of equals
            alone.partial_fit(*one, classes=np.unique(y))
            # With one halfspace, and with joint learning, a tie is a mistake.
            missed += predicted != y[i] if one_by_one else alone.n_mistakes_ > before
    learner = Perceptron(keep="last", shards=3, order="cyclic", max_iter=1, **options)
    assert Driver(learner, X, y, None, [False, True, False]).drive().missed == missed > 3


def test_balanced_weights_equal_those_of_fit() -> None:
    X, y = _clouds(4, 900)
    classes, counts = np.unique(y, return_counts=True)
    weights = balanced_weights(counts)
    assert weights.tolist() == compute_class_weight("balanced", classes=classes, y=y).tolist()
    whole = Perceptron(shards=3, class_weight="balanced", max_iter=5).fit(X, y)
    named = dict(zip(classes.tolist(), weights.tolist(), strict=True))
    learner = clone(whole).set_params(class_weight=named)
    found = Driver(learner, X, y, None, [True]).drive()
    assert found.learned.weights.tobytes() == whole.state[0].weights.tobytes()


def test_average_with_errors_is_averaged_outcome() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2])
    learner = Perceptron(multiclass="joint", keep="average", shards=2, max_iter=10_000)
    batch, log = learner.shard_problem(Classes(y), Features(1)), Log()
    log.outcome = Outcome.SEPARATED
    for errs, outcome in ((False, Outcome.SEPARATED), (True, Outcome.AVERAGED)):
        assert learner.shard_result(batch, log, errs=errs)[1].outcome is outcome
    assert clone(learner).fit(X, y).outcome_ is Outcome.AVERAGED


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([[1.0, 2.0]], ["a"], "the chunk has 2 features, but earlier chunks had 1"),
        ([[1.0]], ["c"], r"y contains 'c', but the classes are \['a', 'b'\]: name all of them"),
        ([[np.nan]], ["a"], "X contains NaN in row 0, column 0"),
        (
            [[1.0]],
            [[1, 0]],
            r"y is a matrix of labels, but the classes, \['a', 'b'\], exclude each",
        ),
    ],
)
def test_bad_chunks_are_rejected(X: list, y: list, sentence: str) -> None:
    classes, none = Classes(np.array(["a", "b"])), np.zeros(1, dtype=bool)
    p = Perceptron()
    run = ShardRun(p, classes, Features(1), np.zeros((1, 2)), none, counts_missed=True)
    with pytest.raises(InputError, match=sentence):
        run.visit(validated_chunk(p, X, y))
    assert run.epoch().weights.tolist() == [[0.0, 0.0]]


def test_class_weights_must_be_numbers() -> None:
    classes, none = Classes(np.array(["a", "b"])), np.zeros(1, dtype=bool)
    with pytest.raises(InputError, match="class_weight='balanced' needs the whole data"):
        ShardRun(
            Perceptron(class_weight="balanced"),
            classes,
            Features(1),
            np.zeros((1, 2)),
            none,
            counts_missed=False,
        )
