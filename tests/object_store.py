"""A small server with the parts of S3 that reading needs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

_LISTED = "<Contents><Key>{}</Key><Size>{}</Size><LastModified>{}</LastModified></Contents>"


class Store:
    """The objects of a bucket by key, and their modification time."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.modified = "Mon, 16 Nov 2026 11:56:29 GMT"
        self.n_missing = 0
        """The number of bytes of each object that are announced but not sent."""
        self.port = 0

    def allow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this process use the store instead of Amazon's."""
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "anyone")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "anything")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{self.port}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, store: Store) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.store = store
        store.port = self.server_port


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        store, url = self.server.store, urlsplit(self.path)
        _, bucket, *keys = url.path.split("/", 2)
        query = parse_qs(url.query)
        content = store.objects.get(keys[0] if keys else "")
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if "list-type" in query:
            self.answer(200, _listing(store, bucket, query.get("prefix", [""])[0]))
        elif content is None:
            self.answer(404, b"")
        elif asked is None:
            self.answer(200, content)
        else:
            first, last = int(asked[1]), int(asked[2])
            self.answer(206, content[first : last + 1], f"bytes {first}-{last}/{len(content)}")

    def answer(self, status: int, content: bytes, part: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Last-Modified", self.server.store.modified)
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        if self.command == "GET":
            n_missing = self.server.store.n_missing
            self.wfile.write(content[: len(content) - n_missing])
            self.close_connection = n_missing > 0

    def log_message(self, *_: object) -> None:
        pass


def _listing(store: Store, bucket: str, prefix: str) -> bytes:
    found = "".join(
        _LISTED.format(key, len(content), "2026-11-16T11:56:29Z")
        for key, content in sorted(store.objects.items())
        if key.startswith(prefix)
    )
    return f"<ListBucketResult><Name>{bucket}</Name>{found}</ListBucketResult>".encode()


@contextmanager
def object_store() -> Iterator[Store]:
    store = Store()
    server = _Server(store)
    thread = Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
