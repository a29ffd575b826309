"""A Dask to work on: one of our own on this machine, or a cluster that is running.

Whoever may give orders to a Dask may run any program on it. Our own listens to this machine only. A
cluster elsewhere is refused unless it asks for certificates (``tls://``), or the user says that it is
known to take orders from anybody.
"""

import ipaddress
import logging
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from rosenblatt.core.errors import InputError

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 30.0
"""Seconds that a cluster has to answer."""


def open_dask(
    address: str | None, n_workers: int, allow_open: bool, most_losses: int
) -> "tuple[Client, Callable[[], None]]":
    """Return a client of Dask, and what ends it."""
    try:
        import distributed
    except ImportError as error:
        raise InputError(
            "the engine 'dask' needs Dask, which is not installed: pip install 'rosenblatt[dask]'"
        ) from error
    if address is None:
        return _start(n_workers, most_losses)
    check_address(address, allow_open)
    has_certificate = distributed.Security().get_connection_args("client").get("ssl_context")
    if address.startswith("tls://") and has_certificate is None:
        # Dask itself would find that out with half a client, which it cannot end for a minute.
        raise InputError(
            f"the address {address} needs certificates: name them in Dask's configuration, under "
            "distributed.comm.tls"
        )
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at the address {address}: give one as in tls://10.0.0.1:8786"
        ) from error
    return client, client.close


def check_address(address: str, allow_open: bool) -> None:
    """Raise if a scheduler at the address does what anybody tells it, unless that is allowed.

    >>> check_address("tls://10.0.0.1:8786", allow_open=False)
    >>> check_address("tcp://127.0.0.1:8786", allow_open=False)
    """
    scheme, _, place = address.rpartition("://")
    if scheme not in ("", "tcp", "tls"):
        raise InputError(
            f"the address {address} is not one of a Dask scheduler: give one as in tls://10.0.0.1:8786"
        )
    if scheme != "tls" and not allow_open and not _is_loopback(place.rpartition(":")[0]):
        raise InputError(
            f"the Dask scheduler at {address} takes orders from anybody who can reach it: let it ask "
            "for certificates and use tls://, or say that this is known with allow_open=True "
            "(--allow-open-cluster)"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until the block of code ends."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears of it
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def _start(n_workers: int, most_losses: int) -> "tuple[Client, Callable[[], None]]":
    import dask
    import distributed

    folder = tempfile.mkdtemp(prefix="rosenblatt-dask-")
    opened = ExitStack()
    opened.callback(shutil.rmtree, folder, ignore_errors=True)
    settings = {
        "temporary-directory": folder,
        "distributed.scheduler.allowed-failures": most_losses,
        # A worker that is lost again while it starts would be given up.
        "distributed.deploy.lost-worker-timeout": "1000 days",
    }
    try:
        opened.enter_context(dask.config.set(settings))
        with _without_interrupts():  # Dask cannot end a cluster that has begun to start
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={
                    "dashboard_address": "127.0.0.1:0"
                },  # any port, where nothing is shown
                silence_logs=logging.CRITICAL,
            )
            opened.callback(cluster.close)
            client = distributed.Client(cluster, set_as_default=False, direct_to_workers=True)
            opened.callback(client.close)
    except RuntimeError as error:
        opened.close()
        raise InputError(
            "Dask could not start its workers, which begin by importing the script that is run: what "
            "opens an engine there belongs under if __name__ == '__main__'"
        ) from error
    except BaseException:
        opened.close()
        raise
    return client, opened.close
