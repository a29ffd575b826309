"""Fits and streams against the rational twin: the same bits, mistakes and predictions."""

import random
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from attack import data, twin
from attack.data import Json, Samples
from attack.report import Report
from rosenblatt import Perceptron

TIES = {"mistake": 0, "positive": 1, "negative": -1}
SINGLE = ("grid", "halves", "single")
"""Families whose numbers float32 represents exactly."""

SEVERAL_PASSES = ("fit", "stream")
"""The ways that learn all samples at once, so that they may be measured first."""

NAMES = ["ant", "bee", "cat", "dog"]


@dataclass
class Case:
    """A random problem, and how to learn it."""

    X: data.Table
    y: list[int]
    steps: list[float]
    parameters: dict[str, Json]
    storage: str
    way: str

    @property
    def n_classes(self) -> int:
        return max(self.y) + 1

    def describe(self) -> str:
        return (
            f"X={self.X!r} y={self.y!r} steps={self.steps!r} storage={self.storage} way={self.way} "
            f"Perceptron(**{self.parameters!r})"
        )


def attack_fits(seed: int, count: int) -> Report:
    """Compare learners with the twin, which computes in whole numbers."""
    report = Report("fits", "the weights, mistakes and predictions of a rational twin, bit for bit")
    rng = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            case = draw(rng)
            report.count("fits and streams")
            try:
                wrong = compare(case, report)
            except Exception as error:
                wrong = f"raised {type(error).__name__}: {error}"
            report.check(not wrong, f"{wrong}: {case.describe()}")
    return report


def draw(rng: random.Random) -> Case:
    """Draw a problem and a way to learn it."""
    family, n_classes = rng.choice(data.FAMILIES), rng.choice([2, 2, 3, 4])
    n_rows, n_columns = rng.randint(n_classes, 12), rng.randint(1, 5)
    X = data.table(rng, n_rows, n_columns, family)
    y = [*range(n_classes), *(rng.randrange(n_classes) for _ in range(n_rows - n_classes))]
    rng.shuffle(y)
    steps = [1.0] * n_rows
    if rng.random() < 0.3:
        steps = [rng.choice([0.0, 0.5, 1.0, 3.0, rng.random()]) for _ in range(n_rows)]
        steps[rng.randrange(n_rows)] = 1.0
    parameters = {
        "order": "cyclic",
        "fit_intercept": rng.random() < 0.7,
        "ties": rng.choice(["mistake", "mistake", "positive", "negative"]),
        "eta0": rng.choice([1.0, 1.0, 0.5, 0.1, 3.0]),
        "max_iter": rng.choice([1, 5, 30]),
        "n_jobs": 2 if n_classes > 2 and rng.random() < 0.2 else None,
    }
    way = rng.choice(["fit", "fit", "fit", "stream", "named chunks", "chunks", "one by one"])
    parameters["keep"] = rng.choice(["auto", "last", "last", "average"])
    if n_classes > 2 and way != "one by one" and rng.random() < 0.3:
        parameters.update(multiclass="joint", ties="mistake", n_jobs=None)
        way = "named chunks" if way == "chunks" else way
    elif way == "fit" and n_classes == 2 and rng.random() < 0.3:
        parameters["keep"] = rng.choice(["vote", "pocket"])
    if parameters["keep"] != "last":
        parameters["eta0"] = 1.0  # otherwise coef_ shows a multiple of the deciding weights
    if way not in SEVERAL_PASSES:
        parameters["max_iter"] = 1
    margins = [0.0, 0.0, abs(data.number(rng, family)), data.number(rng, family) ** 2]
    parameters["margin"] = rng.choice([*margins, "auto" if way in SEVERAL_PASSES else 0.0])
    storage = rng.choice(["dense", "CSR"]) + (
        " float32" if family in SINGLE and rng.random() < 0.5 else ""
    )
    return Case(X, y, steps, parameters, storage, way)


def stored(X: data.Table, storage: str) -> Samples:
    """Return the table as it is passed to the library."""
    dense = np.array(X, dtype=np.float32 if "float32" in storage else np.float64)
    return sp.csr_matrix(dense) if "CSR" in storage else dense


