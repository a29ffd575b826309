"""Learning from files in shards, on threads or on Ray, with the same bits."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.cluster.learning.learn_files import ShardedRun, learn

# The module of each public name, imported on first use: workers start without them.
_HOMES = {
    "ShardedRun": "cluster.learning.learn_files",
    "learn": "cluster.learning.learn_files",
}

__all__ = ["ShardedRun", "learn"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.cluster' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
