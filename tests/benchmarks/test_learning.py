"""`benchmarks/learning.py`: the data that it reads or draws, and both sides of each work."""

import bz2
import gzip
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rosenblatt import InputError, Perceptron


@pytest.fixture(autouse=True)
def _ignore_warnings() -> None:
    warnings.simplefilter("ignore")


@pytest.fixture
def data(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("bench_data")


@pytest.fixture
def works(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("works")


def idx_header(*sizes: int) -> bytes:
    """Return the header of an idx file of bytes with these dimensions."""
    return bytes([0, 0, 8, len(sizes)]) + np.array(sizes, ">i4").tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    images, news = tmp_path / "fashion_mnist", tmp_path / "news20"
    images.mkdir()
    news.mkdir()
    pixels, labels = bytes([7] * 784 * 3), bytes([6, 0, 9])
    (images / "train-images-idx3-ubyte.gz").write_bytes(
        gzip.compress(idx_header(3, 28, 28) + pixels)
    )
    (images / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx_header(3) + labels))
    (news / "news20.bz2").write_bytes(bz2.compress(b"1 1:2 3:1\n2 2:1\n3 1:1\n4 4:9\n"))
    return tmp_path


def test_data_from_a_folder(data: ModuleType, folder: Path) -> None:
    name, X, y = data.Source(folder).images()
    assert (name, X.shape, X.dtype, y.tolist()) == ("Fashion-MNIST", (3, 784), "f4", [6, 0, 9])
    assert data.Source(folder).shirts().y.tolist() == [1, -1, -1]
    name, X, y = data.Source(folder, 2).newsgroups()
    assert (name, X.shape, X.dtype, y.tolist()) == ("news20", (2, 4), "f4", [1, 2])
    path = folder / "fashion_mnist" / "train-labels-idx1-ubyte.gz"
    path.write_bytes(gzip.compress(idx_header(4) + bytes(3)))
    data.fashion_mnist.cache_clear()
    with pytest.raises(InputError, match=r"train-labels-idx1-ubyte\.gz: this original file"):
        data.Source(folder).images()


def test_data_that_is_missing(data: ModuleType, tmp_path: Path) -> None:
    source = data.Source(tmp_path, 100)
    name, X, y = source.images()
    assert (name, X.shape, len(np.unique(y))) == ("random pixels", (600, 784), 10)
    with pytest.raises(data.MissingError, match=r"news20/news20\.bz2"):
        source.newsgroups()


@pytest.mark.parametrize("n_classes", [2, 16])
def test_rcv1_shaped_is_seeded_and_has_unit_rows(data: ModuleType, n_classes: int) -> None:
    X, y = data.rcv1_shaped(3000, n_classes)
    np.testing.assert_array_equal(y, data.rcv1_shaped(3000, n_classes)[1])
    assert (X.dtype, X.indices.dtype, X.shape) == ("f4", "i4", (3000, 47_000))
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1.0, rtol=1e-5)
    assert len(np.unique(y)) == n_classes


@pytest.mark.parametrize(("peer", "keep"), [("perceptron", "last"), ("averaged", "average")])
def test_the_peer_learns_the_same_weights(
    data: ModuleType, works: ModuleType, peer: str, keep: str
) -> None:
    shirts = data.Source(None, 100).shirts()
    contest = works.fitting(
        shirts, partial(Perceptron, keep=keep), getattr(works, peer), jobs=[1], epochs=2
    )
    ours, theirs = contest.ours(), contest.peers["n_jobs=1"]()
    assert theirs.n_iter_ == ours.n_iter_ == 2
    np.testing.assert_allclose(theirs.coef_, ours.coef_, rtol=1e-4, atol=0.1)


def test_both_sides_predict_and_cross_validate(data: ModuleType, works: ModuleType) -> None:
    source = data.Source(None, 100)
    contest = works.predicting(source.images())
    assert (contest.ours() == contest.peers[""]()).mean() > 0.9
    contest = works.cross_validating(source.shirts(), folds=3, epochs=2)
    scores = contest.peers["n_jobs=1"]()
    np.testing.assert_allclose(contest.ours()["test_score"], scores, atol=0.05)


def test_runs_alternate(script: Callable[[str], ModuleType]) -> None:
    measurement = script("measurement")
    calls: list[str] = []
    runs = {name: partial(calls.append, name) for name in "ab"}
    times = measurement.interleaved(runs, 3)
    assert calls == list("abababab")
    assert all(len(one.later) == 3 for one in times.values())
    assert measurement.Times(5.0, [1.0, 3.0, 2.0]).warm_up == 3.0
    numbers = np.arange(6, dtype=np.int32)
    assert measurement.reading([numbers])() == [numbers.view(np.int64).sum()]
