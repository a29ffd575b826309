"""Learning from scratch from a stream in shards, whose weights are mixed after each pass.

Samples are dealt to the shards as they arrive, in blocks (``training.shards.dealing``), so the cuts into
chunks do not matter, and each shard visits its samples in order of arrival. All classes and features
must be known from the beginning. Unless they are named, the first chunk is assumed to have all of them;
if new ones appear, the stream is read once to find them, and learning starts again.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, merged_classes
from rosenblatt.core.types import Flags, Floats, Labels, LabelsLike
from rosenblatt.estimators.common.learned import Learned
from rosenblatt.estimators.common.run import Progressive, Run
from rosenblatt.estimators.common.validation import classes_of_all
from rosenblatt.estimators.streaming.chunk import Chunk, n_weighted, validated_chunk
from rosenblatt.estimators.streaming.shard_run import ShardRun, errs_on
from rosenblatt.estimators.streaming.stream_learning import (
    N_MEASURED,
    Chunks,
    add_first,
    as_chunk,
    is_repeatable,
    non_empty,
    with_weighted,
)
from rosenblatt.training.deciders.keep import AVERAGED
from rosenblatt.training.loop import Log, train
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.rules.perceptron_rule import PerceptronRule
from rosenblatt.training.shards.dealing import block_numbers, check_shards
from rosenblatt.training.shards.mixing import ShardEpoch, Shards

if TYPE_CHECKING:
    from rosenblatt.estimators.perceptron import Perceptron


class _MoreFoundError(Exception):
    """A chunk has classes or features that the first chunk did not have."""


class ShardStream:
    """A stream whose samples are dealt to shards.

    ``classes`` and ``n_features``, unless None, must be complete.
    """

    def __init__(
        self,
        learner: "Perceptron",
        chunks: Chunks,
        passes: int,
        classes: LabelsLike,
        n_features: int | None,
    ) -> None:
        iterator = iter(chunks)
        self._learner = learner
        self._chunks = chunks
        self._passes = whole_number("passes", passes, 1)
        self._is_repeatable = is_repeatable(chunks, iterator, passes)
        self._are_named, self._is_fixed = classes is not None, n_features is not None
        self._first_pass = self._validated(iterator)
        first = next(self._first_pass, None)
        if first is None:
            raise InputError("the stream has no samples: give at least one chunk with some")
        self._first_pass = chain([first], self._first_pass)
        self._features = first.features
        if n_features is not None:
            count = whole_number("n_features", n_features, 1)
            self._features = replace(first.features, count=count)
        self._multilabel = first.y.ndim == 2
        if classes is not None:
            self._labels = learner._named(first.y, classes)
        elif self._multilabel:
            self._labels = _labels(first)
        elif self._is_repeatable:
            self._labels = with_weighted(learner, _labels(first))
        else:
            raise InputError(
                f"shards={learner.shards} needs all classes from the beginning, but these chunks can be "
                "iterated only once: name the classes, fit_stream(chunks, classes=...)"
            )
        self._has_found = False
        self._n_seen = 0
        self._margin = self._measured() if learner.margin == "auto" else None

    def learn(self) -> tuple[Learned, Run]:
        """Run all passes; return the learned state and the run."""
        try:
            return self._learn()
        except _MoreFoundError as error:
            if not self._is_repeatable:
                raise InputError(
                    f"{error}, but these chunks can be iterated only once: name all classes and give "
                    "n_features"
                ) from error
        self._find_all()
        return self._learn()

    def _measured(self) -> float:
        """Return the margin of the first 1,000 samples."""
        first, lengths = [], SquaredLengths()
        for chunk in self._first_pass:
            first.append(chunk)
            add_first(lengths, chunk)
            if lengths.n >= N_MEASURED:
                break
        self._first_pass = chain(first, self._first_pass)
        return self._learner.measured_value(lengths)

    def _find_all(self) -> None:
        """Read all chunks to find all classes and features."""
        for chunk in self._all():
            if not self._are_named:
                self._labels = merged_classes(self._labels, _labels(chunk))
            if not self._is_fixed and chunk.features.count > self._features.count:
                self._features = chunk.features
        self._has_found = True
        self._first_pass = self._all()

    def _learn(self) -> tuple[Learned, Run]:
        learner, log = self._learner, Log()
        if len(self._labels) == 1 and not (self._are_named or self._has_found):
            raise _MoreFoundError  # one class: most likely there are others
        batch = learner.shard_problem(self._classes, self._features, self._margin)
        self._margin = batch.margin
        passes = Shards(batch.panel, self._run_round)
        rule = PerceptronRule(batch.panel, passes, rate=batch.rate)
        train(rule, batch.epochs, self._passes, [log])
        progressive = Progressive(self._n_seen, passes.missed)
        errs = None
        if self._passes > 1 and learner.keep in AVERAGED:
            weights = batch.learned(is_over=False).deciding
            chunks = non_empty(map(as_chunk, self._chunks))
            errs = any(errs_on(learner, self._classes, weights, *chunk) for chunk in chunks)
        learned, run = learner.shard_result(batch, log, errs=errs, progressive=progressive)
        return learned, replace(run, outcome=Outcome.STREAM) if self._passes == 1 else run

    @property
    def _classes(self) -> Classes:
        if self._multilabel:
            return Classes(self._labels, multilabel=True)
        return classes_of_all(self._labels, one_without_intercept=not self._learner.fit_intercept)

    def _run_round(self, epoch: int, weights: Floats, finished: Flags) -> list[ShardEpoch]:
        """Run one pass of all shards: see `RunRound`."""
        n_shards, classes = self._learner.shards, self._classes
        runs: dict[int, ShardRun] = {}
        n_visited = self._n_seen = 0
        for chunk in self._all() if epoch else self._first_pass:
            self._check(chunk)
            numbers = n_visited + np.arange(len(chunk.y))
            shards = block_numbers(numbers) % n_shards
            for shard in np.unique(shards).tolist():
                if shard not in runs:
                    runs[shard] = ShardRun(
                        self._learner,
                        classes,
                        self._features,
                        weights,
                        finished,
                        margin=self._margin,
                        counts_missed=epoch == 0,
                    )
                runs[shard].visit(chunk, np.flatnonzero(shards == shard))
            n_visited += len(numbers)
            self._n_seen += n_weighted(chunk)
        if self._n_seen == 0:
            raise InputError(
                "sample_weight is zero everywhere: give some sample a weight above zero"
            )
        check_shards(n_shards, n_visited)
        return [runs[shard].epoch() for shard in range(n_shards)]

    def _check(self, chunk: Chunk) -> None:
        """Raise _MoreFoundError if a chunk has new features or classes that are not named."""
        known = self._features.count
        if not self._is_fixed and chunk.features.count > known:
            raise _MoreFoundError(f"a chunk has features beyond the first {known}")
        if not (self._are_named or self._multilabel):
            labels = self._labels.tolist()
            if len(merged_classes(self._labels, _labels(chunk))) > len(labels):
                raise _MoreFoundError(f"a chunk has classes beyond {labels!r}")

    def _all(self) -> Iterator[Chunk]:
        return self._validated(iter(self._chunks))

    def _validated(self, chunks: Iterator[object]) -> Iterator[Chunk]:
        """Yield the validated chunks, without empty ones."""
        for X, y, sample_weight in non_empty(map(as_chunk, chunks)):
            yield validated_chunk(self._learner, X, y, sample_weight)


def _labels(chunk: Chunk) -> Labels:
    return np.arange(chunk.y.shape[1]) if chunk.y.ndim == 2 else distinct(chunk.y)
