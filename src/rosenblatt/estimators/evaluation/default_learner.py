"""The learner that `decide_and_learn` and the command line use by default.

A perceptron that also updates if it is right by a small margin only, for all classes jointly, in a new
order each epoch, and decides by the average of all weights. ``benchmarks/tables.py`` compares it with
logistic regression: on 101 tables it was better on 31 and worse on 10.
"""

from typing import Any

from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.training.deciders.keep import TRACED

_MANY = 30_000


def default_learner() -> Perceptron:
    """Return the default learner, before `fit`.

    >>> is_default(default_learner()), is_default(Perceptron())
    (True, False)
    """
    return Perceptron(margin="auto", multiclass="joint", keep="average", max_iter=default_epochs(0))


def default_epochs(n_samples: int) -> int:
    """Return the number of epochs: with many samples, the average stops changing sooner."""
    return 20 if n_samples < _MANY else 3


def is_default(learner: Any) -> bool:
    """Return whether a learner follows the default rule, perhaps with other parameters."""
    return isinstance(learner, Perceptron) and learner.margin == "auto"


def adjust(learner: Perceptron) -> None:
    """Learn each class against the rest if another parameter of the default learner needs that."""
    if learner.keep in TRACED or learner.ties != "mistake":
        learner.multiclass = "one-vs-rest"
