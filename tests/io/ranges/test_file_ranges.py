"""Every line is in exactly one range, wherever a text is cut."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.io.ranges import file_ranges
from rosenblatt.io.ranges.file_ranges import FileRange, lots, whole_lines_of
from rosenblatt.io.sources.source import sources_of
from rosenblatt.io.streams.sample_stream import open_stream
from sample_files import written

LINES = st.lists(st.sampled_from(["", "1", "1 1:2", "-1 " + "1:3 " * 9]), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=LINES,
    end=st.sampled_from(["\n", "\r\n"]),
    is_ended=st.booleans(),
    has_mark=st.booleans(),
    size=st.integers(1, 60),
    scanned=st.integers(1, 9),
)
def test_every_line_is_in_one_range(
    tmp_path: Path,
    lines: list[str],
    end: str,
    is_ended: bool,
    has_mark: bool,
    size: int,
    scanned: int,
) -> None:
    text = ("1 1:1" + end + end.join(lines) + end * is_ended).encode()
    path = written(tmp_path, b"\xef\xbb\xbf" * has_mark + text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_ranges, "RANGE", size)
        patch.setattr(file_ranges, "_SCANNED", scanned)
        (source,) = sources_of([path])
        place = 0
        for own in file_ranges.file_ranges(open_stream([path]), "libsvm"):
            found = whole_lines_of(source, own)
            if found is None:
                continue
            begin, stop = found
            assert begin == place  # where the range before it ends
            assert own.start <= begin
            place = len(text) if stop is None else stop
            starts = [k for k in range(begin, place) if text[k - 1 : k] == b"\n" or k == 0]
            assert all(own.stop is None or start < own.stop for start in starts)
            assert place == len(text) or text[place - 1 : place] == b"\n"
        assert place == len(text)


def test_small_ranges_are_worked_on_together() -> None:
    packed = FileRange(1, 0, None, 9, 9, is_packed=True)
    small = [FileRange(k, 0, None, 9, 9) for k in (0, 2, 3)]
    large = FileRange(4, 0, None, file_ranges.RANGE, None)
    assert lots([small[0], packed, *small[1:], large]) == [
        (small[0],),
        (packed,),
        tuple(small[1:]),
        (large,),
    ]
