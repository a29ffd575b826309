"""Learning from a CSV file of a million mixed rows: from the file to a model on disk and its error.

    pip install pandas skrub
    python benchmarks/mixed_rows.py [--rows 1000000] [--repeats 3] [--only NAME] [--file FILE] [--json]

The file is drawn with seed 0: twelve numbers of different scales (a third of them with 5% missing), ten
categories of 2 to 200 values, three columns of two values, two dates, an id, a constant, and a label of
two classes that depends on several of them, with noise.

Contenders run in fresh processes, in turn: seconds and peak memory are medians of whole processes,
imports included; "of processors" is the CPU time, because machines are shared. The peers read with
pandas, learn from four fifths of the rows, test on the others and write the model. For scikit-learn's
`ColumnTransformer`, a person has chosen each column's kind and removed the id and the constant; skrub's
`TableVectorizer` detects the kinds, with options to one-hot encode large categories and to drop ids.
Ours, `rosenblatt learn FILE`, detects the kinds, too, and then learns again from all rows.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fresh import processor

# Heavy packages are imported only in the processes that use them: the peak of a process is at least
# its parent's memory when it was started.

SEED = 0
N_NUMBERS = 12
SIZES = (2, 3, 5, 8, 12, 20, 40, 80, 120, 200)
NUMBERS = [f"number_{k}" for k in range(N_NUMBERS)]
CATEGORIES = [f"category_{size}" for size in SIZES]
PAIRS = {"pair_0": ("0", "1"), "pair_1": ("False", "True"), "pair_2": ("no", "yes")}
DATES = ["day", "moment"]
LABEL = "label"
KINDS = (*NUMBERS, *CATEGORIES, *PAIRS, *DATES)

OURS = "rosenblatt learn"
CONTENDERS = (
    "ColumnTransformer, perceptron",
    "ColumnTransformer, logistic regression",
    "TableVectorizer, perceptron",
    "TableVectorizer, logistic regression",
    OURS,
)


def make(path: str, rows: str) -> None:
    """Write the file."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv

    n_rows, rng = int(rows), np.random.default_rng(SEED)

    def with_gaps(values: Any, *, gaps: bool) -> Any:
        return pa.array(values, mask=rng.random(n_rows) < 0.05 if gaps else None)

    columns: dict[str, Any] = {"id": [f"r{k:09x}" for k in rng.permutation(n_rows)]}
    score = rng.logistic(size=n_rows)
    for k, name in enumerate(NUMBERS):
        values = rng.normal(size=n_rows)
        score += values * (k % 3)
        columns[name] = with_gaps(np.round(10.0 ** (k % 6 - 2) * (values + k), 4), gaps=k % 3 == 0)
    for k, (name, size) in enumerate(zip(CATEGORIES, SIZES, strict=True)):
        codes = (size * rng.random(n_rows) ** 2).astype(int)  # some values are frequent, some rare
        score += rng.normal(size=size)[codes]
        texts = np.array([f"value {code}" for code in range(size)])
        columns[name] = with_gaps(texts[codes], gaps=k % 3 == 0)
    for name, texts in PAIRS.items():
        codes = rng.integers(2, size=n_rows)
        score += codes
        columns[name] = np.array(texts)[codes]
    seconds = rng.integers(5 * 365 * 86_400, size=n_rows)
    score += seconds / seconds.max()
    moments = np.datetime64("2019-01-01", "s") + seconds
    columns["day"] = rng.permutation(moments).astype("datetime64[D]")
    columns["moment"] = moments
    columns["constant"] = np.full(n_rows, "same")
    columns[LABEL] = np.where(score > np.median(score), "yes", "no")
    table = pa.table(columns)
    with open(path, "wb") as file:
        file.write((",".join(table.column_names) + "\n").encode())
        options = pa.csv.WriteOptions(include_header=False, quoting_style="none")
        pa.csv.write_csv(table, file, options)


def _hand_written() -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    return make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), NUMBERS),
        (OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"), CATEGORIES),
        (OneHotEncoder(drop="if_binary"), list(PAIRS)),
        (make_pipeline(FunctionTransformer(_seconds), StandardScaler()), DATES),
    )


def _seconds(dates: Any) -> Any:
    return dates.to_numpy("datetime64[s]").astype(float)


