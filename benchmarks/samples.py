"""Data sets for the separability benchmark; `bench_data` has those for learning."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from bench_data import fashion_mnist
from sklearn.datasets import load_svmlight_file


def unit_rows(n_samples: int, n_features: int, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of length 1, drawn uniformly from those at least ``margin`` from a hyperplane."""
    rng = np.random.default_rng(0)
    normal = rng.standard_normal(n_features)
    normal /= np.linalg.norm(normal)
    parts: list[np.ndarray] = []
    while sum(map(len, parts)) < n_samples:
        drawn = rng.standard_normal((n_samples, n_features))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        parts.append(drawn[np.abs(drawn @ normal) >= margin])
    X = np.ascontiguousarray(np.vstack(parts)[:n_samples])
    return X, np.where(X @ normal > 0, 1, -1)


def sonar(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the sonar set, mines against rocks."""
    table = np.genfromtxt(path, delimiter=",", dtype=str)
    return table[:, :-1].astype(np.float64), np.where(table[:, -1] == "R", 1, -1)


def fashion_mnist_pair(folder: Path, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the 12000 training images of two classes, float32 pixels."""
    X, labels = fashion_mnist(folder)
    chosen = (labels == a) | (labels == b)
    return np.ascontiguousarray(X[chosen]), np.where(labels[chosen] == a, 1, -1)


def rcv1_subset(folder: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the 2000 training documents of the RCV1 subset."""
    return _libsvm(folder / "small_train.dat")


def news20(
    folder: Path, *, normalized: bool = False, distinct: bool = False
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the word counts of 20 newsgroups; optionally scaled, and without repeated rows."""
    X, y = _libsvm(folder / "news20.bz2")
    if distinct:
        keys = X @ np.random.default_rng(0).standard_normal(X.shape[1])
        _, first = np.unique(keys, return_index=True)
        X, y = X[np.sort(first)], y[np.sort(first)]
    if normalized:
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X = sp.csr_matrix(X.multiply(1.0 / norms[:, None]))
    return X, y


def _libsvm(path: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    X, y = load_svmlight_file(str(path))
    X = sp.csr_matrix(X)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y
