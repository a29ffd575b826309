"""Models as JSON that people can read, and programs can load again without loss.

    "format"    "rosenblatt-model"
    "version"   as in a model file
    "weights"   for each class its weights by name, for people; null if there are no linear weights
    "model"     what a model file holds: see ``model_document``

Numbers are written with as many digits as bring the same bits back; arrays are lists, with their type
and shape. What is not finite is text: "nan", "inf", "-inf". There is no checksum: the file may be
edited, and is checked as a model file is when it is read. All that it says must then be what would be
written of the model, the weights by name too; what is left out is what it was before there was such.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable, read_text, write_whole
from rosenblatt.core.strict_json import load_strictly
from rosenblatt.core.types import Numbers
from rosenblatt.inspection.model_parts import names_in, parts_of, weights_of
from rosenblatt.io.models.codec import Tensors
from rosenblatt.io.models.model_document import Document, document_of, model_of
from rosenblatt.io.models.model_file import FORMAT, VERSION, read

_LONGEST = 2**31
_TYPES = ("bool", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)),
          "float16", "float32", "float64")  # fmt: skip


def write_json(estimator: Any, path: Path, notes: dict[str, Any]) -> None:
    """Write an estimator or a pipeline, and notes about it, as JSON."""
    document = _document(estimator, notes)
    write_whole(path, ("".join(_laid_out(document, "\n")) + "\n").encode())


def _document(estimator: Any, notes: Document) -> Document:
    model, tensors = document_of(estimator, notes)
    return {
        "format": FORMAT,
        "version": VERSION,
        "weights": _weights(estimator, notes),
        "model": {
            name: part if name == "notes" else _readable(part, tensors)
            for name, part in model.items()
        },
    }


def read_either(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the model in a model file or a file of JSON, and the notes about it."""
    check_readable(path)
    with path.open("rb") as file:
        head = file.read(8)
    # a model file begins with the length of its header, whose last bytes are 0
    return read_json(path) if head.lstrip()[:1] == b"{" and b"\0" not in head else read(path)


