"""Whether a worker has the same code as who gives it work: other code could give other bits."""

import platform
from dataclasses import dataclass
from functools import cache

import numpy as np

from rosenblatt import __version__
from rosenblatt.core.errors import InputError
from rosenblatt.kernels.cache.sources import sources_digest


@dataclass(frozen=True)
class Versions:
    """Which code a process runs; ``sources`` is a digest of what is compiled."""

    rosenblatt: str
    sources: str
    python: str
    numpy: str

    def __str__(self) -> str:
        return (
            f"rosenblatt {self.rosenblatt} (sources {self.sources}, Python {self.python}, "
            f"NumPy {self.numpy})"
        )


@cache
def own_versions() -> Versions:
    """Return which code this process runs."""
    digest = sources_digest()
    sources = "unknown" if digest is None else digest.hex()[:12]
    return Versions(__version__, sources, platform.python_version(), np.__version__)


def check_versions(drivers: Versions) -> None:
    """Raise unless this process runs the same code of ours as the one that gives it work.

    Python and NumPy may differ: what they compute for us does not depend on their versions.

    >>> check_versions(own_versions())
    """
    own = own_versions()
    if (own.rosenblatt, own.sources) != (drivers.rosenblatt, drivers.sources):
        raise InputError(
            f"a worker on {platform.node()} runs {own}, which could give other bits than the {drivers} "
            "that gives it work: install the same on both"
        )
