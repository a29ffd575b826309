"""A file on the web (http:// or https://): one request, read once and sequentially."""

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
        """Return between 1 and n bytes, or none at the end."""
        with _naming(self._url):
            return self._response.read(n)

    def seek(self, _offset: int, /) -> bool:
        """Return False: skipping means reading."""
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
        """Its name in messages: the URL without secrets."""
        return shown_url(self.url)

    def state(self) -> State:
        """Return an unknown state: only a response tells its length."""
        return State(None)

    def open(self) -> _Response:
        """Send the request."""
        with _naming(self.url):
            return _Response(self.url, urlopen(self.url, timeout=_TIMEOUT))

    def open_seekable(self) -> pa.NativeFile:
        """Raise InputError: it can only be read sequentially."""
        raise InputError(f"{self.name}: it can only be read sequentially; download it first")


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Name the URL in errors; Python's message about a malformed URL may contain its secrets."""
    try:
        yield
    except OSError as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise InputError(f"{shown_url(url)}: cannot be read ({reason!s:.300})") from error
    except (HTTPException, ValueError) as error:
        raise InputError(f"{shown_url(url)}: cannot be read ({type(error).__name__})") from error
