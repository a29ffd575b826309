"""Linear threshold learners that prove what they say.

>>> from rosenblatt import Perceptron
>>> Perceptron().fit([[-1.0], [1.0]], ["left", "right"]).predict([[0.5]])
array(['right'], dtype='<U5')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import capacity
    from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
    from rosenblatt.core.errors import InputError
    from rosenblatt.estimators.association_layer import AssociationLayer
    from rosenblatt.estimators.criterion import perceptron_criterion
    from rosenblatt.estimators.criterion_descent import CriterionDescent
    from rosenblatt.estimators.evaluation.cross_validation import cross_validate
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
    from rosenblatt.estimators.max_margin import MaxMargin
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.estimators.winnow import Winnow
    from rosenblatt.io.model_file import load, save
    from rosenblatt.lectures.trace import trace
    from rosenblatt.separability.feature_space import separate_in_feature_space
    from rosenblatt.separability.separate import separate
    from rosenblatt.separability.verdicts import Verdict
    from rosenblatt.training.outcomes import Outcome

__version__ = "0.1.0"

# Where each public name lives. They are imported on first use, so that the command line can answer
# `--help` without loading a compiler.
_HOMES = {
    "AssociationLayer": "rosenblatt.estimators.association_layer",
    "CriterionDescent": "rosenblatt.estimators.criterion_descent",
    "HullIntersection": "rosenblatt.certificates",
    "InputError": "rosenblatt.core.errors",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "MaxMargin": "rosenblatt.estimators.max_margin",
    "Outcome": "rosenblatt.training.outcomes",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "cross_validate": "rosenblatt.estimators.evaluation.cross_validation",
    "load": "rosenblatt.io.model_file",
    "perceptron_criterion": "rosenblatt.estimators.criterion",
    "SeparatingHyperplane": "rosenblatt.certificates",
    "Verdict": "rosenblatt.separability.verdicts",
    "Winnow": "rosenblatt.estimators.winnow",
    "save": "rosenblatt.io.model_file",
    "separate": "rosenblatt.separability.separate",
    "separate_in_feature_space": "rosenblatt.separability.feature_space",
    "trace": "rosenblatt.lectures.trace",
}

# Modules that are public as such.
_MODULES = ("capacity",)

__all__ = [
    "AssociationLayer",
    "CriterionDescent",
    "HullIntersection",
    "InputError",
    "KernelPerceptron",
    "MaxMargin",
    "Outcome",
    "PassiveAggressive",
    "Perceptron",
    "SeparatingHyperplane",
    "Verdict",
    "Winnow",
    "__version__",
    "capacity",
    "cross_validate",
    "load",
    "perceptron_criterion",
    "save",
    "separate",
    "separate_in_feature_space",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"rosenblatt.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
