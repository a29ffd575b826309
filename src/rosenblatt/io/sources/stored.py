"""What every place of bytes offers: its name, its state, and its bytes as they are stored."""

from typing import NamedTuple, Protocol

import pyarrow as pa


class State(NamedTuple):
    """How large a place is, in bytes as stored, and which version of it that is; None: not known."""

    n_bytes: int | None
    version: str = ""

    def __str__(self) -> str:
        size = "size unknown" if self.n_bytes is None else f"{self.n_bytes} bytes"
        return f"{size}, {self.version}" if self.version else size


class Stored(Protocol):
    """A place that is open for reading."""

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""

    def go_to(self, offset: int, /) -> bool:
        """Go on reading from an offset; say whether that is possible without reading up to there."""

    def state(self) -> State:
        """Return what the place is now."""

    def close(self) -> None:
        """Leave the place."""


class Origin(Protocol):
    """A place, by the name that messages have for it."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be read more than once."""

    def state(self) -> State:
        """Return what the place is now."""

    def open(self) -> Stored:
        """Open the place for reading in order."""

    def open_at_random(self) -> pa.NativeFile:
        """Open the place for reading here and there, as Parquet files are read."""
