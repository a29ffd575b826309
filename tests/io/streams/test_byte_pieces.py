"""Pieces contain all of the text in whole lines, and are the same wherever reading begins."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.source import sources_of
from rosenblatt.io.streams import byte_pieces
from rosenblatt.io.streams.byte_pieces import Piece, pieces
from rosenblatt.io.streams.stream_position import Position
from sample_files import written

texts = st.lists(st.sampled_from([b"", b"\r", b"ab", b"c" * 30, b"d" * 7]), max_size=12)


def position(piece: Piece) -> Position:
    return Position(
        piece.source,
        piece.offset + len(piece.data),
        piece.line - 1 + piece.data.count(b"\n"),
        digest=piece.digest,
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(texts, min_size=1, max_size=3), size=st.integers(1, 60), ends=st.booleans())
def test_pieces(tmp_path: Path, lines: list[list[bytes]], size: int, ends: bool) -> None:
    contents = [b"\n".join(own) + b"\n" * ends for own in lines]
    paths = [written(tmp_path, own, f"{k}") for k, own in enumerate(contents)]
    found = list(pieces(sources_of(paths), size=size, digest=hashlib.sha256()))
    for k, content in enumerate(contents):
        own = [piece for piece in found if piece.source == k]
        assert b"".join(piece.data for piece in own) == content
        for piece in own:
            assert piece.data[-1:] == b"\n" or piece is own[-1]
            assert content[piece.offset :].startswith(piece.data)
            assert piece.line == content.count(b"\n", 0, piece.offset) + 1
            all_before = b"".join(contents[:k]) + content[: piece.offset + len(piece.data)]
            assert piece.digest == hashlib.sha256(all_before).hexdigest()
    for number, piece in enumerate(found):
        rest = list(pieces(sources_of(paths), position(piece), size, hashlib.sha256()))
        assert [one._replace(before=None) for one in rest] == [
            one._replace(before=None) for one in found[number + 1 :]
        ]
    if found:
        assert found[-1].n_read == sum(map(len, contents[: found[-1].source + 1]))


def test_changed_bytes_before_the_position_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"+1 1:1\n" * 10)
    first = next(pieces(sources_of([path]), size=30, digest=hashlib.sha256()))
    rest = list(pieces(sources_of([path]), position(first)))
    assert b"".join(piece.data for piece in rest) == b"+1 1:1\n" * 6
    path.write_bytes(b"-1 1:1\n" + b"+1 1:1\n" * 9)
    with pytest.raises(
        InputError, match="data: the text before line 5 has changed since it was read"
    ):
        list(pieces(sources_of([path]), position(first)))


def test_too_long_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_pieces, "LONGEST_LINE", 1000)
    path = written(tmp_path, b"a\n" + b"x" * 999 + b"\nb\n" + b"x" * 2000 + b"\n")
    with pytest.raises(InputError, match="data, line 4: this line is longer than 1,000 bytes, the"):
        list(pieces(sources_of([path]), size=100))
