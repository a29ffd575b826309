"""Ray sessions: our own on this machine, or a connection to a running cluster.

Anyone who can submit work to Ray can run any program on it. So our own Ray requires a new random token
each time and listens only on this machine, although Ray listens on all networks by default; and a
cluster that does not require a token is refused unless the user allows it explicitly. Ray gets the token
through its environment: it is never written to a file.
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

_TIMEOUT = 30.0
"""Seconds for a cluster to answer."""
# Checks whether a cluster answers without a token.
_PROBE = """
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
    """Connect this process to Ray; return the function that disconnects it.

    An existing connection of this process is used, and left open.
    """
    if address is not None and "://" in address:
        raise InputError(
            f"the address {address!r} is for Ray's client: give the address of the cluster itself, "
            "such as 10.0.0.1:6379 or auto, on one of its machines"
        )
    _check_installed()
    import ray

    if ray.is_initialized():
        connected = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", connected):
            raise InputError(
                f"this process is already connected to Ray at {connected}, not {address}: call "
                "ray.shutdown() first, or give no address"
            )
        check_closed(connected, allow_open)
        return lambda: None
    end = _start(n_workers) if address is None else _connect(_resolved(address), allow_open)
    _print_messages(are_printed=False)
    return end


def check_closed(address: str, allow_open: bool) -> None:
    """Raise InputError if a cluster does not require a token, unless that is allowed."""
    _check_answers(address)  # takes seconds; Ray itself would wait for minutes
    if not allow_open and _accepts_anyone(address):
        raise InputError(
            f"the Ray cluster at {address} requires no token, so anyone who can reach it can run "
            "programs on it: start it with RAY_AUTH_MODE=token, or allow this with allow_open=True "
            "(--allow-open-cluster)"
        )


def _check_answers(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _TIMEOUT).close()
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(
            f"nothing answers at the address {address} ({error}): give the address of a Ray cluster, "
            "such as 10.0.0.1:6379 or auto"
        ) from error


def _accepts_anyone(address: str) -> bool:
    stranger = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    try:
        said = subprocess.run(
            [sys.executable, "-c", _PROBE, address],
            env={**stranger, "RAY_AUTH_MODE": "disabled"},
            capture_output=True,
            timeout=_TIMEOUT,
        ).stdout.strip()
    except subprocess.TimeoutExpired:
        said = b""
    if said in (b"open", b"closed"):
        return said == b"open"
    if os.environ.get("RAY_USE_TLS") == "1":  # without a certificate there is no answer
        return False
    raise InputError(
        f"the server at the address {address} does not answer like Ray: give the address of a Ray "
        "cluster, such as 10.0.0.1:6379 or auto"
    )


def _check_installed() -> None:
    try:
        import ray
    except ImportError as error:
        raise InputError(
            "the engine 'ray' needs Ray, which is not installed: pip install 'rosenblatt[ray]'"
        ) from error
    del ray


def _resolved(address: str) -> str:
    """Return the address that Ray will connect to, so that the same one is checked.

    ``auto`` is the cluster of this machine; a loopback address becomes this machine's network address.
    """
    from ray._private.services import canonicalize_bootstrap_address_or_die

    if address != "auto":
        try:
            return canonicalize_bootstrap_address_or_die(address)
        except (ValueError, OSError):
            return address  # `_check_answers` will report it
    try:
        return canonicalize_bootstrap_address_or_die(address)
    except ConnectionError as error:
        raise InputError(
            "the address 'auto' found no Ray cluster on this machine, or several: give an address such "
            "as 10.0.0.1:6379, or none to start Ray here"
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
            f"the Ray cluster at {address} does not accept the token found here: set "
            "RAY_AUTH_TOKEN, or RAY_AUTH_TOKEN_PATH to a file with the token, or write ~/.ray/auth_token"
        ) from None
    except (ConnectionError, RuntimeError) as error:
        raise InputError(
            f"this machine cannot join the Ray cluster at {address} ({_first_line(error)}): start from "
            "one of its machines"
        ) from error
    return _disconnect


def _print_messages(*, are_printed: bool) -> None:
    """Turn Ray's messages about lost workers and machines on or off.

    Ray prints them to standard output, in between our own output; we report the losses ourselves.
    """
    from ray._private import worker

    worker._worker_logs_enabled = are_printed


def _disconnect() -> None:
    import ray

    ray.shutdown()
    _print_messages(are_printed=True)
    with _environment({}):  # restore Ray's settings for later users in this process
        return


def _start(n_workers: int) -> Callable[[], None]:
    """Start our own Ray, reachable only from this machine."""
    import ray
    from ray._private import ray_constants

    # Short, because the paths of sockets in it must be. Ray makes its folder writable for everyone, so
    # it is placed inside a private one.
    folder = tempfile.mkdtemp(prefix="rosenblatt-ray-", dir="/tmp" if os.name == "posix" else None)
    environment = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_USAGE_STATS_ENABLED": "0",  # the default reports usage to Ray's developers
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
            # Ray's servers listen on the node's address. This makes it the loopback address, as on
            # systems where Ray supports only one machine; `_node_ip_address` would be resolved.
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
            raise InputError("this version of Ray listens on all networks: install another version")
    except BaseException:
        close()
        raise
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = is_clustered
    return close


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables temporarily, and make Ray reload those that it caches."""
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
