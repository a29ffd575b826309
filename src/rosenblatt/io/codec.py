"""What an estimator holds, as JSON and named arrays of numbers, and back, bit for bit.

Text, whole numbers, truth values and None stand for themselves. Any other value is an object with one
key, the name of its kind; floats are written in hexadecimal, arrays of numbers are named tensors.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane, from_json
from rosenblatt.certificates.digest import Digest
from rosenblatt.core.errors import InputError
from rosenblatt.separability.search import Round
from rosenblatt.training.deciders.pocket import Pockets
from rosenblatt.training.deciders.vote import Piece, Votes
from rosenblatt.training.descent import Step
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.forgetron import Forgetron
from rosenblatt.training.history import Epoch, History
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

Certificate = SeparatingHyperplane | HullIntersection
Tensors = dict[str, np.ndarray[Any, Any]]

_TEXT_TYPE = re.compile(r"[<>|]?U[0-9]{1,9}|\|O")
_MOST_TEXT = 2**30


def encode(value: Any, tensors: Tensors, place: str) -> Any:
    """Return the value as JSON; arrays of numbers are put into the tensors, under the place's name.

    >>> encode({"eta0": 0.5}, {}, "parameters")
    {'dict': [['eta0', {'float': '0x1.0000000000000p-1'}]]}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    for type_, kind, parts in _ENCODERS:
        if isinstance(value, type_):
            return {kind: parts(value, tensors, place)}
    raise InputError(
        f"{place}={value!r} cannot be saved: a model file holds numbers, text and arrays of them"
    )


def decode(value: Any, tensors: Tensors) -> Any:
    """Return what `encode` was given.

    >>> decode({"dict": [["eta0", {"float": "0x1.0000000000000p-1"}]]}, {})
    {'eta0': 0.5}
    """
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return _DECODERS[kind](content, tensors)


def check_texts(document: Any) -> None:
    """Raise if the arrays of text in a document take more memory than a model needs.

    Each has as many bytes as its length times its width, so that a short document can claim terabytes.
    """
    if _text_bytes(document) > _MOST_TEXT:
        raise InputError(f"the arrays of text take more than {_MOST_TEXT:,} bytes")


def _text_bytes(document: Any) -> int:
    if isinstance(document, dict):
        arrays = [document[kind] for kind in ("array", "scalar") if kind in document]
        own = sum(
            _text_type(content).itemsize * (len(content) - 1)
            for content in arrays
            if isinstance(content, list)
        )
        return own + sum(map(_text_bytes, document.values()))
    return sum(map(_text_bytes, document)) if isinstance(document, list) else 0


def _text_type(content: list[Any]) -> np.dtype[Any]:
    """Return the dtype of an array that is a list, which only text and objects are."""
    name = content[0]
    if not isinstance(name, str) or not _TEXT_TYPE.fullmatch(name):
        raise ValueError(f"an array of type {name!r:.40}")
    return np.dtype(name)


def _encode_array(value: Any, tensors: Tensors, place: str) -> Any:
    if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        native = value.dtype.newbyteorder("=")
        tensors[place] = np.ascontiguousarray(value, dtype=native)
        return place
    if value.dtype.kind in "UO" and value.ndim == 1:
        return [value.dtype.str, *_encode_items(value.tolist(), tensors, place)]
    raise InputError(
        f"{place}, an array of {value.dtype}, cannot be saved: "
        "a model file holds arrays of numbers and text"
    )


def _decode_array(content: Any, tensors: Tensors) -> Any:
    if isinstance(content, str):
        return tensors[content]
    dtype, items = _text_type(content), _decode_items(content[1:], tensors)
    if dtype.kind == "U" and not all(
        isinstance(item, str) and 4 * len(item) <= dtype.itemsize for item in items
    ):
        raise ValueError(f"an array of {dtype.str} with other values than such text")
    array = np.empty(len(items), dtype=dtype)
    for k, item in enumerate(items):  # which may be a tuple
        array[k] = item
    return array


def _encode_items(values: Any, tensors: Tensors, place: str) -> list[Any]:
    return [encode(item, tensors, f"{place}.{k}") for k, item in enumerate(values)]


def _decode_items(content: Any, tensors: Tensors) -> list[Any]:
    return [decode(item, tensors) for item in content]


