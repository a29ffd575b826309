"""Data sets for `accuracy.py`, with fixed training and test parts.

The rows of every training set are shuffled once with seed 0, because many files are sorted by class. A
set's own test set is used if there is one. For news20, the first four fifths in that order are learned
and the last fifth is tested; the small sets are split into ten stratified folds, each tested once.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from bench_data import Source, fashion_mnist, fashion_mnist_test
from sklearn.model_selection import StratifiedKFold

from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io import Reading, read
from rosenblatt.io.samples.preparation import ColumnOptions, prepared
from rosenblatt.io.samples.table import Expected

SEED = 0
N_FOLDS = 10

Split = tuple[np.ndarray, np.ndarray]


class Task(NamedTuple):
    """Samples, their labels, and pairs of row numbers: for training and for testing."""

    name: str
    how: str
    X: MatrixLike
    y: np.ndarray
    splits: list[Split]


def tasks(folder: Path, only: str = "") -> Iterator[Task]:
    """Yield the sets in the folder whose name contains ``only``."""
    for name, (path, reader) in _SETS.items():
        if only in name and (folder / path).exists():
            yield reader(name, folder / path)


def _order(n_samples: int) -> np.ndarray:
    return np.random.default_rng(SEED).permutation(n_samples)


def _own_test(name: str, train: tuple[MatrixLike, Labels], test: tuple[MatrixLike, Labels]) -> Task:
    """Return the shuffled training set followed by the test set."""
    n, m = len(train[1]), len(test[1])
    order = _order(n)
    stack = sp.vstack if sp.issparse(train[0]) else np.vstack
    X, y = stack([train[0][order], test[0]]), np.concatenate([train[1][order], test[1]])
    X = X.tocsr() if sp.issparse(X) else X
    return Task(name, "own test set", X, y, [(np.arange(n), np.arange(n, n + m))])


def _images(name: str, path: Path) -> Task:
    return _own_test(name, fashion_mnist(path), fashion_mnist_test(path))


def _files(train: str, test: str) -> Callable[[str, Path], Task]:
    def reader(name: str, path: Path) -> Task:
        first = read(path / train, Reading(kind="libsvm"))
        expect = Expected(first.X.shape[1], first.y, first_index=first.first_index)
        second = read(path / test, Reading(kind="libsvm", expect=expect))
        return _own_test(name, (first.X, first.y), (second.X, second.y))

    return reader


def _newsgroups(name: str, path: Path) -> Task:
    _, X, y = Source(path.parents[1]).newsgroups()
    order = _order(len(y))
    rows, n = np.arange(len(y)), round(0.8 * len(y))
    return Task(name, "80/20", X[order], y[order], [(rows[:n], rows[n:])])


def _folds(name: str, path: Path) -> Task:
    table = read(path)
    _, X = prepared(str(path), table, ColumnOptions())
    order = _order(len(table.y))
    X, y = X[order], table.y[order]
    return Task(name, f"{N_FOLDS} folds", X, y, list(StratifiedKFold(N_FOLDS).split(X, y)))


_SETS: dict[str, tuple[str, Callable[[str, Path], Task]]] = {
    "Fashion-MNIST": ("fashion_mnist", _images),
    "a9a": ("a9a", _files("a9a", "a9a.t")),
    "rcv1_subset": ("rcv1_subset", _files("small_train.dat", "small_test.dat")),
    "news20": ("news20/news20.bz2", _newsgroups),
    "mushrooms": ("mushrooms/mushrooms", _folds),
    "banknote": ("small/banknote_authentication.csv", _folds),
    "heart": ("small/heart_scale", _folds),
    "iris": ("small/iris.csv", _folds),
    "sonar": ("small/sonar.csv", _folds),
}
