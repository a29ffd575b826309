"""The parts of a fitted model: the steps before the learner, the learner, and all names."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Floats, Labels
from rosenblatt.estimators.common.dual_classifier import DualClassifier
from rosenblatt.estimators.common.linear_classifier import LinearClassifier
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.training.deciders.vote_record import Votes

SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer")
"""Steps that turn each column into one column."""


@dataclass(frozen=True)
class Parts:
    """The steps before the learner, with their names, and the learner."""

    steps: tuple[tuple[str, Any], ...]
    learner: Any

    @property
    def encoder(self) -> TableEncoder | None:
        """The step that encodes the table as numbers, if any."""
        return next((step for _, step in self.steps if isinstance(step, TableEncoder)), None)


@dataclass(frozen=True)
class Weights:
    """Linear weights: one row of ``coef`` per halfspace, whose positive class is in ``positives``.

    ``features`` names the columns of ``coef``, ``columns`` those of the table; ``origins`` has the index
    of the table's column for each feature.
    """

    positives: Labels
    coef: Floats
    intercept: Floats
    features: list[str]
    columns: list[str]
    origins: list[int]


def parts_of(model: Any) -> Parts:
    """Return the parts of a model; raise if it is not fitted.

    >>> from rosenblatt import Perceptron
    >>> parts_of(Perceptron().fit([[-1.0], [1.0]], [0, 1])).learner
    Perceptron()
    """
    steps = model.steps if isinstance(model, Pipeline) else [("", model)]
    *before, (_, learner) = steps
    if not isinstance(learner, LinearClassifier | DualClassifier):
        raise InputError(f"this {type(learner).__name__} is not one of rosenblatt's learners")
    if not hasattr(learner, "classes_") or not all(hasattr(s, "n_features_in_") for _, s in before):
        raise InputError(f"this {type(model).__name__} has not learned anything yet")
    return Parts(tuple(before), learner)


def names_in_notes(notes: dict[str, Any]) -> list[str] | None:
    """Return the feature names in the notes of a model file, or None."""
    names = notes.get("feature_names")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return None


def column_names(parts: Parts, names: list[str] | None = None) -> list[str]:
    """Return the names of the model's input columns; x0, x1, … if they are unknown.

    ``names``, for example from the notes in a model file, are used if the model itself has none.
    """
    first = parts.steps[0][1] if parts.steps else parts.learner
    if isinstance(first, TableEncoder):
        return [column.name for column in first.columns_]
    own = getattr(first, "feature_names_in_", None)
    if own is not None:
        return [str(name) for name in own]
    if names is not None and len(names) == first.n_features_in_:
        return names
    return [f"x{k}" for k in range(first.n_features_in_)]


def weights_of(parts: Parts, names: list[str] | None = None) -> Weights:
    """Return the weights by name; raise if the model has no linear weights.

    >>> from rosenblatt import Perceptron
    >>> model = Perceptron().fit([[-1.0, 0.0], [1.0, 2.0]], ["left", "right"])
    >>> weights = weights_of(parts_of(model))
    >>> weights.positives.tolist(), weights.features, weights.coef.tolist()
    (['right'], ['x0', 'x1'], [[2.0, 2.0]])
    """
    learner, columns = parts.learner, column_names(parts, names)
    if not isinstance(learner, LinearClassifier):
        raise InputError(
            f"a {type(learner).__name__} has no weights for the columns: its score is a sum over "
            "support samples"
        )
    learned, _ = learner.state
    assert learned is not None  # checked by parts_of
    if isinstance(learned.kept, Votes):
        raise InputError(
            f"a {type(learner).__name__} with keep='vote' has no weights for the columns: all "
            "hypotheses of its run vote"
        )
    features, origins = columns, list(range(len(columns)))
    for name, step in parts.steps:
        if isinstance(step, TableEncoder):
            origins = [origins[k] for k in step.columns_of_features()]
            features = step.get_feature_names_out().tolist()
        elif type(step).__name__ not in SCALERS:
            raise InputError(
                f"there are no weights for the columns: the step {quoted(name)}, of the class "
                f"{type(step).__name__}, mixes columns"
            )
    classes = learned.classes
    return Weights(
        np.asarray(classes.positives[classes.used]),
        learner.coef_,
        learner.intercept_,
        features,
        columns,
        origins,
    )