def _encode_fields(fields: dict[str, Any], tensors: Tensors, place: str) -> dict[str, Any]:
    return {name: encode(field, tensors, f"{place}.{name}") for name, field in fields.items()}


def _decode_fields(content: Any, tensors: Tensors) -> dict[str, Any]:
    return {name: decode(field, tensors) for name, field in content.items()}


def _encode_history(history: History, tensors: Tensors, place: str) -> dict[str, Any]:
    columns = {name: getattr(history, name) for name in Epoch._fields}
    return _encode_fields(columns, tensors, place)


def _decode_history(content: Any, tensors: Tensors) -> History:
    columns = _decode_fields(content, tensors)
    history = History()
    for mistakes, left, norm, seconds in zip(
        *(columns[name].tolist() for name in Epoch._fields), strict=True
    ):
        history.append(Epoch(mistakes, None if left < 0 else left, norm, seconds))
    return history


# In this order: an Interval is a tuple too, and NumPy's float64 is a float.
_ENCODERS: list[tuple[Any, str, Callable[[Any, Tensors, str], Any]]] = [
    (Outcome, "outcome", lambda value, _tensors, _place: value.name),
    (Interval, "interval", lambda value, _tensors, _place: [end.hex() for end in value]),
    (
        Certificate,
        "certificate",
        lambda value, _tensors, _place: value.to_json(),
    ),
    (float, "float", lambda value, _tensors, _place: float(value).hex()),
    (
        np.generic,
        "scalar",
        lambda value, tensors, place: _encode_array(value[None], tensors, place),
    ),
    (np.ndarray, "array", _encode_array),
    (History, "history", _encode_history),
    (Ledger, "ledger", lambda value, tensors, place: _encode_fields(vars(value), tensors, place)),
    (Digest, "digest", lambda value, tensors, place: _encode_fields(vars(value), tensors, place)),
    (Pockets, "pockets", lambda value, tensors, place: _encode_fields(vars(value), tensors, place)),
    (Piece, "piece", lambda value, tensors, place: _encode_fields(vars(value), tensors, place)),
    (Votes, "votes", lambda value, tensors, place: _encode_fields(vars(value), tensors, place)),
    (Round, "round", _encode_items),
    (Step, "step", _encode_items),
    (Expansion, "expansion", lambda value, t, place: _encode_fields(value.state(), t, place)),
    (Forgetron, "forgetron", lambda value, t, place: _encode_fields(value.state(), t, place)),
    (list, "list", _encode_items),
    (tuple, "tuple", _encode_items),
    (
        dict,
        "dict",
        lambda value, t, place: [
            _encode_items(pair, t, f"{place}.{k}") for k, pair in enumerate(value.items())
        ],
    ),
]

_DECODERS: dict[str, Callable[[Any, Tensors], Any]] = {
    "outcome": lambda content, _tensors: Outcome[content],
    "interval": lambda content, _tensors: Interval(*(float.fromhex(end) for end in content)),
    "certificate": lambda content, _tensors: from_json(content),
    "float": lambda content, _tensors: float.fromhex(content),
    "scalar": lambda content, tensors: _decode_array(content, tensors)[0],
    "array": _decode_array,
    "history": _decode_history,
    "ledger": lambda content, tensors: Ledger(**_decode_fields(content, tensors)),
    "digest": lambda content, tensors: Digest(**_decode_fields(content, tensors)),
    "pockets": lambda content, tensors: Pockets(**_decode_fields(content, tensors)),
    "piece": lambda content, tensors: Piece(**_decode_fields(content, tensors)),
    "votes": lambda content, tensors: Votes(**_decode_fields(content, tensors)),
    "round": lambda content, tensors: Round(*_decode_items(content, tensors)),
    "step": lambda content, tensors: Step(*_decode_items(content, tensors)),
    "expansion": lambda content, t: Expansion.from_state(_decode_fields(content, t)),
    "forgetron": lambda content, t: Forgetron.from_state(_decode_fields(content, t)),
    "list": _decode_items,
    "tuple": lambda content, tensors: tuple(_decode_items(content, tensors)),
    "dict": lambda content, tensors: dict(_decode_items(pair, tensors) for pair in content),
}