def learned(case: Case) -> Perceptron:
    """Learn the case with the library."""
    X, y = stored(case.X, case.storage), np.array([NAMES[k] for k in case.y])
    weights = None if set(case.steps) == {1.0} else np.array(case.steps)
    model = Perceptron(**case.parameters)
    if case.way == "fit":
        return model.fit(X, y, sample_weight=weights)
    if case.way == "one by one":
        for i, step in enumerate(case.steps):
            model.learn_one(X[i] if "CSR" in case.storage else X[i].tolist(), y[i], step)
        return model
    size = 1 + len(y) % 5
    parts = [slice(begin, begin + size) for begin in range(0, len(y), size)]
    chunks = [(X[part], y[part], None if weights is None else weights[part]) for part in parts]
    names = NAMES[: case.n_classes] if case.way != "chunks" else None
    if case.way == "stream":
        return model.fit_stream(chunks, passes=case.parameters["max_iter"], classes=names)
    for X_part, y_part, own in chunks:
        model.partial_fit(X_part, y_part, classes=names, sample_weight=own)
    return model


def required_margin(case: Case) -> float:
    """Return the required margin; "auto" is the mean squared length, rounded once, times eta0."""
    eta0 = float(case.parameters["eta0"])
    if case.parameters["margin"] != "auto":
        return float(case.parameters["margin"])
    rows = [row for row, step in zip(case.X, case.steps, strict=True) if step > 0.0]
    total = sum((Fraction(x) ** 2 for row in rows for x in row), Fraction(0))
    return float(total / len(rows) + case.parameters["fit_intercept"]) * eta0


def compare(case: Case, report: Report) -> str:
    """Return how the library differs from the twin, or an empty string."""
    constant = 1.0 if case.parameters["fit_intercept"] else 0.0
    task = twin.Task(
        [[*row, constant] for row in case.X],
        case.steps,
        TIES[case.parameters["ties"]],
        required_margin(case) / case.parameters["eta0"],
        ends_in_cycles=case.way == "fit" and case.parameters["keep"] in ("auto", "last", "pocket"),
    )
    model = learned(case)
    if model.required_margin_ != required_margin(case):
        return f"the margin is {model.required_margin_}, not {required_margin(case)}"
    report.count("mistakes", model.n_mistakes_)
    report.count("exact sums", getattr(model, "n_exact_", 0))
    n_epochs = case.parameters["max_iter"]
    if case.parameters.get("multiclass") == "joint":
        panel, updates, by_epoch = twin.run_jointly(task, case.y, case.n_classes, n_epochs)
    else:
        positives = [1] if case.n_classes == 2 else range(case.n_classes)
        runs = [
            twin.run_one(task, [1 if k == positive else -1 for k in case.y], task.zeros, n_epochs)
            for positive in positives
        ]
        panel = [halfspace for halfspace, _ in runs]
        by_epoch = added([own for _, own in runs])
        updates = [update for one in panel for update in one.updates]
    wrong = same_counts(model, case, updates, by_epoch, task.n_cycles)
    if wrong:
        return wrong
    keep = case.parameters["keep"]
    if keep == "auto":
        is_clean = case.way == "fit" and by_epoch[-1] == task.n_cycles == 0
        keep = "last" if is_clean else "average"
    report.count("predictions", len(case.X) + 4)
    if keep == "vote":
        return same_votes(model, case, task, panel[0])
    if keep == "pocket":
        return is_best(model, task, case.y, panel[0])
    weights = [halfspace.weights for halfspace in panel]
    if keep == "average":
        weights = rows_of(model)
        if not all(is_near_average(*pair) for pair in zip(panel, weights, strict=True)):
            return "the average is not that of the weights of all visits"
        return same_predictions(model, case, task, weights)
    return same_weights(model, case, weights) or same_predictions(model, case, task, weights)


def added(counts: list[list[int]]) -> list[int]:
    """Return the updates of all halfspaces by epoch."""
    longest = max(map(len, counts))
    return [sum(one[e] for one in counts if e < len(one)) for e in range(longest)]


def rows_of(model: Perceptron) -> list[list[float]]:
    """Return the weights that the library shows, the intercept last."""
    return np.column_stack([model.coef_, model.intercept_]).tolist()


