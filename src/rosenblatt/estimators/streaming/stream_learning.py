"""Learning from scratch from a stream, chunk by chunk and pass by pass; it can be paused and resumed.

One pass over a stream is one epoch in cyclic order, whatever the chunks: a halfspace without an update
in a pass is finished and not visited any more, as in `fit`. After the first of several passes
all classes are known, and the halfspace for new ones is dropped.

The capacity for features grows in steps, so a stream that adds features one by one is not copied for
each of them.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, merged_classes, named_classes
from rosenblatt.core.types import Counts, Flags, Labels, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.run import Progressive, Run
from rosenblatt.estimators.common.validation import check_labels, weights_of_samples
from rosenblatt.estimators.streaming.chunk import Chunk, check_chunk, n_weighted, validated_chunk
from rosenblatt.estimators.streaming.shard_run import errs_on
from rosenblatt.estimators.streaming.stream_runs import StreamRun
from rosenblatt.kernels.finite import check_finite_rows
from rosenblatt.kernels.rows import n_rows, part
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.history import Epoch, History
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.outcomes import Outcome

if TYPE_CHECKING:
    from rosenblatt.estimators.streaming.stream import StreamLearner

Chunks = Iterable[tuple[MatrixLike, LabelsLike] | tuple[MatrixLike, LabelsLike, WeightsLike]]
"""Chunks of samples and labels, and weights if any."""


AnyChunk = TypeVar("AnyChunk")
Samples = Callable[[AnyChunk], tuple[MatrixLike, LabelsLike, WeightsLike]]
"""Returns the samples, labels and weights of a chunk."""

N_MEASURED = 1000
"""How many samples of a stream are measured for a parameter that is "auto"."""

_NOTHING = Progressive()

# By whether the average misclassifies a sample; None in a checkpoint before the samples are checked.
_AVERAGED = {True: Outcome.AVERAGED, False: Outcome.SEPARATED, None: Outcome.STREAM}


class UnforeseenClassError(InputError):
    """A class appeared that was not among the assumed ones; ``classes`` contains it and them."""

    def __init__(self, text: str, classes: Labels) -> None:
        super().__init__(text)
        self.classes = classes


@dataclass(frozen=True)
class StreamState:
    """The full state of learning from a stream, from which it can be resumed.

    ``learned`` has spare capacity for features beyond the first ``n_features``. ``finished`` marks the
    halfspaces with a pass without an update, ``before`` counts the updates and, in a second row, the
    mistakes of each before the current pass, ``visited`` the samples of the pass, and ``seconds`` its
    time.
    """

    learned: Learned | None = None
    n_features: int = 0
    n_passes: int = 0
    finished: Flags | None = None
    before: Counts | None = None
    visited: int = 0
    known: Labels | None = None
    progressive: Progressive = _NOTHING
    history: History | None = None
    seconds: float = 0.0


class StreamLearning:
    """Learns from a stream for an estimator, which is not changed.

    ``foresees`` assumes that the first chunk, or ``foreseen``, has all classes, which is faster: a class
    that appears later raises an `UnforeseenClassError`, and the stream must be started again, see
    `after`.
    """

    def __init__(
        self,
        learner: "StreamLearner",
        *,
        passes: int = 1,
        classes: LabelsLike = None,
        n_features: int | None = None,
        foresees: bool = False,
        foreseen: Labels | None = None,
        measured: float | None = None,
    ) -> None:
        learner.check_stream_parameters()
        self._measured = measured
        self.learner = learner
        self.passes = whole_number("passes", passes, 1)
        self.foresees = foresees
        self._foreseen = foreseen
        self._classes = None if classes is None else named_classes(classes)
        self._n_features = None if n_features is None else whole_number("n_features", n_features, 1)
        self._state = StreamState(history=History())
        self._run: StreamRun | None = None
        self._errs: bool | None = None

    def restarted(
        self, *, foresees: bool = False, foreseen: Labels | None = None
    ) -> "StreamLearning":
        """Return a fresh copy, before its first sample."""
        return StreamLearning(
            self.learner,
            passes=self.passes,
            classes=self._classes,
            n_features=self._n_features,
            foresees=foresees,
            foreseen=foreseen,
            measured=self._measured,
        )

    def after(self, error: UnforeseenClassError) -> "StreamLearning":
        """Return a fresh copy that is ready for the class in the error."""
        if self._needs_all:
            foreseen = with_weighted(self.learner, error.classes)
            return self.restarted(foresees=True, foreseen=foreseen)
        return self.restarted()

    @property
    def _is_joint(self) -> bool:
        return getattr(self.learner, "multiclass", "") == "joint"

    @property
    def _needs_all(self) -> bool:
        """Whether all classes must be known in advance, because of joint learning or class weights."""
        return self._is_joint or bool(getattr(self.learner, "class_weight", None))

    @property
    def is_over(self) -> bool:
        """Whether all passes are done, or all halfspaces are finished."""
        state = self._state
        all_finished = state.finished is not None and bool(state.finished.all())
        return state.n_passes >= self.passes or all_finished

    @property
    def state(self) -> StreamState:
        """The full state of learning, in copied arrays."""
        run = self._run
        return self._state if run is None else replace(self._state, learned=run.learned())

    @state.setter
    def state(self, state: StreamState) -> None:
        self._state, self._run = state, None

    @property
    def progressive(self) -> Progressive:
        """The samples predicted so far before learning from them."""
        return self._state.progressive

    @property
    def n_passes(self) -> int:
        """The number of completed passes."""
        return self._state.n_passes

    @property
    def n_features(self) -> int:
        """The number of features so far."""
        return self._state.n_features

    @property
    def classes(self) -> Labels | None:
        """The classes so far."""
        return self._state.known

    @property
    def visited(self) -> int:
        """The number of samples visited in the current pass."""
        return self._state.visited

    def learn(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> None:
        """Visit each sample of a chunk once, in the order given."""
        stopwatch = Stopwatch()
        if is_empty(X, y):
            return
        chunk = self._validated(X, y, sample_weight)
        self.foresee(chunk.y)
        for some in self._parts(chunk):
            self._visit(some)
        seconds = self._state.seconds + stopwatch.seconds()
        self._state = replace(self._state, seconds=seconds, visited=self.visited + len(chunk.y))

    def measured(
        self, chunks: Iterable[AnyChunk], samples: Samples[AnyChunk]
    ) -> Iterator[AnyChunk]:
        """Yield the chunks; if a parameter is to be measured, only after the first 1,000 samples.

        ``samples`` returns the samples, labels and weights of a chunk. Samples of weight 0 do not count.
        """
        learner, first, lengths = self.learner, [], SquaredLengths()
        is_known = self._measured is not None or self._state.learned is not None
        is_known |= not learner.is_measuring
        for chunk in chunks:
            first.append(chunk)
            if not is_known:
                X, y, sample_weight = samples(chunk)
                try:
                    if not is_empty(X, y):
                        add_first(lengths, validated_chunk(learner, X, y, sample_weight))
                except InputError:  # learning it raises the same error, with its place
                    is_known = True
            if is_known or lengths.n >= N_MEASURED:
                if not is_known:
                    self._measured = learner.measured_value(lengths)
                is_known = True
                yield from first
                first = []
        if first:
            self._measured = learner.measured_value(lengths)
            yield from first

    def foresee(self, y: Labels) -> None:
        """Assume, at the beginning, that these labels contain all classes."""
        state = self._state
        if not self.foresees or self._foreseen is not None or state.learned is not None:
            return
        if y.ndim == 1:
            found = with_weighted(self.learner, distinct(y))
            self._foreseen = found if len(found) > 1 or self._needs_all else None

    def end_pass(self) -> None:
        """Complete a pass, after all its samples were visited."""
        state = self.state
        learned = state.learned
        if learned is None or state.visited == 0:
            raise InputError("the stream has no samples: give at least one chunk with some")
        if not learned.visits.any():
            raise InputError(
                "sample_weight is zero everywhere: give some sample a weight above zero"
            )
        updates, mistakes = _counts(learned) - (0 if state.before is None else state.before)
        history = History() if state.history is None else state.history
        n_updates, n_mistakes = (
            int(counts[learned.classes.used].sum()) for counts in (updates, mistakes)
        )
        history.append(Epoch(n_mistakes, n_updates, None, learned.norm, state.seconds))
        finished = updates == 0
        if self._is_joint:  # mistakes of other classes still change a class without its own
            finished[:] = finished.all()
        if self.passes > 1 and learned.classes.is_open:
            finished = finished[learned.classes.used]
            learned = learned.closed()
        elif state.finished is not None:
            finished |= state.finished
        self._run = None
        self._state = replace(
            state,
            learned=learned,
            n_passes=state.n_passes + 1,
            finished=finished,
            before=_counts(learned),
            visited=0,
            history=history,
            seconds=0.0,
        )

    @property
    def needs_check(self) -> bool:
        """Whether an average makes the predictions after several passes, and no pass has tested it."""
        return self.passes > 1 and self.is_over and self._averages and self._errs is None

    @property
    def _averages(self) -> bool:
        learned = self._state.learned
        return learned is not None and isinstance(learned.kept, Average)

    def check(self, chunks: Iterable[tuple[MatrixLike, LabelsLike, WeightsLike]]) -> None:
        """Test the average on all samples, for the outcome."""
        learned = self.state.learned
        assert learned is not None
        learner: Any = self.learner
        self._errs = any(
            errs_on(learner, learned.classes, learned.deciding, *chunk)
            for chunk in non_empty(chunks)
        )

    def forget_check(self) -> None:
        """Discard the result of `check`, which did not read all samples."""
        self._errs = None

    def result(self) -> tuple[Learned, Run]:
        """Return the learned state and the run."""
        state = self.state
        learned = state.learned
        if learned is None:
            raise InputError("the stream has no samples: give at least one chunk with some")
        if state.n_features != learned.features.count:
            learned = learned.resized(Features(state.n_features))
        outcome = Outcome.STREAM
        if self.passes > 1:
            done = state.finished is not None and bool(state.finished.all())
            outcome = Outcome.SEPARATED if done else Outcome.BUDGET
            # Updates within a margin (1 without the parameter) do not mean that mistakes are left.
            has_margin = getattr(self.learner, "margin", 1.0) != 0.0
            if self._averages and self.is_over and (done or has_margin):
                outcome = _AVERAGED[self._errs]
        return learned, Run(outcome, state.history, progressive=state.progressive)

    def _validated(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike) -> Chunk:
        state, chunk = self._state, validated_chunk(self.learner, X, y, sample_weight)
        fixed, learned = self._n_features, state.learned
        if learned is not None or fixed is not None:
            count = state.n_features if fixed is None else fixed
            names = None if learned is None else learned.features.names
            check_chunk(chunk, count, names, may_grow=fixed is None)
        return chunk

    def _parts(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yield a chunk, cut in two where the third class appears: from there, scores are compared."""
        known, y = self._state.known, chunk.y
        n_known = 0 if known is None else len(known)
        if y.ndim == 2 or self._state.n_passes > 0 or n_known > 2 or len(_joined(known, y)) < 3:
            yield chunk
            return
        new = distinct(y) if known is None else np.setdiff1d(distinct(y), known)
        at = sorted(int(np.argmax(y == label)) for label in new)[2 - n_known]
        if at > 0:
            yield _cut(chunk, 0, at)
        yield _cut(chunk, at, len(y))

    def _visit(self, chunk: Chunk) -> None:
        state = self._state
        self._add_capacity(chunk)
        known, run = state.known, self._run
        is_matrix = chunk.y.ndim == 2
        labels = np.arange(chunk.y.shape[1]) if is_matrix else _joined(known, chunk.y)
        if run is None or known is None or len(labels) != len(known):
            learned = self._with_new_classes(chunk)
            if run is None or learned is not self._state.learned:
                self._state = replace(self._state, learned=learned)
                run = self._run = self.learner._begin(learned, self._state.finished)
        counts = state.n_passes == 0
        before = np.zeros(0, chunk.y.dtype) if known is None else known
        missed = run.visit(chunk, before if counts else None)
        progressive = state.progressive
        if counts:
            n_seen = progressive.samples + n_weighted(chunk)
            progressive = Progressive(n_seen, progressive.mistakes + missed)
        self._state = replace(self._state, known=labels, progressive=progressive)

    def _with_new_classes(self, chunk: Chunk) -> Learned:
        """Return the state with a halfspace for each class of the chunk."""
        learner, state = self.learner, self._state
        learned = state.learned
        if learned is None:
            named = self._foreseen if self._classes is None else self._classes
            features = chunk.features
            if self._n_features is not None:
                features = replace(features, count=self._n_features)
            learned = learner._start(features, learner._first_classes(chunk.y, named))
            if self._measured is not None:
                learned = learner._with_measured(learned, self._measured)
            self._state = replace(
                state, learned=learned, before=_counts(learned), n_features=features.count
            )
        if chunk.y.ndim == 2 or learned.classes.multilabel:
            check_labels(chunk.y, len(learned.classes))
            return learned
        classes = learned.classes
        labels = merged_classes(classes.labels, distinct(chunk.y))
        if len(labels) == len(classes):
            return learned
        if not classes.is_open:
            new = np.setdiff1d(labels, classes.labels).tolist()[0]
            raise UnforeseenClassError(
                f"y contains {new!r}, but the classes are {classes.labels.tolist()!r}: name all of them",
                labels,
            )
        if self._run is not None:
            learned = self._run.learned()
        after = learner._with_new_classes(learned, chunk.y)
        # Only the first pass has new classes, and before it there were no mistakes.
        self._state = replace(self._state, before=np.zeros_like(_counts(after)))
        return after

    def _add_capacity(self, chunk: Chunk) -> None:
        """Widen the state if the chunk has features beyond its capacity."""
        state, count = self._state, chunk.features.count
        if state.learned is None or count <= state.n_features:
            return
        capacity = state.learned.features.count
        if count > capacity:
            learned = self.state.learned
            assert learned is not None
            _check_growth(self.learner, learned)
            self._run = None
            capacity = max(count, 2 * capacity)
            self._state = replace(state, learned=learned.resized(Features(capacity)))
        self._state = replace(self._state, n_features=count)


