"""Ray clusters in other processes, with and without a token."""

import base64
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TOKEN = "0123456789abcdef" * 4
NOTHING: Mapping[str, str] = {}


def environment(mode: str, *, has_token: bool = True) -> dict[str, str]:
    """Return this process's environment, with Ray's settings replaced."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    token = {"RAY_AUTH_TOKEN": TOKEN} if has_token else {}
    return {**kept, **token, "RAY_AUTH_MODE": mode, "PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def registry(mode: str, folder: Path) -> Iterator[str]:
    """Run only a cluster's GCS server, which starts at once; yield its address."""
    import ray
    from ray._private.services import GCS_SERVER_EXECUTABLE

    port = free_port()
    command = [
        GCS_SERVER_EXECUTABLE,
        f"--log_dir={folder}",
        f"--session-dir={folder}",
        f"--config_list={base64.b64encode(b'{}').decode()}",
        f"--gcs_server_port={port}",
        "--metrics-agent-port=0",
        "--node-ip-address=127.0.0.1",
        "--session-name=test",
        f"--ray-commit={ray.__commit__}",
        f"--node-id={1:056x}",
    ]
    with _running(command, mode, port):
        yield f"127.0.0.1:{port}"


@contextmanager
def cluster(
    mode: str, folder: Path, *, n_processors: int = 2, settings: Mapping[str, str] = NOTHING
) -> Iterator[str]:
    """Run a whole cluster on this machine; yield its address."""
    port = free_port()
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
    options = [
        f"--port={port}",
        "--include-dashboard=false",
        f"--num-cpus={n_processors}",
        f"--temp-dir={folder}",
    ]
    with _running([*command, *options], mode, port, settings):
        yield f"127.0.0.1:{port}"


@contextmanager
def _running(
    command: list[str], mode: str, port: int, settings: Mapping[str, str] = NOTHING
) -> Iterator[None]:
    process = subprocess.Popen(
        command,
        env={**environment(mode), **settings},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while not is_reached(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    """Return a port on which no process listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def is_reached(port: int) -> bool:
    """Return whether a process listens on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
