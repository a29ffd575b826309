"""What the kinds that draw a run ask for, and the perceptron that they draw."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.learn.learn_command import Order
from rosenblatt.cli.plot.example_samples import LabelledSamples
from rosenblatt.core.errors import InputError

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.core.types import LabelLike
    from rosenblatt.estimators.perceptron import Perceptron

VisitOrder = Annotated[Order, typer.Option("--order", help="The order of visits in an epoch.")]
MaxEpochs = Annotated[int, typer.Option("--max-epochs", min=1, help="The most epochs.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Seeds the order.")]
OneClass = Annotated[
    str | None,
    typer.Option(
        "--class", help="Whose halfspace, if there are more than two classes.", show_default=False
    ),
]


def chosen_class(samples: LabelledSamples, name: str | None) -> "LabelLike":
    """Return the class that ``--class`` names, None of two classes; raise unless it is one.

    >>> samples = LabelledSamples([[1], [2], [3]], [1, 2, 3])
    >>> chosen_class(samples, "2")
    2
    """
    import numpy as np

    labels = {str(label): label for label in np.unique(samples.y).tolist()}
    if len(labels) <= 2:
        if name is not None:
            raise InputError(
                f"--class {name!r:.60} is not accepted: two classes have one halfspace, leave it out"
            )
        return None
    if name not in labels:
        given = "" if name is None else f"--class {name!r:.60} is not accepted: "
        known = ", ".join(f"{label:.40}" for label in [*labels][:20])
        raise InputError(
            f"{given}there are {len(labels)} classes, each with a halfspace of its own: say with "
            f"--class which to draw, such as {known}"
        )
    return labels[name]


def fitted(
    samples: LabelledSamples,
    order: Order,
    max_epochs: int,
    no_intercept: bool,
    seed: int,
    **parameters: Any,
) -> "Perceptron":
    """Return a perceptron that has learned the samples."""
    from rosenblatt.estimators.perceptron import Perceptron

    learner = Perceptron(
        order=order.value,
        max_iter=max_epochs,
        fit_intercept=not no_intercept,
        random_state=seed,
        **parameters,
    )
    return learner.fit(samples.X, samples.y)
