"""Runs against the bounds of theorems: no run makes more mistakes than its bound.

The separator is drawn first, in whole numbers, and samples on it are dropped, so the margin is known
independently, and the bounds are fractions.
"""

import random
import warnings
from fractions import Fraction
from typing import Any

from attack.data import Label, Model, Samples
from attack.report import Report


def attack_limits(seed: int, count: int) -> Report:
    """Learn separable samples in many ways and count the mistakes."""
    report = Report("bounds", "no more mistakes than the convergence theorem allows, in fractions")
    rng = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            n_classes = rng.choice([2, 2, 3])
            X, y, bound = draw(rng, n_classes)
            if len(set(y)) < n_classes:
                continue
            model = check_run(report, rng, X, y, 2 * bound if n_classes > 2 else bound)
            if n_classes == 2:
                check_margins(report, model, X, y, bound)
                check_stream(report, rng, X, y, bound)
        for _ in range(count // 4):
            check_winnow(report, rng)
    return report


def check_run(
    report: Report, rng: random.Random, X: Samples, y: list[Label], bound: Fraction
) -> Any:
    """Learn until no mistake is left, in any order; three classes jointly, with twice the bound."""
    from rosenblatt import Perceptron

    model = Perceptron(
        order=rng.choice(["cyclic", "shuffle", "random"]),
        random_state=rng.randrange(1000),
        eta0=rng.choice([1.0, 0.25]),
        max_iter=10_000,
        multiclass="joint" if len(set(y)) > 2 else "one-vs-rest",
    ).fit(X, y)
    report.count("runs")
    report.count("mistakes", model.n_mistakes_)
    report.count("mistakes allowed", int(bound))
    where = f"{model!r}.fit({X!r}, {y!r})"
    report.check(
        model.n_mistakes_ <= bound, f"{model.n_mistakes_} mistakes, at most {bound}: {where}"
    )
    if model.outcome_.name == "SEPARATED":
        report.check(model.predict(X).tolist() == y, f"separated, but predict is wrong: {where}")
    return model


def check_margins(
    report: Report, model: Model, X: Samples, y: list[Label], bound: Fraction
) -> None:
    """Compare the margins that a run and `separate` prove with the known one."""
    from rosenblatt import separate

    found = separate(X, y)
    known = Fraction(max(1 + sum(int(x) ** 2 for x in row) for row in X)) / bound
    right = (
        model.n_mistakes_ <= found.mistake_bound
        and Fraction(found.margin.upper) ** 2 >= known
        and Fraction(model.margin_.upper) ** 2 >= known
        and model.margin_.lower <= found.margin.upper
    )
    report.check(right, f"{model.margin_}, {found!r} and {known}: {X!r} {y!r}")


def draw(rng: random.Random, n_classes: int) -> tuple[Samples, list[int], Fraction]:
    """Return samples separated by drawn weights, their labels, and the bound (radius / margin)²."""
    n_columns = rng.randint(1, 5)
    panel = [[rng.randint(-5, 5) for _ in range(n_columns + 1)] for _ in range(n_classes)]
    if n_classes == 2:
        panel[0] = [0] * (n_columns + 1)
        panel[1][0] = panel[1][0] or 1
    X, y, slack = [], [], []
    for _ in range(rng.randint(4, 25)):
        row = [rng.randint(-6, 6) for _ in range(n_columns)]
        scores = [sum(a * b for a, b in zip(one, [*row, 1], strict=True)) for one in panel]
        best, second = sorted(scores, reverse=True)[:2]
        if best > second:
            X.append([float(x) for x in row])
            y.append(scores.index(best))
            slack.append(best - second)
    square = sum(w * w for one in panel for w in one)
    radius = max((1 + sum(int(x) ** 2 for x in row) for row in X), default=1)
    return X, y, Fraction(radius * square, min(slack, default=1) ** 2)


def check_stream(
    report: Report, rng: random.Random, X: Samples, y: list[Label], bound: Fraction
) -> None:
    """Learn single samples repeatedly: the bound holds for any number of visits."""
    from rosenblatt import Perceptron

    model = Perceptron()
    for _ in range(10 * len(X)):
        i = rng.randrange(len(X))
        model.learn_one(X[i], y[i])
    report.count("streams")
    found = model.n_mistakes_
    report.check(found <= bound, f"{found} mistakes in a stream, at most {bound}: {X!r} {y!r}")


def check_winnow(report: Report, rng: random.Random) -> None:
    """Learn a disjunction of r of n features: at most 2 + 3·r·(1 + lg n) mistakes."""
    from rosenblatt import Winnow

    log = rng.randint(2, 6)
    n, r = 2**log, rng.randint(1, 3)
    chosen = rng.sample(range(n), r)
    share = rng.choice([0.1, 0.3, 0.5])
    X = [[float(rng.random() < share) for _ in range(n)] for _ in range(40)]
    y = [int(any(row[j] for j in chosen)) for row in X]
    if len(set(y)) < 2:
        return
    model = Winnow(order=rng.choice(["cyclic", "shuffle"]), random_state=0).fit(X, y)
    report.count("runs of Winnow")
    bound = 2 + 3 * r * (1 + log)
    if model.n_mistakes_ > bound:
        report.fail(f"Winnow: {model.n_mistakes_} mistakes, at most {bound}: {X!r} {y!r}")
