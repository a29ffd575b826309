"""The data that the benchmarks measure on."""

import gzip
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file


def fashion_mnist(folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Return 60000 × 784 float32 pixels and whether each image is a shirt (class 6, the hardest).

    Without the folder of the original files, pixels of the same shape are drawn at random.
    """
    if folder is None:
        rng = np.random.default_rng(0)
        X = rng.integers(0, 256, size=(60000, 784)).astype(np.float32)
        return X, np.where(X @ rng.standard_normal(784) > 0, 1, -1)
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    return X, np.where(labels == 6, 1, -1)


def rcv1_shaped(
    n_samples: int = 300_000, n_features: int = 47_000, mean_length: float = 76.0
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return sparse rows shaped like RCV1: Zipf's law for features, unit length, noisy labels.

    Seeded; with the default sizes about 20 million non-zeros, float32 values and int32 indices. Both
    labels are equally frequent, and a first epoch is mistaken on 8 % of the samples.
    """
    rng = np.random.default_rng(0)
    frequency = 1.0 / np.arange(1, n_features + 1) ** 0.9
    cumulative = np.cumsum(frequency / frequency.sum())
    lengths = np.maximum(1, rng.poisson(mean_length, n_samples))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    draws = np.searchsorted(cumulative, rng.random(indptr[-1])).clip(max=n_features - 1)
    indices = rng.permutation(n_features)[draws].astype(np.int32)
    values = rng.gamma(2.0, 1.0, indptr[-1]).astype(np.float32)
    X = sp.csr_matrix((values, indices, indptr.astype(np.int32)), shape=(n_samples, n_features))
    X.sum_duplicates()
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(norms, np.diff(X.indptr)).astype(np.float32)
    share = np.bincount(X.indices, minlength=n_features) / n_samples
    score = X @ (np.sqrt(share) * rng.standard_normal(n_features))
    score += 0.1 * score.std() * rng.standard_normal(n_samples)
    return X, np.where(score > np.median(score), 1, -1)


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
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    chosen = (labels == a) | (labels == b)
    return np.ascontiguousarray(X[chosen]), np.where(labels[chosen] == a, 1, -1)


def rcv1_subset(folder: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the 2000 training documents of the RCV1 subset."""
    return _libsvm(folder / "small_train.dat")


def news20(
    folder: Path, *, unit_length: bool = False, distinct: bool = False
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the word counts of 20 newsgroups; if wished, scaled, and without repeated rows."""
    X, y = _libsvm(folder / "news20.bz2")
    if distinct:
        keys = X @ np.random.default_rng(0).standard_normal(X.shape[1])
        _, first = np.unique(keys, return_index=True)
        X, y = X[np.sort(first)], y[np.sort(first)]
    if unit_length:
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X = sp.csr_matrix(X.multiply(1.0 / norms[:, None]))
    return X, y


def _libsvm(path: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    X, y = load_svmlight_file(str(path))
    X = sp.csr_matrix(X)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y
