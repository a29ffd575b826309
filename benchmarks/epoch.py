"""One epoch of binary learning, against scikit-learn's Perceptron in the same process.

    python benchmarks/epoch.py [--fashion-mnist FOLDER] [--repeats 9] [--json]

Each row is the median over interleaved repeats. "fit" is the whole call, `fit(X, y)` with one epoch,
validation included on both sides; "epoch" is what one more epoch adds to it; "read" is the time to
read the same bytes once. Compile time is measured apart, in a fresh process with an
empty cache. The exact path's cost is the number of exact sums in the epoch times the measured cost of
one.
"""

import argparse
import json
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from fresh import first_and_second_fit
from sklearn.linear_model import Perceptron as Peer

from rosenblatt import Perceptron
from rosenblatt.bench.data import fashion_mnist, rcv1_shaped
from rosenblatt.bench.timing import interleaved, reading, seconds
from rosenblatt.kernels import choose_side
from rosenblatt.rows import as_rows

_EXTRA_EPOCHS = 4


def exact_cost(X: Any) -> float:
    """Return the seconds that one exact sum takes on these rows: weights of 0 make every one a tie."""
    rows, n = as_rows(X[:2000], 1.0), 2000
    weights = np.zeros(X.shape[1] + 1)
    weights[:-1] = np.resize([1e-200, -1e-200], X.shape[1])  # too small for the float filter
    out = np.zeros(n, dtype=np.int64)
    return seconds(lambda: choose_side(rows, np.arange(n), weights, 0, out)) / n


def measure(name: str, X: Any, y: np.ndarray, repeats: int) -> list[dict[str, Any]]:
    """Return a result for each pair of orders: ours and the peer's.

    By default we visit the samples as given, and scikit-learn shuffles them.
    """

    def ours(order: str, epochs: int) -> Perceptron:
        return Perceptron(order=order, max_iter=epochs, random_state=0).fit(X, y)

    def theirs(order: str, epochs: int) -> Peer:
        shuffle = order == "shuffle"
        return Peer(max_iter=epochs, tol=None, shuffle=shuffle, random_state=0).fit(X, y)

    arrays = [X] if isinstance(X, np.ndarray) else [X.data, X.indices]
    works: dict[str, Callable[[], Any]] = {"read": reading(arrays)}
    for order in ("shuffle", "cyclic"):
        for epochs in (1, 1 + _EXTRA_EPOCHS):
            works[f"ours {order} {epochs}"] = partial(ours, order, epochs)
            works[f"theirs {order} {epochs}"] = partial(theirs, order, epochs)
    median = {name: times.median for name, times in interleaved(works, repeats).items()}
    exact_cost(X)
    results = []
    for order, peer_order in (("cyclic", "shuffle"), ("cyclic", "cyclic"), ("shuffle", "shuffle")):
        fit, peer_fit = median[f"ours {order} 1"], median[f"theirs {peer_order} 1"]
        epochs = 1 + _EXTRA_EPOCHS
        epoch = (median[f"ours {order} {epochs}"] - fit) / _EXTRA_EPOCHS
        peer_epoch = (median[f"theirs {peer_order} {epochs}"] - peer_fit) / _EXTRA_EPOCHS
        model = ours(order, 1)
        results.append(
            {
                "data": name,
                "order": order,
                "peer_order": peer_order,
                "fit_ms": 1e3 * fit,
                "peer_fit_ms": 1e3 * peer_fit,
                "fit_ratio": peer_fit / fit,
                "epoch_ms": 1e3 * epoch,
                "peer_epoch_ms": 1e3 * peer_epoch,
                "epoch_ratio": peer_epoch / epoch,
                "read_ms": 1e3 * median["read"],
                "mistakes": model.n_mistakes_,
                "exact_sums": model.n_exact_,
                "exact_share": model.n_exact_ / len(y),
                "exact_ms": 1e3 * model.n_exact_ * exact_cost(X),
            }
        )
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fashion-mnist", type=Path, help="folder of the original idx .gz files")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    dense = "Fashion-MNIST" if options.fashion_mnist else "random pixels"
    X, classes = fashion_mnist(options.fashion_mnist)
    shirts = np.where(classes == 6, 1, -1)  # the hardest class
    results = [
        *measure(f"{dense}, dense float32", X, shirts, options.repeats),
        *measure("RCV1-shaped, CSR float32", *rcv1_shaped(), options.repeats),
    ]
    first, second = first_and_second_fit("dense", empty_cache=True)
    compiling = first - second
    if options.json:
        print(json.dumps({"results": results, "compile_seconds": compiling}, indent=2))
        return
    for row in results:
        print(
            f"{row['data']}: order {row['order']}, scikit-learn {row['peer_order']}\n"
            f"  fit    {row['fit_ms']:7.1f} ms, scikit-learn {row['peer_fit_ms']:7.1f} ms: "
            f"{row['fit_ratio']:.2f}×\n"
            f"  epoch  {row['epoch_ms']:7.1f} ms, scikit-learn {row['peer_epoch_ms']:7.1f} ms: "
            f"{row['epoch_ratio']:.2f}×\n"
            f"  read   {row['read_ms']:7.1f} ms\n"
            f"  exact  {row['exact_sums']} sums for {row['exact_share']:.6%} of the visits, "
            f"{row['exact_ms']:.3f} ms\n"
        )
    print(f"compiling, once on a machine: {compiling:.1f} s")


if __name__ == "__main__":
    main()
