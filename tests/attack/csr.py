"""Tampered sparse matrices: every entry point refuses them, or computes the right result.

SciPy checks only part of a matrix, and only when it is created; its arrays and flags can be changed
later. Here a tampered matrix that still describes a table is expanded by hand. A segmentation fault, or
an answer that used memory outside the arrays, is a failure.
"""

import math
import random
import warnings
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from attack.data import Json, Label, Model, Samples
from attack.report import Report
from attack.worker import Worker

N_ROWS, N_COLUMNS = 6, 4
LABELS = [0, 1, 1, 0, 1, 0]


class Recipe(NamedTuple):
    """The arrays of a CSR matrix, as lists, its flags, and its class or type."""

    values: list[float]
    indices: list[int]
    indptr: list[int]
    flagged: bool
    wide: bool
    kind: str


def attack_csr(seed: int, count: int) -> Report:
    """Tamper with matrices, and pass them to every entry point."""
    report = Report("sparse matrices", "a ValueError, or the answer for the same table, dense")
    rng = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = sorted(entry_points())
    with Worker(use, seconds=120) as worker:
        for number in range(count):
            if report.is_lost:
                break
            recipe = tampered(rng)
            name = names[number % len(names)]
            report.count("calls")
            table = written_out(recipe)
            answer = worker.call(name, recipe, table)
            where = f"{name} of {recipe}"
            if answer.kind != "value":
                report.fail(f"{answer.kind}, {answer.value}: {where}")
                continue
            found, expected = answer.value
            report.count("refused", found == "ValueError")
            if found != "ValueError" and (table is None or not is_near(found, expected)):
                report.fail(f"{str(found)[:200]}, not {str(expected)[:200]}: {where}")
    report.count("entry points", len(names))
    return report


def tampered(rng: random.Random) -> Recipe:
    """Return a matrix of small whole numbers, usually with something changed."""
    table = [[rng.choice([0, 0, 1, 2, -1]) for _ in range(N_COLUMNS)] for _ in range(N_ROWS)]
    values = [float(x) for row in table for x in row if x]
    indices = [j for row in table for j, x in enumerate(row) if x]
    indptr = [0]
    for row in table:
        indptr.append(indptr[-1] + sum(x != 0 for x in row))
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        change(rng, values, indices, indptr)
    return Recipe(
        values,
        indices,
        indptr,
        rng.random() < 0.5,
        rng.random() < 0.5,
        rng.choice(["matrix", "array", "float32", "int"]),
    )


def change(rng: random.Random, values: list[float], indices: list[int], indptr: list[int]) -> None:
    """Change one thing about a matrix."""
    far = [-1, -(2**31), N_COLUMNS, N_COLUMNS + 1, 10**6, 2**31 - 1, 2**40]
    k = rng.randrange(len(indices)) if indices else 0
    way = rng.randrange(9)
    if way <= 2 and indices:
        indices[k] = rng.choice(far)
    elif way == 3 and indices:
        indices[k] = rng.randrange(N_COLUMNS)  # perhaps twice in a row, or out of order
    elif way == 4:
        indptr[rng.randrange(len(indptr))] = rng.choice([-1, 10**6, 2**31 - 1, len(indices) + 1, 0])
    elif way == 5:
        indptr[-1] += rng.choice([-1, 1, 1000])
    elif way == 6 and values:
        values[k] = rng.choice([float("nan"), float("inf"), 0.0, 64.0])
    elif way == 7 and indices:
        del rng.choice([values, indices, indptr])[-1:]
    else:
        indptr[0] = rng.choice([1, -1])


def written_out(recipe: Recipe) -> list[list[float]] | None:
    """Return the table that a matrix describes, or None if it is invalid."""
    values, indices, indptr = recipe[:3]
    ends = pairwise(indptr)
    if len(indptr) != N_ROWS + 1 or indptr[0] != 0 or any(b < a for a, b in ends):
        return None
    if indptr[-1] > min(len(values), len(indices)):
        return None
    table = [[0.0] * N_COLUMNS for _ in range(N_ROWS)]
    for i in range(N_ROWS):
        for k in range(indptr[i], indptr[i + 1]):
            if not 0 <= indices[k] < N_COLUMNS:
                return None
            table[i][indices[k]] += values[k]
    return table


