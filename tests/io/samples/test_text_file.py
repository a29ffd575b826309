"""Compressed files, detected by their bytes; damaged and binary files."""

import gzip
import lzma
from pathlib import Path

import pytest

from compression import Pack, every_pack
from rosenblatt.core.errors import InputError
from rosenblatt.io import read
from sample_files import rows, written


@every_pack
@pytest.mark.parametrize("name", ["data", "data.csv", "DATA.GZ", "data.bz2", "data.zst"])
@pytest.mark.parametrize("text", [b"1,2,1\n3,4,-1\n", b"\xef\xbb\xbf+1 1:1 2:2\n-1 1:3 2:4\n"])
def test_compressed_files_under_any_name(
    tmp_path: Path, pack: Pack, name: str, text: bytes
) -> None:
    table = read(written(tmp_path, pack(text), name))
    assert rows(table) == [[1.0, 2.0], [3.0, 4.0]]
    assert table.y.tolist() == [1, -1]
    assert read(written(tmp_path, text, name)).y.tolist() == [1, -1]


@every_pack
@pytest.mark.parametrize("form", ["{0},{1},{2}\n", "{1} 1:{0}\n"], ids=["csv", "libsvm"])
def test_a_truncated_file(tmp_path: Path, pack: Pack, form: str) -> None:
    text = "".join(form.format(k, k * 7919 % 1000, "MR"[k % 2]) for k in range(3000))
    packed = pack(text.encode())
    assert read(written(tmp_path, packed)).n_samples == 3000
    for size in (7, len(packed) // 2, len(packed) - 3):
        with pytest.raises(InputError, match=r"data: cannot be read \(.*([Tt]runcated|ended)"):
            read(written(tmp_path, packed[:size]))


def test_a_damaged_file(tmp_path: Path) -> None:
    content = bytearray(gzip.compress(b"1,2,yes\n" * 5000))
    content[30] ^= 255
    with pytest.raises(InputError, match="cannot be read"):
        read(written(tmp_path, bytes(content), "data.csv.gz"))


def test_unsupported_compressions_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, lzma.compress(b"1,a\n2,b\n"), "a.csv.xz")
    with pytest.raises(InputError, match=r"compressed with xz, which is not supported: decompress"):
        read(path)
    path = written(tmp_path, b"PK\x03\x04\0\0", "a.zip")
    with pytest.raises(InputError, match="compressed with zip, which is not supported"):
        read(path)


def test_binary_files_and_bad_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: found a NUL byte: this is not a UTF-8 text file"):
        read(written(tmp_path, bytes(range(256))))
    with pytest.raises(InputError, match="there is no such file"):
        read(tmp_path / "nothing")
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / ("x" * 300))
