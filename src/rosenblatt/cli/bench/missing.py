"""What a work needs and does not find: a peer, or data."""

from importlib import import_module
from typing import Any

from rosenblatt.core.errors import InputError


class MissingError(InputError):
    """A work cannot be measured here; the message says what to do about it."""


def peer_module(name: str) -> Any:
    """Return a module of a peer that only the extra `bench` installs."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = name.split(".", maxsplit=1)[0]
        raise MissingError(
            f"{package} is not installed: pip install 'rosenblatt[bench]'"
        ) from error