def matrix_of(recipe: Recipe) -> Samples:
    """Return the matrix: a valid one whose arrays are then replaced."""
    import numpy as np
    import scipy.sparse as sp

    kind = sp.csr_array if recipe.kind == "array" else sp.csr_matrix
    dtype = {"float32": np.float32, "int": np.int64}.get(recipe.kind, np.float64)
    if not all(map(math.isfinite, recipe.values)) and recipe.kind == "int":
        dtype = np.float64
    matrix = kind((N_ROWS, N_COLUMNS), dtype=dtype)
    index = (
        np.int64 if recipe.wide or max(map(abs, recipe.indices), default=0) >= 2**31 else np.int32
    )
    matrix.indices = np.array(recipe.indices, dtype=index)
    matrix.indptr = np.array(recipe.indptr, dtype=index)
    matrix.data = np.array(recipe.values, dtype=dtype)
    if recipe.flagged:
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
    return matrix


def use(name: str, recipe: Recipe, table: list[list[float]] | None) -> tuple[Any, Any]:
    """Return the results of an entry point for a matrix, and for the table that it describes."""
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = entry_points()[name]
        found = answer(run, matrix_of(Recipe(*recipe)))
        dtype = np.float32 if recipe[-1] == "float32" else np.float64
        expected = None if table is None else answer(run, np.array(table, dtype=dtype))
    return found, expected


def answer(run: Callable[[Samples], Json], X: Samples) -> Any:
    """Return the result of a call in comparable form, or "ValueError"."""
    try:
        return plain(run(X))
    except ValueError:
        return "ValueError"


