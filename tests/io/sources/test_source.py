"""Sources yield all bytes, decompressed and unchanged, or raise an error that names the source."""

import gzip
import io
import os
import random
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compression import Pack, every_pack
from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.source import Source, sources_of
from sample_files import written

TEXT = "".join(f"{k % 2} 1:{random.Random(k).random()}\n" for k in range(300)).encode()


def whole(source: Source) -> bytes:
    with source.open() as file:
        return b"".join(file.blocks())


def only(path: Path) -> Source:
    (source,) = sources_of([path])
    return source


@every_pack
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "marked"])
def test_several_members_are_one_file(tmp_path: Path, pack: Pack, mark: bytes) -> None:
    members = pack(mark + TEXT) + pack(b"") + pack(TEXT) * 2
    assert whole(only(written(tmp_path, members))) == TEXT * 3


@every_pack
def test_truncated_files_are_refused(tmp_path: Path, pack: Pack) -> None:
    member = pack(TEXT)
    for end in range(5, len(member), 29):
        for before in (b"", member):
            with pytest.raises(InputError, match=r"data: cannot be read .*([Tt]runcated|ended)"):
                whole(only(written(tmp_path, before + member[:end])))


@every_pack
def test_trailing_bytes_are_refused(tmp_path: Path, pack: Pack) -> None:
    for rest in (b"+1 1:1\n", TEXT * 30, b"x"):
        with pytest.raises(InputError, match="data: cannot be read"):
            whole(only(written(tmp_path, pack(TEXT) + rest)))


def test_a_damaged_file_leaks_no_memory(tmp_path: Path) -> None:
    damaged = only(written(tmp_path, b"(\xb5/\xfd0Ha\x01\x000 0:"))
    tracemalloc.start()
    try:
        for _ in range(10):
            with pytest.raises(InputError, match="cannot be read"):
                whole(damaged)
        assert tracemalloc.get_traced_memory()[0] < 2**20  # Arrow leaked a block each time
    finally:
        tracemalloc.stop()


def test_zero_padding_after_gzip_members_is_ignored(tmp_path: Path) -> None:
    padded = gzip.compress(TEXT) + bytes(300_000)
    assert whole(only(written(tmp_path, padded))) == TEXT
    assert whole(only(written(tmp_path, padded + gzip.compress(TEXT)))) == TEXT * 2


@every_pack
def test_decompression_yields_small_pieces(tmp_path: Path, pack: Pack) -> None:
    path = written(tmp_path, pack(bytes(3_000_000)))
    with only(path).open() as file:
        sizes = [len(block) for block in iter(lambda: file.read(1000), b"")]
    assert (sum(sizes), max(sizes)) == (3_000_000, 1000)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, len(TEXT)), marked=st.booleans(), packed=st.booleans())
def test_skip(tmp_path: Path, start: int, marked: bool, packed: bool) -> None:
    content = b"\xef\xbb\xbf" * marked + TEXT
    path = written(tmp_path, gzip.compress(content) if packed else content)
    with only(path).open() as file:
        file.skip(start)
        assert b"".join(file.blocks()) == TEXT[start:]
        assert file.n_read == path.stat().st_size
    with only(path).open() as file, pytest.raises(InputError, match="it is shorter than before"):
        file.skip(len(TEXT) + 1)


@pytest.mark.parametrize("rest", [TEXT, b""], ids=["grows", "shrinks"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, rest: bytes) -> None:
    path = written(tmp_path, TEXT)
    with only(path).open() as file:
        file.read(100)
        path.write_bytes(TEXT[:50] + rest + rest)
        with pytest.raises(InputError, match=r"data: it changed while it was read: it was .*, now"):
            list(file.blocks())


def test_a_file_that_is_replaced_is_read_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT)
    source = only(path)
    identity = source.identity()
    with source.open() as file:
        first = file.read(100)
        os.replace(written(tmp_path, b"+1 1:1\n", "other"), path)
        assert first + b"".join(file.blocks()) == TEXT
    assert source.identity() != identity


def test_patterns(tmp_path: Path) -> None:
    for name in ("part-10.svm", "part-2.svm", "part-1.svm", "other.svm"):
        written(tmp_path, name, name)
    (tmp_path / "part-x.svm").mkdir()
    found = sources_of([f"{tmp_path}/part-*.svm", tmp_path / "other.svm"])
    names = ["part-1.svm", "part-10.svm", "part-2.svm", "other.svm"]
    assert [source.name for source in found] == [str(tmp_path / name) for name in names]
    assert [whole(source).decode() for source in found] == names
    literal = written(tmp_path, "literal", "part-[1].svm")
    assert [source.path for source in sources_of([literal])] == [literal]
    (local,) = sources_of([(tmp_path / "other.svm").as_uri()])
    assert local.path == tmp_path / "other.svm"
    with pytest.raises(InputError, match=r"parts-\*: no file matches this pattern"):
        sources_of([f"{tmp_path}/parts-*"])
    with pytest.raises(InputError, match="this is a folder"):
        sources_of([tmp_path])
    with pytest.raises(InputError, match="there is no such file"):
        sources_of([tmp_path / "nothing"])


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    (source,) = sources_of(["-"])
    assert (source.n_bytes, source.is_repeatable) == (None, False)
    assert source.head(50) == TEXT[:50]
    assert source.head(10) == TEXT[:10]
    assert whole(source) == TEXT
    with pytest.raises(InputError, match="standard input: it can be read only once"):
        whole(source)
    with pytest.raises(InputError, match="standard input can be read only once; give - once"):
        sources_of(["-", "-"])