def read_json(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the estimator or the pipeline in a file of JSON, and the notes about it."""
    text = read_text(path, _LONGEST)
    try:
        document = load_strictly(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: this is not JSON ({error!s:.200})") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path}: this JSON was not written by rosenblatt's convert")
    if document.get("version") != VERSION:
        raise InputError(
            f"{path}: the model has version {document.get('version')!r:.40}, but this rosenblatt reads "
            f"version {VERSION} of JSON"
        )
    try:
        tensors: Tensors = {}
        parts = document["model"].items()
        model: Document = {
            name: part if name == "notes" else _stored(part, tensors) for name, part in parts
        }
        estimator, notes = model_of(model, tensors)
        written = _document(estimator, notes)
        different = _difference(document, written, "document")
    except Exception as error:  # whatever a forged document can make an estimator raise
        raise InputError(f"{path}: the JSON does not describe a model ({error!r:.200})") from error
    if document.get("weights") != written["weights"]:
        raise InputError(
            f'{path}: "weights" are there to be read, and are not those of "model": change these too'
        )
    if different:
        raise InputError(f"{path}: the JSON does not describe a model ({different})")
    return estimator, notes


def _difference(said: object, written: object, place: str) -> str | None:
    """Return where a document says something else than what is written of its model, or None."""
    pairs: Iterator[tuple[object, object, object]]
    if isinstance(said, dict) and isinstance(written, dict):
        odd = [key for key in said if key not in written]
        if odd:
            return f"{place} has {odd[0]!r:.60}, which says nothing"
        pairs = ((key, part, written[key]) for key, part in said.items())
    elif isinstance(said, list) and isinstance(written, list) and len(said) == len(written):
        pairs = ((k, *both) for k, both in enumerate(zip(said, written, strict=True)))
    elif said == written:
        return None
    else:
        return f"{place} is {said!r:.60}, which is read as {written!r:.60}"
    return next((_difference(a, b, f"{place}[{key!r}]") for key, a, b in pairs if a != b), None)


def _weights(estimator: Any, notes: Document) -> list[Document] | None:
    """Return the weights by name, or None if there are none."""
    try:
        found = weights_of(parts_of(estimator), names_in(notes))
    except InputError:
        return None
    rows = zip(found.positives.tolist(), found.intercept.tolist(), found.coef.tolist(), strict=True)
    return [
        {
            "class": label if isinstance(label, str | int | float) else repr(label),
            "intercept": intercept,
            "weights": [list(pair) for pair in zip(found.features, row, strict=True)],
        }
        for label, intercept, row in rows
    ]


def _readable(value: Any, tensors: Tensors) -> Any:
    """Return an encoded value with its numbers and arrays in the place where they belong."""
    match value:
        case {"array": str(name), **rest} | {"scalar": str(name), **rest} if not rest:
            array = tensors[name]
            content = {
                "dtype": array.dtype.name,
                "shape": list(array.shape),
                "values": _as_lists(array),
            }
            return dict.fromkeys(value, content)
        case {"float": str(digits), **rest} if not rest:
            number = _with_texts(float.fromhex(digits))
            return number if isinstance(number, float) else value
        case {"float64": str(digits), **rest} if not rest:
            return {"float64": _with_texts(float.fromhex(digits))}
        case {"interval": list(ends), **rest} if not rest:
            return {"interval": [_with_texts(float.fromhex(end)) for end in ends]}
        case dict():
            return {key: _readable(part, tensors) for key, part in value.items()}
        case list():
            return [_readable(part, tensors) for part in value]
    return value


def _stored(value: Any, tensors: Tensors) -> Any:
    """Return what `_readable` was given, or what it may have been."""
    match value:
        case float():
            return {"float": value.hex()}
        case {"array": dict(content), **rest} | {"scalar": dict(content), **rest} if not rest:
            name = str(len(tensors))
            tensors[name] = _as_array(content["dtype"], content["shape"], content["values"])
            return dict.fromkeys(value, name)
        case {"float64": number, **rest} if not rest:
            return {"float64": float(number).hex()}
        case {"interval": list(ends), **rest} if not rest:
            return {"interval": [float(end).hex() for end in ends]}
        case dict():
            return {key: _stored(part, tensors) for key, part in value.items()}
        case list():
            return [_stored(part, tensors) for part in value]
    return value


def _as_lists(array: Numbers) -> Any:
    lists = array.tolist()
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return lists
    return _with_texts(lists)


def _with_texts(values: Any) -> Any:
    if isinstance(values, list):
        return [_with_texts(value) for value in values]
    return values if math.isfinite(values) else str(values)


def _as_array(dtype: str, shape: list[int], values: Any) -> Numbers:
    """Return the array that the lists were; raise if one of its numbers does not fit its type."""
    if dtype not in _TYPES:
        raise ValueError(f"an array of type {dtype!r:.40}")
    with np.errstate(all="ignore"):
        array: Numbers = np.array(values, dtype=dtype)
    if array.size == 0:
        array = array.reshape(shape)
    if list(array.shape) != shape or _as_lists(array) != values:
        raise ValueError(
            f"an array whose numbers do not have the shape {shape!r:.60} or type {dtype}"
        )
    return array


def _laid_out(value: Any, newline: str) -> Iterator[str]:
    """Yield JSON: a line for each key, and for each list of plain values."""
    inner = newline + "  "
    if isinstance(value, dict) and value:
        for k, (key, part) in enumerate(value.items()):
            yield f"{',' if k else '{'}{inner}{_text(key)}: "
            yield from _laid_out(part, inner)
        yield newline + "}"
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        for k, part in enumerate(value):
            yield f"{',' if k else '['}{inner}"
            yield from _laid_out(part, inner)
        yield newline + "]"
    elif isinstance(value, list):
        yield f"[{', '.join(map(_text, value))}]"
    else:
        yield _text(value)


def _text(value: Any) -> str:
    """Return a plain value as JSON; text that would not print is escaped."""
    escapes = isinstance(value, str) and not value.isprintable()
    return json.dumps(value, ensure_ascii=escapes)
