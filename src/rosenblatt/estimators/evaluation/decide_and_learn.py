"""The main workflow: decide whether the classes are separable, learn, and measure the error.

The default learner is an average over a fixed number of epochs. If a hyperplane separates the classes,
the one with the largest margin is learned, too, and kept if it is better on held-out samples.

A plain `Perceptron` runs, if a hyperplane separates the classes, until an epoch makes no mistake, and
the convergence theorem bounds the mistakes in advance. If not, the average of all weights is learned. If
the time limit ends the decision, they are learned as if separable, within the budget of epochs.

In each case the error is measured on held-out samples and compared with always guessing the largest
class.
"""

import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.checks import whole_number
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct
from rosenblatt.core.types import Labels, LabelsLike, MatrixLike, is_sparse
from rosenblatt.estimators.evaluation.default_learner import (
    adjust,
    default_epochs,
    default_learner,
    is_default,
)
from rosenblatt.estimators.evaluation.guarantee import Guarantee, bound, guarantee
from rosenblatt.estimators.evaluation.held_out import Split
from rosenblatt.estimators.evaluation.learning_report import Report
from rosenblatt.estimators.evaluation.separator_choice import choose, may_give_way
from rosenblatt.estimators.evaluation.tried_advice import advice
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.separability.checked_input import as_samples
from rosenblatt.separability.leaks import leaks, leaks_text
from rosenblatt.separability.question import ask
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.separate import separate_jointly
from rosenblatt.training.loop import Watcher

# A budget of seconds to a minute or two: an epoch costs time per visit and a fixed overhead.
_MOST_EPOCHS = 1_000_000
_MOST_VISITS = 200_000_000

# For inseparable classes: the more samples, the sooner the average stops changing. On a million mixed
# rows it is as good after three epochs as after ten.
_MOST_AVERAGED = 1000
_AVERAGED_VISITS = 100_000
_FEW_EPOCHS, _MANY_VISITS = 10, 3_000_000
_FEWEST_EPOCHS = 3

# Other models are tried for as long as the run took, or this long: reading the data and starting Python
# take more.
_LEAST_SECONDS = 1.0


class Progress:
    """Displays the progress of `decide_and_learn`; this base class displays nothing."""

    def stage(self, _text: str) -> AbstractContextManager[None]:
        """Show a stage whose progress cannot be measured."""
        return nullcontext()

    def epochs(
        self, _most: int, _mistake_bound: int | None
    ) -> AbstractContextManager[Watcher | None]:
        """Show the epochs, relative to the mistake bound if there is one."""
        return nullcontext()


