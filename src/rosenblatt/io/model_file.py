"""Model files: numbers in safetensors, everything else as JSON in its metadata, and no code.

A file is written under a temporary name, synced and renamed, so it is there whole or not at all. On
loading, the format, the checksum and the shapes are checked before anything is believed.

    metadata["format"]   "rosenblatt-model"
    metadata["version"]  "2"
    metadata["model"]    JSON: {"class", "parameters", "learned", "run", "notes"}, values as in `codec`
    metadata["sha256"]   of the JSON and of every tensor's name, dtype, shape and bytes

Files of version 1 are read too: see ``version_1``.
"""

import copy
import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable, write_whole
from rosenblatt.estimators.common.estimator import Estimator
from rosenblatt.estimators.common.run import Run
from rosenblatt.io.codec import Tensors, check_texts, decode, encode
from rosenblatt.io.version_1 import state_of_version_1

_FORMAT = "rosenblatt-model"
_VERSIONS = ("1", "2")
_ESTIMATORS = {
    "AssociationLayer": "rosenblatt.estimators.association_layer",
    "CriterionDescent": "rosenblatt.estimators.criterion_descent",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "MaxMargin": "rosenblatt.estimators.max_margin",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "Winnow": "rosenblatt.estimators.winnow",
}
_LONGEST_HEADER = 100_000_000  # what safetensors reads


def save(estimator: Any, path: str | Path, *, record: bool = True) -> None:
    """Write an estimator, fitted or not, to a model file.

    ``record=False`` leaves out the history and the ledger, which describe the run: what remains is
    enough to predict, to go on learning, and to say how learning ended.

    The file is there whole or not at all, even if the process is killed. A link is written through, a
    file that is replaced keeps its mode, and a read-only one is refused: see ``files``.

    >>> from rosenblatt import Perceptron, load, save
    >>> folder = getfixture("tmp_path")
    >>> save(Perceptron().fit([[-1.0], [1.0]], ["left", "right"]), folder / "model.safetensors")
    >>> load(folder / "model.safetensors").predict([[0.5]])
    array(['right'], dtype='<U5')
    """
    if type(estimator).__name__ in _ESTIMATORS:
        estimator = copy.copy(estimator)  # as it is now, whatever other threads teach it meanwhile
        _check(estimator)
    write(estimator, Path(path), {}, record=record)


def load(path: str | Path) -> Any:
    """Read an estimator from a model file."""
    return read(Path(path))[0]


def _check(estimator: Any) -> None:
    """Raise if what is in the estimator could not be loaded again."""
    estimator.check_parameters()
    if estimator.state[0] is None:
        return
    try:
        estimator.check_learned()
    except ValueError as error:
        raise InputError(
            f"this {type(estimator).__name__} cannot be saved, for it could not be loaded again: "
            f"{error}; its parameters may have been changed since it learned"
        ) from error


def write(estimator: Any, path: Path, notes: dict[str, Any], *, record: bool) -> None:
    """Write an estimator and notes about it (any JSON) to a model file."""
    name = type(estimator).__name__
    if name not in _ESTIMATORS:
        raise InputError(f"{name} cannot be saved: model files hold {', '.join(_ESTIMATORS)}")
    tensors: Tensors = {}
    parameters = estimator.get_params(deep=False)
    learned, run = estimator.state
    if run is not None and not record:
        run = run.without_record()
    model = {
        "class": name,
        "parameters": {k: encode(v, tensors, k) for k, v in parameters.items()},
        "learned": encode(learned, tensors, "learned"),
        "run": encode(run, tensors, "run"),
        "notes": notes,
    }
    check_texts(model)
    text = json.dumps(model)
    metadata = {
        "format": _FORMAT,
        "version": _VERSIONS[-1],
        "model": text,
        "sha256": _checksum(text, tensors),
    }
    content = to_bytes(tensors, metadata)
    if int.from_bytes(content[:8], "little") > _LONGEST_HEADER:
        raise InputError(
            f"this {name} cannot be saved, for it could not be loaded again: beside its arrays of "
            f"numbers it has more than {_LONGEST_HEADER:,} bytes of text"
        )
    write_whole(path, content)


def read(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the estimator in a model file and the notes about it."""
    check_readable(path)
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    except Exception as error:  # whatever a file can make the library raise
        raise InputError(
            f"{path}: this is not a model file, or it is damaged ({error!s:.200})"
        ) from error
    if metadata.get("format") != _FORMAT:
        raise InputError(f"{path}: this safetensors file was not written by rosenblatt")
    if metadata.get("version") not in _VERSIONS:
        raise InputError(
            f"{path}: the model file has version {metadata.get('version')!r:.40}, "
            f"but this rosenblatt reads versions {' and '.join(_VERSIONS)}"
        )
    text = metadata.get("model", "")
    if metadata.get("sha256") != _checksum(text, tensors):
        raise InputError(f"{path}: the model file is damaged: its checksum does not match")
    try:
        return _build(metadata["version"], json.loads(text), tensors)
    except Exception as error:  # whatever a forged document can make an estimator raise
        raise InputError(
            f"{path}: the model file does not describe a model ({error!r:.200})"
        ) from error


def _build(
    version: str, model: dict[str, Any], tensors: Tensors
) -> tuple[Estimator[Any], dict[str, Any]]:
    check_texts(model)
    kind = getattr(import_module(_ESTIMATORS[model["class"]]), model["class"])
    estimator = kind(**{k: decode(v, tensors) for k, v in model["parameters"].items()})
    estimator.check_parameters()
    if version == "1":
        fitted = {name: decode(value, tensors) for name, value in model["fitted"].items()}
        learned, run = state_of_version_1(estimator, fitted)
    else:
        learned, run = decode(model["learned"], tensors), decode(model["run"], tensors)
    if learned is not None:
        if not isinstance(run, Run | None):
            raise TypeError(f"a run that is a {type(run).__name__}")
        estimator.restore(learned, run)
    notes = model["notes"]
    if not isinstance(notes, dict):
        raise TypeError(f"notes that are a {type(notes).__name__}")
    return estimator, notes


def _checksum(text: str, tensors: Tensors) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype.str} {tensor.shape}\n".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()
