"""Malformed lines are refused with their place, and blank lines are no samples."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import refused
from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, Table, read
from sample_files import rows, written

GOOD = {
    "csv": ["1,2,a", "3,4,b", "-5,0.5,a", "1e3,.5,b"],
    "libsvm": ["+1 1:0.5 3:2", "-1 2:-1e-3", "1", "-1 1:.50 4:7 # a comment"],
}
MALFORMED = {
    "csv": ["1,2", "1,2,3,a", '1,"2,a', '1,2"3,a', "1", "1;2;a", "1,2,\0"],
    "libsvm": [
        *("z 1:1", "NaN 1:1", "1-2 1:1", "1 1:NaN", "1 1:inf", "1 1:1e999", "1 a:1", "1 1:a"),
        *("1 1:", "1 :1", "1 1", "1 -1:2", "1 2:1 1:2", "1 1:1 1:2", "1 1:1,2:2", "1 1:1:1"),
        *("1 1: .50", "1,2 1:1", "1 1:0x1", "1 1:1_000", "1 4294967297:1", "1 1:1\0", "1 | 1:1"),
        *("1 1:1 qid:3", "1 qid:x 1:1", "1\v1:1", "1 1:१", "1 1:\ud800"),
    ],
}
kinds = pytest.mark.parametrize("kind", GOOD)


@kinds
def test_malformed_line_is_refused(tmp_path: Path, kind: str) -> None:
    for place, line in enumerate(MALFORMED[kind]):
        lines = GOOD[kind] * 2
        number = place % len(lines) + 2  # the first line says how many columns there are
        lines.insert(number - 1, line)
        content = "\n".join(lines).encode("utf-8", "surrogatepass")
        path = written(tmp_path, content)
        with pytest.raises(InputError, match=rf"^{re.escape(str(path))}, line {number}\b") as error:
            read(path, Reading(kind=kind, header=False))
        assert "\n" not in str(error.value)


@kinds
def test_learn_names_the_line_and_writes_no_model(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [*GOOD[kind], "", MALFORMED[kind][0]]
    path, model = written(tmp_path, "\r\n".join(lines)), tmp_path / "model"
    message = refused(["learn", str(path), "--model", str(model)], capsys)
    assert f"{path}, line 6" in message
    assert not model.exists()


@kinds
@given(
    blanks=st.lists(st.sampled_from(["\n", "\n\n", "\r\n", "\r\n\n\r\n"]), min_size=5, max_size=5)
)
def test_blank_lines_are_skipped(kind: str, blanks: list[str]) -> None:
    lines = GOOD[kind]
    plain, _ = _read("\n".join(lines), kind)
    spread, places = _read(
        blanks[0] + "".join(map("".join, zip(lines, blanks[1:], strict=True))), kind
    )
    assert rows(spread) == rows(plain)
    assert spread.y.tolist() == plain.y.tolist()
    numbers, text = [], blanks[0]
    for line, end in zip(lines, blanks[1:], strict=True):
        numbers.append(text.count("\n") + 1)
        text += line + end
    assert places == [f"line {number}" for number in numbers]


def test_libsvm_lines_of_spaces_are_skipped(tmp_path: Path) -> None:
    assert read(written(tmp_path, " \n1 1:1\n\t\n  \t \n# a comment\n-1 2:1\n \n")).n_samples == 2


def _read(text: str, kind: str) -> tuple[Table, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        table = read(written(Path(folder), text), Reading(kind=kind, header=False))
        return table, table.places_of(np.arange(table.n_samples))
