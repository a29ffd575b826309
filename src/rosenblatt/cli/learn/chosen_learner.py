"""The learner that the options of `rosenblatt learn` ask for."""

from collections.abc import Sequence
from typing import Any

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.core.types import Labels
from rosenblatt.io.samples.label_text import label_texts, some_labels

_CLASSES = {
    "auto": ("rosenblatt.estimators.evaluation.default_learner", "default_learner"),
    "perceptron": ("rosenblatt.estimators.perceptron", "Perceptron"),
    "passive-aggressive": ("rosenblatt.estimators.passive_aggressive", "PassiveAggressive"),
    "winnow": ("rosenblatt.estimators.winnow", "Winnow"),
    "kernel": ("rosenblatt.estimators.kernel_perceptron", "KernelPerceptron"),
    "max-margin": ("rosenblatt.estimators.max_margin", "MaxMargin"),
}
# Options whose names differ from the parameter's.
_OPTIONS = {"max_iter": "--max-epochs", "fit_intercept": "--no-intercept"}


def new_learner(name: str, **options: Any) -> Any:
    """Return a learner with these parameters; None means its own default.

    "auto" is the default learner. Raise if the learner does not have an option. Winnow is "balanced"
    because its other variants need values from 0 to 1, which few columns have. Passive-aggressive
    classes learn jointly, with a C from the data, which needs all classes and samples in advance.
    """
    from importlib import import_module

    from rosenblatt.estimators.evaluation.default_learner import adjust

    module, kind = _CLASSES[name]
    learner = getattr(import_module(module), kind)()
    if name == "winnow":
        learner.variant = "balanced"
    elif name == "passive-aggressive":
        learner.multiclass, learner.C = "joint", "auto"
    for option, value in options.items():
        if value is not None:
            check_option(name, learner, option)
            setattr(learner, option, getattr(value, "value", value))
    if name == "auto":
        adjust(learner)
    learner.check_parameters()
    return learner


def check_option(name: str, learner: Any, option: str) -> None:
    """Raise unless the learner has a parameter."""
    if option not in learner.get_params():
        name_of_option = _OPTIONS.get(option, f"--{option.replace('_', '-')}")
        raise InputError(
            f"{name_of_option} is not an option of --learner {name}: leave one of them out"
        )


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
                f"--class-weight {text!r:.60}: use balanced alone, or LABEL=WEIGHT with a finite weight "
                "of at least 0"
            )
        if label not in by_text:
            raise InputError(
                f"--class-weight {text!r:.60}: there is no class {label!r:.60}; the classes are "
                f"{some_labels(by_text)}"
            )
        weights[by_text[label]] = float(weight)
    return weights
