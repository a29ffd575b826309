"""A file on the web, http:// or https://: one request, read once and in order."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.error import URLError
from urllib.request import urlopen

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.stored import State

_TIMEOUT = 60  # seconds without a byte


class _Response:
    """A response that is being read."""

    def __init__(self, url: str, response: HTTPResponse) -> None:
        self._url, self._response = url, response
        self._state = State(response.length)
        self.close = response.close

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""
        with _named(self._url):
            return self._response.read(n)

    def go_to(self, _offset: int, /) -> bool:
        """Say that it must be read up to there."""
        return False

    def state(self) -> State:
        """Return the length that the server announced."""
        return self._state


@dataclass(frozen=True)
class WebFile:
    """A file on the web."""

    url: str
    is_repeatable: bool = False

    @property
    def name(self) -> str:
        """What it is called in messages: its URL without secrets."""
        return shown_url(self.url)

    def state(self) -> State:
        """Return that nothing is known of it before it is read."""
        return State(None)

    def open(self) -> _Response:
        """Send the request."""
        with _named(self.url):
            return _Response(self.url, urlopen(self.url, timeout=_TIMEOUT))

    def open_at_random(self) -> pa.NativeFile:
        """Raise: it can be read in order only."""
        raise InputError(f"{self.name}: it can be read in order only; download it first")


@contextmanager
def _named(url: str) -> Iterator[None]:
    """Name the URL in errors; the reason why one is malformed may repeat its secrets."""
    try:
        yield
    except OSError as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise InputError(f"{shown_url(url)}: cannot be read ({reason!s:.300})") from error
    except (HTTPException, ValueError) as error:
        raise InputError(f"{shown_url(url)}: cannot be read ({type(error).__name__})") from error
