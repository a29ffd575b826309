"""Pictures of samples and their separators: plane, separators, update and movie."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.learn.learn_command import Learner, Order
from rosenblatt.cli.options import NoIntercept
from rosenblatt.cli.plot.example_samples import (
    LabelledSamples,
    irises,
    name_axes,
    sepals,
    worked_samples,
)
from rosenblatt.cli.plot.kind_command import picture
from rosenblatt.cli.plot.run_options import MaxEpochs, Seed, VisitOrder

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.lectures.trace import Trace


@picture(sepals)
def plane(
    samples: LabelledSamples,
    learner: Annotated[
        Learner | None,
        typer.Option(help="Draw what this learner learns instead.", show_default=False),
    ] = None,
    no_intercept: NoIntercept = False,
) -> Any:
    """Draw samples and the separator of maximum margin.

    Where nothing separates them: the hulls of the classes, and a point where they meet.
    """
    from rosenblatt.cli.learn.chosen_learner import new_learner
    from rosenblatt.plots import PlaneDisplay
    from rosenblatt.separability.separate import separate

    X, y = samples.X, samples.y
    if learner is None:
        found = separate(X, y, fit_intercept=not no_intercept)
        return name_axes(PlaneDisplay.from_separation(found, X, y), samples.names)
    chosen = new_learner(learner.value, fit_intercept=False if no_intercept else None)
    return name_axes(PlaneDisplay.from_estimator(chosen.fit(X, y), X, y), samples.names)


@picture(irises)
def separators(samples: LabelledSamples, max_epochs: MaxEpochs = 100, seed: Seed = 0) -> Any:
    """Draw many separators of the same samples.

    The last, average, pocket and voted weights of a run, and maximum margin, with their margins.
    """
    from rosenblatt.plots import SeparatorsDisplay

    display = SeparatorsDisplay.from_samples(
        samples.X, samples.y, max_iter=max_epochs, random_state=seed
    )
    return name_axes(display, samples.names)


@picture(worked_samples)
def update(
    samples: LabelledSamples,
    number: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Which update, counted from 1; by default the first of weights that are not zero.",
            show_default=False,
        ),
    ] = None,
    order: VisitOrder = Order.cyclic,
    max_epochs: MaxEpochs = 10,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> Any:
    """Draw one update of a run as vectors."""
    from rosenblatt.plots import UpdateDisplay

    run = _traced(samples, order, max_epochs, no_intercept, seed)
    updates = [visit for visit in run if visit.update]
    from_some = (
        k for k, one in enumerate(updates, start=1) if any(one.weights_before[run.has_intercept :])
    )
    return UpdateDisplay.from_trace(run, update=number or next(from_some, 1))


@picture(worked_samples, moves=True)
def movie(
    samples: LabelledSamples,
    path: Path,
    frames_per_second: Annotated[
        float, typer.Option(min=0.1, max=60.0, help="How many updates are shown in a second.")
    ] = 2.0,
    order: VisitOrder = Order.cyclic,
    max_epochs: MaxEpochs = 10,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> None:
    """Animate a run in the plane, as .gif or .mp4."""
    from rosenblatt.plots import animate

    run = _traced(samples, order, max_epochs, no_intercept, seed)
    animate(run, path, frames_per_second=frames_per_second)


def _traced(
    samples: LabelledSamples, order: Order, max_epochs: int, no_intercept: bool, seed: int
) -> "Trace":
    from rosenblatt.lectures.trace import trace, worked_example

    parameters = {
        "order": order.value,
        "max_iter": max_epochs,
        "fit_intercept": not no_intercept,
        "random_state": seed,
    }
    if samples.file is None:
        return worked_example(**parameters)
    return trace(samples.X, samples.y, **parameters)
