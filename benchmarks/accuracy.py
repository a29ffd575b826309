"""Accuracy of the learners on unseen samples.

    python benchmarks/accuracy.py --data FOLDER [--family] [--only NAME] [--json]

Ten epochs each, on the same rows as scikit-learn's averaged perceptron. "shuffled" visits the samples in
a new order each epoch (seed 0), all others in the given order; `splits.py` orders and splits the sets.
With two classes, joint learning is the same as one-vs-rest. The maximum margin needs every training part
to be separable, which must be decided within 30 seconds per halfspace. For folds, the figure is their
mean accuracy.

``--family`` compares the perceptron's relatives with the averaged perceptron. Winnow needs values in
[-1, 1], kernels at most 20,000 samples.
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from splits import SEED, Task, tasks
from works import averaged

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Winnow,
    cross_validate,
)

_EPOCHS = 10
_PATIENCE = 30.0
_MAX_KERNEL_SAMPLES = 20_000
# `splits.py` has already shuffled the rows, once.
_GIVEN: dict[str, Any] = {"order": "cyclic", "max_iter": _EPOCHS}


def _ours(**parameters: object) -> Perceptron:
    return Perceptron(**{**_GIVEN, **parameters}, random_state=SEED)


def _peer(*, shuffle: bool) -> Any:
    return averaged(max_iter=_EPOCHS, shuffle=shuffle, random_state=SEED)


LEARNERS = {
    "last": _ours(),
    "average": _ours(keep="average"),
    "average, shuffled": _ours(keep="average", order="shuffle"),
    "joint, last": _ours(multiclass="joint"),
    "joint, average": _ours(multiclass="joint", keep="average"),
    "maximum margin": MaxMargin(time_limit=_PATIENCE),
    "scikit-learn's average": _peer(shuffle=False),
    "the same, shuffled": _peer(shuffle=True),
}

FAMILY = {
    "average": _ours(keep="average"),
    "pocket": _ours(keep="pocket"),
    "vote": _ours(keep="vote"),
    "PA-I, average": PassiveAggressive(variant="PA-I", keep="average", **_GIVEN),
    "PA-II, average": PassiveAggressive(variant="PA-II", keep="average", **_GIVEN),
    "balanced Winnow": Winnow(variant="balanced", promotion=1.1, **_GIVEN),
    "kernel, degree 3": KernelPerceptron(gamma="scale", keep="average", **_GIVEN),
}


def accuracy(learner: Any, task: Task) -> float | str:
    """Return the mean accuracy over the test parts, or the reason for not measuring it."""
    two_classes = len(np.unique(task.y)) == 2
    if two_classes and getattr(learner, "multiclass", None) == "joint":
        return "two classes share one halfspace, the same as one-vs-rest"
    if isinstance(learner, KernelPerceptron) and len(task.y) > _MAX_KERNEL_SAMPLES:
        return "too many samples for a kernel"
    try:
        found = cross_validate(learner, task.X, task.y, cv=task.splits)
    except InputError as error:
        return str(error)
    return float(found["test_score"].mean())


def measure(task: Task, learners: dict[str, Any] = LEARNERS) -> dict[str, Any]:
    return {
        "data": task.name,
        "split": task.how,
        "seed": SEED,
        "learned": len(task.splits[0][0]),
        "tested": sum(len(test) for _, test in task.splits),
        "features": task.X.shape[1],
        "classes": len(np.unique(task.y)),
        "accuracy": {name: accuracy(learner, task) for name, learner in learners.items()},
    }


def line(row: dict[str, Any]) -> str:
    sizes = f"{row['learned']:,} / {row['tested']:,}, {row['split']}"
    values = row["accuracy"].values()
    cells = [f"{value:.4f}" if isinstance(value, float) else "–" for value in values]
    return "| " + " | ".join([row["data"], sizes, *cells]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--family", action="store_true", help="the perceptron's relatives")
    parser.add_argument("--only", default="", help="only sets whose name contains this")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    learners = FAMILY if options.family else LEARNERS
    warnings.simplefilter("ignore")  # ten epochs are not enough to separate
    if not options.json:
        print("| " + " | ".join(["data", "learned / tested", *learners]) + " |")
        print("|---" * (2 + len(learners)) + "|")
    rows = []
    for task in tasks(options.data, options.only):
        rows.append(measure(task, learners))
        if not options.json:
            print(line(rows[-1]), flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
