"""Pictures of a run: run, mistakes, margin, lives and ledger."""

from typing import Any

from rosenblatt.cli.learn.learn_command import Order
from rosenblatt.cli.options import NoIntercept
from rosenblatt.cli.plot.example_samples import LabelledSamples, sepals
from rosenblatt.cli.plot.kind_command import picture
from rosenblatt.cli.plot.run_options import (
    MaxEpochs,
    OneClass,
    Seed,
    VisitOrder,
    chosen_class,
    fitted,
)

_EPOCHS = 10_000


@picture(sepals)
def run(
    samples: LabelledSamples,
    order: VisitOrder = Order.shuffle,
    max_epochs: MaxEpochs = _EPOCHS,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw the convergence theorem's proof along a run.

    Lengths of the weights, angles to a separator, and mistakes, all of them between their bounds.
    """
    from rosenblatt.plots import ConvergenceDisplay

    learner = fitted(samples, order, max_epochs, no_intercept, seed, record=True)
    return ConvergenceDisplay.from_estimator(learner, samples.X, samples.y)


@picture(sepals)
def mistakes(
    samples: LabelledSamples,
    order: VisitOrder = Order.shuffle,
    max_epochs: MaxEpochs = _EPOCHS,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw how many mistakes each epoch makes."""
    from rosenblatt.plots import MistakesDisplay

    learner = fitted(samples, order, max_epochs, no_intercept, seed)
    return MistakesDisplay.from_estimator(learner)


@picture(sepals)
def margin(
    samples: LabelledSamples,
    order: VisitOrder = Order.shuffle,
    max_epochs: MaxEpochs = _EPOCHS,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw the interval on the maximum margin that a run proves."""
    from rosenblatt.plots import MarginDisplay

    learner = fitted(samples, order, max_epochs, no_intercept, seed)
    return MarginDisplay.from_estimator(learner)


@picture(sepals)
def lives(
    samples: LabelledSamples,
    one_class: OneClass = None,
    order: VisitOrder = Order.shuffle,
    max_epochs: MaxEpochs = 100,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw how many visits each hypothesis of a run lives."""
    from rosenblatt.plots import LivesDisplay

    label = chosen_class(samples, one_class)
    learner = fitted(samples, order, max_epochs, no_intercept, seed, keep="vote")
    return LivesDisplay.from_estimator(learner, label=label)


@picture(sepals)
def ledger(
    samples: LabelledSamples,
    order: VisitOrder = Order.shuffle,
    max_epochs: MaxEpochs = _EPOCHS,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw how often, and when, each sample was mistaken."""
    from rosenblatt.plots import LedgerDisplay

    learner = fitted(samples, order, max_epochs, no_intercept, seed, record=True)
    return LedgerDisplay.from_estimator(learner)
