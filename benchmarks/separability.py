"""Deciding separability and finding the maximum margin, compared with three peers in one process.

    pip install clarabel
    python benchmarks/separability.py [--data FOLDER] [--only NAME] [--repeats 5] [--patience 600]

Peers: SciPy's `linprog` (HiGHS) on "max t, z·w >= t, |w_j| <= 1", which decides yes or no;
scikit-learn's `LinearSVC(C=1e4, loss="hinge")`, which approximates the margin and proves nothing;
Clarabel on the hard-margin quadratic program. Each gets its best input: unit rows unchanged, sparse
matrices if it accepts them, no intercept unless needed. A peer that takes longer than ten seconds runs
once, otherwise three times; `separate` runs --repeats times; medians. "margin" is the true margin of the
weights, divided by their length, computed the same way for all. Ours includes everything: validation,
the digest of the data, the certificate. "check" is the certificate's float check relative to one product
X·w.

FOLDER contains `fashion_mnist/`, `rcv1_subset/`, `news20/` and `small/sonar.csv`; missing data is left
out.
"""

import argparse
import json
import math
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from samples import fashion_mnist_pair, news20, rcv1_subset, sonar, unit_rows
from scipy.optimize import linprog
from sklearn.svm import LinearSVC

from rosenblatt import separate
from rosenblatt.certificates import SeparatingHyperplane
from rosenblatt.certificates.scope import Setting
from rosenblatt.certificates.stored_samples import Samples
from rosenblatt.core.types import MatrixLike

_SLOW = 10.0


class Problem(NamedTuple):
    name: str
    X: MatrixLike
    y: np.ndarray
    intercept: bool


def problems(folder: Path | None) -> Iterator[Problem]:
    yield Problem("84000 x 100, margin 0.02", *unit_rows(84_000, 100, 0.02), False)
    yield Problem("86000 x 300, margin 0.01", *unit_rows(86_000, 300, 0.01), False)
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((2000, 50))
    yield Problem("2000 x 50, inseparable", noise, rng.choice([-1, 1], 2000), True)
    if folder is None:
        return
    if (folder / "small" / "sonar.csv").exists():
        yield Problem("sonar", *sonar(folder / "small" / "sonar.csv"), True)
    if (folder / "fashion_mnist").is_dir():
        for a, b in ((0, 1), (5, 8), (1, 9), (0, 8), (0, 6)):
            data = fashion_mnist_pair(folder / "fashion_mnist", a, b)
            yield Problem(f"Fashion-MNIST {a}, {b}", *data, True)
    if (folder / "rcv1_subset").is_dir():
        yield Problem("RCV1 subset", *rcv1_subset(folder / "rcv1_subset"), True)
    if (folder / "news20").is_dir():
        X, y = news20(folder / "news20")
        yield Problem("news20, class 1", X, np.where(y == 1, 1, -1), True)
        X, y = news20(folder / "news20", normalized=True, distinct=True)
        yield Problem("news20, class 1, unit rows, no repeats", X, np.where(y == 1, 1, -1), True)


def extended(problem: Problem) -> MatrixLike:
    X, n = problem.X, len(problem.y)
    if not problem.intercept:
        return X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if sp.issparse(X):
        return sp.csr_matrix(sp.hstack([X, np.ones((n, 1))]))
    return np.column_stack([X, np.ones(n)]).astype(np.float64)


def geometric_margin(problem: Problem, weights: np.ndarray) -> float:
    norm = float(np.linalg.norm(weights))
    return float((problem.y * (extended(problem) @ weights)).min()) / norm if norm else -math.inf


def ours(problem: Problem) -> tuple[str, np.ndarray | None]:
    result = separate(problem.X, problem.y, fit_intercept=problem.intercept)
    if result.coef is None:
        return result.verdict.name, None
    tail = [result.intercept] if problem.intercept else []
    return result.verdict.name, np.append(result.coef, tail)


def highs(problem: Problem, patience: float) -> tuple[str, np.ndarray | None]:
    E = extended(problem)
    n, d = E.shape
    signs = -problem.y[:, None].astype(np.float64)
    if sp.issparse(E):
        A = sp.csr_matrix(sp.hstack([E.multiply(signs), np.ones((n, 1))]))
    else:
        A = np.column_stack([signs * E, np.ones(n)])
    c = np.zeros(d + 1)
    c[-1] = -1.0
    bounds = [(-1.0, 1.0)] * d + [(0.0, None)]
    done = linprog(
        c, A, np.zeros(n), bounds=bounds, method="highs", options={"time_limit": patience}
    )
    if done.x is None or done.status != 0:
        return "no answer", None
    if done.x[-1] <= 1e-9:
        return "INSEPARABLE (unproved)", None
    return "SEPARABLE", done.x[:-1]


