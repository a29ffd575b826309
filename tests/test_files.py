"""Files that are read: ordinary ones, of a bounded size."""

import os
import re
from pathlib import Path

import pytest

from rosenblatt.errors import InputError
from rosenblatt.files import read_text


def test_a_text_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("naïve", encoding="utf-8")
    assert read_text(path, 6) == "naïve"
    with pytest.raises(InputError, match="too large; at most 5 bytes are accepted"):
        read_text(path, 5)


def test_what_is_no_ordinary_file_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, sentence in (
        (Path("/dev/zero"), "this is no ordinary file; an ordinary file is accepted"),
        (pipe, "this is no ordinary file"),
        (tmp_path, "this is a folder"),
        (tmp_path / "missing", "there is no such file"),
        (tmp_path / ("long" * 1000), r"cannot be read \(File name too long\)"),
        (tmp_path / "nul\0", r"cannot be read \("),
        (tmp_path / "pipe" / "inside", r"cannot be read \(Not a directory\)"),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(str(path))}: {sentence}"):
            read_text(path, 100)


def test_a_file_that_is_larger_than_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="too large"):
        read_text(path, 1000)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text file in UTF-8"):
        read_text(path, 100)
