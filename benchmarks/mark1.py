"""Accuracy of the machine of 1958 after fifty cards, over many seeds.

python benchmarks/mark1.py [--seeds 1000] [--cards 50] [--noise 0] [--json]
"""

import argparse
import json

import numpy as np

from rosenblatt.lectures.mark1 import Mark1, draw_cards, last_mistake

NEW_CARDS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--cards", type=int, default=50)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    right, mistakes, last = [], [], []
    for seed in range(options.seeds):
        machine = Mark1(seed=seed)
        cards = draw_cards(np.random.default_rng(seed), options.noise)
        trials = [machine.show(next(cards)) for _ in range(options.cards)]
        mistakes.append(sum(not trial.is_right for trial in trials))
        last.append(last_mistake(trials))
        right.append(machine.n_right(cards, NEW_CARDS))
    shares = np.array(right) / NEW_CARDS
    facts = {
        "seeds": options.seeds,
        "cards": options.cards,
        "noise": options.noise,
        "new_cards": NEW_CARDS,
        "at_least_95_percent": int((shares >= 0.95).sum()),
        "at_least_99_percent": int((shares >= 0.99).sum()),
        "all": int((shares == 1.0).sum()),
        "mean": float(shares.mean()),
        "least": float(shares.min()),
        "mean_mistakes": float(np.mean(mistakes)),
        "median_last_mistake": float(np.median(last)),
    }
    if options.json:
        print(json.dumps(facts, indent=2))
    else:
        for name, value in facts.items():
            print(f"{name.replace('_', ' '):22}{value:.6g}")


if __name__ == "__main__":
    main()
