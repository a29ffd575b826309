"""Files of arbitrary bytes are read, or refused with one sentence that names the file."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as pa_feather
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt import InputError, Perceptron, load, save
from rosenblatt.io import read

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
Y = ["yes", "yes", "no", "no"]


def predicted(path: Path) -> Any:
    return load(path).predict(X).tolist()


def contents() -> dict[str, tuple[Callable[[Path], Any], bytes]]:
    """Return the reader and a valid content of each kind of file."""
    model = Perceptron().fit(X, Y)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / name for name in ("model", "Arrow")}
        save(model, paths["model"])
        pa_feather.write_feather(pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), str(paths["Arrow"]))
        return {
            "model": (predicted, paths["model"].read_bytes()),
            "Arrow": (read, paths["Arrow"].read_bytes()),
            "CSV": (read, b"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n"),
            "libsvm": (read, b"1 1:0.5 3:2\n-1 2:1e-3\n"),
        }


CONTENTS = contents()


@pytest.mark.parametrize("name", CONTENTS)
@given(
    bytes_=st.binary(max_size=40),
    begin=st.integers(0, 2**12),
    length=st.integers(0, 2**12),
    alone=st.booleans(),
)
@example(b"\xff" * 8, 0, 8, False)
@example(b"\xff\xff\xff\x7f", 0, 4, False)
@example(b"", 0, 2**12, False)
@example(b"\0", 9, 1, False)
def test_any_bytes(name: str, bytes_: bytes, begin: int, length: int, alone: bool) -> None:
    reader, content = CONTENTS[name]
    changed = bytes_ if alone else content[:begin] + bytes_ + content[begin + length :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(changed)
        try:
            found, sentence = reader(path), str(path)
        except InputError as error:
            found, sentence = None, str(error)
        assert sentence.startswith(str(path))
        assert "\n" not in sentence
        if name == "model" and found is not None:  # it has a checksum
            assert found == Y
