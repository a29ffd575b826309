"""Five everyday tasks against the usual alternative, with the defaults of both sides.

    pip install pandas river
    python benchmarks/defaults.py [--data FOLDER] [--repeats 5]

FOLDER holds `tables/adult-train.csv.gz` and `fashion_mnist/`; a task whose data is missing is left out.
Whole processes are compared with whole processes, with warm caches; calls with calls in one
process, in turn. Both sides run one epoch and shuffle the samples, their default.
"""

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from bench_data import fashion_mnist, stream
from fresh import processor
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron
from rosenblatt.io.data import loans

Call = Callable[[], object]
Task = tuple[str, Call, Call]

# The pipeline that scikit-learn's documentation shows for mixed columns, with a held-out fifth.
PIPELINE = """
import sys
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
header = None if sys.argv[2] == "no header" else 0
table = pd.read_csv(sys.argv[1], header=header, na_values="?", skipinitialspace=True)
table = table.drop(columns=sys.argv[3:])
X, y = table.iloc[:, :-1], table.iloc[:, -1]
encoder = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
)
train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
model = make_pipeline(encoder, LogisticRegression(max_iter=1000)).fit(train, y_train)
print(1 - model.score(test, y_test))
"""


def process(*arguments: str) -> Call:
    """Return a call that runs Python to its end."""
    return lambda: subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL
    )


def tasks(folder: Path | None) -> Iterator[Task]:
    """Yield a title, our call, and the other side's."""
    learn = ("-m", "rosenblatt", "learn")
    small = str(loans())
    yield (
        "learn 300 loans from CSV, whole process",
        process(*learn, small),
        process("-c", PIPELINE, small, "header", "customer"),
    )
    if folder and (table := folder / "tables" / "adult-train.csv.gz").exists():
        yield (
            "learn adult (32,561 rows) from CSV, whole process",
            process(*learn, str(table)),
            process("-c", PIPELINE, str(table), "no header"),
        )
    if folder and (folder / "fashion_mnist").exists():
        X, y = fashion_mnist(folder / "fashion_mnist")
        yield (
            "fit Fashion-MNIST, 10 classes, one shuffled epoch",
            lambda: Perceptron(max_iter=1).fit(X, y),
            lambda: linear_model.Perceptron(max_iter=1, tol=None).fit(X, y),
        )
    rows = np.random.default_rng(0).normal(size=(1000, 20))
    signs = np.where(rows[:, 0] > 0, 1, -1)
    ours, theirs = Perceptron(), linear_model.Perceptron()

    def one_by_one(learner: Perceptron | linear_model.Perceptron) -> Call:
        classes = [-1, 1]
        return lambda: [
            learner.partial_fit(rows[k : k + 1], signs[k : k + 1], classes)
            for k in range(len(rows))
        ]

    yield "partial_fit, 1,000 single rows of 20 numbers", one_by_one(ours), one_by_one(theirs)
    yield from against_river()


def against_river() -> Iterator[Task]:
    """Yield learning from dicts, if River is installed."""
    try:
        from river import linear_model as river
    except ImportError:
        return
    samples = stream(10_000, 9)
    ours, theirs = Perceptron(), river.Perceptron()
    yield (
        "learn_one and predict_one, 10,000 dicts of 9 features",
        lambda: [(ours.predict_one(x), ours.learn_one(x, y)) for x, y in samples],
        lambda: [(theirs.predict_one(x), theirs.learn_one(x, y)) for x, y in samples],
    )


def seconds(call: Call) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # one epoch is what is compared
    print(processor())
    print("| task | ours | the other side | ratio |\n|---|---|---|---|")
    for title, ours, theirs in tasks(options.data):
        ours(), theirs()  # compiles, and fills caches
        times = np.array([(seconds(ours), seconds(theirs)) for _ in range(options.repeats)])
        own, other = median(times[:, 0]), median(times[:, 1])
        print(f"| {title} | {own:.3g} s | {other:.3g} s | {other / own:.2f}× |", flush=True)


if __name__ == "__main__":
    main()
