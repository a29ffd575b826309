"""Mistakes of Winnow and the perceptron on streams labeled by a disjunction of few features.

    python benchmarks/winnow.py [--small] [--json]

Samples consist of 0 and 1. Those with one of the relevant features, about half, are positive. The other
features are active at random: half of them, or ten on average. Each learner visits each sample once.
"""

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt import Perceptron, Winnow, bounds

RELEVANT = 3
SIZES = (100, 1_000, 10_000)
CHUNK = 500


def chunks(n: int, active: float, n_samples: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield chunks of samples and labels; the same arguments give the same stream."""
    rng = np.random.default_rng(n)
    relevant = rng.choice(n, RELEVANT, replace=False)
    for _ in range(0, n_samples, CHUNK):
        X = (rng.random((CHUNK, n), dtype=np.float32) < active / n).astype(np.float32)
        y = rng.integers(0, 2, CHUNK)
        X[:, relevant] = 0.0
        X[np.arange(CHUNK), rng.choice(relevant, CHUNK)] = y
        yield X, y


def contest(n: int, active: float, n_samples: int) -> dict[str, Any]:
    """Return the mistakes of both learners, in total and in the last tenth, and their bounds."""
    learners = {"winnow": Winnow(), "perceptron": Perceptron()}
    late = dict.fromkeys(learners, 0)
    radius = 0.0
    for number, (X, y) in enumerate(chunks(n, active, n_samples)):
        radius = max(radius, bounds.radius(X))
        for name, learner in learners.items():
            learner.partial_fit(X, y, classes=[0, 1])
            if (number + 1) * CHUNK > 0.9 * n_samples:
                late[name] += learner.history_[-1].mistakes
    # With w = 2 for each relevant feature and the intercept -1, every score is 1 or -1.
    margin = 1.0 / (4 * RELEVANT + 1) ** 0.5
    return {
        "n": n,
        "active": active,
        "n_samples": n_samples,
        "winnow": learners["winnow"].n_mistakes_,
        "winnow_late": late["winnow"],
        "winnow_bound": int(bounds.winnow_mistake_bound(n, RELEVANT)),
        "winnow_entropy_bound": int(bounds.winnow_entropy_bound(n, [1.0] * RELEVANT, 1.0)),
        "perceptron": learners["perceptron"].n_mistakes_,
        "perceptron_late": late["perceptron"],
        "perceptron_bound": int(bounds.mistake_bound(radius, margin)),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a table in Markdown."""
    lines = [
        "| features | active | Winnow | its bounds | perceptron | its bound |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    lines.extend(
        f"| {r['n']:,} | {r['active']:,.0f} | {r['winnow']} ({r['winnow_late']}) "
        f"| {r['winnow_bound']}, {r['winnow_entropy_bound']} "
        f"| {r['perceptron']} ({r['perceptron_late']}) | {r['perceptron_bound']:,} |"
        for r in rows
    )
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Winnow and the perceptron on disjunctions")
    parser.add_argument("--small", action="store_true", help="a tenth of the samples, small n")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes, n_samples = (SIZES[:2], 2_000) if options.small else (SIZES, 20_000)
    rows = [contest(n, active, n_samples) for n in sizes for active in (n / 2, 10.0)]
    print(json.dumps(rows) if options.json else table(rows))


if __name__ == "__main__":
    main()