def same_counts(
    model: Perceptron, case: Case, updates: list[twin.Update], by_epoch: list[int], n_cycles: int
) -> str:
    found, n_mistakes = (model.n_updates_, model.n_mistakes_), sum(u.is_mistake for u in updates)
    if found != (len(updates), n_mistakes):
        return f"{found} updates and mistakes, not {len(updates)} and {n_mistakes}"
    if case.way not in SEVERAL_PASSES:
        return ""
    if model.history_.updates.tolist() != by_epoch:
        return f"updates by epoch {model.history_.updates.tolist()}, not {by_epoch}"
    outcome = model.outcome_.name
    if n_cycles or outcome == "CYCLING":
        right = n_cycles and outcome == "CYCLING"
        return "" if right else f"the outcome is {outcome}, with {n_cycles} cycles"
    if outcome == "SEPARATED" and case.n_classes == 2:
        X, y = stored(case.X, case.storage), [NAMES[k] for k in case.y]
        seen = [k for k, step in enumerate(case.steps) if step > 0.0]
        if [model.predict(X).tolist()[k] for k in seen] != [y[k] for k in seen]:
            return "SEPARATED, but predict is wrong about a sample"
    if case.parameters["margin"] != 0.0 or outcome == "STREAM":
        return ""  # an average may be right about all samples despite updates
    clean = outcome in ("SEPARATED", "AVERAGED", "VOTED")
    return "" if clean == (by_epoch[-1] == 0) else f"the outcome is {outcome}"


def same_weights(model: Perceptron, case: Case, weights: Iterable[twin.Row]) -> str:
    eta0 = case.parameters["eta0"]
    expected = [[(eta0 * w).hex() for w in row] for row in weights]
    found = [[w.hex() for w in row] for row in rows_of(model)]
    return "" if found == expected else f"weights {found}, not {expected}"


def same_predictions(model: Perceptron, case: Case, task: twin.Task, weights: list[Any]) -> str:
    expected = [NAMES[twin.decide(weights, row, task.tie)] for row in task.exact]
    found = model.predict(stored(case.X, case.storage)).tolist()
    ones = [model.predict_one(row) for row in case.X[:4]]
    if found != expected:
        return f"predicts {found}, not {expected}"
    return "" if ones == expected[:4] else f"predict_one says {ones}, not {expected[:4]}"


def same_votes(model: Perceptron, case: Case, task: twin.Task, one: twin.Halfspace) -> str:
    leads = [twin.votes(one, row, task.tie) for row in task.exact]
    expected = [NAMES[int(lead > 0 or (lead == 0 and task.tie >= 0))] for lead in leads]
    found = model.predict(stored(case.X, case.storage)).tolist()
    return "" if found == expected else f"the vote is {found}, not {expected}"


def is_best(model: Perceptron, task: twin.Task, y: list[int], last: twin.Halfspace) -> str:
    """Check that the pocket reports its mistakes, and has no more than the last weights."""
    (pocket,) = rows_of(model)
    labels = [1 if k == 1 else -1 for k in y]
    reported = float(model.pocket_mistakes_[0])
    own, other = (weight_missed(task, labels, weights) for weights in (pocket, last.weights))
    if abs(reported - own) > 1e-9:
        return f"the pocket misclassifies {own}, but reports {reported}"
    if reported <= other + 1e-9:
        return ""
    return f"the last weights misclassify {other}, the pocket {reported}"


def weight_missed(task: twin.Task, labels: list[int], weights: twin.Row) -> float:
    halfspace = twin.Halfspace(list(weights))
    return sum(
        step
        for row, label, step in zip(task.exact, labels, task.steps, strict=True)
        if task.is_due(halfspace.excess(row, label, 0.0), label)
    )


def is_near_average(halfspace: twin.Halfspace, found: list[float]) -> bool:
    """Return whether the weights are the average over all visits, up to rounding."""
    total = [Fraction(0)] * len(found)
    born, largest = 0, 1e-300
    for weights, end in [*halfspace.lives, (halfspace.weights, halfspace.n_visits)]:
        total = [t + Fraction(w) * (end - born) for t, w in zip(total, weights, strict=True)]
        largest, born = max(largest, *map(abs, weights)), end
    exact = [t / max(halfspace.n_visits, 1) for t in total]
    return all(abs(Fraction(a) - b) <= 1e-10 * largest for a, b in zip(found, exact, strict=True))
