"""Checks that a worker runs the same code as its driver: other code could give other bits."""

import platform
from dataclasses import dataclass
from functools import cache

import numpy as np

from rosenblatt import __version__
from rosenblatt.core.errors import InputError
from rosenblatt.kernels.cache.sources import sources_digest


@dataclass(frozen=True)
class Versions:
    """The versions of a process; ``sources`` is a digest of the compiled sources."""

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
    """Return the versions of this process."""
    digest = sources_digest()
    sources = "unknown" if digest is None else digest.hex()[:12]
    return Versions(__version__, sources, platform.python_version(), np.__version__)


def check_versions(drivers: Versions) -> None:
    """Raise InputError unless this process runs the same rosenblatt code as the driver.

    Python and NumPy may differ: our results do not depend on their versions.

    >>> check_versions(own_versions())
    """
    own = own_versions()
    if (own.rosenblatt, own.sources) != (drivers.rosenblatt, drivers.sources):
        raise InputError(
            f"a worker on {platform.node()} runs {own}, but its driver runs {drivers}, which could give "
            "other bits: install the same version on both"
        )