def is_near(found: Json, expected: Any) -> bool:
    """Return whether two results are equal, up to the rounding of float32 scores."""
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(is_near, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        same = found == expected or (math.isnan(found) and math.isnan(expected))
        return same or abs(found - expected) <= 1e-4 * max(1.0, abs(expected))
    return bool(found == expected)


def plain(found: Json) -> Any:
    if hasattr(found, "toarray"):
        found = found.toarray()
    if hasattr(found, "tolist"):
        return found.tolist()
    return [plain(one) for one in found] if isinstance(found, list | tuple) else found


@cache
def entry_points() -> dict[str, Callable[[Samples], Json]]:
    """Return, by name, everything public that takes a sparse matrix."""
    import numpy as np

    from rosenblatt import (
        KernelPerceptron,
        MaxMargin,
        PassiveAggressive,
        Perceptron,
        Winnow,
        bounds,
        cross_validate,
        separate,
        separate_in_feature_space,
        trace,
    )
    from rosenblatt.lectures.criterion import perceptron_criterion
    from rosenblatt.lectures.general_position import in_general_position

    y, many = np.array(LABELS), np.array([0, 1, 2, 0, 1, 2])
    good = np.array(
        [[1, 0, 2, 0], [0, 1, 0, 1], [1, 1, 0, 0], [2, 0, 0, 1], [0, 2, 1, 1], [0, 0, 3, 1.0]]
    )
    learned = {
        "two": Perceptron(max_iter=20, record=True).fit(good, y),
        "many": Perceptron(max_iter=20).fit(good, many),
        "average": Perceptron(max_iter=20, keep="average").fit(good, many),
        "vote": Perceptron(max_iter=20, keep="vote").fit(good, y),
        "passive": PassiveAggressive(max_iter=5).fit(good, many),
        "kernel": KernelPerceptron(max_iter=5).fit(good, y),
        "rbf": KernelPerceptron(kernel="rbf", gamma=0.5, max_iter=5).fit(good, y),
    }
    found: dict[str, Callable[[Samples], Json]] = {}
    for key, model in learned.items():
        found[f"{key}.predict"] = model.predict
        found[f"{key}.decision_function"] = model.decision_function
        found[f"{key}.fit"] = lambda X, model=model: _weights(deepcopy(model).fit(X, y))
        found[f"{key}.partial_fit"] = lambda X, model=model: _weights(
            deepcopy(model).partial_fit(X, y)
        )
    found |= {
        "fit many": lambda X: _weights(Perceptron(max_iter=20).fit(X, many)),
        "fit jointly": lambda X: _weights(Perceptron(max_iter=9, multiclass="joint").fit(X, many)),
        "fit shards": lambda X: _weights(Perceptron(max_iter=9, shards=2, n_jobs=2).fit(X, y)),
        "fit pocket": lambda X: _weights(Perceptron(max_iter=9, keep="pocket").fit(X, y)),
        "fit and certify": lambda X: Perceptron(max_iter=50, certify=True).fit(X, y).outcome_.name,
        "one by one": lambda X: _weights(_one_by_one(Perceptron(), X, y)),
        "predict_one": lambda X: [learned["many"].predict_one(row) for row in _rows(X)],
        "predict_one kernel": lambda X: [learned["kernel"].predict_one(row) for row in _rows(X)],
        "deciding_mistakes": lambda X: [
            learned["vote"].deciding_mistakes(row).samples for row in _rows(X)
        ],
        "replay": lambda X: learned["two"].ledger_.replay(X, y),
        "score": lambda X: learned["two"].score(X, y),
        "winnow": lambda X: _weights(Winnow(variant="balanced", max_iter=5).fit(X, y)),
        "max margin": lambda X: np.round(MaxMargin().fit(X, y).coef_, 4),
        "separate": lambda X: separate(X, y).verdict.name,
        "separate affine": lambda X: separate(X, y, margin="affine").verdict.name,
        "separate exactly": lambda X: separate(X, y, exact=True).squared_margin,
        "separate many": lambda X: separate(X, many).verdict.name,
        "separate in feature space": lambda X: (
            separate_in_feature_space(X, y, degree=2).verdict.name
        ),
        "verify": lambda X: _true(separate(good, y).certificate.verify(X, y)),
        "trace": lambda X: str(trace(X, y, max_iter=5)),
        "criterion": lambda X: perceptron_criterion([1.0, 0.0, 2.0, -1.0, 0.5], X, y),
        "cross_validate": lambda X: cross_validate(Perceptron(max_iter=5), X, y, cv=2)[
            "test_score"
        ],
        "sample_lengths": lambda X: bounds.sample_lengths(X),
        "geometric_margin": lambda X: bounds.geometric_margin(X, y, good[0], 0.5),
        "deviations": lambda X: bounds.deviations(X, y, good[0], 0.5, margin=0.1),
        "margin_class": lambda X: bounds.margin_class(X, y, 0.01).is_empty,
        "general position": lambda X: bool(in_general_position(X)),
    }
    return found


def _weights(model: Model) -> Any:
    if hasattr(model, "dual_coef_"):
        return [model.dual_coef_, model.n_mistakes_]
    try:
        return [model.coef_, model.intercept_, model.n_mistakes_]
    except AttributeError:  # keep="vote" has no single weights
        return model.n_mistakes_


def _true(verdict: bool) -> bool:
    """Treat a false certificate as a refusal: it is false for invalid data."""
    if not verdict:
        raise ValueError
    return verdict


def _rows(X: Samples) -> list[Any]:
    """Return the rows, each as a sparse row with its slice of the matrix's arrays."""
    if not hasattr(X, "toarray"):
        return list(X)
    ends = X.indptr.tolist()
    if len(ends) != N_ROWS + 1 or ends[0] != 0:
        raise ValueError
    rows = []
    for begin, end in pairwise(ends):
        if not 0 <= begin <= end <= min(len(X.indices), len(X.data)):
            raise ValueError
        row = type(X)((1, N_COLUMNS), dtype=X.dtype)
        row.indices, row.data = X.indices[begin:end], X.data[begin:end]
        row.indptr = X.indptr[:2] * 0 + [0, end - begin]
        rows.append(row)
    return rows


def _one_by_one(model: Model, X: Samples, y: list[Label]) -> Any:
    for row, label in zip(_rows(X), y, strict=True):
        model.learn_one(row, label)
    return model
