"""Description of a fitted model: parameters, training run, table columns, and weights by name."""

import inspect
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.inspection.model_parts import Parts, Weights, names_in_notes, parts_of, weights_of
from rosenblatt.tables.columns import Learned, Words

Facts = dict[str, object]
"""Values that can be written as JSON."""


@dataclass(frozen=True)
class ClassWeights:
    """The weights of one halfspace, largest first; its positive class is ``label``."""

    label: object
    intercept: float
    features: list[str]
    values: Floats


@dataclass(frozen=True)
class Description:
    """Facts about a model. ``parameters`` are those that differ from their defaults.

    If the model has no linear weights, ``weights`` is empty and ``no_weights`` says why. ``run`` omits
    facts that are not known.
    """

    name: str
    parameters: Facts
    steps: list[Facts]
    classes: list[object]
    run: Facts
    columns: list[Facts]
    n_features: int
    weights: list[ClassWeights]
    no_weights: str = ""

    def facts(self) -> Facts:
        """Return the description as JSON values."""
        return {
            "model": self.name,
            "parameters": self.parameters,
            "steps": self.steps,
            "classes": self.classes,
            "run": self.run,
            "columns": self.columns,
            "features": self.n_features,
            "weights": [
                {
                    "class": one.label,
                    "intercept": one.intercept,
                    "weights": [
                        {"feature": name, "weight": value}
                        for name, value in zip(one.features, one.values.tolist(), strict=True)
                    ],
                }
                for one in self.weights
            ],
            "no_weights": self.no_weights or None,
        }


def describe(model: Any, notes: Facts | None = None) -> Description:
    """Describe a fitted learner, or a pipeline that ends with one.

    Of the ``notes`` of a model file, only ``feature_names``, ``samples`` and ``seconds`` are used.

    >>> from rosenblatt import Perceptron, describe
    >>> model = Perceptron(eta0=0.5).fit([[-1.0, 0.0], [1.0, 2.0]], ["left", "right"])
    >>> found = describe(model)
    >>> found.name, found.parameters, found.run["mistakes"]
    ('Perceptron', {'eta0': 0.5}, 2)
    >>> found.weights[0].label, found.weights[0].features, found.weights[0].values
    ('right', ['x0', 'x1'], array([1., 1.]))
    """
    notes, parts = notes or {}, parts_of(model)
    learner = parts.learner
    weights, no_weights = _sorted_weights(parts, names_in_notes(notes))
    encoder = parts.encoder
    columns = [] if encoder is None else encoder.columns_
    missing = {} if encoder is None else encoder.missing_counts_
    steps = parts.steps if isinstance(model, Pipeline) else ()
    return Description(
        name=type(learner).__name__,
        parameters=_changed(learner),
        steps=[
            {"name": name, "class": type(step).__name__, "parameters": _changed(step)}
            for name, step in steps
        ],
        classes=learner.classes_.tolist(),
        run=_run_facts(learner, notes),
        columns=[column_facts(column, missing.get(column.name, 0)) for column in columns],
        n_features=learner.n_features_in_,
        weights=weights,
        no_weights=no_weights,
    )


def _changed(estimator: Any) -> Facts:
    """Return the parameters that differ from their defaults."""
    defaults = inspect.signature(type(estimator)).parameters
    return {
        name: _plain(value)
        for name, value in estimator.get_params(deep=False).items()
        if repr(value) != repr(defaults[name].default)
    }


def _plain(value: object) -> object:
    """Return a parameter as a JSON value, or its repr if JSON cannot represent it."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | None) or _is_finite(value) else repr(value)


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _run_facts(learner: Any, notes: Facts) -> Facts:
    run = learner.state[1]
    facts: Facts = {}
    if run is not None:
        facts |= {"outcome": run.outcome.name, "sentence": run.outcome.sentence}
        if run.first_cycle is not None:
            facts["cycle"] = str(run.first_cycle)
        if hasattr(learner, "n_iter_"):
            facts["epochs"] = learner.n_iter_
    facts["mistakes"] = learner.n_mistakes_
    if getattr(learner, "n_updates_", learner.n_mistakes_) != learner.n_mistakes_:
        facts["updates"] = learner.n_updates_
    known = {name: notes.get(name) for name in ("samples", "seconds")}
    return facts | {name: v for name, v in known.items() if isinstance(v, int | float)}


def column_facts(column: Learned, n_missing: int) -> Facts:
    """Return how a column is encoded, as JSON values."""
    facts: Facts = {
        "name": column.name,
        "kind": column.kind,
        "missing": n_missing,
        "width": column.width,
    }
    # the weights of words are too many to be useful
    details = {"words": len(column.words)} if isinstance(column, Words) else asdict(column)
    return facts | {name: value for name, value in details.items() if name not in facts}


def _sorted_weights(parts: Parts, names: list[str] | None) -> tuple[list[ClassWeights], str]:
    """Return the weights of each halfspace, largest first, or why the model has no weights."""
    try:
        weights = weights_of(parts, names)
    except InputError as error:
        return [], str(error)
    return [_of_class(weights, k) for k in range(len(weights.coef))], ""


def _of_class(weights: Weights, k: int) -> ClassWeights:
    row = weights.coef[k]
    order = np.argsort(-np.abs(row), kind="stable")
    return ClassWeights(
        weights.positives[k : k + 1].tolist()[0],
        float(weights.intercept[k]),
        [weights.features[j] for j in order.tolist()],
        row[order],
    )
