"""Encoding of an estimator's values as JSON and named tensors, and decoding, bit for bit.

Text, integers, booleans and None stand for themselves. Any other value is an object with one key, the
name of its kind; floats are hexadecimal, arrays of numbers refer to tensors by name.
"""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane, from_json
from rosenblatt.certificates.digest import Digest
from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.common.dual_classifier import DualLearned
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.run import Progressive, Run
from rosenblatt.kernels.epochs.online_rules import Growth
from rosenblatt.separability.search import Round
from rosenblatt.tables.columns import Category, LeftOut, Number, Words
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.pocket import Pockets
from rosenblatt.training.deciders.vote_record import Piece, Votes
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.history import History
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.rules.winnow_rule import Exponents


class UnknownPartError(InputError):
    """A model file has a part that this version does not know."""


Tensors = dict[str, np.ndarray[Any, Any]]

_LEAVES: dict[str, Callable[[Any], Any]] = {
    "outcome": Outcome.__getitem__,
    "interval": lambda ends: Interval(*(float.fromhex(end) for end in ends)),
    "certificate": from_json,
    "float": float.fromhex,
    "float64": lambda digits: np.float64(float.fromhex(digits)),
}
_STATES: dict[str, Any] = {"history": History, "expansion": Expansion}
_RECORDS: dict[str, Any] = {
    kind.__name__.lower(): kind
    for kind in (
        list,
        tuple,
        Learned,
        DualLearned,
        Classes,
        Features,
        Average,
        Pockets,
        Votes,
        Piece,
        Exponents,
        Growth,
        Run,
        Progressive,
        Ledger,
        Digest,
        Round,
        Cycle,
        Number,
        Category,
        Words,
        LeftOut,
    )
}
"""The types that are encoded field by field; their constructors check the values."""

_TEXT_TYPE = re.compile(r"[<>|]?U[0-9]{1,9}|\|O")
_MAX_TEXT_BYTES = 2**30


def encode(value: Any, tensors: Tensors, path: str) -> Any:
    """Return the value as JSON; add its arrays of numbers to ``tensors``, named by their path.

    >>> encode({"eta0": 0.5}, {}, "parameters")
    {'dict': [['eta0', {'float': '0x1.0000000000000p-1'}]]}
    """
    leaf = _encode_leaf(value)
    if leaf is not None or value is None:
        return leaf
    name = type(value).__name__.lower()
    match value:
        case np.generic():
            return {"scalar": _encode_array(np.asarray(value)[None], tensors, path)}
        case np.ndarray():
            return {"array": _encode_array(value, tensors, path)}
        case History() | Expansion():
            return {name: _encode_fields(value.state(), tensors, path)}
        case dict():
            pairs = enumerate(value.items())
            return {"dict": [_encode_items(pair, tensors, f"{path}.{k}") for k, pair in pairs]}
    if _RECORDS.get(name) is type(value) and is_dataclass(value):
        return {name: _encode_fields(vars(value), tensors, path)}
    if isinstance(value, list | tuple):
        kind = name if _RECORDS.get(name) is type(value) else "tuple"
        return {kind: _encode_items(value, tensors, path)}
    raise InputError(
        f"{path}={value!r} cannot be saved: model files contain only numbers, text and arrays of them"
    )


def _encode_leaf(value: Any) -> Any:
    """Return a scalar as JSON, or None for other values."""
    match value:
        case bool() | int() | str():
            return value
        case Outcome():
            return {"outcome": value.name}
        case Interval():
            return {"interval": [end.hex() for end in value]}
        case SeparatingHyperplane() | HullIntersection():
            return {"certificate": value.to_json()}
        case float():  # or float64, its subclass
            kind = "float64" if isinstance(value, np.float64) else "float"
            return {kind: float(value).hex()}
    return None


def decode(value: Any, tensors: Tensors) -> Any:
    """Return the value that `encode` was given.

    >>> decode({"dict": [["eta0", {"float": "0x1.0000000000000p-1"}]]}, {})
    {'eta0': 0.5}
    """
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind in _LEAVES:
        return _LEAVES[kind](content)
    if kind in _STATES:
        return _STATES[kind].from_state(_decode_fields(content, tensors))
    match kind:
        case "scalar":
            return _decode_array(content, tensors)[0]
        case "array":
            return _decode_array(content, tensors)
        case "dict":
            return dict(_decode_items(pair, tensors) for pair in content)
    if kind not in _RECORDS:
        raise UnknownPartError(f"there is no kind {kind!r:.60}")
    record = _RECORDS[kind]
    if isinstance(content, dict):
        check_known(kind, content, {field.name for field in fields(record)})
        return record(**_decode_fields(content, tensors))
    items = _decode_items(content, tensors)
    return record(items) if record in (list, tuple) else record(*items)


def check_known(name: str, found: Iterable[str], known: Container[str]) -> None:
    """Raise UnknownPartError if something in a model file has a part that is not known."""
    for part in found:
        if part not in known:
            raise UnknownPartError(f"{name} has no {part!r:.60}")


def check_texts(document: Any) -> None:
    """Raise InputError if the text arrays of a document take more memory than any model needs.

    An array takes its length times its declared width: a short document can ask for terabytes.
    """
    if _text_bytes(document) > _MAX_TEXT_BYTES:
        raise InputError(f"its text arrays take more than {_MAX_TEXT_BYTES:,} bytes")


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
    """Return the dtype of an array stored as a list: text or objects."""
    name = content[0]
    if not isinstance(name, str) or not _TEXT_TYPE.fullmatch(name):
        raise ValueError(f"an array of type {name!r:.40}")
    return np.dtype(name)


def _encode_array(value: Any, tensors: Tensors, path: str) -> Any:
    if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        native = value.dtype.newbyteorder("=")
        tensors[path] = np.ascontiguousarray(value, dtype=native)
        return path
    if value.dtype.kind in "UO" and value.ndim == 1:
        return [value.dtype.str, *_encode_items(value.tolist(), tensors, path)]
    raise InputError(
        f"{path}, an array of {value.dtype}, cannot be saved: "
        "model files contain only arrays of numbers and text"
    )


def _decode_array(content: Any, tensors: Tensors) -> Any:
    if isinstance(content, str):
        return tensors[content]
    dtype, items = _text_type(content), _decode_items(content[1:], tensors)
    if dtype.kind == "U" and not all(
        isinstance(item, str) and 4 * len(item) <= dtype.itemsize for item in items
    ):
        raise ValueError(f"an array of {dtype.str} with values of another type")
    array = np.empty(len(items), dtype=dtype)
    for k, item in enumerate(items):  # one by one: an item may be a tuple
        array[k] = item
    return array


def _encode_items(values: Any, tensors: Tensors, path: str) -> list[Any]:
    return [encode(item, tensors, f"{path}.{k}") for k, item in enumerate(values)]


def _decode_items(content: Any, tensors: Tensors) -> list[Any]:
    return [decode(item, tensors) for item in content]


def _encode_fields(fields: dict[str, Any], tensors: Tensors, path: str) -> dict[str, Any]:
    return {name: encode(field, tensors, f"{path}.{name}") for name, field in fields.items()}


def _decode_fields(content: Any, tensors: Tensors) -> dict[str, Any]:
    return {name: decode(field, tensors) for name, field in content.items()}
