"""Reading the parts of model files, and forging files with a valid checksum."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from rosenblatt import save
from rosenblatt.io.models import model_file

Document = dict[str, Any]
Tensors = dict[str, np.ndarray]


def parts_of_file(path: Path) -> tuple[Document, Tensors]:
    with safe_open(str(path), framework="numpy") as file:
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
        return json.loads(file.metadata()["model"]), tensors


def forge(path: Path, text: str, tensors: Tensors) -> None:
    """Write a model file of any content with a valid checksum."""
    checksum = model_file._checksum(text, tensors)
    metadata = {
        "format": "rosenblatt-model",
        "version": model_file.VERSION,
        "model": text,
        "sha256": checksum,
    }
    path.write_bytes(to_bytes(tensors, metadata))


def saved_with(model: Any, path: Path, change: Callable[[Document, Tensors], Any]) -> None:
    """Save a model with changes to its document or its tensors."""
    save(model, path)
    document, tensors = parts_of_file(path)
    change(document, tensors)
    forge(path, json.dumps(document), tensors)
