"""A Ray to work on: one of our own on this machine, or a cluster that is running.

Whoever may give orders to a Ray may run any program on it. So our own asks for a token, drawn anew each
time, and listens to this machine only, though Ray by itself listens to all networks; and a cluster that
answers without a token is refused, unless the user says that this is known. The token goes to Ray in its
environment: it is written nowhere.
"""

import atexit
import logging
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rosenblatt.core.errors import InputError

_PATIENCE = 30.0
"""Seconds that a cluster has to answer."""
# It asks a cluster for what it tells everybody, without a token.
_QUESTION = """
import sys
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
try:
    GcsClient(address=sys.argv[1])
except AuthenticationError:
    print("closed")
else:
    print("open")
"""


def open_ray(address: str | None, n_workers: int, allow_open: bool) -> Callable[[], None]:
    """Connect this process to Ray; return what ends that.

    A Ray that this process is connected to already is used, and is left as it was.
    """
    if address is not None and "://" in address:
        raise InputError(
            f"the address {address!r} is one of Ray's client: give that of the cluster itself, as in "
            "10.0.0.1:6379 or auto, on one of its machines"
        )
    _check_installed()
    import ray

    if ray.is_initialized():
        there = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", there):
            raise InputError(
                f"this process is connected to Ray at {there} already, and cannot go to {address}: "
                "call ray.shutdown() before, or give no address"
            )
        check_closed(there, allow_open)
        return lambda: None
    end = _start(n_workers) if address is None else _connect(_resolved(address), allow_open)
    _print_messages(are_printed=False)
    return end


def check_closed(address: str, allow_open: bool) -> None:
    """Raise if a cluster does what it is told without a token, unless that is allowed."""
    _check_answers(address)  # in seconds: Ray itself would wait for minutes
    if not allow_open and _answers_anybody(address):
        raise InputError(
            f"the Ray cluster at {address} takes orders from anybody who can reach it, without a token: "
            "start it with RAY_AUTH_MODE=token, or say that this is known with allow_open=True "
            "(--allow-open-cluster)"
        )


def _check_answers(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(
            f"nothing answers at the address {address} ({error}): give that of a Ray cluster, as in "
            "10.0.0.1:6379 or auto"
        ) from error


def _answers_anybody(address: str) -> bool:
    stranger = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    try:
        said = subprocess.run(
            [sys.executable, "-c", _QUESTION, address],
            env={**stranger, "RAY_AUTH_MODE": "disabled"},
            capture_output=True,
            timeout=_PATIENCE,
        ).stdout.strip()
    except subprocess.TimeoutExpired:
        said = b""
    if said in (b"open", b"closed"):
        return said == b"open"
    if os.environ.get("RAY_USE_TLS") == "1":  # who has no certificate is not answered
        return False
    raise InputError(
        f"what listens at the address {address} does not answer as Ray does: give the address of a Ray "
        "cluster, as in 10.0.0.1:6379 or auto"
    )


def _check_installed() -> None:
    try:
        import ray  # loads nothing twice
    except ImportError as error:
        raise InputError(
            "the engine 'ray' needs Ray, which is not installed: pip install 'rosenblatt[ray]'"
        ) from error
    del ray


def _resolved(address: str) -> str:
    """Return the address that Ray connects to, so that no other is checked.

    ``auto`` is the cluster that this machine is part of, and a loopback is this machine in its network.
    """
    from ray._private.services import canonicalize_bootstrap_address_or_die

    if address != "auto":
        try:
            return canonicalize_bootstrap_address_or_die(address)
        except (ValueError, OSError):
            return address  # where nothing answers
    try:
        return canonicalize_bootstrap_address_or_die(address)
    except ConnectionError as error:
        raise InputError(
            "the address 'auto' finds no Ray on this machine, or more than one: give one as in "
            "10.0.0.1:6379, or no address for a Ray of its own"
        ) from error


def _connect(address: str, allow_open: bool) -> Callable[[], None]:
    import ray
    from ray.exceptions import AuthenticationError

    check_closed(address, allow_open)
    mode = {} if allow_open else {"RAY_AUTH_MODE": os.environ.get("RAY_AUTH_MODE", "token")}
    try:
        with _environment(mode):
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except AuthenticationError:
        raise InputError(
            f"the Ray cluster at {address} wants another token than Ray finds here: it is read from "
            "RAY_AUTH_TOKEN, or from the file that RAY_AUTH_TOKEN_PATH names, or ~/.ray/auth_token"
        ) from None
    except (ConnectionError, RuntimeError) as error:
        raise InputError(
            f"this machine cannot join the Ray cluster at {address} ({_first_line(error)}): start from "
            "one of its machines"
        ) from error
    return _disconnect


def _print_messages(*, are_printed: bool) -> None:
    """Let Ray print what it has to say of lost workers and machines, or not.

    It would do so to standard output, in the midst of what we print there; we report it ourselves.
    """
    from ray._private import worker

    worker._worker_logs_enabled = are_printed


def _disconnect() -> None:
    import ray

    ray.shutdown()
    _print_messages(are_printed=True)
    with _environment({}):  # the next to use Ray in this process finds it as it was
        return


def _start(n_workers: int) -> Callable[[], None]:
    """Start a Ray of our own on this machine, for this machine."""
    import ray
    from ray._private import ray_constants

    # Short, because the names of sockets within must be. Ray lets everybody write to its folder, so that
    # is within one of ours.
    folder = tempfile.mkdtemp(prefix="rosenblatt-ray-", dir="/tmp" if os.name == "posix" else None)
    environment = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_USAGE_STATS_ENABLED": "0",  # by itself it would report to its makers
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
    }

    def close() -> None:
        atexit.unregister(close)
        _disconnect()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(close)
    is_clustered = ray_constants.ENABLE_RAY_CLUSTER
    try:
        with _environment(environment):
            # All servers of Ray listen at the address of the node. This makes it that of the loopback,
            # as on systems where Ray is for one machine only; `_node_ip_address` would be resolved.
            ray_constants.ENABLE_RAY_CLUSTER = False
            ray.init(
                "local",
                num_cpus=n_workers,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                _temp_dir=os.path.join(folder, "r"),
            )
        if not ray.util.get_node_ip_address().startswith("127."):
            raise InputError("this version of Ray listens to all networks: install another")
    except BaseException:
        close()
        raise
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = is_clustered
    return close


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Let Ray see these variables, and remember those that it reads once."""
    from ray._raylet import AuthenticationTokenLoader, Config

    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