def decide_and_learn(
    X: MatrixLike,
    y: LabelsLike,
    learner: Any = None,
    *,
    max_epochs: int | None = None,
    order: str | None = None,
    keep: str | None = None,
    time_limit: float | None = None,
    hold_out: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Decide whether the classes are separable, learn, and report.

    Parameters
    ----------
    X, y : samples and labels
    learner : estimator or None, default=None
        The learner to fit, with its parameters; None is the default learner. `decide_and_learn` sets its
        ``max_iter`` and, for a plain `Perceptron`, ``order`` and ``keep``. The mistake bound covers a
        plain `Perceptron` whose halfspaces learn independently from samples of equal weight; for other
        learners there is only the verdict.
    max_epochs : int or None, default=None
        The largest number of epochs; None is 20 for the default learner, or 3 with 30,000 samples or
        more, and for others a budget of seconds to a minute or two.
    order : {"cyclic", "shuffle", "random"} or None, default=None
        None is the default learner's shuffled order. For a plain `Perceptron` it is cyclic, as in the
        theorem, for separable classes and shuffled for others: samples sorted by label would mislead an
        average.
    keep : {"last", "average", "pocket", "vote"} or None, default=None
        None is the average, or the separating hyperplane if that is better. For a plain `Perceptron` it
        is the last weights for separable classes and the average for others.
    time_limit : float or None, default=None
        Seconds for the decision.
    hold_out : bool, default=True
        Also learn without a fifth of the samples, to measure the error on them.
    progress : Progress or None, default=None
        Displays the progress.

    Examples
    --------
    >>> from rosenblatt import Perceptron, decide_and_learn
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> report = decide_and_learn(X, ["no", "no", "no", "yes"], Perceptron())
    >>> print(report.learner.n_mistakes_, "of at most", report.guarantee.mistake_bound)
    18 of at most 51
    >>> decide_and_learn(X, ["no", "yes", "yes", "no"]).learner.outcome_.name
    'INSEPARABLE'
    """
    watch = Stopwatch()
    learner = default_learner() if learner is None else learner
    progress = Progress() if progress is None else progress
    most = None if max_epochs is None else whole_number("max_epochs", max_epochs, 1)
    _check_learner(learner, order=order, keep=keep, max_iter=most)
    if is_default(learner):
        adjust(learner)
    is_plain = isinstance(learner, Perceptron) and not is_default(learner)
    if is_plain:
        learner.max_iter, learner.order, learner.keep = most or 1, order or "cyclic", keep or "last"
    learner.check_parameters()
    one = isinstance(learner, Perceptron) and not learner.fit_intercept
    table, y, _ = as_samples(X, y, accepts_one_label=one)
    leak = _leak(X, table, y)
    with progress.stage("deciding whether the classes are separable"):
        guaranteed = _guaranteed(learner, table, y, time_limit)
    is_separable = guaranteed.verdict is not Verdict.INSEPARABLE
    if is_plain and not is_separable:
        learner.keep, learner.order = keep or "average", order or "shuffle"
    if hasattr(learner, "max_iter"):
        learner.max_iter = most or _budget(learner, len(y), is_separable=is_separable)
    _fit(learner, X, y, guaranteed, progress)
    guaranteed = _bounded(guaranteed, learner)
    # the verdict, which depends on all labels, chooses one of two models
    may_replace = keep is None and may_give_way(learner)
    n_candidates = 2 if may_replace or (is_plain and not (keep and order)) else 1
    split = Split.drawn(table, y, getattr(learner, "random_state", 0)) if hold_out else None
    predicted, choice = None, None
    if split is not None:
        with progress.stage("learning without a fifth of the samples"):
            predicted = split.predicted(learner)
    if may_replace and guaranteed.verdict is Verdict.SEPARABLE:
        with progress.stage("comparing with a separating hyperplane"):
            seconds = max(_LEAST_SECONDS, watch.seconds()) / len(guaranteed.separations)
            learner, predicted, choice = choose(learner, X, y, split, predicted, seconds)
    mistakes = int((learner.predict(X) != y).sum())
    tested, tried = None, None
    if split is not None and predicted is not None:
        tested = split.measured(predicted, n_candidates=n_candidates)
        with progress.stage("trying another learner"):
            tried = advice(split, predicted, learner, max(_LEAST_SECONDS, watch.seconds()))
    return Report(learner, guaranteed, len(y), tested, mistakes, choice, tried, leak)


def _fit(learner: Any, X: MatrixLike, y: Labels, guaranteed: Guarantee, progress: Progress) -> None:
    """Learn from all samples."""
    if isinstance(learner, Perceptron):
        proofs = guaranteed.separations if guaranteed.verdict is Verdict.INSEPARABLE else []
        if not (_theorem_applies(learner) or (is_default(learner) and len(proofs) == 1)):
            proofs = []  # they are about single classes, which are not what this learner separates
        with progress.epochs(learner.max_iter, guaranteed.mistake_bound) as epochs:
            learner.fit_watched(X, y, epochs, proofs)
    else:
        with progress.stage("learning"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the report says how it ended
            learner.fit(X, y)


def _leak(X: MatrixLike, table: MatrixLike, y: Labels) -> str | None:
    """Return a sentence about the columns that separate the classes alone, if any."""
    if is_sparse(table) or table.shape[1] == 1:
        return None
    own = getattr(X, "columns", None)
    names = [f"x{k}" for k in range(table.shape[1])] if own is None else [str(name) for name in own]
    found = leaks(names, lambda k: table[:, k], y)
    if not found:
        return None
    some = [one.column for one in found]
    remedy = f"use TableEncoder(ignore={some})"
    if own is None:
        remedy = f"leave {' and '.join(some)} out of X"
    return leaks_text(found, remedy)


def _check_learner(learner: Any, **given: Any) -> None:
    """Set the given parameters; raise InputError unless this is one of our learners with them."""
    if not hasattr(learner, "check_parameters"):
        raise InputError(
            f"a {type(learner).__name__} is not accepted: give one of rosenblatt's learners"
        )
    for name, value in given.items():
        if value is None:
            continue
        if name not in learner.get_params():
            raise InputError(f"{name}={value!r}: a {type(learner).__name__} has no {name}")
        setattr(learner, name, value)


def _budget(learner: Any, n_samples: int, *, is_separable: bool) -> int:
    """Return the largest number of epochs: as many as time allows if learning stops on its own."""
    if is_default(learner):
        return default_epochs(n_samples)
    if isinstance(learner, Perceptron) and is_separable:
        return min(_MOST_EPOCHS, max(1, _MOST_VISITS // n_samples))
    few = max(_FEWEST_EPOCHS, min(_FEW_EPOCHS, _MANY_VISITS // n_samples))
    own = _MOST_AVERAGED if isinstance(learner, Perceptron) else learner.max_iter
    return min(own, max(few, _AVERAGED_VISITS // n_samples))


def _bounded(guaranteed: Guarantee, learner: Any) -> Guarantee:
    """Add the bound on the updates of a default learner, whose margin `fit` has measured."""
    if not is_default(learner) or learner.class_weight is not None:
        return guaranteed
    if len(guaranteed.separations) > 1 or guaranteed.verdict is not Verdict.SEPARABLE:
        return guaranteed
    measured = clone(learner).set_params(margin=learner.required_margin_)
    return guaranteed._replace(mistake_bound=bound(measured, guaranteed.separations))


def _theorem_applies(learner: Any) -> bool:
    """Return whether the convergence theorem applies to this learner."""
    return (
        isinstance(learner, Perceptron)
        and not is_default(learner)
        and learner.multiclass == "one-vs-rest"
        and learner.class_weight is None
        and learner.shards == 1
    )


def _guaranteed(learner: Any, X: MatrixLike, y: Labels, time_limit: float | None) -> Guarantee:
    """Return the guarantee, without a mistake bound unless the theorem applies."""
    if _theorem_applies(learner):
        return guarantee(learner, X, y, time_limit)
    if hasattr(learner, "kernel"):  # whether a hyperplane separates the samples does not matter
        return Guarantee([], None, Verdict.UNDECIDED)
    is_joint = getattr(learner, "multiclass", "") == "joint" and not is_default(learner)
    if is_joint and len(distinct(y)) > 2:
        question = ask(X, y, fit_intercept=learner.fit_intercept, time_limit=time_limit)
        jointly = separate_jointly(question)
        return Guarantee([jointly], None, jointly.verdict)
    plain = Perceptron(fit_intercept=getattr(learner, "fit_intercept", True))
    if is_default(learner):
        plain.ties = learner.ties
    return guarantee(plain, X, y, time_limit)._replace(mistake_bound=None)
