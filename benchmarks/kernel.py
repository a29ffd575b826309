"""The kernel perceptron against scikit-learn's SVC, and the voted perceptron on all images.

    python benchmarks/kernel.py --data FOLDER [--samples 10000] [--repeats 1] [--json]
    python benchmarks/kernel.py --data FOLDER --voted [--samples 60000] [--epochs 3] [--json]

Fashion-MNIST (fashion_mnist/ in the folder), pixels divided by 255, the kernel (x·z + 1)³ for both,
and the 10,000 test images. The first form trains each learner in its own process on the first training
images, and reports the seconds of learning and predicting, the error in percent, and the peak growth of
the process, samples not included. The second form is the protocol of Freund and Schapire (1999): 3
epochs in one random order, ten classes, and the errors of the last hypotheses, their averages and their
votes.
"""

import argparse
import json
import os
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from bench_data import fashion_mnist, fashion_mnist_test
from fresh import answer
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from rosenblatt import KernelPerceptron
from rosenblatt.core.types import Data, Labels

KERNEL: dict[str, Any] = {"kernel": "poly", "degree": 3, "gamma": 1.0, "coef0": 1.0}
LEARNERS = ("1 epoch", "3 epochs", "SVC")

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_PROGRAM = """
import runpy, sys
sys.path.insert(0, {folder!r})
runpy.run_path({script!r}, run_name="__main__")
"""


def images(folder: Path | None, n_samples: int) -> tuple[Data, Labels, Data, Labels]:
    """Return training images in a random order, and test images; random pixels without a folder."""
    if folder is None:
        X, y = fashion_mnist(None, 2 * n_samples)
        X = X / np.float32(255)
        return X[:n_samples], y[:n_samples], X[n_samples:], y[n_samples:]
    X, y = fashion_mnist(folder / "fashion_mnist", n_samples)
    order = np.random.default_rng(0).permutation(len(y))
    fresh, truth = fashion_mnist_test(folder / "fashion_mnist")
    return X[order] / np.float32(255), y[order], fresh / np.float32(255), truth


def learner(name: str) -> Any:
    if name == "SVC":
        return SVC(**KERNEL)
    return KernelPerceptron(**KERNEL, keep="average", order="cyclic", max_iter=int(name[0]))


def peak_mb(*, reset: bool = False) -> float:
    """Return this process's peak memory: on Linux, since the last reset."""
    if reset and _CLEAR.exists():
        _CLEAR.write_text("5")
    if not _STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1]) / 1024


def one_run(name: str, folder: Path | None, n_samples: int) -> dict[str, float]:
    """Learn and predict once in this process."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y, fresh, truth = images(folder, n_samples)
    learner(name).fit(X[:100], y[:100]).predict(X[:100])  # compiles the kernels
    before = peak_mb(reset=True)
    started = time.perf_counter()
    model = learner(name).fit(X, y)
    learned = time.perf_counter()
    predicted = model.predict(fresh)
    ended = time.perf_counter()
    return {
        "learn_seconds": learned - started,
        "predict_seconds": ended - learned,
        "error_percent": 100.0 * float((predicted != truth).mean()),
        "support": len(model.support_),
        "grown_mb": peak_mb() - before,
    }


def contest(options: argparse.Namespace) -> dict[str, Any]:
    """Return the medians of each learner, and the ratios of SVC to ours."""
    here = Path(__file__)
    program = _PROGRAM.format(folder=str(here.parent), script=str(here))
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in LEARNERS}
    for _ in range(options.repeats):
        for name in LEARNERS:
            arguments = ["--samples", str(options.samples)]
            arguments += ["--data", str(options.data)] if options.data else []
            arguments += ["--one", name]
            rows[name].append(answer(program, *arguments))
    medians = {
        name: {key: float(np.median([row[key] for row in runs])) for key in runs[0]}
        for name, runs in rows.items()
    }
    ratios = {
        name: {
            key: medians["SVC"][key] / medians[name][key]
            for key in ("learn_seconds", "predict_seconds", "grown_mb")
        }
        for name in LEARNERS[:-1]
    }
    return {"samples": options.samples, "medians": medians, "SVC_over_ours": ratios}


def voted(options: argparse.Namespace) -> dict[str, Any]:
    """Return the results of the protocol of Freund and Schapire."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y, fresh, truth = images(options.data, options.samples)
    started = time.perf_counter()
    model = KernelPerceptron(**KERNEL, keep="vote", order="cyclic", max_iter=options.epochs)
    model.fit(X, y)
    seconds = time.perf_counter() - started
    errors = {}
    for keep in ("last", "average", "vote"):
        model.set_params(keep=keep)
        errors[keep] = 100.0 * float((model.predict(fresh) != truth).mean())
    return {
        "samples": options.samples,
        "learn_seconds": seconds,
        "error_percent": errors,
        "support": len(model.support_),
        "mistakes_per_epoch": model.history_.mistakes.tolist(),
        "kernel_terms": model.n_kernel_terms_,
        "peak_mb": peak_mb(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None, help="folder with fashion_mnist/")
    parser.add_argument("--samples", type=int, default=None, help="10000, or 60000 with --voted")
    parser.add_argument("--epochs", type=int, default=3, help="of the voted run")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--voted", action="store_true", help="train once on all images")
    parser.add_argument("--one", choices=LEARNERS, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    options.samples = options.samples or (60_000 if options.voted else 10_000)
    if options.one:
        print(json.dumps(one_run(options.one, options.data, options.samples)))
        return
    facts = voted(options) if options.voted else contest(options)
    facts["processors"] = os.cpu_count()
    print(json.dumps(facts, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