def add_first(lengths: SquaredLengths, chunk: Chunk) -> None:
    """Add the samples of a chunk, until there are `N_MEASURED`."""
    weights = weights_of_samples(chunk.sample_weight, len(chunk.y))
    last = np.flatnonzero(weights)[: N_MEASURED - lengths.n][-1:]
    n = int(last[0]) + 1 if len(last) else 0
    rows = part(chunk.rows, 0, n)
    check_finite_rows(rows)
    lengths.add(rows, weights[:n])


def learn_stream(learning: StreamLearning, chunks: Chunks) -> tuple[Learned, Run]:
    """Run all passes over the chunks; return the learned state and the run."""
    iterator = iter(chunks)
    can_begin_again = is_repeatable(chunks, iterator, learning.passes)
    learning = learning.restarted(foresees=can_begin_again)
    while not learning.is_over:
        try:
            for chunk in learning.measured(iterator, as_chunk):
                learning.learn(*as_chunk(chunk))
            learning.end_pass()
        except UnforeseenClassError as error:
            if not learning.foresees:
                raise
            learning = learning.after(error)
        iterator = iter(()) if learning.is_over else iter(chunks)
    if learning.needs_check:
        learning.check(map(as_chunk, chunks))
    return learning.result()


def is_empty(X: MatrixLike, y: LabelsLike) -> bool:
    """Return whether a chunk has no samples."""
    return len(y) == 0 and np.shape(X)[0] == 0


