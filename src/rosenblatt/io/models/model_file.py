"""Model files: arrays in safetensors, everything else as JSON in its metadata, and no code.

Files are written atomically. Loading checks format, checksum and shapes before it uses anything else.

    metadata["format"]   "rosenblatt-model"
    metadata["version"]  "4"
    metadata["model"]    JSON: see ``model_document``
    metadata["sha256"]   of the JSON and of every tensor's name, dtype, shape and bytes

Only this version is read. A file with a class or a parameter that this version of rosenblatt does not
know is refused with a message that names it.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from rosenblatt.core.errors import InputError, not_unicode
from rosenblatt.core.files import check_readable, write_atomically
from rosenblatt.io.models.codec import Tensors, UnknownPartError
from rosenblatt.io.models.model_document import document_of, model_of

FORMAT = "rosenblatt-model"
VERSION = "4"
_MAX_HEADER = 100_000_000  # the limit of safetensors


def save(estimator: Any, path: str | Path, *, record: bool = True) -> None:
    """Write an estimator or a pipeline, fitted or not, to a model file.

    A pipeline is a scikit-learn `Pipeline` that ends with one of our learners. Its other steps may be
    `TableEncoder`, `StandardScaler`, `MinMaxScaler`, `MaxAbsScaler`, `RobustScaler` and `Normalizer`.

    ``record=False`` omits the history and the ledger of the run. The rest is enough to predict, to
    continue learning, and to report how learning ended.

    The file is written atomically, even if the process is killed. Symbolic links are followed, an
    existing file keeps its mode, and a read-only one is refused.

    >>> from rosenblatt import Perceptron, load, save
    >>> folder = getfixture("tmp_path")
    >>> save(Perceptron().fit([[-1.0], [1.0]], ["left", "right"]), folder / "model.safetensors")
    >>> load(folder / "model.safetensors").predict([[0.5]])
    array(['right'], dtype='<U5')
    """
    write(estimator, Path(path), {}, record=record)


def load(path: str | Path) -> Any:
    """Read an estimator or a pipeline from a model file."""
    return read(Path(path))[0]


def write(estimator: Any, path: Path, notes: dict[str, Any], *, record: bool) -> None:
    """Write an estimator or a pipeline, with notes (any JSON), to a model file."""
    model, tensors = document_of(estimator, notes, record=record)
    text = json.dumps(model)
    if _has_surrogates(text, model):  # a pair of them would be loaded as one character
        raise InputError(
            f"this {type(estimator).__name__} cannot be saved: one of its labels or names has a lone "
            "surrogate, so it is not Unicode text; replace it"
        )
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "model": text,
        "sha256": _checksum(text, tensors),
    }
    content = to_bytes(tensors, metadata)
    if int.from_bytes(content[:8], "little") > _MAX_HEADER:
        raise InputError(
            f"this {type(estimator).__name__} cannot be saved because it could not be loaded again: "
            f"without its arrays, it takes more than {_MAX_HEADER:,} bytes"
        )
    write_atomically(path, content)


def read(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the estimator in a model file and the notes about it."""
    check_readable(path)
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    except Exception as error:  # a bad file can make safetensors raise anything
        with path.open("rb") as file:
            is_json = file.read(1) == b"{"
        if is_json:
            raise InputError(
                f"{path}: this is a JSON document, such as a certificate, not a model file"
            ) from error
        raise InputError(
            f"{path}: this is not a model file, or it is damaged ({error!s:.200})"
        ) from error
    if metadata.get("format") != FORMAT:
        raise InputError(f"{path}: this safetensors file was not written by rosenblatt")
    if metadata.get("version") != VERSION:
        raise InputError(
            f"{path}: this model was written by another version of rosenblatt: its format is "
            f"{metadata.get('version')!r:.40}, but this version reads {VERSION!r}"
        )
    text = metadata.get("model", "")
    if metadata.get("sha256") != _checksum(text, tensors):
        raise InputError(f"{path}: the model file is damaged: its checksum does not match")
    try:
        document = json.loads(text)
        if _has_surrogates(text, document):
            raise ValueError("text with a lone surrogate")
        return model_of(document, tensors)
    except UnknownPartError as error:
        raise InputError(
            f"{path}: this model was written by another version of rosenblatt: {error} in this one"
        ) from error
    except Exception as error:  # a forged document can make an estimator raise anything
        raise InputError(
            f"{path}: the model file does not describe a model ({error!r:.200})"
        ) from error


def _has_surrogates(text: str, document: Any) -> bool:
    """Return whether a document, given as JSON, too, has text that cannot be encoded."""
    may_have = "\\ud" in text.lower()
    return may_have and not_unicode(json.dumps(document, ensure_ascii=False)) is not None


def _checksum(text: str, tensors: Tensors) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype.str} {tensor.shape}\n".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()
