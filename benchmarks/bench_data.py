"""Data sets for the benchmarks: read from a folder, or drawn with a fixed seed."""

import gzip
import zlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Data, Labels, MatrixLike
from rosenblatt.io.samples.libsvm_file import read_libsvm

_IMAGES, _PIXELS, _IMAGE_CLASSES = 60_000, 784, 10
_SHIRT = 6  # the hardest class of Fashion-MNIST
_DOCUMENTS = 300_000


class MissingError(Exception):
    """A peer or data is missing; the message says what to do."""


class Dataset(NamedTuple):
    """Samples, their labels, and their name."""

    name: str
    X: MatrixLike
    y: Labels


class Source(NamedTuple):
    """A folder with data, and the share of it to use: one sample in ``divisor``."""

    folder: Path | None = None
    divisor: int = 1

    def images(self) -> Dataset:
        """Return the training images of Fashion-MNIST (10 classes), or random pixels."""
        folder = None if self.folder is None else self.folder / "fashion_mnist"
        known = folder is not None and folder.is_dir()
        X, y = fashion_mnist(folder if known else None, _IMAGES // self.divisor)
        return Dataset("Fashion-MNIST" if known else "random pixels", X, y)

    def shirts(self) -> Dataset:
        """Return the images, and whether each is a shirt."""
        name, X, y = self.images()
        return Dataset(name, X, np.where(y == _SHIRT, 1, -1))

    def documents(self, n_classes: int) -> Dataset:
        """Return sparse rows shaped like RCV1."""
        return Dataset("RCV1-shaped", *rcv1_shaped(_DOCUMENTS // self.divisor, n_classes))

    def newsgroups(self) -> Dataset:
        """Return the word counts of news20 (20 classes); raise MissingError without the file."""
        path = None if self.folder is None else self.folder / "news20" / "news20.bz2"
        if path is None or not path.is_file():
            raise MissingError("needs news20/news20.bz2 in the folder that --data names")
        X, y = _news20(path)
        n_samples = X.shape[0] // self.divisor
        return Dataset("news20", X[:n_samples], y[:n_samples])


@lru_cache(maxsize=1)
def fashion_mnist(folder: Path | None, n_samples: int = _IMAGES) -> tuple[Data, Labels]:
    """Return float32 pixels of the first training images, and their classes.

    Without a folder, draw random pixels of the same shape; the class is the largest of 10 linear scores.
    """
    if folder is not None:
        pixels = _idx(folder / "train-images-idx3-ubyte.gz", (28, 28)).reshape(-1, _PIXELS)
        labels = _idx(folder / "train-labels-idx1-ubyte.gz", ())
        return pixels[:n_samples].astype(np.float32), labels[:n_samples]
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, size=(n_samples, _PIXELS)).astype(np.float32)
    weights = rng.standard_normal((_PIXELS, _IMAGE_CLASSES)).astype(np.float32)
    scores = X @ weights - 127.5 * weights.sum(axis=0)
    return X, scores.argmax(axis=1).astype(np.uint8)


def fashion_mnist_test(folder: Path) -> tuple[Data, Labels]:
    """Return float32 pixels of the 10,000 test images, and their classes."""
    pixels = _idx(folder / "t10k-images-idx3-ubyte.gz", (28, 28)).reshape(-1, _PIXELS)
    return pixels.astype(np.float32), _idx(folder / "t10k-labels-idx1-ubyte.gz", ())


def _idx(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the content of an idx file: one array of this shape per sample."""
    try:
        with gzip.open(path) as file:
            content = file.read()
        sizes = np.frombuffer(content, ">i4", count=1 + len(shape), offset=4).tolist()
        return np.frombuffer(content, np.uint8, offset=8 + 4 * len(shape)).reshape(sizes[0], *shape)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{path}: this original file of Fashion-MNIST cannot be read") from error


def rcv1_shaped(
    n_samples: int = _DOCUMENTS,
    n_classes: int = 2,
    n_features: int = 47_000,
    mean_length: float = 76.0,
) -> tuple[MatrixLike, Labels]:
    """Return sparse rows shaped like RCV1: Zipf's law for features, length 1, noisy labels.

    The default sizes have about 20 million non-zeros (float32 values, int32 indices). Labels come from
    seeded linear scores with a tenth of their spread as noise: the side of the median of one score, or
    the largest of one centered score per class. The first epoch makes mistakes on 8% of the samples
    with 2 classes; with 10 and 16 classes each halfspace does on 8% and 6%.
    """
    X = _zipf_rows(n_samples, n_features, mean_length)
    rng = np.random.default_rng(n_classes)
    share = np.bincount(X.indices, minlength=n_features) / n_samples
    n_scores = 1 if n_classes == 2 else n_classes
    scores = X @ (np.sqrt(share)[:, None] * rng.standard_normal((n_features, n_scores)))
    scores += 0.1 * scores.std() * rng.standard_normal(scores.shape)
    if n_classes == 2:
        return X, np.where(scores[:, 0] > np.median(scores), 1, -1)
    return X, (scores - scores.mean(axis=0)).argmax(axis=1)


@lru_cache(maxsize=1)
def _zipf_rows(n_samples: int, n_features: int, mean_length: float) -> MatrixLike:
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
    return X


@lru_cache(maxsize=1)
def _news20(path: Path) -> tuple[MatrixLike, Labels]:
    table = read_libsvm(path)
    assert table.y is not None
    return table.X.astype(np.float32), table.y


def stream(n_samples: int, n_features: int) -> list[tuple[dict[str, float], bool]]:
    """Return samples as dicts of named features, labeled by their side of a noisy hyperplane."""
    rng = np.random.default_rng(n_features)
    X = rng.standard_normal((n_samples, n_features))
    scores = X @ rng.standard_normal(n_features)
    y = scores + 0.1 * scores.std() * rng.standard_normal(n_samples) > 0
    names = [f"x{j}" for j in range(n_features)]
    return [
        (dict(zip(names, x, strict=True)), label)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