def non_empty(
    chunks: Iterable[tuple[MatrixLike, LabelsLike, WeightsLike]],
) -> Iterator[tuple[MatrixLike, LabelsLike, WeightsLike]]:
    """Yield the chunks that have samples."""
    return (chunk for chunk in chunks if not is_empty(*chunk[:2]))


def _counts(learned: Learned) -> Counts:
    return np.stack([learned.updates, learned.mistakes])


def is_repeatable(chunks: Chunks, iterator: Iterator[object], passes: int) -> bool:
    """Return whether chunks can be iterated again; raise InputError if several passes need it."""
    can_begin_again = iterator is not chunks
    if passes > 1 and not can_begin_again:
        raise InputError(
            f"passes={passes} needs chunks that can be iterated again: give a list of chunks or a "
            "rosenblatt.stream, not a generator"
        )
    return can_begin_again


def as_chunk(chunk: object) -> tuple[MatrixLike, LabelsLike, WeightsLike]:
    """Return a chunk as samples, labels and weights; raise InputError if it is not a chunk."""
    if not isinstance(chunk, tuple) or len(chunk) not in (2, 3):
        raise InputError(
            f"a chunk is a {type(chunk).__name__}: give (X, y) or (X, y, sample_weight); for files, "
            "use rosenblatt.stream(path)"
        )
    return (*chunk, None) if len(chunk) == 2 else chunk


