"""From a file to a model in one pass: a small and a large file, compared with two peers.

    python benchmarks/streams.py [--megabytes 100] [--large 3000] [--repeats 5] [--folder DIR]

The file is drawn with seed 0 to resemble RCV1: 47,236 features, 76 draws per sample by Zipf's law (36
distinct ones on average), values such as 0.0198403253586671, two classes split by a random hyperplane, a
twentieth of the labels flipped. The same samples are written as libsvm text and in Vowpal Wabbit's
format.

Contenders run in fresh processes, in turn; results are medians. "seconds" is the work alone: for ours
and scikit-learn's, after their imports and a warm-up on a small file; for Vowpal Wabbit, the call of its
driver. "whole" is the whole process with imports. Vowpal Wabbit: hinge loss, ``--sgd``, its own format,
``-b 18``; scikit-learn: ``load_svmlight_file`` and ``Perceptron(max_iter=1, tol=None, shuffle=False)``.
The large file repeats the small one. The peak is the growth of the process from before it opened the
file.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fresh import processor

N_FEATURES, N_ACTIVE = 47_236, 76


def make(folder: str, megabytes: str) -> None:
    """Write the samples in both formats."""
    import numpy as np

    rng, left = np.random.default_rng(0), int(megabytes) * 10**6
    normal = rng.standard_normal(N_FEATURES)
    with Path(folder, "small.svm").open("w") as svm, Path(folder, "small.vw").open("w") as vw:
        while left > 0:
            lines, others = [], []
            for _ in range(1000):
                n = max(1, rng.poisson(N_ACTIVE))
                columns = np.unique(np.minimum(rng.zipf(1.3, n), N_FEATURES - 1) + rng.integers(40))
                columns = np.unique(columns % N_FEATURES)
                values = rng.lognormal(size=len(columns))
                values /= np.sqrt(values @ values)
                side = 1 if (normal[columns] @ values > 0) == (rng.random() > 0.05) else -1
                pairs = [f"{j + 1}:{v:.15g}" for j, v in zip(columns.tolist(), values, strict=True)]
                lines.append(f"{side} {' '.join(pairs)}\n")
                others.append(f"{side} |f {' '.join(pairs)}\n")
            text = "".join(lines)
            left -= len(text)
            svm.write(text)
            vw.write("".join(others))
    with Path(folder, "tiny.svm").open("w") as tiny, Path(folder, "small.svm").open() as small:
        tiny.writelines(line for line, _ in zip(small, range(2000), strict=False))


def _peak() -> int:
    """Return the peak memory of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return 1024 * int(line.split()[1])
    raise RuntimeError("this system does not report the memory of a process")


def _reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _measured(work: Callable[[], float]) -> dict[str, float]:
    _reset_peak()
    before, began = _peak(), time.perf_counter()
    error = work()
    return {
        "seconds": time.perf_counter() - began,
        "peak": _peak() - before,
        "error": error,
    }


def ours(folder: str, file: str) -> dict[str, float]:
    """Learn with `fit_stream`."""
    from rosenblatt import Perceptron, stream

    def work(name: str) -> float:
        return Perceptron(keep="last").fit_stream(stream(Path(folder, name))).progressive_.error

    work("tiny.svm")
    return _measured(lambda: work(file))


def predicting(folder: str, file: str) -> dict[str, float]:
    """Predict with the command line, in this process."""
    from rosenblatt.cli import run

    model, out = Path(folder, "model.safetensors"), Path(folder, "predictions.csv")
    if not model.exists():
        run(["stream", str(Path(folder, "small.svm")), "--model", str(model), "--json"])

    def work(name: str) -> float:
        code = run(["predict", str(model), str(Path(folder, name)), "--output", str(out)])
        assert code == 0
        return 0.0

    work("tiny.svm")
    return _measured(lambda: work(file))


def vowpal_wabbit(folder: str, file: str) -> dict[str, float]:
    """Learn with Vowpal Wabbit, from its own format."""
    from vowpalwabbit import Workspace

    del file
    options = f"-d {folder}/small.vw --loss_function hinge --sgd -b 18 --quiet"

    def work() -> float:
        workspace = Workspace(options)
        loss = workspace.get_sum_loss()
        workspace.finish()
        return loss

    return _measured(work)


def scikit_learn(folder: str, file: str) -> dict[str, float]:
    """Load and learn with scikit-learn."""
    import warnings

    import numpy as np
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import Perceptron

    warnings.simplefilter("ignore")

    def work(name: str) -> float:
        X, y = load_svmlight_file(str(Path(folder, name)))
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        p = Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
        return 1.0 - float(p.score(X[:1000], y[:1000]))

    work("tiny.svm")
    return _measured(lambda: work(file))


CONTENDERS = {
    "rosenblatt": ours,
    "Vowpal Wabbit": vowpal_wabbit,
    "scikit-learn": scikit_learn,
    "rosenblatt predict": predicting,
}


def fresh(name: str, *arguments: str) -> dict[str, float]:
    """Run a contender in a fresh process."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--run", name, *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    whole = time.perf_counter() - began
    return {**json.loads(done.stdout.splitlines()[-1]), "whole": whole}


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return the median of each number."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="file to model, ours and peers")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--large", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or temporary
        small = Path(folder, "small.svm")
        if not small.exists():
            make(folder, str(options.megabytes))
        size = small.stat().st_size / 1e6
        print(f"{processor()}; {size:.0f} MB of libsvm text")
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
        for _ in range(options.repeats):
            for name, own in runs.items():
                own.append(fresh(name, folder, "small.svm"))
        print("| contender | seconds | MB/s | whole process | peak MB | times ours |")
        print("|---|---|---|---|---|---|")
        found = {name: medians(own) for name, own in runs.items()}
        base = found["rosenblatt"]["seconds"]
        for name, own in found.items():
            print(
                f"| {name} | {own['seconds']:.3f} | {size / own['seconds']:.0f} | "
                f"{own['whole']:.2f} | {own['peak'] / 1e6:.0f} | {own['seconds'] / base:.1f} |"
            )
        if options.large:
            large(Path(folder), options.large, found, size)


def large(folder: Path, megabytes: int, found: dict[str, dict[str, float]], size: float) -> None:
    """Print the time and the memory for a large file."""
    small, path = folder / "small.svm", folder / "large.svm"
    content = small.read_bytes()
    with path.open("wb") as file:
        while file.tell() < megabytes * 10**6:
            file.write(content)
    del content
    total = path.stat().st_size / 1e6
    for name in ("rosenblatt", "rosenblatt predict"):
        own = fresh(name, str(folder), "large.svm")
        rate, before = total / own["seconds"], size / found[name]["seconds"]
        print(
            f"\n{name}, {total:.0f} MB: {own['seconds']:.2f} s, {rate:.0f} MB/s, "
            f"{rate / before:.2f} of the small file's; {own['peak'] / 1e6:.0f} MB above the start"
        )
    path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        print(json.dumps(CONTENDERS[sys.argv[2]](*sys.argv[3:])))
    else:
        main()
