"""The perceptron's stream.

Single samples and small chunks are learned in place, in a cache (see ``one_sample_cache``), at a cost
that depends only on their nonzero features. The norm in the record of such a chunk is updated
incrementally and recomputed from time to time (see ``single_sample``). Joint learning, matrices of
labels, pockets and votes have no cache. Classes that learn jointly must be known from the beginning,
because a class that is not known yet cannot compete with the others.
"""

from dataclasses import replace
from operator import itemgetter
from typing import Any, Self

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import named_classes
from rosenblatt.core.types import (
    ClassWeights,
    Flags,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    WeightsLike,
)
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.validation import (
    as_label,
    check_features,
    check_weights,
    is_label_row,
    is_named,
    weights_of_classes,
    weights_of_samples,
)
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.estimators.streaming.one_sample_cache import SampleCache, Update
from rosenblatt.estimators.streaming.stream import AUTO, StreamLearner
from rosenblatt.estimators.streaming.stream_runs import PanelRun
from rosenblatt.kernels.rows import Rows
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.keep import AVERAGED, TRACED, keep_of, new_decider
from rosenblatt.training.deciders.pocket import Pockets
from rosenblatt.training.deciders.vote_record import Votes
from rosenblatt.training.history import Epoch
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.problem import Problem, class_factors, new_problem

_PARAMETERS = (
    "ties",
    "eta0",
    "fit_intercept",
    "keep",
    "multiclass",
    "class_weight",
    "margin",
    "shards",
)
# They are compared for each sample: one call on the attributes' dict takes 0.16 µs, reading the
# attributes one by one 0.23.
_values = itemgetter(*_PARAMETERS)


