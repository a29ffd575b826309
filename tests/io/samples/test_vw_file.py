"""Files of Vowpal Wabbit's text."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.lines import parsed_file
from rosenblatt.io.samples.vw_file import read_vw
from sample_files import written

TEXT = "1 |f 3:0.5 4\n\n|f 3\n-1 2.5 'b |f 5:2\n"


def test_samples_without_a_label_are_left_out(tmp_path: Path) -> None:
    table = read_vw(written(tmp_path, TEXT), 20)
    assert table.X.shape == (2, 2**20)
    assert np.diff(table.X.indices).tolist() == [1, 1]
    assert table.X.data.tolist() == [0.5, 1.0, 2.0]
    assert table.y.tolist() == [1, -1]
    assert table.weights.tolist() == [1.0, 2.5]
    assert table.n_unlabelled == 1
    assert table.places_of(np.arange(2)) == ["line 1", "line 4"]


def test_labels_may_not_be_needed(tmp_path: Path) -> None:
    table = read_vw(written(tmp_path, TEXT), needs_labels=False)
    assert (table.X.shape, table.y) == ((3, 2**18), None)
    assert table.weights.tolist() == [1.0, 1.0, 2.5]
    assert table.places_of(np.arange(3)) == ["line 1", "line 3", "line 4"]


@pytest.mark.parametrize("text", ["", "\n", "|f a\n"])
def test_there_must_be_samples(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"data: (the file is empty|no line has a label)"):
        read_vw(written(tmp_path, text))


def test_pieces_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{k % 3} {k % 5} |a f{k % 7} {k}" for k in range(50)]
    path = written(tmp_path, "\n".join(lines))
    whole = read_vw(path)
    monkeypatch.setattr(parsed_file, "_PIECE", 100)
    pieces = read_vw(path)
    assert (pieces.X != whole.X).nnz == 0
    assert pieces.y.tolist() == whole.y.tolist() == [k % 3 for k in range(50)]
    assert pieces.weights.tolist() == [k % 5 for k in range(50)]
    lines[33], lines[44] = "x |a", "|:"
    with pytest.raises(InputError, match="data, line 34: the label: 'x' is not a number"):
        read_vw(written(tmp_path, "\n".join(lines)))
