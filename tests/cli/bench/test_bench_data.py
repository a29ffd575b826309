"""The data that benchmarks draw, read and label."""

import bz2
import gzip
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli.bench.bench_data import (
    MissingError,
    Source,
    fashion_mnist_test,
    rcv1_shaped,
    stream,
)
from rosenblatt.core.errors import InputError


def sized(*sizes: int) -> bytes:
    """Return the header of a file of bytes in arrays of these sizes."""
    return bytes([0, 0, 8, len(sizes)]) + np.array(sizes, ">i4").tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    images, news = tmp_path / "fashion_mnist", tmp_path / "news20"
    images.mkdir()
    news.mkdir()
    labels = bytes([6, 0, 9])
    pixels = bytes([7] * 784 * 3)
    (images / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(sized(3, 28, 28) + pixels))
    (images / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(sized(3) + labels))
    (images / "t10k-images-idx3-ubyte.gz").write_bytes(
        gzip.compress(sized(2, 28, 28) + pixels[784:])
    )
    (images / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(sized(2) + labels[1:]))
    (news / "news20.bz2").write_bytes(bz2.compress(b"1 1:2 3:1\n2 2:1\n3 1:1\n4 4:9\n"))
    return tmp_path


def test_images_from_a_folder(folder: Path) -> None:
    name, X, y = Source(folder).images()
    assert (name, X.shape, X.dtype, y.tolist()) == ("Fashion-MNIST", (3, 784), "f4", [6, 0, 9])
    assert Source(folder).shirts().y.tolist() == [1, -1, -1]


def test_test_images(folder: Path) -> None:
    X, y = fashion_mnist_test(folder / "fashion_mnist")
    assert (X.shape, X.dtype, X[0, 0], y.tolist()) == ((2, 784), "f4", 7, [0, 9])


@pytest.mark.parametrize("damage", ["other", "cut", "flipped", "short", "missing"])
def test_a_damaged_folder_is_named(folder: Path, damage: str) -> None:
    path = folder / "fashion_mnist" / "train-labels-idx1-ubyte.gz"
    content = bytearray(gzip.compress(sized(1000) + bytes(1000)))
    if damage == "flipped":
        content[12:20] = b"\xff" * 8
    path.write_bytes(
        {
            "other": b"nothing",
            "cut": content[:-10],
            "flipped": content,
            "short": gzip.compress(bytes(7)),
            "missing": gzip.compress(sized(4) + bytes(3)),
        }[damage]
    )
    with pytest.raises(InputError, match=r"train-labels-idx1-ubyte\.gz: this original file"):
        Source(folder).images()


def test_random_pixels_say_so(tmp_path: Path) -> None:
    for source in (Source(None, 100), Source(tmp_path, 100)):
        name, X, y = source.images()
        assert (name, X.shape, len(np.unique(y))) == ("random pixels", (600, 784), 10)


def test_news20(folder: Path, tmp_path: Path) -> None:
    name, X, y = Source(folder, 2).newsgroups()
    assert (name, X.shape, X.dtype, y.tolist()) == ("news20", (2, 4), "f4", [1, 2])
    for missing in (None, tmp_path / "nowhere"):
        with pytest.raises(MissingError, match=r"news20/news20\.bz2"):
            Source(missing).newsgroups()


@pytest.mark.parametrize("n_classes", [2, 16])
def test_rcv1_shaped_is_seeded_and_has_unit_rows(n_classes: int) -> None:
    X, y = rcv1_shaped(3000, n_classes)
    np.testing.assert_array_equal(y, rcv1_shaped(3000, n_classes)[1])
    assert (X.dtype, X.indices.dtype, X.shape) == ("f4", "i4", (3000, 47_000))
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1.0, rtol=1e-5)
    assert len(np.unique(y)) == n_classes


def test_a_stream_is_made_of_dicts() -> None:
    samples = stream(5, 3)
    assert [list(x) for x, _ in samples] == [["x0", "x1", "x2"]] * 5
    assert all(type(y) is bool and type(x["x0"]) is float for x, y in samples)
