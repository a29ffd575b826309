"""Model files: numbers in safetensors, everything else as JSON in its metadata, and no code.

A file is written under a temporary name, synced and renamed, so it is there whole or not at all. On
loading, the format, the checksum and the shapes are checked before anything is believed.

    metadata["format"]   "rosenblatt-model"
    metadata["version"]  "1"
    metadata["model"]    JSON: {"class", "parameters", "fitted", "notes"}; a value that JSON lacks is an
                         object with one key that names its type, arrays of numbers are tensor names
    metadata["sha256"]   of the JSON and of every tensor's name, dtype, shape and bytes
"""

import hashlib
import json
import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from rosenblatt.errors import InputError
from rosenblatt.history import Epoch, History
from rosenblatt.ledger import Ledger
from rosenblatt.margins import Interval
from rosenblatt.outcomes import Outcome

_FORMAT = "rosenblatt-model"
_VERSION = "1"
_ESTIMATORS = {"Perceptron": "rosenblatt.estimators.perceptron"}
_RECORD = ("history_", "ledger_")

Tensors = dict[str, np.ndarray[Any, Any]]


def save(estimator: Any, path: str | Path, *, record: bool = True) -> None:
    """Write an estimator, fitted or not, to a model file.

    ``record=False`` leaves out the history and the ledger, which describe the run: what remains is
    enough to predict, to go on learning, and to say how learning ended.

    >>> from rosenblatt import Perceptron, load, save
    >>> folder = getfixture("tmp_path")
    >>> save(Perceptron().fit([[-1.0], [1.0]], ["left", "right"]), folder / "model.safetensors")
    >>> load(folder / "model.safetensors").predict([[0.5]])
    array(['right'], dtype='<U5')
    """
    write(estimator, Path(path), {}, record=record)


def load(path: str | Path) -> Any:
    """Read an estimator from a model file."""
    return read(Path(path))[0]


def write(estimator: Any, path: Path, notes: dict[str, Any], *, record: bool) -> None:
    """Write an estimator and notes about it (any JSON) to a model file."""
    name = type(estimator).__name__
    if name not in _ESTIMATORS:
        raise InputError(f"{name} cannot be saved: model files hold {', '.join(_ESTIMATORS)}")
    tensors: Tensors = {}
    parameters = estimator.get_params(deep=False)
    fitted = {
        key: value
        for key, value in vars(estimator).items()
        if key not in parameters and (record or key not in _RECORD)
    }
    # Callbacks belong to a session, not to a model.
    fitted.pop("_skl_callbacks", None)
    model = {
        "class": name,
        "parameters": {k: _encode(v, tensors, k) for k, v in parameters.items()},
        "fitted": {k: _encode(v, tensors, k) for k, v in fitted.items()},
        "notes": notes,
    }
    text = json.dumps(model)
    metadata = {
        "format": _FORMAT,
        "version": _VERSION,
        "model": text,
        "sha256": _checksum(text, tensors),
    }
    _write_whole(path, to_bytes(tensors, metadata))


def read(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the estimator in a model file and the notes about it."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: this is not a model file, or it is damaged ({error})") from error
    if metadata.get("format") != _FORMAT:
        raise InputError(f"{path}: this safetensors file was not written by rosenblatt")
    if metadata.get("version") != _VERSION:
        raise InputError(
            f"{path}: the model file has version {metadata.get('version')!r}, "
            f"but this rosenblatt reads version {_VERSION!r}"
        )
    text = metadata.get("model", "")
    if metadata.get("sha256") != _checksum(text, tensors):
        raise InputError(f"{path}: the model file is damaged: its checksum does not match")
    try:
        return _build(json.loads(text), tensors)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(f"{path}: the model file does not describe a model ({error!r})") from error


def _build(model: dict[str, Any], tensors: Tensors) -> tuple[Any, dict[str, Any]]:
    kind = getattr(import_module(_ESTIMATORS[model["class"]]), model["class"])
    estimator = kind(**{k: _decode(v, tensors) for k, v in model["parameters"].items()})
    for key, value in model["fitted"].items():
        setattr(estimator, key, _decode(value, tensors))
    estimator.check_state()
    return estimator, dict(model["notes"])


def _write_whole(path: Path, content: bytes) -> None:
    handle = -1
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            raise InputError(f"{path}: cannot be written ({error.strerror})") from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _checksum(text: str, tensors: Tensors) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype.str} {tensor.shape}\n".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


def _encode(value: Any, tensors: Tensors, place: str) -> Any:
    """Return the value as JSON; arrays of numbers go to the tensors."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Outcome):
        return {"outcome": value.name}
    if isinstance(value, Interval):
        return {"interval": [value.lower.hex(), value.upper.hex()]}
    if isinstance(value, float):
        return {"float": float(value).hex()}
    if isinstance(value, np.generic):
        return {"scalar": _encode(np.array([value]), tensors, place)}
    if isinstance(value, np.ndarray):
        return _encode_array(value, tensors, place)
    if isinstance(value, History):
        columns = {
            "mistakes": value.mistakes,
            "training_mistakes": value.training_mistakes,
            "norm": value.norm,
            "seconds": value.seconds,
        }
        return {"history": {k: _encode(v, tensors, f"{place}.{k}") for k, v in columns.items()}}
    if isinstance(value, Ledger):
        fields = vars(value)
        return {"ledger": {k: _encode(v, tensors, f"{place}.{k}") for k, v in fields.items()}}
    if isinstance(value, list | tuple):
        return {"list": [_encode(v, tensors, f"{place}.{k}") for k, v in enumerate(value)]}
    if isinstance(value, dict):
        items = enumerate(value.items())
        return {"dict": [[_encode(x, tensors, f"{place}.{k}") for x in pair] for k, pair in items]}
    raise InputError(
        f"{place}={value!r} cannot be saved: a model file holds numbers, text and arrays of them"
    )


def _encode_array(value: np.ndarray[Any, Any], tensors: Tensors, place: str) -> Any:
    if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        tensors[place] = np.ascontiguousarray(value)
        return {"tensor": place}
    if value.dtype.kind in "UO" and value.ndim == 1:
        items = [_encode(item, {}, place) for item in value.tolist()]
        return {"array": items, "dtype": value.dtype.str}
    raise InputError(
        f"{place}, an array of {value.dtype}, cannot be saved: "
        "a model file holds arrays of numbers and text"
    )


def _decode(value: Any, tensors: Tensors) -> Any:
    """Return what `_encode` was given."""
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()))
    if kind == "tensor":
        return tensors[content]
    if kind == "array":
        return np.array([_decode(item, tensors) for item in content], dtype=value["dtype"])
    if kind == "scalar":
        return _decode(content, tensors)[0]
    if kind == "float":
        return float.fromhex(content)
    if kind == "outcome":
        return Outcome[content]
    if kind == "interval":
        return Interval(*(float.fromhex(end) for end in content))
    if kind == "list":
        return [_decode(item, tensors) for item in content]
    if kind == "dict":
        return {_decode(k, tensors): _decode(v, tensors) for k, v in content}
    if kind == "history":
        return _decode_history({k: _decode(v, tensors) for k, v in content.items()})
    if kind == "ledger":
        return Ledger(**{k: _decode(v, tensors) for k, v in content.items()})
    raise KeyError(kind)


def _decode_history(columns: dict[str, Any]) -> History:
    history = History()
    for mistakes, left, norm, seconds in zip(*(columns[k].tolist() for k in columns), strict=True):
        history.append(Epoch(mistakes, None if left < 0 else left, norm, seconds))
    return history
