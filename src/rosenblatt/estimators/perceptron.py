"""Rosenblatt's perceptron, with scikit-learn's interface.

Conventions
-----------
Ties: a score of exactly 0 is a mistake for either label (``ties="mistake"``): this is the form for which
the convergence theorem holds from zero weights. "positive" and "negative" read 0 as that label instead.
A score of 0 predicts the positive class, except with "negative".

Bias: a constant feature of value 1, so every theorem applies to the extended samples.

Learning rate: the weights are stored in units of eta0. From zero weights the rate therefore cancels
exactly, as on paper: every eta0 makes the same mistakes, and ``coef_`` is eta0 times the same numbers.
Scores in that unit are compared with margin / eta0.

Many classes: each class has its own halfspace, that class against the rest, and the halfspaces are
independent. Or the classes learn jointly (``multiclass="joint"``): a sample is right if its own class
alone has the highest score; a mistake adds the sample to its own class and subtracts it from the best
wrong one (see ``joint``). With two classes both are the same, and one halfspace is learned. If y is a
matrix of 0 and 1 with two or more columns, each column is a label, and a sample may have several.

One label: without an intercept, all samples may have the same label, the positive one. The learner then
looks for weights with w·x > 0 on every sample. Negating the negative samples of two classes gives such
a set, with the same run.

Threads: ``n_jobs`` threads share the work and never change a result. ``shards`` does change it: the
shards learn separately, and their weights are mixed after each epoch (see ``training.shards.mixing``).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from rosenblatt.core import checks
from rosenblatt.core.checks import check_choice, check_flag, whole_number
from rosenblatt.core.classes import Classes
from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import (
    ClassWeights,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    Seed,
    WeightsLike,
)
from rosenblatt.estimators.common.advice import warn
from rosenblatt.estimators.common.callbacks import (
    WRAPPERS,
    CallbackSupport,
    FitTask,
    with_callbacks,
)
from rosenblatt.estimators.common.certify import JointProofs, Proofs
from rosenblatt.estimators.common.fit_problem import FitProblem
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.run import Certificate, Progressive, Reported, Run
from rosenblatt.estimators.common.validation import (
    Samples,
    check_class_weight,
    check_rule_of_labels,
    classes_of_all,
    generator,
    n_threads,
    seed_from,
    start_weights,
    validated_samples,
)
from rosenblatt.estimators.streaming.perceptron_views import PerceptronViews
from rosenblatt.estimators.streaming.shard_stream import ShardStream
from rosenblatt.estimators.streaming.stream import AUTO
from rosenblatt.estimators.streaming.stream_learning import Chunks
from rosenblatt.kernels.rows import Rows, as_rows, widened
from rosenblatt.separability.results.result import Separation
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.keep import AVERAGED, KEEPS, TRACED, KeepingBlocks
from rosenblatt.training.deciders.vote_record import Votes
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.loop import ORDERS, Log, Watcher, orders, train
from rosenblatt.training.margins import Interval
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.perceptron_rule import PerceptronRule
from rosenblatt.training.shards.array_shards import ArrayShards
from rosenblatt.training.shards.dealing import check_shards
from rosenblatt.training.shards.mixing import Shards

# Most separable samples are separated after a few epochs, and then need no other proof.
_EPOCHS_BEFORE_PROOFS = 10

# The mistakes of a cycle are checked as a proof even without certify=True if that is almost free.
_FEW_NUMBERS = 100_000


class Perceptron(CallbackSupport, PerceptronViews):
    """The perceptron: add or subtract each mistaken sample until no mistake is left.

    Learning stops when an epoch makes no mistake, after ``max_iter`` epochs, or, in cyclic order, when
    the weights return to an earlier epoch's: the run would repeat forever. The exact sign of the score
    decides whether a visit is a mistake, so a run depends only on the data and the order of visits:
    dense and sparse, float32 and float64 storage of the same numbers, and batches
    (``order="cyclic"``) and streams give the same bits on every machine.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn an intercept: the weight of a constant feature of value 1.
    max_iter : int, default=1000
        The largest number of epochs.
    eta0 : float, default=1.0
        The learning rate. From zero weights and without a margin it changes only the scale of the
        weights.
    margin : float or "auto", default=0.0
        A visit with y·w·x ≤ margin is an update, decided exactly (with margin / eta0 rounded to
        float64); with other ``ties``, samples of that label may be at the margin. So after an epoch
        without an update every sample has y·w·x > margin; with joint learning, the score of its own
        class is more than the margin above all others. "auto" is eta0 times the mean of ‖x‖² + 1
        (without an intercept ‖x‖²) over the samples of weight above 0, summed exactly; a stream measures
        its first 1,000 samples, and `partial_fit` needs a number or an earlier `fit`. There are at most
        (R² + 2·margin/eta0)/γ² updates, or 2·(R² + margin/eta0)/γ² with joint learning
        (`bounds.mistake_bound`).
    order : {"cyclic", "shuffle", "random"}, default="shuffle"
        The order of visits in an epoch: as given, a new permutation each time, or drawn with
        replacement. Files are often sorted by class, and then the last class would dominate every
        epoch, so the default shuffles. "cyclic" is the order of the lectures; one such epoch learns the
        same bits as a stream of the same samples.
    ties : {"mistake", "positive", "negative"}, default="mistake"
        The meaning of a score of exactly 0: a mistake for either label, or that label.
    keep : {"auto", "last", "average", "pocket", "vote"}, default="auto"
        The weights that decide. "last": those after the last visit. "average": the average over all
        visits, which is better if the classes overlap. "auto": the last ones after a `fit` that ended
        with an epoch without an update; otherwise, and in streams and shards, the average. "pocket": for
        each halfspace, the weights with the fewest mistakes on the training samples, among the start,
        the weights at the end of each epoch and those with a longer run of right answers than the
        pocket's; other weights are not tried and may make fewer. In a stream, which cannot count again,
        the pocket holds the weights with the longest run of right answers (see ``pocket``). "vote": all
        weights vote, each weighted by the number of visits it survived (``vote_record``); the cost grows
        with the number of mistakes.
    certify : bool, default=False
        Write a certificate. If ten epochs have not separated the samples, decide whether they are
        separable (see `separate`), and stop at once if not.
    multiclass : {"one-vs-rest", "joint"}, default="one-vs-rest"
        How three or more classes are learned: each against the rest, or jointly, so that every
        sample's own class has the highest score. Joint learning counts a tie as a mistake
        (``ties="mistake"``) and makes at most 2·(radius / joint margin)² mistakes.
    class_weight : dict, "balanced" or None, default=None
        Factors on the step of a mistake, by class; 1 for classes missing from a dict. They apply in the
        halfspace of that class against the rest or, with joint learning, to its samples. For a matrix of
        labels, a dict from columns to factors for the samples that have the label.
    random_state : int, RandomState or None, default=0
        The seed of the order. With a number, such as the default, fits are reproducible.
    record : bool, default=False
        Record the full sequence of mistakes in the ledger, not only their counts.
    n_jobs : int or None, default=None
        The number of threads: None is 1, -1 is all processors. It never changes a result.
    shards : int, default=1
        Learn in that many shards of the samples, in parallel if ``n_jobs`` allows it, and mix their
        weights after each epoch: a different run, with its own bound (`bounds.mistake_bound`). Samples
        are dealt to the shards in turn, the first 512 one by one, then in blocks; each shard draws its
        own order of visits. Of the stream methods, only `fit_stream` supports shards.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The weights: one halfspace for two classes, otherwise one per class or label. Not
        available with ``keep="vote"``.
    classes_ : array
        The labels, sorted; for a matrix of labels, the numbers of its columns. If there is only one,
        `predict` returns it for every sample, and `decision_function` should be above 0.
    multilabel_ : bool
        Whether y was a matrix of labels; `predict` then returns one, too.
    outcome_ : Outcome
        Why learning stopped.
    n_iter_ : int
        Epochs, plus later calls of `partial_fit`: the length of the history.
    n_updates_ : int
        Updates in all epochs and halfspaces: the visits with y·w·x ≤ margin.
    n_mistakes_ : int
        The updates with y·w·x ≤ 0: mistakes. Without a margin these are all updates.
    required_margin_ : float
        The margin in effect: the parameter ``margin``, or its value if that is "auto".
    pocket_mistakes_ : array of shape (n_halfspaces,)
        The total weight of the training samples that each pocket misclassifies (``keep="pocket"``).
    support_ : array
        The samples with at least one mistake (``keep="vote"``); see also `deciding_mistakes`.
    history_ : History
        One record per epoch or call of `partial_fit`.
    ledger_ : Ledger
        The mistakes of the last `fit`; removed when a stream changes the weights.
    margin_ : Interval, or a list with one per class (if more than two) or label
        An interval, proved by the last `fit`, that contains the maximum margin; removed like the
        ledger. This is the augmented margin or, without an intercept, the margin through the origin;
        with joint learning, the joint margin.
    certificate_ : SeparatingHyperplane or HullIntersection, or a list with one per class or label
        The proof that the samples are separated or cannot be strictly separated (with
        ``certify=True``; None if ``max_iter`` ended the run first). Without an intercept it covers only
        hyperplanes through the origin. Samples of weight 0 are left out.
    conflicts_ : list of str
        Sentences that name samples which contradict each other (with ``certify=True``).
    cycle_ : Cycle, or a list with one per class or label, None for those that do not cycle
        Two epochs that end with the same weights, in cyclic order with ``keep="last"`` or "pocket":
        learning stops, because it would repeat forever. Without a cycle there is no such attribute. If
        the samples are few and no update was rounded, the mistakes between the two epochs also serve
        as certificate and conflict.
    n_exact_ : int
        Visits of the last `fit` whose sign needed an exact sum.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> print(p.outcome_)
    SEPARATED: no mistake is left, so every sample seen is on the correct side
    >>> p.n_iter_, p.n_mistakes_
    (9, 15)
    >>> p.coef_, p.intercept_
    (array([[2., 2.]]), array([-3.]))
    >>> print(p.margin_)
    [0.242535, 0.274874]
    >>> crossing = [[0, 0], [0, 1], [1, 0], [1, 1], [3, 1]], [0, 1, 1, 0, 1]
    >>> p = Perceptron(order="cyclic", keep="pocket").fit(*crossing)
    >>> print(p.cycle_)
    epoch 12 repeats epoch 8: the run would repeat forever
    >>> p.certificate_.combination
    {0: 1, 1: 3, 2: 1, 3: 4, 4: 1}
    >>> C = [[1, 1], [1, -1], [0, -1]]  # the negative samples negated, as in proofs
    >>> Perceptron(fit_intercept=False).fit(C, [1, 1, 1]).decision_function(C)
    array([1., 3., 1.])
    >>> p = Perceptron(margin=2, fit_intercept=False, order="cyclic").fit([[1, 1], [1, -1]], [1, 1])
    >>> p.n_updates_, p.decision_function([[1, 1], [1, -1]])
    (4, array([4., 4.]))
    >>> p = Perceptron(multiclass="joint").fit([[0], [1], [2]], ["low", "middle", "high"])
    >>> p.n_mistakes_, p.predict([[-1], [1], [3]])
    (21, array(['low', 'middle', 'high'], dtype='<U6'))
    >>> Perceptron().fit([[0], [1], [2]], [[1, 0], [1, 1], [0, 1]]).predict([[-1], [1], [3]])
    array([[1, 0],
           [1, 1],
           [0, 1]])
    """

    n_exact_ = Reported[int]("Visits of the last `fit` whose sign needed an exact sum.")
    ledger_ = Reported[Ledger]("The mistakes of the last `fit`.")
    margin_ = Reported[Interval | list[Interval]](
        "An interval, proved by the last `fit`, that contains the maximum margin.",
        "margins",
        one_or_many=True,
    )
    certificate_ = Reported[Certificate | list[Certificate] | None](
        "The proof of the outcome, with ``certify=True``.", "certificates", one_or_many=True
    )
    conflicts_ = Reported[list[str]]("Sentences that name samples which contradict each other.")
    cycle_ = Reported[Cycle | list[Cycle | None]](
        "Two epochs that end with the same weights.", "cycles", one_or_many=True
    )

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        eta0: float = 1.0,
        margin: float | str = 0.0,
        order: str = "shuffle",
        ties: str = "mistake",
        keep: str = "auto",
        certify: bool = False,
        multiclass: str = "one-vs-rest",
        class_weight: ClassWeights = None,
        random_state: Seed = 0,
        record: bool = False,
        n_jobs: int | None = None,
        shards: int = 1,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.eta0 = eta0
        self.margin = margin
        self.order = order
        self.ties = ties
        self.keep = keep
        self.certify = certify
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.random_state = random_state
        self.record = record
        self.n_jobs = n_jobs
        self.shards = shards

    def check_parameters(self) -> None:
        """Raise InputError for the first parameter with an invalid value."""
        check_flag("fit_intercept", self.fit_intercept)
        whole_number("max_iter", self.max_iter, 1)
        checks.rate("eta0", self.eta0)
        if isinstance(self.margin, str):
            check_choice("margin", self.margin, [AUTO])
        else:
            checks.not_negative("margin", self.margin)
        check_choice("order", self.order, ORDERS)
        tie_sign(self.ties)
        check_choice("keep", self.keep, KEEPS)
        check_flag("certify", self.certify)
        check_choice("multiclass", self.multiclass, ["one-vs-rest", "joint"])
        if self.multiclass == "joint" and self.ties != "mistake":
            raise InputError(
                f"ties={self.ties!r} and multiclass='joint' do not go together: two classes "
                "with the same score have no sign to read, so a tie is a mistake; use ties='mistake'"
            )
        if self.keep in TRACED and self.multiclass == "joint":
            raise InputError(
                f"keep={self.keep!r} and multiclass='joint' do not go together: pockets and votes "
                "belong to halfspaces that learn independently; use multiclass='one-vs-rest', or "
                "keep='average'"
            )
        check_class_weight(self.class_weight)
        generator(self.random_state)
        check_flag("record", self.record)
        n_threads(self.n_jobs)
        whole_number("shards", self.shards, 1)
        if self.shards > 1 and (self.record or self.keep in TRACED):
            what = "record=True" if self.record else f"keep={self.keep!r}"
            raise InputError(
                f"{what} and shards={self.shards} do not go together: the weights are mixed from "
                "shards, not learned in one sequence"
            )
        if self._given_margin / self.eta0 >= LARGEST:
            raise InputError(
                f"margin={self.margin!r} does not go together with eta0={self.eta0!r}: the margin must "
                f"be below {LARGEST:g} times eta0"
            )

    def check_stream_parameters(self) -> None:
        """Raise InputError for the first parameter with a value that is invalid in a stream."""
        self.check_parameters()
        if self.shards > 1:
            raise InputError(
                f"shards={self.shards} is only for fit and fit_stream, which mix the shards after each "
                "epoch: an endless stream learns in one sequence; use shards=1"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.multiclass != "joint"
        return tags

    @with_callbacks
    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        coef_init: WeightsLike = None,
        intercept_init: WeightsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from all samples until an epoch makes no mistake, or ``max_iter`` epochs have run.

        X may be dense or sparse. y holds two or more classes (without an intercept one is enough), or is
        a dense or sparse matrix of 0 and 1 with at least two columns, one per label. Learning starts
        from ``coef_init`` and ``intercept_init``. ``sample_weight`` multiplies the step of each
        sample's mistakes; samples of weight 0 are skipped.
        """
        with self._lock:
            batch = self.prepared(X, y, coef_init, intercept_init, sample_weight)
            task = FitTask(self, X, y, lambda: {"_fixed": batch.learned(is_over=False)})
            self._assign(*self._train(batch, task if task.is_watched else None))
            task.end()
        warn(self, 2 + WRAPPERS)
        return self

    def _learn_stream(
        self, chunks: Chunks, passes: int, classes: LabelsLike, n_features: int | None
    ) -> tuple[Learned, Run]:
        if whole_number("shards", self.shards, 1) == 1:
            return super()._learn_stream(chunks, passes, classes, n_features)
        self.check_parameters()
        return ShardStream(self, chunks, passes, classes, n_features).learn()

    def fit_watched(
        self, X: MatrixLike, y: LabelsLike, watch: Watcher | None, proofs: Sequence[Separation] = ()
    ) -> Self:
        """Learn as `fit` does, observed by a watcher, without callbacks and warnings.

        ``proofs``, if any, has one proof per halfspace. Together they rule out that all samples can be
        on their right side: the outcome is then INSEPARABLE, with their certificates and conflicts.
        """
        with self._lock:
            learned, run = self._train(self.prepared(X, y), watch)
            if proofs:
                run = replace(
                    run,
                    outcome=Outcome.INSEPARABLE,
                    certificates=[proof.certificate for proof in proofs],
                    conflicts=[str(each) for proof in proofs for each in proof.conflicts],
                )
            self._assign(learned, run)
        return self

    def prepared(
        self,
        X: MatrixLike,
        y: LabelsLike,
        coef_init: WeightsLike = None,
        intercept_init: WeightsLike = None,
        sample_weight: WeightsLike = None,
    ) -> FitProblem:
        """Return the validated problem that `fit` learns, before the first visit."""
        X, y, features = self._samples(X, y)
        classes = self._classes_in(y)
        rng, rate = generator(self.random_state), float(self.eta0)
        shape = (classes.n_halfspaces, features.count + 1)
        start = np.broadcast_to(np.zeros(shape[1]), shape)
        if coef_init is not None or intercept_init is not None:
            start = start_weights(
                coef_init, intercept_init, shape, intercept=self.fit_intercept, eta0=rate
            )
        rows = widened(as_rows(X, self._constant))
        problem, margin = self.measured_problem(rows, y, sample_weight, classes)
        if not problem.steps.any():
            raise InputError(
                "sample_weight is zero everywhere: give some sample a weight above zero"
            )
        _check_seen(problem)
        panel = self._new_panel(problem, start)
        keeping = None
        if self.keep in TRACED:
            keeping = KeepingBlocks(self.keep, panel, n_threads(self.n_jobs))
        batch = FitProblem(
            X, y, classes, features, panel, start, rate, keeping=keeping, margin=margin
        )
        if self.shards > 1:
            check_shards(self.shards, len(y))
            batch.seed = seed_from(rng)
        else:
            batch.epochs = orders(self.order, len(y), rng)
        return batch

    def measured_problem(
        self, rows: Rows, y: Labels, sample_weight: WeightsLike, classes: Classes
    ) -> tuple[Problem, float]:
        """Return the problem of these samples and its required margin, which may be measured."""
        margin = self._given_margin
        problem = self._problem(rows, y, sample_weight, classes, margin)
        if self.margin == AUTO:
            lengths = SquaredLengths()
            lengths.add(rows, problem.steps)
            margin = self.measured_value(lengths)
            problem.required = margin / float(self.eta0)
        return problem, margin

    def shard_problem(
        self, classes: Classes, features: Features, margin: float | None = None
    ) -> FitProblem:
        """Return the problem that mixes the weights of shards whose samples are elsewhere.

        It contains no samples. ``margin`` is the measured one, if the parameter is "auto". Its ``seed``,
        the same as in `fit`, is for ``shard_visits``. Train it with a `PerceptronRule` whose passes are
        `Shards`, then call `shard_result`. Only the shards use ``class_weight``: see `ShardRun`.

        >>> from rosenblatt.core.classes import Classes
        >>> from rosenblatt.estimators.common.learned import Features
        >>> batch = Perceptron().shard_problem(Classes(np.array(["a", "b", "c"])), Features(2))
        >>> batch.panel.weights.shape, len(batch.panel.problem), batch.seed
        ((3, 3), 0, 2357136044)
        """
        self.check_parameters()
        if classes.multilabel:
            check_rule_of_labels(self.multiclass)
        else:
            one_each = as_rows(np.ones((len(classes), 1)), self._constant)
            _check_seen(self._problem(one_each, classes.labels, None, classes, 0.0))
        rng = generator(self.random_state)
        shape = (classes.n_halfspaces, features.count + 1)
        X, nothing = np.zeros((0, features.count)), np.zeros(0)
        problem = Problem(
            as_rows(X, self._constant),
            np.zeros((0, shape[0]), dtype=np.int8),
            nothing,
            np.ones((shape[0], 2)),
            tie_sign(self.ties),
            np.zeros(0, dtype=np.int64) if self._is_joint(classes) else None,
        )
        y = np.zeros((0, shape[0]), dtype=np.int64) if classes.multilabel else classes.labels[:0]
        start = np.broadcast_to(np.zeros(shape[1]), shape)
        rate = float(self.eta0)
        margin = self._given_margin if margin is None else margin
        problem.required = margin / rate
        panel = self._new_panel(problem, start)
        return FitProblem(
            X, y, classes, features, panel, start, rate, seed=seed_from(rng), margin=margin
        )

    def shard_result(
        self,
        batch: FitProblem,
        log: Log,
        *,
        errs: bool | None,
        progressive: Progressive | None = None,
    ) -> tuple[Learned, Run]:
        """Return the learned state and the run of shards whose samples are elsewhere, for `restore`.

        ``errs`` says whether the deciding weights misclassify any sample, as counted by a final round;
        None if no such round was run.
        """
        outcome = log.outcome
        if errs and self.keep in AVERAGED and outcome is Outcome.SEPARATED:
            outcome = Outcome.AVERAGED
        elif self.shards > 1 and outcome is Outcome.BUDGET:
            outcome = Outcome.SEPARATED if errs is False else self._budget_outcome
        run = Run(
            outcome=outcome,
            history=log.history,
            n_exact=log.n_exact,
            margins=batch.margins(),
            progressive=progressive,
        )
        return batch.learned(is_over=True), run

    def _new_panel(self, problem: Problem, start: Floats) -> Panel:
        """Return the halfspaces of a problem, before the first visit."""
        return Panel(
            problem,
            start.copy() if start.any() else np.zeros(start.shape),  # allocated lazily
            drift=np.zeros(start.shape) if self.keep in AVERAGED else None,
            record=self.record,
            trace=self.keep in TRACED,
        )

    def _samples(self, X: MatrixLike, y: LabelsLike) -> Samples:
        """Check the parameters; return the validated samples."""
        self.check_parameters()
        # Every visit checks that its row is finite; only random orders may miss a row.
        # A proof, searched for or found in a cycle, must be about X itself.
        return validated_samples(
            self,
            X,
            y,
            ensure_all_finite=self.order == "random" or self.margin == AUTO,
            exact=self.certify or self.notices_cycles,
        )

    def _classes_in(self, y: Labels) -> Classes:
        if y.ndim == 2:
            check_rule_of_labels(self.multiclass)
        return classes_of_all(y, one_without_intercept=not self.fit_intercept)

    def _train(self, batch: FitProblem, watch: Watcher | None) -> tuple[Learned, Run]:
        """Run the epochs; return the learned state and the run."""
        log, passes = Log(), self._passes(batch)
        rule = PerceptronRule(
            batch.panel,
            passes,
            rate=batch.rate,
            misses_samples=self.order == "random",
            mark=None if isinstance(passes, Shards) or not self.notices_cycles else passes.mark,
        )
        run_until = partial(
            train, rule, batch.epochs, logs=[log], steady=self.order == "cyclic", watch=watch
        )
        if not self.certify:
            run_until(self.max_iter)
            return self._result(batch, log)
        proofs = self._proofs(batch)
        run_until(min(self.max_iter, _EPOCHS_BEFORE_PROOFS))
        if log.outcome in (Outcome.BUDGET, Outcome.CYCLING):
            proofs.decide()
            run_until(self.max_iter)
        return self._result(batch, log, proofs)

    def _proofs(self, batch: FitProblem) -> Proofs | JointProofs:
        """Return the object that finds certificates for the samples."""
        kind = Proofs if batch.panel.problem.own is None else JointProofs
        return kind(batch, fit_intercept=self.fit_intercept)

    @property
    def notices_cycles(self) -> bool:
        """Whether a run stops when its weights return to an earlier epoch's.

        In a fixed order of visits it would repeat forever, but an average or a vote would still change.
        """
        can_repeat = self.keep in ("auto", "last", "pocket")
        return self.order == "cyclic" and can_repeat and self.shards == 1

    def _passes(self, batch: FitProblem) -> KeepingBlocks | Shards | Blocks:
        """Return the object that runs passes of the panel over the samples."""
        if batch.keeping is not None:
            return batch.keeping
        n_jobs = n_threads(self.n_jobs)
        if self.shards > 1:
            shards = ArrayShards(batch.panel, self.shards, self.order, batch.seed, n_jobs)
            return Shards(batch.panel, shards.run_round)
        return Blocks(batch.panel, n_jobs)

    def _result(
        self, batch: FitProblem, log: Log, proofs: Proofs | JointProofs | None = None
    ) -> tuple[Learned, Run]:
        """Return the learned state and the run, with certificates from ``proofs`` if there are any."""
        learned, panel = batch.learned(is_over=True), batch.panel
        if self.keep == "auto" and self.shards == 1 and isinstance(learned.kept, Average):
            is_clean = log.outcome is Outcome.SEPARATED
            learned = replace(learned, kept=replace(learned.kept, decides=not is_clean))
        cycles = bool(panel.cycling.any())
        if cycles and proofs is None and panel.problem.rows.values.size <= _FEW_NUMBERS:
            proofs = self._proofs(batch)
            proofs.prove_from_cycles()
        run = Run(
            outcome=self._outcome(batch, learned, log.outcome),
            history=log.history,
            n_exact=log.n_exact,
            ledger=batch.ledger(
                fit_intercept=self.fit_intercept,
                order=self.order,
                keep=self.keep,
                shards=int(self.shards),
            ),
            margins=batch.margins(),
            certificates=None if proofs is None else proofs.certificates(search=self.certify),
            conflicts=None if proofs is None else proofs.conflicts(),
            cycles=batch.cycles if cycles else None,
        )
        return learned, run

    def _outcome(self, batch: FitProblem, learned: Learned, outcome: Outcome) -> Outcome:
        """Return the run's outcome, corrected if an average, vote or mixture decides differently."""
        if outcome is Outcome.SEPARATED:
            if isinstance(learned.kept, Votes):
                return Outcome.VOTED if batch.outvotes(learned.kept) else outcome
            if self.keep in AVERAGED and batch.errs(learned.deciding):
                return Outcome.AVERAGED
        if outcome is Outcome.BUDGET and (self.shards > 1 or self._ends_averaged):
            # The weights that decide may be right about all samples despite updates in the last epoch.
            return self._budget_outcome if batch.errs(learned.deciding) else Outcome.SEPARATED
        return outcome

    @property
    def _ends_averaged(self) -> bool:
        """Whether the epoch limit is the ordinary end of a run: an average of margin updates."""
        return self.keep in AVERAGED and self.margin != 0.0

    @property
    def _budget_outcome(self) -> Outcome:
        """The outcome of a run that ended at the epoch limit and misclassifies samples."""
        if self._ends_averaged:
            return Outcome.AVERAGED
        return Outcome.MIXED if self.shards > 1 else Outcome.BUDGET

    @property
    def required_margin_(self) -> float:
        """The margin in effect: the parameter, or its measured value if that is "auto"."""
        return self._state.margin


def _check_seen(problem: Problem) -> None:
    """Raise InputError if some halfspace would have no sample of nonzero weight."""
    if problem.sees_no_sample:
        raise InputError(
            "sample_weight and class_weight are zero for every sample: there is nothing to learn"
        )
