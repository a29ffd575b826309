"""Explanation of a prediction: the contribution of each column to the score."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.estimators.common.linear_classifier import LinearClassifier
from rosenblatt.inspection.model_parts import Parts, Weights, parts_of, weights_of
from rosenblatt.tables.arrow_table import as_table
from rosenblatt.tables.columns import Words


@dataclass(frozen=True)
class Contribution:
    """A column's contribution to a score: the sum of weight · number over its encoded columns.

    ``words`` are the words of a text and what each contributes, largest first; None for other columns.
    """

    column: str
    value: object
    amount: float
    words: tuple[tuple[str, float], ...] | None = None

    def facts(self) -> dict[str, object]:
        """Return the contribution as JSON values."""
        facts = {"column": self.column, "value": _plain(self.value), "contribution": self.amount}
        if self.words is not None:
            facts["words"] = [{"word": word, "contribution": own} for word, own in self.words]
        return facts


@dataclass(frozen=True)
class Explanation:
    """An explained prediction: ``score`` is the intercept plus all contributions, up to rounding.

    With two classes, the score is that of the second class, ``label``: the prediction is ``label`` if
    the score is above 0, and the first class, ``rival``, if it is below. With more classes, the score is
    that of the winning class, and ``lead`` is how far it is above the second-best class, ``rival``.
    """

    prediction: object
    label: object
    score: float
    scores: dict[object, float]
    intercept: float
    contributions: list[Contribution]
    rival: object = None
    lead: float | None = None

    def largest_first(self) -> list[Contribution]:
        """Return the contributions, largest first."""
        return sorted(self.contributions, key=lambda one: -abs(one.amount))

    def facts(self) -> dict[str, object]:
        """Return the explanation as JSON values."""
        return {
            "prediction": self.prediction,
            "class": self.label,
            "score": self.score,
            "scores": [{"class": label, "score": score} for label, score in self.scores.items()],
            "rival": self.rival,
            "lead": self.lead,
            "intercept": self.intercept,
            "contributions": [one.facts() for one in self.largest_first()],
        }


def explain(
    model: Any, table: MatrixLike, row: int, *, names: list[str] | None = None
) -> Explanation:
    """Return what each column of a table contributes to the score of one of its rows.

    The model is a linear learner, or a pipeline of a `TableEncoder` or scalers that ends with one. Rows
    count from 0. ``names`` are the columns' names, if neither the model nor the table has them.

    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from rosenblatt import Perceptron, TableEncoder, explain
    >>> table = pd.DataFrame({"size": [1.0, 3.0], "town": ["Rome", "Oslo"]})
    >>> model = make_pipeline(TableEncoder(categorical=["town"], min_count=1), Perceptron())
    >>> found = explain(model.fit(table, ["small", "large"]), table, 0)
    >>> found.prediction, found.label, found.score
    ('small', 'small', 3.0)
    >>> [(one.column, one.value, one.amount) for one in found.contributions], found.intercept
    ([('size', 1.0, 2.0), ('town', 'Rome', 1.0)], 0.0)
    """
    parts = parts_of(model)
    weights = weights_of(parts, names)
    if parts.learner.multilabel_:
        raise InputError("this model predicts several labels per sample; explain handles only one")
    sample = _row_of(table, row)
    encoded = sample
    for _, step in parts.steps:
        encoded = step.transform(encoded)
    cells = _cells(parts, sample, len(weights.columns))
    texts = [] if parts.encoder is None else parts.encoder.columns_
    words = {k for k, column in enumerate(texts) if isinstance(column, Words)}
    return _explained(parts.learner, weights, encoded, cells, words)


def _explained(
    learner: LinearClassifier,
    weights: Weights,
    encoded: MatrixLike,
    cells: list[object],
    texts: set[int],
) -> Explanation:
    scores = np.atleast_1d(learner.decision_function(encoded)[0])
    prediction = learner.predict(encoded).tolist()[0]
    numbers = encoded.toarray()[0] if is_sparse(encoded) else np.asarray(encoded, np.float64)[0]
    positives = weights.positives.tolist()
    winner = positives.index(prediction) if len(positives) > 1 else 0
    amounts, products = np.zeros(len(weights.columns)), weights.coef[winner] * numbers
    np.add.at(amounts, weights.origins, products)
    used = set(weights.origins)  # excluded columns contribute nothing
    words: dict[int, list[tuple[str, float]]] = {k: [] for k in texts}
    for j in sorted(np.flatnonzero(products).tolist(), key=lambda j: -abs(float(products[j]))):
        if (k := weights.origins[j]) in texts:
            word = weights.features[j].removeprefix(f"{weights.columns[k]}:")
            words[k].append((word, float(products[j])))
    lead = None
    rival = next((label for label in learner.classes_.tolist() if label != positives[winner]), None)
    if len(positives) > 1:
        others = [k for k in range(len(positives)) if k != winner]
        second = max(others, key=lambda k: float(scores[k]))
        rival, lead = positives[second], float(scores[winner] - scores[second])
    return Explanation(
        prediction,
        positives[winner],
        float(scores[winner]),
        dict(zip(positives, scores.tolist(), strict=True)),
        float(weights.intercept[winner]),
        [
            Contribution(*one, tuple(words[k]) if k in texts else None)
            for k, one in enumerate(zip(weights.columns, cells, amounts.tolist(), strict=True))
            if k in used
        ],
        rival,
        lead,
    )


def _row_of(table: MatrixLike, row: int) -> Any:
    """Return one row as a table with the same names and types."""
    if is_sparse(table):
        table = table.tocsr()
    n_rows = table.shape[0] if hasattr(table, "shape") else len(table)
    whole_number("row", row, 0, n_rows - 1)
    if hasattr(table, "iloc"):
        return table.iloc[[row]]
    if hasattr(table, "slice"):  # of Arrow and polars
        return table.slice(row, 1)
    return table[row : row + 1]


def _cells(parts: Parts, sample: Any, n_columns: int) -> list[object]:
    """Return the cells of a table of one row, in the order of the model's columns."""
    if is_sparse(sample):
        return list(sample.toarray()[0].tolist())
    cells: Any
    cells, has_names = as_table(sample)
    first = parts.steps[0][1] if parts.steps else parts.learner
    columns: list[str] | list[int] = list(range(n_columns))
    if has_names and hasattr(first, "feature_names_in_"):
        columns = [str(name) for name in first.feature_names_in_]
    found = set(cells.column_names)
    return [
        cells.column(column)[0].as_py() if isinstance(column, int) or column in found else None
        for column in columns
    ]


def _plain(value: object) -> object:
    """Return a cell as a JSON value: None for NaN and infinity, text for other types."""
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
