"""The interface of every origin of bytes: its name, its size and version, its stored bytes."""

from typing import NamedTuple, Protocol

import pyarrow as pa


class State(NamedTuple):
    """The size of an origin in stored bytes (None: unknown), and its version."""

    n_bytes: int | None
    version: str = ""

    def __str__(self) -> str:
        size = "size unknown" if self.n_bytes is None else f"{self.n_bytes} bytes"
        return f"{size}, {self.version}" if self.version else size


class StoredBytes(Protocol):
    """An origin that is open for reading."""

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""

    def seek(self, offset: int, /) -> bool:
        """Continue at an offset; return False if that takes reading everything before it."""

    def state(self) -> State:
        """Return the current size and version."""

    def close(self) -> None:
        """Close the origin."""


class Origin(Protocol):
    """A file, a URL or standard input."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be read more than once."""

    def state(self) -> State:
        """Return the current size and version."""

    def open(self) -> StoredBytes:
        """Open it for sequential reading."""

    def open_seekable(self) -> pa.NativeFile:
        """Open it for random access, as Parquet files need."""