def with_weighted(learner: "StreamLearner", labels: Labels) -> Labels:
    """Return the labels, extended by those that the learner has weights for."""
    weights = getattr(learner, "class_weight", None)
    if not isinstance(weights, dict) or not weights:
        return labels
    return merged_classes(labels, named_classes(list(weights)), "class_weight")


def _joined(known: Labels | None, y: Labels) -> Labels:
    found = distinct(y)
    if known is None:
        return found
    if len(found) <= len(known) and np.isin(found, known).all():
        return known
    return merged_classes(known, found)


def _cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    weights = chunk.sample_weight
    if weights is not None and np.ndim(weights) == 1:
        weights = np.asarray(weights)[start:stop]
    rows = part(chunk.rows, start, stop)
    assert n_rows(rows) == stop - start
    return chunk._replace(rows=rows, y=chunk.y[start:stop], sample_weight=weights)


def _check_growth(learner: "StreamLearner", learned: Learned) -> None:
    """Raise InputError if the learner cannot add features in mid-stream."""
    if learned.origin.any() or not isinstance(learned.kept, Average | None):
        raise InputError(
            f"the chunk has features beyond the first {learned.features.count}, but this "
            f"{type(learner).__name__} cannot add features in mid-stream: that needs zero start weights "
            "and keep='last' or 'average'; give n_features"
        )
