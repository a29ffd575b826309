"""The outcomes of fits: SEPARATED means that `predict` is right on every training row."""

import random
import warnings

import numpy as np

from attack import data
from attack.data import Model
from attack.report import Report


def attack_outcomes(seed: int, count: int) -> Report:
    """Fit every learner, most often the kernel perceptron, and predict its training rows."""
    report = Report("outcomes", "if a fit reports SEPARATED, `predict` is right on every row")
    rng = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(count):
            n_classes = rng.choice([2, 2, 3])
            family = rng.choice(["decimals", "decimals", "halves", "floats"])
            X = data.table(rng, rng.randint(n_classes, 10), rng.randint(1, 3), family)
            y = [*range(n_classes), *(rng.randrange(n_classes) for _ in X[n_classes:])]
            model = learner(rng, number)
            if type(model).__name__ == "Winnow":
                X = [[abs(x) % 1.0 for x in row] for row in X]
            model.fit(np.array(X), np.array(y))
            report.count("fits")
            if model.outcome_.name != "SEPARATED":
                continue
            report.count("that report SEPARATED")
            found = model.predict(np.array(X)).tolist()
            ones = [model.predict_one(row) for row in X]
            if n_classes == 2 or getattr(model, "multiclass", "") == "joint":
                report.check(found == y, f"predicts {found}: {model!r}.fit({X!r}, {y!r})")
            report.check(found == ones, f"one by one {ones}: {model!r}.fit({X!r}, {y!r})")
    return report


def learner(rng: random.Random, number: int) -> Model:
    """Return an unfitted learner."""
    from rosenblatt import KernelPerceptron, PassiveAggressive, Perceptron, Winnow

    if number % 4:
        return KernelPerceptron(
            kernel=rng.choice(["linear", "linear", "poly", "rbf"]),
            degree=rng.choice([2, 3]),
            keep=rng.choice(["last", "last", "average", "vote"]),
            max_iter=50,
        )
    return rng.choice(
        [
            Perceptron(max_iter=50, keep=rng.choice(["last", "average", "pocket", "vote"])),
            Perceptron(max_iter=50, multiclass="joint"),
            PassiveAggressive(max_iter=20),
            Winnow(max_iter=50),
        ]
    )