def linear_svc(problem: Problem) -> tuple[str, np.ndarray | None]:
    X = problem.X
    if sp.issparse(X):
        X = X.copy()
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    model = LinearSVC(C=1e4, loss="hinge", fit_intercept=problem.intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, problem.y)
    tail = model.intercept_ if problem.intercept else []
    return "no verdict", np.append(model.coef_[0], tail)


def clarabel(problem: Problem, patience: float) -> tuple[str, np.ndarray | None]:
    import clarabel as solver

    E = extended(problem)
    n, d = E.shape
    signs = problem.y[:, None].astype(np.float64)
    A = sp.csc_matrix(-E.multiply(signs) if sp.issparse(E) else -signs * E)
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.time_limit = patience
    program = solver.DefaultSolver(
        sp.identity(d, format="csc"),
        np.zeros(d),
        A,
        -np.ones(n),
        [solver.NonnegativeConeT(n)],
        settings,
    )
    done = program.solve()
    status = str(done.status)
    return status, np.array(done.x) if status in ("Solved", "AlmostSolved") else None


def timed(work: Callable[[], object], repeats: int) -> tuple[float, Any]:
    times: list[float] = []
    result = None
    while len(times) < repeats:
        started = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - started)
        if len(times) < 3 and times[0] > _SLOW:
            break
    return statistics.median(times), result


def check_ratio(problem: Problem, repeats: int) -> dict[str, float] | None:
    """Return the times of one product X·w, of the float check, of the digest, and of ``verify``."""
    result = separate(problem.X, problem.y, fit_intercept=problem.intercept)
    proof = result.certificate
    if not isinstance(proof, SeparatingHyperplane):
        return None
    samples = Samples.of(problem.X, problem.y)
    setting = Setting(samples, 1, int(problem.intercept), "augmented")
    weights = np.array(proof.weights[:-1], dtype=np.float64)
    works = {
        "product": lambda: problem.X @ weights,
        "check": lambda: proof._claim_falsehood(setting, exact=False),
        "digest": lambda: proof.digest.matches_samples(samples),
        "verify": lambda: proof.verify(problem.X, problem.y),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(max(9, repeats)):
        for name, work in works.items():
            times[name].append(timed(work, 1)[0])
    return {name: statistics.median(values) for name, values in times.items()}


def measure(problem: Problem, repeats: int, patience: float, peers: list[str]) -> dict[str, Any]:
    ours(problem)  # compiles the kernels, or loads them
    works: dict[str, Callable[[], object]] = {
        "linprog": lambda: highs(problem, patience),
        "LinearSVC": lambda: linear_svc(problem),
        "Clarabel": lambda: clarabel(problem, patience),
    }
    row: dict[str, Any] = {"data": problem.name, "shape": list(problem.X.shape)}
    for name, work, count in [
        ("rosenblatt", lambda: ours(problem), repeats),
        *((name, work, 3) for name, work in works.items() if name in peers),
    ]:
        seconds, (answer, weights) = timed(work, count)
        margin = None if weights is None else geometric_margin(problem, weights)
        row[name] = {"seconds": seconds, "answer": answer, "margin": margin}
        print(f"  {problem.name}: {name} {seconds:.4g} s, {answer}, margin {margin}", flush=True)
    row["check"] = check_ratio(problem, repeats)
    return row


def table(rows: list[dict[str, Any]], peers: list[str]) -> str:
    lines = [
        "| data | ours | verdict | margin | "
        + " | ".join(f"{peer} | ratio | its margin" for peer in peers)
        + " | check / X·w | with digest |",
        "|---" * (6 + 3 * len(peers)) + "|",
    ]
    for row in rows:
        own = row["rosenblatt"]
        cells = [row["data"], _seconds(own["seconds"]), own["answer"], _margin(own["margin"])]
        for peer in peers:
            other = row[peer]
            note = "" if other["margin"] is not None else f" ({other['answer']})"
            cells += [
                _seconds(other["seconds"]) + note,
                f"**{other['seconds'] / own['seconds']:.3g}×**",
                _margin(other["margin"]),
            ]
        check = row["check"]
        if check is None:
            cells += ["–", "–"]
        else:
            cells += [
                f"{check['check'] / check['product']:.2f}",
                f"{check['verify'] / check['product']:.1f}",
            ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{1000 * value:.3g} ms" if value < 1.0 else f"{value:.3g} s"


def _margin(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", help="only problems whose name contains this")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--patience", type=float, default=600.0, help="time limit of a peer in seconds"
    )
    parser.add_argument("--peers", nargs="*", default=["linprog", "LinearSVC", "Clarabel"])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = [
        measure(problem, given.repeats, given.patience, given.peers)
        for problem in problems(given.data)
        if given.only is None or given.only in problem.name
    ]
    print(json.dumps(rows, indent=2) if given.json else table(rows, given.peers))


if __name__ == "__main__":
    main()
