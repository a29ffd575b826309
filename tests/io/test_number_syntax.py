"""One syntax of numbers: what the readers take and what they complain of are the same."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.io import Table, read
from rosenblatt.io.number_syntax import number_fault

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


def _read(text: str) -> Table | str:
    """Return what is read, or the complaint."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_text(text)
        try:
            return read(path, kind="libsvm" if ":" in text else "csv", header=False)
        except InputError as error:
            return str(error)


@given(nearly_numbers)
def test_csv(text: str) -> None:
    fault = number_fault(text)
    table = _read(f"7,0,a\n{text},0,b\n".replace("\t,", " ,"))
    if fault is None:
        assert isinstance(table, Table)
        assert table.X[1, 0] == float(text)
    else:
        assert isinstance(table, str)
        assert table.endswith(f"line 2, column 1: {fault}")


@given(nearly_numbers.map(lambda text: "".join(text.split())).filter(bool))
def test_libsvm(text: str) -> None:
    fault = number_fault(text)
    value, label = _read(f"1 1:1\n-1 1:{text}\n"), _read(f"1 1:1\n{text} 1:1\n")
    if fault is None:
        assert isinstance(value, Table)
        assert value.X[1, 0] == float(text)
        assert isinstance(label, Table)
        assert label.y is not None
        assert float(label.y[1]) == float(text)
    else:
        assert isinstance(value, str)
        assert value.endswith(f"line 2: '1:{text}': after the colon, {fault}")
        assert isinstance(label, str)
        assert label.endswith(f"line 2: the label: {fault}")
