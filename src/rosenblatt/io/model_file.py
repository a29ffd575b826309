"""Model files: numbers in safetensors, everything else as JSON in its metadata, and no code.

A file is written under a temporary name, synced and renamed, so it is there whole or not at all. On
loading, the format, the checksum and the shapes are checked before anything is believed.

    metadata["format"]   "rosenblatt-model"
    metadata["version"]  "1"
    metadata["model"]    JSON: {"class", "parameters", "fitted", "notes"}, values as in `codec`
    metadata["sha256"]   of the JSON and of every tensor's name, dtype, shape and bytes
"""

import copy
import hashlib
import json
import numbers
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable, write_whole
from rosenblatt.estimators.common.linear_classifier import STATE
from rosenblatt.io.codec import Certificate, Tensors, check_texts, decode, encode
from rosenblatt.training.history import History
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

_FORMAT = "rosenblatt-model"
_VERSION = "1"
_ESTIMATORS = {
    "AssociationLayer": "rosenblatt.estimators.association_layer",
    "CriterionDescent": "rosenblatt.estimators.criterion_descent",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "MaxMargin": "rosenblatt.estimators.max_margin",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "Winnow": "rosenblatt.estimators.winnow",
}
# What the attributes are that say how learning went; `check_state` looks at those that decide.
_KINDS: dict[str, Any] = {
    "n_features_in_": numbers.Integral,
    "feature_names_in_": np.ndarray,
    "outcome_": Outcome,
    "n_iter_": numbers.Integral,
    "n_exact_": numbers.Integral,
    "n_kernel_terms_": numbers.Integral,
    "history_": History | list,
    "ledger_": Ledger,
    "margin_": Interval | list,
    "certificate_": Certificate | list | None,
    "conflicts_": list,
    "support_": np.ndarray,
    "dual_coef_": np.ndarray,
    "gamma_": float,
    "_unit": float,
    "_n_seen": numbers.Integral,
    "_columns": dict,
}
_OF_FEATURES = {"n_features_in_", "feature_names_in_"}
_LONGEST_HEADER = 100_000_000  # what safetensors reads
_RECORD = ("history_", "ledger_")


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
    try:
        estimator.check_state()
    except ValueError as error:
        raise InputError(
            f"this {type(estimator).__name__} cannot be saved, for it could not be loaded again: it has "
            f"{error}; its parameters may have been changed since it learned"
        ) from error


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
        if key in STATE and (record or key not in _RECORD)
    }
    model = {
        "class": name,
        "parameters": {k: encode(v, tensors, k) for k, v in parameters.items()},
        "fitted": {k: encode(v, tensors, k) for k, v in fitted.items()},
        "notes": notes,
    }
    check_texts(model)
    text = json.dumps(model)
    metadata = {
        "format": _FORMAT,
        "version": _VERSION,
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
    if metadata.get("version") != _VERSION:
        raise InputError(
            f"{path}: the model file has version {metadata.get('version')!r:.40}, "
            f"but this rosenblatt reads version {_VERSION!r}"
        )
    text = metadata.get("model", "")
    if metadata.get("sha256") != _checksum(text, tensors):
        raise InputError(f"{path}: the model file is damaged: its checksum does not match")
    try:
        return _build(json.loads(text), tensors)
    except Exception as error:  # whatever a forged document can make an estimator raise
        raise InputError(
            f"{path}: the model file does not describe a model ({error!r:.200})"
        ) from error


def _build(model: dict[str, Any], tensors: Tensors) -> tuple[Any, dict[str, Any]]:
    check_texts(model)
    kind = getattr(import_module(_ESTIMATORS[model["class"]]), model["class"])
    estimator = kind(**{k: decode(v, tensors) for k, v in model["parameters"].items()})
    estimator.check_parameters()
    for key, value in model["fitted"].items():
        if key not in STATE:
            raise KeyError(key)
        attribute = decode(value, tensors)
        if not isinstance(attribute, _KINDS.get(key, object)):
            raise TypeError(f"{key} is a {type(attribute).__name__}")
        setattr(estimator, key, attribute)
    if set(model["fitted"]) - _OF_FEATURES and not set(model["fitted"]) & {"classes_", "cells_"}:
        raise KeyError("classes_")
    estimator.check_state()
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
