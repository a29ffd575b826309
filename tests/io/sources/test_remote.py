"""Remote files: object stores and the web."""

import gzip
import re
from collections.abc import Iterator

import pytest

from object_store import Store, object_store
from rosenblatt import read
from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.source import sources_of

TEXT = b"+1 1:1\n-1 2:0.5\n" * 1000


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with object_store() as found:
        found.allow(monkeypatch)
        yield found


def read_whole(location: str) -> bytes:
    found = b""
    for source in sources_of([location]):
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
    with source.open_seekable() as file:
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
        with pytest.raises(InputError, match=r"^s3://bucket/1.svm: it changed while it was read"):
            list(file.blocks())
    assert source.identity() != identity


def test_a_file_on_the_web(store: Store) -> None:
    store.objects = {"1.svm": TEXT, "2.svm.gz": gzip.compress(TEXT)}
    url = f"http://127.0.0.1:{store.port}/bucket"
    assert read_whole(f"{url}/1.svm") == read_whole(f"{url}/2.svm.gz?token=x") == TEXT
    (source,) = sources_of([f"{url}/1.svm?token=x"])
    assert (source.name, source.n_bytes) == (f"{url}/1.svm?token=…", None)
    assert source.head(50) == TEXT[:50]
    with source.open() as file:
        file.skip(7000)
        assert b"".join(file.blocks()) == TEXT[7000:]
    with pytest.raises(InputError, match=r"1\.svm\?token=…: it can be read only once"):
        source.head(1)


def test_a_file_on_the_web_is_copied_for_random_access(store: Store) -> None:
    store.objects = {"1.svm": TEXT}
    url = f"http://127.0.0.1:{store.port}/bucket/1.svm"
    (source,) = sources_of([url])
    with source.open_seekable() as file:
        assert file.read_at(20, 7000) == TEXT[7000:7020]
    assert (source.name, source.is_repeatable) == (url, True)
    assert read([url, url])[0].shape == (4000, 2)


def test_errors_name_the_url(store: Store) -> None:
    url = f"http://127.0.0.1:{store.port}/bucket/1.svm?token=SECRET"
    shown = f"^{re.escape(url[:-6])}…: "
    with pytest.raises(InputError, match=f"{shown}cannot be read .Not Found"):
        read_whole(url)
    store.objects, store.n_missing = {"1.svm": TEXT}, 9
    with pytest.raises(InputError, match=f"{shown}only 15,991 of its 16,000 bytes could be read"):
        read_whole(url)
    with pytest.raises(InputError, match=r"^http://…@host/: cannot be read \(InvalidURL\)"):
        read_whole("http://KEY:SECRET@host/")
    with pytest.raises(InputError, match=r"^sftp://x/y: sftp:// is not supported; use s3://"):
        read_whole("sftp://x/y")