def _detected() -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from skrub import TableVectorizer

    vectorizer = TableVectorizer(cardinality_threshold=max(SIZES) + 1, drop_if_unique=True)
    return make_pipeline(vectorizer, SimpleImputer(add_indicator=True), StandardScaler())


def learn(contender: str, path: str, model: str) -> None:
    """Train a peer, write its model and print its error on a fifth of the rows."""
    import warnings

    import joblib
    import pandas as pd
    from sklearn.linear_model import LogisticRegression, Perceptron
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline

    warnings.simplefilter("ignore")
    hand_written = contender.startswith("ColumnTransformer")
    known = {"usecols": [*KINDS, LABEL], "parse_dates": DATES} if hand_written else {}
    data = pd.read_csv(path, **known)
    y = data.pop(LABEL)
    parts = train_test_split(data, y, test_size=0.2, random_state=SEED, stratify=y)
    learner = (
        Perceptron() if contender.endswith("perceptron") else LogisticRegression(max_iter=1000)
    )
    pipeline = make_pipeline(_hand_written() if hand_written else _detected(), learner)
    pipeline.fit(parts[0], parts[2])
    error = 1 - pipeline.score(parts[1], parts[3])
    joblib.dump(pipeline, model)
    print(json.dumps({"held_out": {"error": error}}))


def calling(function: str, *arguments: str) -> list[str]:
    """Return the command that calls a function of this file in a fresh process."""
    program = f"import sys; sys.path.insert(0, sys.argv[1]); from mixed_rows import {function}; "
    program += f"{function}(*sys.argv[2:])"
    return [sys.executable, "-c", program, str(Path(__file__).parent), *arguments]


def watched(command: list[str]) -> dict[str, Any]:
    """Run a command; return its seconds, peak memory and printed error, or its message."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            return {"exit": process.returncode, "message": err.read().strip()}
        tested = json.loads(out.read())["held_out"]
    return {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": 1024 * usage.ru_maxrss,
        "error": None if tested is None else tested["error"],
    }


def measure(path: str, repeats: int, only: str) -> dict[str, dict[str, Any]]:
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in CONTENDERS if only in name}
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        own = [sys.executable, "-m", "rosenblatt", "learn", path, "--json", "--model", model]
        for _ in range(repeats):
            for name, results in runs.items():
                command = own if name == OURS else calling("learn", name, path, model)
                if not any("message" in result for result in results):
                    results.append(watched(command))
    return {name: _medians(results) for name, results in runs.items()}


def _medians(results: list[dict[str, Any]]) -> dict[str, Any]:
    if "message" in results[-1]:
        return results[-1]
    numbers = {
        name: statistics.median(result[name] for result in results)
        for name in ("seconds", "cpu_seconds", "peak_bytes")
    }
    return numbers | {"error": results[-1]["error"]}


def line(name: str, result: dict[str, Any], ours: dict[str, Any]) -> str:
    if "message" in result:
        return f"| {name} | exit {result['exit']}: {result['message'].splitlines()[-1]} | | | | |"
    ratio = f"{result['seconds'] / ours['seconds']:.2f}" if "seconds" in ours else "–"
    error = "–" if result["error"] is None else f"{result['error']:.4f}"
    memory = f"{result['peak_bytes'] / 1e9:.2f} GB"
    times = f"{result['seconds']:.1f} s | {result['cpu_seconds']:.1f} s"
    return f"| {name} | {times} | {memory} | {error} | {ratio} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="only contenders whose name contains this")
    parser.add_argument(
        "--file", type=Path, help="keep the rows in this file, or use it if it exists"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder, "rows.csv")
        if not path.exists():
            subprocess.run(calling("make", str(path), str(options.rows)), check=True)
        results = measure(str(path), options.repeats, options.only)
        size = path.stat().st_size
    if options.json:
        facts = {"processor": processor(), "rows": options.rows, "bytes": size, "results": results}
        print(json.dumps(facts, indent=2))
        return
    print(f"{options.rows:,} rows, {size / 1e6:.0f} MB; {processor()}\n")
    heads = ["contender", "seconds", "of processors", "peak memory", "held-out error", "over ours"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name, result in results.items():
        print(line(name, result, results.get(OURS, {})))


if __name__ == "__main__":
    main()
