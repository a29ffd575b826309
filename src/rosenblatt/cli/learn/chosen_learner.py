"""The learner that the options of `rosenblatt learn` ask for."""

from collections.abc import Sequence
from typing import Any

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.core.types import Labels
from rosenblatt.io.samples.label_text import label_texts, some_labels

_HOMES = {
    "perceptron": ("rosenblatt.estimators.perceptron", "Perceptron"),
    "passive-aggressive": ("rosenblatt.estimators.passive_aggressive", "PassiveAggressive"),
    "winnow": ("rosenblatt.estimators.winnow", "Winnow"),
    "kernel": ("rosenblatt.estimators.kernel_perceptron", "KernelPerceptron"),
    "max-margin": ("rosenblatt.estimators.max_margin", "MaxMargin"),
}
# Options that are not called as the parameter is.
_SAID = {"max_iter": "--max-epochs", "fit_intercept": "--no-intercept"}


def new_learner(name: str, **options: Any) -> Any:
    """Return a learner with these parameters; None means its own default.

    An option that the learner does not have is refused, not ignored. Winnow's other variants take
    values from 0 to 1 only, which columns seldom are.
    """
    from importlib import import_module

    home, kind = _HOMES[name]
    learner = getattr(import_module(home), kind)()
    if name == "winnow":
        learner.variant = "balanced"
    for option, value in options.items():
        if value is not None:
            check_option(name, learner, option)
            setattr(learner, option, getattr(value, "value", value))
    learner.check_parameters()
    return learner


def check_option(name: str, learner: Any, option: str) -> None:
    """Raise unless the learner has a parameter."""
    if option not in learner.get_params():
        said = _SAID.get(option, f"--{option.replace('_', '-')}")
        raise InputError(f"{said} is not an option of --learner {name}: leave one of them out")


def class_weights(texts: Sequence[str], classes: Labels) -> str | dict[Any, float]:
    """Return the weights of classes, from "balanced" or "LABEL=WEIGHT" for some of them."""
    if list(texts) == ["balanced"]:
        return "balanced"
    by_text = dict(zip(label_texts(classes).tolist(), classes.tolist(), strict=True))
    weights = {}
    for text in texts:
        label, sign, weight = text.rpartition("=")
        if not sign or number_fault(weight) or float(weight) < 0.0:
            raise InputError(
                f"--class-weight {text!r:.60} is not accepted: use balanced alone, or LABEL=WEIGHT, "
                "with a finite weight of at least 0"
            )
        if label not in by_text:
            raise InputError(
                f"--class-weight {text!r:.60}: there is no class {label!r:.60}; the classes are "
                f"{some_labels(by_text)}"
            )
        weights[by_text[label]] = float(weight)
    return weights
