"""The data that the benchmarks measure on."""

import gzip
from pathlib import Path

import numpy as np
import scipy.sparse as sp


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