class PerceptronStream(StreamLearner):
    """Abstract: a perceptron that learns from streams, single samples in place."""

    eta0: float
    multiclass: str
    class_weight: ClassWeights
    keep: str
    margin: float | str
    _checks_finite = False  # every visit checks it
    _kept_kinds = (type(None), Average, Pockets, Votes)

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes`` names the classes in advance, which saves some work; otherwise they are added as they
        appear. A class that was not named, or not in the data of an earlier `fit`, starts from zero
        weights. Classes that learn jointly must all be named. If y is a matrix of labels, its columns
        are the classes.
        """
        with self._lock:
            stopwatch = Stopwatch()
            cache = self._learning_cache
            before = (0, 0) if cache is None else cache.counts
            if (
                cache is not None
                and (classes is None or (not isinstance(classes, str) and cache.knows_all(classes)))
                and cache.learn_rows(X, y, sample_weight)
            ):
                record = _record(before, cache)
            else:
                self.check_stream_parameters()
                self._check_kind(X)
                record = self._learn_chunk(self._chunk(X, y, sample_weight), classes)
            self.history_.append(record._replace(seconds=stopwatch.seconds()))
        return self

    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream and its label.

        The sample is a vector, a sparse row, or a dict of names to values. Dicts may add new names at
        any time: a feature has the weight 0 until it appears, so the weights have the same bits as those
        of a stream of rows with one column per name, in order of appearance.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron(keep="last").learn_one({"sun": 1.0, "wind": 2.0}, "stay")
        >>> p.learn_one({"rain": 3, "sun": 0.5}, "go").predict_one({"rain": 1, "snow": 7})
        'go'
        >>> p.feature_names_in_, p.coef_
        (array(['sun', 'wind', 'rain'], dtype=object), array([[ 0.5,  2. , -3. ]]))
        """
        with self._lock:
            cache = self._cache
            try:
                is_same = cache is not None and cache.parameters == _values(self.__dict__)
            except ValueError:  # arrays cannot be compared; check_parameters reports them
                is_same = False
            if not is_same or not cache.learn(
                x, y, 1.0 if sample_weight is None else sample_weight
            ):
                self._learn_carefully(x, y, sample_weight)
        return self

    @property
    def _learning_cache(self) -> SampleCache | None:
        """The learning cache; None without one, or if a parameter has changed since."""
        cache: SampleCache | None = self._cache
        try:
            is_same = cache is not None and cache.parameters == _values(self.__dict__)
        except ValueError:  # arrays cannot be compared; check_parameters reports them
            is_same = False
        return cache if is_same else None

    def _check_kind(self, X: MatrixLike) -> None:
        learned = self._fixed
        if learned and learned.features.columns is not None and not hasattr(X, "columns"):
            raise InputError(
                f"X is a {type(X).__name__}, but {type(self).__name__} has learned from dicts of "
                "names to values: give a data frame with these names, or dicts to learn_one"
            )

    def _learn_carefully(self, x: SampleLike, y: LabelsLike, sample_weight: WeightsLike) -> None:
        """Learn from a sample that the cache refused, after validation."""
        if self._learning_cache is None:
            self.check_stream_parameters()
        if is_named(x):
            self._learn_features(dict(x), y, sample_weight)
        else:
            self._learn_chunk(self._one_sample(x, y, sample_weight), None)

    def _learn_chunk(self, chunk: Chunk, classes: LabelsLike) -> Epoch:
        """Visit each sample once; return the record of the visits."""
        cache, learned = self._learning_cache, None
        if cache is None or classes is not None or not cache.takes(chunk.y):
            learned = self._state_for(chunk, classes)
            cache = self._new_cache(learned)
        if cache is not None and cache.takes(chunk.y):
            before = cache.counts
            weights = weights_of_samples(chunk.sample_weight, len(chunk.y))
            if cache.visit(chunk.rows, chunk.y.tolist(), weights):
                if learned is not None:
                    self._assign_stream_state(learned, cache)
                return _record(before, cache)
        learned, record = self._visit(learned or self._state_for(chunk, classes), chunk)
        self._assign_stream_state(learned)
        return record

    def _learn_features(self, x: dict[Any, Any], y: LabelsLike, sample_weight: WeightsLike) -> None:
        """Learn from a dict that the cache refused: the first one, or with new names or a new class."""
        learned = self._fixed
        multilabel = learned is not None and learned.classes.multilabel
        if multilabel or self.multiclass == "joint" or is_label_row(y):
            raise InputError(
                "the sample is a dict, which joint learning and matrices of labels do not support: give "
                "a vector or a sparse row"
            )
        if self.keep in TRACED:
            raise InputError(
                f"the sample is a dict, which keep={self.keep!r} does not support: give a vector or a "
                "sparse row, or use keep='last' or 'average'"
            )
        check_features(x)
        label = as_label(y)
        weight = float(weights_of_samples(sample_weight, 1)[0])
        cache = self._learning_cache
        if cache is None or not cache.named or not cache.takes(label, dicts=True):
            if learned is None:
                features = Features(0, columns={})
            else:
                columns = self._known_columns()
                features = Features(len(columns), columns=columns)
            rows: Any = None  # the cache turns the dict into a row
            learned = self._state_for(Chunk(rows, label, weight, features), None)
            learned = replace(learned, features=features)
            cache = self._new_cache(learned)
            if cache is None:
                raise _needs_all(self.class_weight)
            self._learn_dict(cache, x, label.item(0), weight)
            self._assign_stream_state(learned, cache)
        else:
            self._learn_dict(cache, x, label.item(0), weight)

    def _learn_dict(self, cache: SampleCache, x: dict[Any, Any], y: Any, weight: float) -> None:
        """Learn from a dict that may have new names; on an error, change nothing."""
        new = cache.new_names(x)
        width, tallies = cache.width, cache.tallies.copy()
        try:
            cache.widen(new)
            if not cache.learn(x, y, weight):
                raise InputError(
                    "the sample or its weight is so large that float64 might overflow: give values well "
                    "below 1e130"
                )
        except BaseException:
            if (cache.tallies == tallies).all():  # otherwise it was learned before the interruption
                cache.narrow(width)
            raise

    def _start(self, features: Features, classes: Classes) -> Learned:
        if isinstance(self.class_weight, str):
            raise _needs_all(self.class_weight)
        learned = Learned.new(classes, features, np.zeros(features.count + 1), float(self.eta0))
        kept = new_decider(self.keep, learned.weights, self._constant)
        return replace(learned, kept=kept, margin=self._given_margin)

    def _first_classes(self, y: Labels, named: Labels | None) -> Classes:
        """Return the first classes of a stream.

        The stream is open to new classes unless they are named, by ``classes`` or by ``class_weight``,
        whose meaning depends on whether there are two classes or more.
        """
        weights = self.class_weight
        if y.ndim == 1 and named is None and isinstance(weights, dict) and weights:
            named = named_classes(list(weights))
        return super()._first_classes(y, named)

    def _state_for(self, chunk: Chunk, classes: LabelsLike) -> Learned:
        learned = super()._state_for(chunk, classes)
        if isinstance(self.class_weight, str):
            raise _needs_all(self.class_weight)
        if not self.is_measuring:
            learned = replace(learned, margin=self._given_margin)
        elif self._learned is None:
            raise InputError(
                "margin='auto' is the mean squared length of all samples: call fit or fit_stream first, "
                "or give partial_fit and learn_one a number"
            )
        first_keep = keep_of(learned.kept)
        if isinstance(learned.kept, Average):
            learned = replace(learned, kept=replace(learned.kept, decides=True))
        if first_keep != ("average" if self.keep in AVERAGED else self.keep):
            raise InputError(
                f"keep={self.keep!r} differs from the start of the stream, {first_keep!r}: the kept "
                "weights cover all visits"
            )
        learned = learned.rescaled(float(self.eta0))
        check_weights(learned.weights, self.eta0)
        return learned

    def _new_cache(self, learned: Learned) -> SampleCache | None:
        """Return a cache that learns, or None if the parameters do not allow one."""
        classes = learned.classes
        is_plain = not (self.keep in TRACED or classes.multilabel or self._is_joint(classes))
        if isinstance(self.class_weight, str) or not is_plain:
            return None
        by_class = weights_of_classes(self.class_weight, classes.labels, classes)
        required = learned.margin / float(self.eta0)
        update = Update(class_factors(by_class, classes), self._constant, required)
        parameters = list(_values(self.__dict__))
        if isinstance(self.class_weight, dict):  # the user may change it in place
            parameters[_PARAMETERS.index("class_weight")] = self.class_weight.copy()
        return SampleCache(
            learned, self.ties, tie_sign(self.ties), update, parameters=tuple(parameters)
        )

    @property
    def is_measuring(self) -> bool:
        """Whether the margin is "auto"."""
        return self.margin == AUTO

    def measured_value(self, lengths: SquaredLengths) -> float:
        """Return the required margin: the mean squared length of the samples, in units of eta0."""
        margin = lengths.mean(self._constant) * float(self.eta0)
        if not margin < LARGEST:
            raise InputError(
                f"the samples are so long that the margin 'auto' would be {margin:g}: scale them down, "
                "or give a number"
            )
        return margin

    def _with_measured(self, learned: Learned, value: float) -> Learned:
        return replace(learned, margin=value)

    @property
    def _given_margin(self) -> float:
        """The required margin, 0 if it is still to be measured."""
        return 0.0 if self.is_measuring else float(self.margin)

    def _problem(
        self,
        rows: Rows,
        y: Labels,
        sample_weight: WeightsLike,
        classes: Classes,
        margin: float = 0.0,
    ) -> Problem:
        """Return the problem of all halfspaces, with this required margin."""
        weights: Floats = np.broadcast_to(1.0, len(y))
        if sample_weight is not None:
            weights = weights_of_samples(sample_weight, len(y))
        by_class = weights_of_classes(self.class_weight, y, classes)
        tie, joint = tie_sign(self.ties), self._is_joint(classes)
        problem = new_problem(rows, y, classes, weights, by_class, tie=tie, joint=joint)
        problem.required = margin / float(self.eta0)
        return problem

    def _begin(self, learned: Learned, finished: Flags | None = None) -> PanelRun:
        return PanelRun(self, learned, finished)


def _record(before: tuple[int, int], cache: SampleCache) -> Epoch:
    """Return the record of what a cache has learned since its counts were ``before``."""
    mistakes, updates = (now - then for now, then in zip(cache.counts, before, strict=True))
    return Epoch(mistakes, updates, None, cache.norm, 0.0)


def _needs_all(class_weight: str) -> InputError:
    """Return the error for class weights that a stream cannot compute."""
    return InputError(
        f"class_weight={class_weight!r} needs the whole data: "
        "for partial_fit and learn_one give a dict of labels to weights"
    )
