"""Files of other machines."""

import gzip
import sys
from collections.abc import Iterator

import pytest

from object_store import Store, object_store
from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.source import sources_of

TEXT = b"+1 1:1\n-1 2:0.5\n" * 1000


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with object_store() as found:
        found.allow(monkeypatch)
        yield found


def read_whole(place: str) -> bytes:
    found = b""
    for source in sources_of([place]):
        with source.open() as file:
            found += b"".join(file.blocks())
    return found


def test_an_object_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.objects = {"a/1.svm": TEXT, "a/2.svm": gzip.compress(TEXT), "a/3.csv": b"x"}
    assert read_whole("s3://bucket/a/1.svm") == TEXT
    (source,) = sources_of(["s3://bucket/a/1.svm"])
    assert (source.name, source.n_bytes) == ("s3://bucket/a/1.svm", len(TEXT))
    assert [one.name for one in sources_of(["s3://bucket/a/*.svm"])] == [
        "s3://bucket/a/1.svm",
        "s3://bucket/a/2.svm",
    ]
    assert read_whole("s3://bucket/a/*.svm") == TEXT * 2
    with source.open_at_random() as file:
        assert file.size() == len(TEXT)
    with source.open() as begun:
        begun.skip(7000)
        assert b"".join(begun.blocks()) == TEXT[7000:]
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    query = f"?scheme=http&endpoint_override=127.0.0.1:{store.port}"
    assert read_whole(f"s3://bucket/a/*.svm{query}") == TEXT * 2


def test_errors_name_the_object(store: Store) -> None:
    with pytest.raises(InputError, match=r"^s3://bucket/b/none: there is no such file"):
        read_whole("s3://bucket/b/none")
    with pytest.raises(InputError, match=r"^s3://bucket/b/\*.svm: no file matches"):
        read_whole("s3://bucket/b/*.svm")
    store.objects = {"1.svm": gzip.compress(TEXT)[:-9]}
    with pytest.raises(InputError, match=r"^s3://bucket/1.svm: cannot be read .*truncated"):
        read_whole("s3://bucket/1.svm")


def test_an_object_that_is_replaced_while_it_is_read(store: Store) -> None:
    store.objects = {"1.svm": TEXT}
    (source,) = sources_of(["s3://bucket/1.svm"])
    identity = source.identity()
    with source.open() as file:
        file.read(100)
        store.modified = "Mon, 16 Nov 2026 11:56:30 GMT"
        with pytest.raises(
            InputError, match=r"^s3://bucket/1.svm: it has changed while it was rea"
        ):
            list(file.blocks())
    assert source.identity() != identity


def test_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    system = fsspec.filesystem("memory")
    system.pipe({"/rosenblatt/1.svm": TEXT, "/rosenblatt/2.svm": gzip.compress(TEXT)})
    assert read_whole("memory://rosenblatt/*.svm") == TEXT * 2
    (source,) = sources_of(["memory://rosenblatt/1.svm"])
    assert (source.n_bytes, source.identity()) == (len(TEXT), source.identity())
    with source.open_at_random() as file:
        assert file.size() == len(TEXT)
    with source.open() as begun:
        begun.skip(7000)
        assert b"".join(begun.blocks()) == TEXT[7000:]
    with pytest.raises(InputError, match=r"^memory://rosenblatt/none: there is no such file"):
        read_whole("memory://rosenblatt/none")
    with pytest.raises(InputError, match=r"^nothing://x: cannot be read .*rotocol not known"):
        read_whole("nothing://x")


def test_what_to_install_for_other_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(
        InputError, match="http://x/y: files at http:// are read with fsspec, which"
    ):
        read_whole("http://x/y")
