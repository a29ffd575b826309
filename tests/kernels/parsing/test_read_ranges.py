"""Ranges of files read by compiled code equal those that Python reads one by one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.kernels.parsing.read_ranges import CAN_READ, read_ranges

pytestmark = pytest.mark.skipif(not CAN_READ, reason="requires POSIX and compiled code")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=3), st.data())
def test_ranges_equal_those_read_by_python(
    tmp_path: Path, texts: list[bytes], data: st.DataObject
) -> None:
    ranges = []
    for text in texts:
        start = data.draw(st.integers(0, len(text) - 1))
        ranges.append((start, data.draw(st.integers(1, len(text) - start))))
    paths = [tmp_path / str(k) for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    files = [path.open("rb") for path in paths]
    handles = np.array([file.fileno() for file in files])
    offsets, sizes = np.array(ranges).T.copy()
    out = np.full(sizes.sum() + len(sizes), 255, np.uint8)
    starts = np.zeros(len(sizes) + 1, np.int64)
    assert read_ranges(handles, offsets, sizes, out, starts)
    for file in files:
        file.close()
    expected = [text[a : a + n] for text, (a, n) in zip(texts, ranges, strict=True)]
    expected = [one if one.endswith(b"\n") else one + b"\n" for one in expected]
    assert out[: starts[-1]].tobytes() == b"".join(expected)
    assert np.diff(starts).tolist() == list(map(len, expected))
    assert (out[starts[-1] :] == 255).all()


def test_missing_bytes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"12345")
    with (tmp_path / "short").open("rb") as file:
        handle, out, starts = file.fileno(), np.zeros(9, np.uint8), np.zeros(2, np.int64)
        for own, offset in ((handle, 3), (handle, 9), (2**30, 0)):
            place, size = np.array([offset]), np.array([3])
            assert not read_ranges(np.array([own]), place, size, out, starts)
