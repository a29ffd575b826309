"""The readers accept and refuse the same numbers as number_fault."""

import math
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.samples.preparation import ColumnOptions, prepared

nearly_numbers = st.text("0123456789+-.eE_ \tnaif()tyxX१²", max_size=8) | st.sampled_from(
    [
        "nan",
        "-NaN",
        "inf",
        "Infinity",
        "+1",
        "1.",
        ".5",
        "1_000",
        "१",
        " 7 ",
        "1e999",
        "0x1p3",
        "1e-999",
    ]
)


def _read(text: str) -> tuple[Table, str] | str:
    """Return the table and why it cannot be encoded (or ""), or the reader's error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_text(text)
        try:
            table = read(path, Reading(kind="libsvm" if ":" in text else "csv", header=False))
        except InputError as error:
            return str(error)
        try:
            prepared("data", table, ColumnOptions())
        except InputError as error:
            return table, str(error)
        return table, ""


@given(nearly_numbers)
@example("07")
@example("-inf")
@example("+nan")
def test_csv_reads_the_same_numbers(text: str) -> None:
    fault = number_fault(text)
    found = _read(f"7,0,a\n{text},1,b\n".replace("\t,", " ,"))
    assert not isinstance(found, str)
    table, complaint = found
    cell, text = table.X.column(0)[1].as_py(), text.strip(" \t")
    if re.match("[+-]?0[0-9]", text) and fault is None:  # a code, not a number
        assert (cell.strip(), complaint) == (text, "")
    elif fault is None:
        assert (cell, complaint) == (float(text), "")
    elif not text or re.fullmatch(r"-?nan|NaN", text):
        assert (cell, complaint) == (None, "")
    elif re.fullmatch(r"[+-]?nan(\(.*\))?", text, re.IGNORECASE):  # Arrow reads some of these
        assert complaint.startswith("data, line 2, column 1: ") or math.isnan(cell)
    elif "not finite" in fault:
        assert re.match(r"data, line 2, column 1: (-?inf is not finite|'.*' is not a)", complaint)
    else:
        assert cell.strip() == text
        assert complaint.startswith(
            f"data, line 2, column 1: {text!r} is not a number, but 1 of the"
        )


@given(nearly_numbers.map(lambda text: "".join(text.split())).filter(bool))
def test_libsvm_reads_the_same_numbers(text: str) -> None:
    fault = number_fault(text)
    value, label = _read(f"1 1:1\n-1 1:{text}\n"), _read(f"1 1:1\n{text} 1:1\n")
    if fault is None:
        assert not isinstance(value, str)
        assert value[0].X[1, 0] == float(text)
        assert not isinstance(label, str)
        assert label[0].y is not None
        assert float(label[0].y[1]) == float(text)
    else:
        assert isinstance(value, str)
        assert value.endswith(f"line 2: '1:{text}': after the colon, {fault}")
        assert isinstance(label, str)
        assert label.endswith(f"line 2: the label: {fault}")


def test_a_long_number_with_a_letter_is_refused_quickly(tmp_path: Path) -> None:
    """If digits match in two ways, 20,000 digits and a letter take ten seconds, and more take hours."""
    digits = "9" * 300_000
    for text in (f"{digits}t", f"{digits}.{digits}x", f"1e{digits}x", "0" * 300_000 + "x"):
        assert number_fault(text) is not None
        for line in (f"{text} 1:1", f"1 1:{text}", f"1 {text}:1"):
            (tmp_path / "data").write_text(f"{line}\n")
            with pytest.raises(InputError, match="data, line 1"):
                read(tmp_path / "data", Reading(kind="libsvm"))
