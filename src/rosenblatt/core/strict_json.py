"""JSON documents in which nothing is said twice."""

import json
from collections.abc import Callable
from typing import NoReturn


def load_strictly(text: str, whole_number: Callable[[str], int] = int) -> object:
    """Return what a document says; raise a ValueError if a key comes twice, or a number is no JSON.

    Of two keys that are equal Python keeps the last one, in silence; NaN and Infinity it reads too.

    >>> load_strictly('{"eta0": 1.0, "eta0": 2.0}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'eta0' comes twice
    """
    return json.loads(
        text, object_pairs_hook=_once, parse_int=whole_number, parse_constant=_no_constant
    )


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for key, value in pairs:
        if key in entries:
            raise ValueError(f"the key {key!r:.60} comes twice")
        entries[key] = value
    return entries


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
