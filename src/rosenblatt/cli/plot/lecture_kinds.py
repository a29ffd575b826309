"""Pictures of the lectures: unit, weights, capacity, criterion and cards."""

import re
from typing import Annotated, Any

import typer

from rosenblatt.cli.learn.learn_command import Keep, Order
from rosenblatt.cli.options import NoIntercept
from rosenblatt.cli.plot.example_samples import (
    LabelledSamples,
    conjunction,
    handwritten_digits,
    worked_samples,
)
from rosenblatt.cli.plot.kind_command import picture
from rosenblatt.cli.plot.run_options import (
    MaxEpochs,
    OneClass,
    Seed,
    VisitOrder,
    chosen_class,
    fitted,
)
from rosenblatt.cli.start_weights import StartWeights, start_numbers, start_parts
from rosenblatt.core.errors import InputError

_DIMENSIONS = (5, 20, 100)

_UPHILL = "-2,1.4"
"""Where the descent on the example starts, nearly opposite to where it ends."""


def _sides(shape: str) -> tuple[int, int]:
    """Return the height and the width of images.

    >>> _sides("28x32")
    (28, 32)
    """
    found = re.fullmatch("([1-9][0-9]{0,5})x([1-9][0-9]{0,5})", shape)
    if found is None:
        raise InputError(f"--shape {shape!r:.60} is not accepted: use HEIGHTxWIDTH, such as 28x28")
    return int(found[1]), int(found[2])


def _checked_shape(shape: str | None) -> str | None:
    """Raise, before samples are read, unless the shape is one."""
    if shape is not None:
        _sides(shape)
    return shape


@picture(conjunction)
def unit(
    samples: LabelledSamples,
    one_class: OneClass = None,
    order: VisitOrder = Order.cyclic,
    max_epochs: MaxEpochs = 1000,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw what a perceptron has learned as a threshold unit."""
    from rosenblatt.plots import UnitDisplay

    label = chosen_class(samples, one_class)
    learner = fitted(samples, order, max_epochs, no_intercept, seed)
    return UnitDisplay.from_estimator(learner, label=label, names=samples.names)


@picture(handwritten_digits)
def weights(
    samples: LabelledSamples,
    shape: Annotated[
        str | None,
        typer.Option(
            help="HEIGHTxWIDTH of the images, such as 28x28; by default they are square.",
            callback=_checked_shape,
            show_default=False,
        ),
    ] = None,
    keep: Annotated[Keep, typer.Option(help="Which weights of the run.")] = Keep.average,
    order: VisitOrder = Order.cyclic,
    max_epochs: MaxEpochs = 10,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw the weights of each class as an image."""
    from rosenblatt.plots import WeightsDisplay

    sides = None if shape is None else _sides(shape)
    learner = fitted(samples, order, max_epochs, no_intercept, seed, keep=keep.value)
    return WeightsDisplay.from_estimator(learner, shape=sides)


@picture()
def capacity(
    dimensions: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            help="A number of dimensions; may be repeated; by default 5, 20 and 100.",
            show_default=False,
        ),
    ] = None,
) -> Any:
    """Draw what part of all labelings is separable."""
    from rosenblatt.plots import CapacityDisplay

    return CapacityDisplay.from_dimensions(dimensions or _DIMENSIONS)


@picture(worked_samples)
def criterion(
    samples: LabelledSamples,
    start_weights: StartWeights = None,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 0.1,
    max_epochs: MaxEpochs = 100,
) -> Any:
    """Draw the perceptron criterion, and a way down it.

    Two features are learned without an intercept, one feature with it.
    """
    from rosenblatt.estimators.criterion_descent import CriterionDescent
    from rosenblatt.plots import CriterionDisplay

    n_features = samples.X.shape[1]
    if start_weights is None and samples.file is None:
        start_weights = _UPHILL
    numbers = None if start_weights is None else start_numbers(start_weights)
    coef, intercept = start_parts(numbers, n_features, n_features != 1)
    start = {"coef_init": coef, "intercept_init": intercept}
    learner = CriterionDescent(eta0=eta0, max_iter=max_epochs, fit_intercept=n_features == 1)
    learner.fit(samples.X, samples.y, **start)
    return CriterionDisplay.from_estimator(learner, samples.X, samples.y, **start)


@picture()
def cards(
    number: Annotated[int, typer.Option(min=1, max=50, help="How many cards are shown.")] = 10,
    noise: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of photocells that are wrong.")
    ] = 0.0,
    units: Annotated[int, typer.Option(min=1, help="The number of association units.")] = 1000,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seeds the wiring and the cards.")
    ] = 0,
) -> Any:
    """Draw what the machine of 1958 says of its first cards."""
    import numpy as np

    from rosenblatt.lectures.mark1 import Mark1, draw_cards
    from rosenblatt.plots import CardsDisplay

    machine, drawn = Mark1(n_units=units, seed=seed), draw_cards(np.random.default_rng(seed), noise)
    return CardsDisplay.from_cards([machine.show(next(drawn)) for _ in range(number)])
