"""Accuracy on ordinary mixed tables, with categories, missing values, dates and ids.

    pip install pandas skrub
    python benchmarks/tables.py --data FOLDER [--only NAME] [--json]

Errors in ten shuffled stratified folds, the same for all, of skrub's pipeline for linear learners (its
`TableVectorizer`, mean imputation with an indicator, its `SquashingScaler`) with scikit-learn's logistic
regression and with its perceptron, and of our encoder with the averaged perceptron. All get the same
pandas frame, read with the options that a person would choose after looking at the file, without columns
that repeat the label and rows without a label. For the peers, id columns are removed by hand; ours must
detect them. "±" is the standard error of the mean over the folds. Ours is "within" if its mean exceeds
the better peer's by at most one of that peer's standard errors.

The command line, `rosenblatt learn FILE`, gets at most a label and a column to ignore.
"""

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import linear_model
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import rosenblatt

SEED = 0
N_FOLDS = 10
_EPOCHS = 100
OURS = "ours"


class Table(NamedTuple):
    """A file, pandas' options to read it, the label column, a column to ignore, and id columns."""

    file: str
    reading: dict[str, Any]
    label: Any = None  # the last column
    ignore: str | None = None
    ids: tuple[Any, ...] = ()


_BARE = {"header": None}
_TABS = {"sep": "\t", "na_values": "?"}

TABLES = {
    "titanic": Table("titanic.csv", {}, "survived", "alive"),
    "adult": Table("adult-train.csv.gz", {**_BARE, "na_values": "?", "skipinitialspace": True}),
    "german": Table("german.csv", _BARE),
    "horse-colic": Table("horse-colic.csv", {**_BARE, "na_values": "?"}, ids=(2,)),
    "breast-cancer": Table("breast-cancer.csv", {**_BARE, "na_values": "?", "quotechar": "'"}),
    "mammography": Table("mammography.csv.gz", {**_BARE, "quotechar": "'"}),
    "pima": Table("pima-indians-diabetes.csv", _BARE),
    "wheat-seeds": Table("wheat-seeds.csv", _BARE),
    "winequality": Table("winequality-white.csv", _BARE),
    "mpg": Table("mpg.csv", {}, "origin"),
    "taxis": Table("taxis.csv.gz", {}, "payment"),
    "heart_disease": Table("heart_disease.tsv", _TABS),
    "zoo": Table("zoo.tsv", _TABS, ids=("name",)),
}

PEERS = {
    "logistic regression": linear_model.LogisticRegression(max_iter=1000),
    "scikit-learn's perceptron": linear_model.Perceptron(random_state=SEED),
}


def peer(learner: Any) -> Any:
    from skrub import StringEncoder, tabular_pipeline

    pipeline = tabular_pipeline(learner)
    return pipeline.set_params(tablevectorizer__high_cardinality=StringEncoder(random_state=SEED))


def ours() -> Any:
    """Return our pipeline, or None if the package has no table encoder."""
    try:
        from rosenblatt import TableEncoder
    except ImportError:
        return None
    learner = rosenblatt.Perceptron(
        keep="average", order="shuffle", max_iter=_EPOCHS, random_state=SEED
    )
    return make_pipeline(TableEncoder(), learner)


def frame(table: Table, folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the samples and their labels as text."""
    data = pd.read_csv(folder / table.file, **table.reading)
    label = data.columns[-1] if table.label is None else table.label
    data = data.dropna(subset=[label]).reset_index(drop=True)
    X = data.drop(columns=[label] + ([table.ignore] if table.ignore else []))
    return X, data[label].astype(str).to_numpy()


def measure(table: Table, folder: Path) -> dict[str, Any]:
    X, y = frame(table, folder)
    splits = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED).split(X, y))

    def error(pipeline: Any, X: pd.DataFrame) -> dict[str, float]:
        X = X.rename(columns=str)  # scikit-learn refuses numbers as names
        errors = 1 - cross_val_score(pipeline, X, y, cv=splits, error_score="raise")
        deviation = float(errors.std(ddof=1))
        return {"mean": float(errors.mean()), "standard_error": deviation / N_FOLDS**0.5}

    known = X.drop(columns=list(table.ids))
    errors = {name: error(peer(learner), known) for name, learner in PEERS.items()}
    better = min(errors.values(), key=lambda found: found["mean"])
    if (pipeline := ours()) is not None:
        errors[OURS] = error(pipeline, X)
    counts = np.unique(y, return_counts=True)[1]
    return {
        "samples": len(y),
        "classes": len(counts),
        "largest_class_error": 1 - int(counts.max()) / len(y),
        "errors": errors,
        "within": OURS in errors
        and errors[OURS]["mean"] <= better["mean"] + better["standard_error"],
        "command": command(table, folder),
    }


def command(table: Table, folder: Path) -> dict[str, Any]:
    """Return what `rosenblatt learn` makes of the file as it is."""
    words = ["learn", str(folder / table.file), "--json"]
    words += ["--label", table.label] if table.label else []
    words += ["--ignore", table.ignore] if table.ignore else []
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", *words], capture_output=True, text=True
    )
    report = json.loads(done.stdout) if done.returncode == 0 else {"message": done.stderr.strip()}
    kept = ("outcome", "held_out", "seconds", "message")
    return {"exit": done.returncode} | {name: report[name] for name in kept if name in report}


def line(name: str, row: dict[str, Any]) -> str:
    cells = [name, f"{row['samples']:,}", str(row["classes"]), f"{row['largest_class_error']:.4f}"]
    for contender in (*PEERS, OURS):
        found = row["errors"].get(contender)
        cells.append("–" if found is None else "{mean:.4f} ± {standard_error:.4f}".format(**found))
    cells.append("–" if OURS not in row["errors"] else "yes" if row["within"] else "no")
    cells.append(_result(row["command"]))
    return "| " + " | ".join(cells) + " |"


def _result(report: dict[str, Any]) -> str:
    if report["exit"] != 0:
        return f"exit {report['exit']}"
    tested = report["held_out"]
    return report["outcome"] if tested is None else f"{tested['error']:.4f}"


def rows(folder: Path, only: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, table in TABLES.items():
        if only in name and (folder / table.file).exists():
            yield name, measure(table, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the tables")
    parser.add_argument("--only", default="", help="only tables whose name contains this")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # classes smaller than the folds; too few epochs
    if ours() is None:
        print(
            "this version of rosenblatt has no TableEncoder: only the peers are measured",
            file=sys.stderr,
        )
    found = {}
    if not options.json:
        heads = ["table", "n", "classes", "largest class", *PEERS, OURS, "within", "learn FILE"]
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name, row in rows(options.data, options.only):
        found[name] = row
        if not options.json:
            print(line(name, row), flush=True)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    within = sum(row["within"] for row in found.values())
    learned = sum(row["command"]["exit"] == 0 for row in found.values())
    print(f"\nours is within one standard error of the better peer on {within} of {len(found)};")
    print(f"`rosenblatt learn FILE` learns {learned} of {len(found)}.")


if __name__ == "__main__":
    main()
