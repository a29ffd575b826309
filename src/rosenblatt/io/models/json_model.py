"""Export of models as readable JSON, which is not read back.

    "format"    "rosenblatt-model"
    "version"   as in a model file
    "weights"   the weights of each class by feature name; null if the model is not linear
    "model"     the content of a model file: see ``model_document``

Numbers have all their digits, arrays are lists with dtype and shape. Numbers that are not finite are
the texts "nan", "inf" and "-inf".
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import write_atomically
from rosenblatt.core.types import Numbers
from rosenblatt.inspection.model_parts import names_in_notes, parts_of, weights_of
from rosenblatt.io.models.codec import Tensors
from rosenblatt.io.models.model_document import Document, document_of
from rosenblatt.io.models.model_file import FORMAT, VERSION


def write_json(estimator: Any, path: Path, notes: dict[str, Any]) -> None:
    """Write an estimator or a pipeline and its notes as JSON."""
    model, tensors = document_of(estimator, notes)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "weights": _weights(estimator, notes),
        "model": {
            name: part if name == "notes" else _readable(part, tensors)
            for name, part in model.items()
        },
    }
    write_atomically(path, ("".join(_formatted(document, "\n")) + "\n").encode())


def _weights(estimator: Any, notes: Document) -> list[Document] | None:
    """Return the weights by name, or None if the model is not linear."""
    try:
        found = weights_of(parts_of(estimator), names_in_notes(notes))
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
    """Return an encoded value with decimal numbers, and with arrays instead of tensor names."""
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
            number = _finite_or_text(float.fromhex(digits))
            return number if isinstance(number, float) else value
        case {"float64": str(digits), **rest} if not rest:
            return {"float64": _finite_or_text(float.fromhex(digits))}
        case {"interval": list(ends), **rest} if not rest:
            return {"interval": [_finite_or_text(float.fromhex(end)) for end in ends]}
        case dict():
            return {key: _readable(part, tensors) for key, part in value.items()}
        case list():
            return [_readable(part, tensors) for part in value]
    return value


def _as_lists(array: Numbers) -> Any:
    lists = array.tolist()
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return lists
    return _finite_or_text(lists)


def _finite_or_text(values: Any) -> Any:
    if isinstance(values, list):
        return [_finite_or_text(value) for value in values]
    return values if math.isfinite(values) else str(values)


def _formatted(value: Any, newline: str) -> Iterator[str]:
    """Yield JSON with one line per key and per list of plain values."""
    inner = newline + "  "
    if isinstance(value, dict) and value:
        for k, (key, part) in enumerate(value.items()):
            yield f"{',' if k else '{'}{inner}{_text(key)}: "
            yield from _formatted(part, inner)
        yield newline + "}"
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        for k, part in enumerate(value):
            yield f"{',' if k else '['}{inner}"
            yield from _formatted(part, inner)
        yield newline + "]"
    elif isinstance(value, list):
        yield f"[{', '.join(map(_text, value))}]"
    else:
        yield _text(value)


def _text(value: Any) -> str:
    """Return a plain value as JSON; escape text that is not printable."""
    escapes = isinstance(value, str) and not value.isprintable()
    return json.dumps(value, ensure_ascii=escapes)
