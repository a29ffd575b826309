"""Linear threshold learners that prove what they say.

>>> from rosenblatt import Perceptron
>>> Perceptron().fit([[-1.0], [1.0]], ["left", "right"]).predict([[0.5]])
array(['right'], dtype='<U5')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
    from rosenblatt.errors import InputError
    from rosenblatt.estimators.cross_validation import cross_validate
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
    from rosenblatt.estimators.max_margin import MaxMargin
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.model_file import load, save
    from rosenblatt.outcomes import Outcome
    from rosenblatt.separability.feature_space import separate_in_feature_space
    from rosenblatt.separability.separate import separate
    from rosenblatt.separability.verdicts import Verdict
    from rosenblatt.tracing import trace

__version__ = "0.1.0"

# Where each public name lives. They are imported on first use, so that the command line can answer
# `--help` without loading a compiler.
_HOMES = {
    "HullIntersection": "rosenblatt.certificates",
    "InputError": "rosenblatt.errors",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "MaxMargin": "rosenblatt.estimators.max_margin",
    "Outcome": "rosenblatt.outcomes",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "cross_validate": "rosenblatt.estimators.cross_validation",
    "load": "rosenblatt.model_file",
    "SeparatingHyperplane": "rosenblatt.certificates",
    "Verdict": "rosenblatt.separability.verdicts",
    "save": "rosenblatt.model_file",
    "separate": "rosenblatt.separability.separate",
    "separate_in_feature_space": "rosenblatt.separability.feature_space",
    "trace": "rosenblatt.tracing",
}

__all__ = [
    "HullIntersection",
    "InputError",
    "KernelPerceptron",
    "MaxMargin",
    "Outcome",
    "Perceptron",
    "SeparatingHyperplane",
    "Verdict",
    "__version__",
    "cross_validate",
    "load",
    "save",
    "separate",
    "separate_in_feature_space",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
