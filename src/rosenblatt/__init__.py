"""Linear threshold learners that prove what they say.

>>> from rosenblatt import Perceptron
>>> Perceptron().fit([[-1.0], [1.0]], ["left", "right"]).predict([[0.5]])
array(['right'], dtype='<U5')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import bounds, cluster, lectures, plots
    from rosenblatt.bounds.hyperplane import Hyperplane, Margins
    from rosenblatt.certificates import Digest, HullIntersection, SeparatingHyperplane
    from rosenblatt.core.errors import InputError
    from rosenblatt.estimators.evaluation.cross_validation import cross_validate
    from rosenblatt.estimators.evaluation.decide_and_learn import decide_and_learn
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
    from rosenblatt.estimators.max_margin import MaxMargin
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.estimators.winnow import Winnow
    from rosenblatt.inspection.description import describe
    from rosenblatt.inspection.explanation import explain
    from rosenblatt.io.models.model_file import load, save
    from rosenblatt.io.reading import Samples, SampleStream, read, stream
    from rosenblatt.lectures.convergence import Convergence, convergence
    from rosenblatt.lectures.trace import Trace, trace
    from rosenblatt.separability.feature_space import separate_in_feature_space
    from rosenblatt.separability.results.conflicts import Conflict
    from rosenblatt.separability.results.result import Separation, Separations
    from rosenblatt.separability.results.verdicts import Verdict
    from rosenblatt.separability.separate import separate
    from rosenblatt.tables.encoder import TableEncoder
    from rosenblatt.training.cycle import Cycle
    from rosenblatt.training.history import Epoch, History
    from rosenblatt.training.ledger import Ledger
    from rosenblatt.training.margins import Interval
    from rosenblatt.training.outcomes import Outcome

__version__ = "0.1.0"

# The module of each public name, imported on first use so that `--help` does not load a compiler.
_HOMES = {
    "Conflict": "separability.results.conflicts",
    "Convergence": "lectures.convergence",
    "Cycle": "training.cycle",
    "Digest": "certificates",
    "Epoch": "training.history",
    "History": "training.history",
    "HullIntersection": "certificates",
    "Hyperplane": "bounds.hyperplane",
    "InputError": "core.errors",
    "Interval": "training.margins",
    "KernelPerceptron": "estimators.kernel_perceptron",
    "Ledger": "training.ledger",
    "Margins": "bounds.hyperplane",
    "MaxMargin": "estimators.max_margin",
    "Outcome": "training.outcomes",
    "PassiveAggressive": "estimators.passive_aggressive",
    "Perceptron": "estimators.perceptron",
    "SampleStream": "io.reading",
    "Samples": "io.reading",
    "SeparatingHyperplane": "certificates",
    "Separation": "separability.results.result",
    "Separations": "separability.results.result",
    "TableEncoder": "tables.encoder",
    "Trace": "lectures.trace",
    "Verdict": "separability.results.verdicts",
    "Winnow": "estimators.winnow",
    "convergence": "lectures.convergence",
    "cross_validate": "estimators.evaluation.cross_validation",
    "decide_and_learn": "estimators.evaluation.decide_and_learn",
    "describe": "inspection.description",
    "explain": "inspection.explanation",
    "load": "io.models.model_file",
    "read": "io.reading",
    "save": "io.models.model_file",
    "separate": "separability.separate",
    "separate_in_feature_space": "separability.feature_space",
    "stream": "io.reading",
    "trace": "lectures.trace",
}

# Public modules.
_MODULES = ("bounds", "cluster", "lectures", "plots")

__all__ = [
    "Conflict",
    "Convergence",
    "Cycle",
    "Digest",
    "Epoch",
    "History",
    "HullIntersection",
    "Hyperplane",
    "InputError",
    "Interval",
    "KernelPerceptron",
    "Ledger",
    "Margins",
    "MaxMargin",
    "Outcome",
    "PassiveAggressive",
    "Perceptron",
    "SampleStream",
    "Samples",
    "SeparatingHyperplane",
    "Separation",
    "Separations",
    "TableEncoder",
    "Trace",
    "Verdict",
    "Winnow",
    "__version__",
    "bounds",
    "cluster",
    "convergence",
    "cross_validate",
    "decide_and_learn",
    "describe",
    "explain",
    "lectures",
    "load",
    "plots",
    "read",
    "save",
    "separate",
    "separate_in_feature_space",
    "stream",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"rosenblatt.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
