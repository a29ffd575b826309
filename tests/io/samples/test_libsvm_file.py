"""libsvm files, valid and malformed."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from rosenblatt.io.samples import libsvm_file
from rosenblatt.io.samples.table import Expected
from sample_files import numbers, written


def test_libsvm(tmp_path: Path) -> None:
    table = read(written(tmp_path, "# a comment\n+1 1:0.5 3:2 # more\n-1 2:-1e-3\n"))
    assert table.X.toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, -0.001, 0.0]]
    assert table.X.indices.dtype == np.int32
    assert table.y.tolist() == [1, -1]
    assert table.places_of(np.arange(2)) == ["line 2", "line 3"]
    halves = read(written(tmp_path, "0.5 1:1\n1.5 1:2\n"))
    assert halves.y.tolist() == ["0.5", "1.5"]


MALFORMED = {
    "+1 1:2 3:4\n-1 2:x\n": r"data, line 2: '2:x': after the colon, 'x' is not a number",
    "+1 1:2\n-1 1:\n": r"data, line 2: '1:' has no value after the colon; expected a number",
    "+1 1:2\n-1 1:nan\n": r"data, line 2: '1:nan': after the colon, 'nan' is not finite",
    "+1 1:2\n\n-1 1:1e999\n": r"data, line 3: '1:1e999': after the colon, '1e999' is not finite",
    "+1 1:2\n#\n1e999 1:1\n": r"data, line 3: the label: '1e999' is not finite",
    "+1 1:2 3:4\n-1 4:1 2:1\n": r"data, line 2: index 2 follows index 4; indices must increase",
    "+1 1:2\nmine 1:2\n": r"data, line 2: the label: 'mine' is not a number",
    "+1 1:2\n-1 junk\n": r"data, line 2: 'junk' is not an index:value pair",
    "+1 1:2\n-1 -1:3\n": r"data, line 2: '-1:3' is not an index:value pair",
    "+1 1:2\n-1 +1:3\n": r"data, line 2: '\+1:3' is not an index:value pair",
    "+1 1:2\n-1 -0:3\n": r"data, line 2: '-0:3' is not an index:value pair",
    "+1 1:2\n-1 1_1:1\n": r"data, line 2: '1_1:1' is not an index:value pair",
    "1 1_1:1\n-1 2:1\n": r"data, line 1: '1_1:1' is not an index:value pair",
    "+1 1:0.50_849\n": r"data, line 1: '1:0.50_849': after the colon, '0.50_849' is not a number",
    "+1 1:१\n": r"data, line 1: '1:१': after the colon, '१' is not a number",
    "+1 1:2 qid:3 4:5\n": r"data, line 1: 'qid:3' must come directly after the label",
    "+1 1:2\r-1 2:3\r": r"data, line 1: a carriage return \(CR\) is inside the line",
    "+1 1:2\n+1 9999999999:2\n": r"data, line 2: the index '9999999999' is larger than 2147483647",
    f"+1 1:2\n-1 {'x' * 99}\n": r"data, line 2: 'x{59}…' is not an index:value pair",
}


@pytest.mark.parametrize("text", list(MALFORMED), ids=lambda text: repr(text[:40]))
def test_malformed_line_is_named_in_one_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=MALFORMED[text]) as error:
        read(written(tmp_path, text))
    assert "\n" not in str(error.value)


def test_labels_beyond_exact_whole_numbers(tmp_path: Path) -> None:
    table = read(written(tmp_path, "1e300 1:1\n2e300 1:2\n1 1:3\n"))
    assert table.y.tolist() == ["1e+300", "2e+300", "1"]
    ids = "1 1:2\n9007199254740992 1:1\n9007199254740993 1:2\n"
    with pytest.raises(InputError, match="line 3: the label '9007199254740993' is so large"):
        read(written(tmp_path, ids))


def test_model_decides_the_first_index(tmp_path: Path) -> None:
    learned = read(written(tmp_path, "1 0:1 1:5\n-1 0:-1 1:4\n"))
    assert learned.first_index == 0
    model = Reading(expect=Expected(2, learned.y, first_index=0))
    a = read(written(tmp_path, "1 1:5\n"), model)
    b = read(written(tmp_path, "1 0:0 1:5\n"), model)
    assert a.X.toarray().tolist() == b.X.toarray().tolist() == [[0.0, 5.0]]
    other = Reading(expect=Expected(2, learned.y))
    with pytest.raises(InputError, match="there is an index 0"):
        read(written(tmp_path, "1 0:1\n"), other)


def test_a_file_may_name_fewer_features_than_the_model_has(tmp_path: Path) -> None:
    wide = Reading(expect=Expected(9, np.array([0, 1])))
    assert read(written(tmp_path, "1 1:2 3:1\n"), wide).X.shape == (1, 9)


def test_column_options_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "1 1:2\n-1 1:4\n")
    assert numbers(path) == (None, [[2.0], [4.0]])
    with pytest.raises(InputError, match="a libsvm file has no columns to ignore"):
        numbers(path, ignore=["1"])


def test_piece_size_does_not_change_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{k} {k + 1}:{k} {k + 70}:0.5" for k in range(50)]
    lines[7:7] = ["# none", ""]
    path = written(tmp_path, "\n".join(lines), "whole")
    plain = written(tmp_path, "1 1:2\n" * 99, "plain")
    whole = read(path)
    for size in (7, 100, 1000):
        monkeypatch.setattr(libsvm_file, "_PIECE", size)
        pieces = read(path)
        assert (pieces.X != whole.X).nnz == 0
        assert pieces.y.tolist() == list(range(50))
        assert pieces.places_of(np.arange(5, 9)) == [f"line {k}" for k in (6, 7, 10, 11)]
        assert read(plain).places_of(np.array([77])) == ["line 78"]
    lines[33], lines[44] = "1 2", "x"
    with pytest.raises(InputError, match="data, line 34: '2' is not an index:value pair"):
        read(written(tmp_path, "\n".join(lines)))
