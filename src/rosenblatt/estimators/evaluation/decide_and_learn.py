"""The main job: decide whether the classes are separable, then learn what can be learned.

Where a hyperplane separates them, epochs run until one makes no mistake, and the theorem says beforehand
how many mistakes there can be. Where nothing separates them, the average of all weights is learned, and
its error is counted on samples kept aside. What could not be decided in time is learned as if it were
separable, within the budget of epochs.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from rosenblatt.core.checks import whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike
from rosenblatt.estimators.evaluation.guarantee import Guarantee, guarantee
from rosenblatt.estimators.evaluation.held_out import HeldOut, held_out
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.separability.checked_input import as_samples
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.loop import Watcher

# A budget of seconds to a minute or two: an epoch costs time for each visit and some of its own.
_MOST_EPOCHS = 1_000_000
_MOST_VISITS = 200_000_000

# Where nothing separates: the more samples, the sooner the average stops changing.
_FEWEST_AVERAGED = 10
_MOST_AVERAGED = 1000
_AVERAGED_VISITS = 100_000


@dataclass(frozen=True)
class Report:
    """What was guaranteed about the samples before learning, and what came of it.

    Attributes
    ----------
    learner : Perceptron
        The learner, fitted.
    guarantee : Guarantee
        Whether each halfspace can be learned, and after how many mistakes at most.
    held_out : HeldOut or None
        The error on samples kept aside, where nothing separates the classes.
    training_mistakes : int
        How many of the samples what was learned puts into another class.
    """

    learner: Perceptron
    guarantee: Guarantee
    held_out: HeldOut | None
    training_mistakes: int


class Progress:
    """Shows how the main job goes on: this one shows nothing."""

    def stage(self, _text: str) -> AbstractContextManager[None]:
        """Show that something without a measure of progress is going on."""
        return nullcontext()

    def epochs(
        self, _most: int, _mistake_bound: int | None
    ) -> AbstractContextManager[Watcher | None]:
        """Show epochs as they pass, towards the bound on mistakes if there is one."""
        return nullcontext()


def decide_and_learn(
    X: MatrixLike,
    y: LabelsLike,
    learner: Perceptron | None = None,
    *,
    max_epochs: int | None = None,
    order: str | None = None,
    time_limit: float | None = None,
    hold_out: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Decide whether the classes are separable, learn, and report.

    Parameters
    ----------
    X, y : samples and labels
    learner : Perceptron or None, default=None
        Its parameters are used, and it is fitted; ``max_iter``, ``order`` and, where nothing separates
        the classes, ``keep`` are set here. What is guaranteed is about halfspaces that each learn alone,
        from samples of equal weight: other learners are refused.
    max_epochs : int or None, default=None
        The most epochs; None: a budget of seconds to a minute or two.
    order : {"cyclic", "shuffle", "random"} or None, default=None
        None is the cyclic one of the theorem where the classes are separable, and shuffled where they
        are not: an average is misled by samples that are sorted by label.
    time_limit : float or None, default=None
        Seconds for deciding.
    hold_out : bool, default=True
        Where nothing separates the classes, learn first without a fifth of the samples.
    progress : Progress or None, default=None
        Shows what is going on.

    Examples
    --------
    >>> from rosenblatt import decide_and_learn
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> report = decide_and_learn(X, ["no", "no", "no", "yes"])
    >>> print(report.learner.n_mistakes_, "of at most", report.guarantee.mistake_bound)
    18 of at most 51
    >>> decide_and_learn(X, ["no", "yes", "yes", "no"]).learner.outcome_.name
    'INSEPARABLE'
    """
    learner = Perceptron() if learner is None else learner
    progress = Progress() if progress is None else progress
    most = None if max_epochs is None else whole("max_epochs", max_epochs, 1)
    learner.max_iter, learner.order = most or 1, order or "cyclic"
    _check_learner(learner)
    table, y, _ = as_samples(X, y)
    with progress.stage("deciding whether the classes are separable"):
        guaranteed = guarantee(learner, table, y, time_limit)
    tested, proofs = None, []
    if guaranteed.verdict is Verdict.INSEPARABLE:
        learner.keep, learner.order = "average", order or "shuffle"
        epochs = min(_MOST_AVERAGED, max(_FEWEST_AVERAGED, _AVERAGED_VISITS // len(y)))
        learner.max_iter, proofs = most or epochs, guaranteed.separations
        if hold_out:
            with progress.stage("learning without a fifth of the samples"):
                tested = held_out(learner, table, y, learner.random_state)
    else:
        learner.max_iter = most or min(_MOST_EPOCHS, max(1, _MOST_VISITS // len(y)))
    with progress.epochs(learner.max_iter, guaranteed.mistake_bound) as watch:
        learner.fit_watched(X, y, watch, proofs)
    return Report(learner, guaranteed, tested, int((learner.predict(X) != y).sum()))


def _check_learner(learner: Perceptron) -> None:
    """Raise unless the learner's parameters are accepted, and `guarantee` speaks of such a learner."""
    learner.check_parameters()
    for name, accepted in (("multiclass", "one-vs-rest"), ("class_weight", None), ("shards", 1)):
        value = getattr(learner, name)
        if value != accepted:
            raise InputError(
                f"the learner has {name}={value!r}: what is guaranteed before learning is about "
                f"{name}={accepted!r}"
            )
