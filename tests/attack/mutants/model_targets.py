"""Model files: damaged, and forged with a valid checksum."""

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from attack.data import Json, Model
from attack.models import checksum, joined, parts, saved, used
from attack.mutants.target import Mutant, Seeds, Target

SEPARATOR = b"\n\0\n"


@cache
def model_seeds() -> Seeds:
    return [timeless(content) for _, content in saved()[0]]


def timeless(content: bytes) -> bytes:
    """Return a model file without what varies between runs: times, and the order of arrays."""
    text, arrays = content_of(content)
    text = json.dumps(json.loads(text, object_hook=without_seconds))
    head: dict[str, Json] = {}
    body = b""
    for name, (dtype, shape, values) in sorted(arrays.items()):
        ends = [len(body), len(body) + len(values)]
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": ends}
        body += bytes(len(values)) if "seconds" in name else values
    metadata = {"format": "rosenblatt-model", "version": "4", "model": text}
    metadata["sha256"] = checksum(text, head, body)
    return joined({"__metadata__": metadata, **head}, body)


def without_seconds(entry: dict[str, Json]) -> dict[str, Json]:
    """Set the times in a part of a description to 0; steps and rounds end with seconds."""
    for key in entry.keys() & {"step", "round"}:
        entry[key][-1] = {"float": (0.0).hex()}
    for key in entry.keys() & {"seconds", "seconds_of_pass"}:
        entry[key] = 0.0 if isinstance(entry[key], float) else entry[key]
    return entry


def read_model(path: Path, _: Mutant) -> None:
    from rosenblatt import load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load(path)


def wrong_model(mutant: Mutant, _: None) -> str:
    """Check that an accepted file has the same content, which the checksum covers."""
    same = content_of(mutant.content) == content_of(model_seeds()[mutant.seed])
    return "" if same else "a change was not detected"


def content_of(content: bytes) -> tuple[str, dict[str, Json]]:
    """Return the description in a model file, and its arrays."""
    head, body = parts(content)
    text = head.pop("__metadata__")["model"]
    ends = {name: entry["data_offsets"] for name, entry in head.items()}
    return text, {
        name: (entry["dtype"], entry["shape"], body[slice(*ends[name])])
        for name, entry in head.items()
    }


@cache
def open_seeds() -> Seeds:
    return [opened(content) for content in model_seeds()]


def opened(content: bytes) -> bytes:
    """Return the parts of a model file joined: its description, its arrays, their bytes.

    In the file, the description is JSON text within JSON, where most changes only break it.
    """
    head, body = parts(content)
    metadata = head.pop("__metadata__")
    return SEPARATOR.join([metadata["model"].encode(), json.dumps(head).encode(), body])


def forge(content: bytes) -> bytes:
    """Return the model file with these parts and a valid checksum, or the parts if impossible."""
    try:
        text, entries, body = content.split(SEPARATOR, 2)
        model, arrays = text.decode(), json.loads(entries)
        metadata = {"format": "rosenblatt-model", "version": "4", "model": model}
        metadata["sha256"] = checksum(model, arrays, body)
        return joined({"__metadata__": metadata, **arrays}, body)
    except (ValueError, KeyError, TypeError, AttributeError):
        return content


def use_model(path: Path, _: Mutant) -> tuple[Any, Any]:
    """Return the predictions of a model, before and after it is saved and loaded again."""
    from rosenblatt import load, save

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load(path)
        predicted = predictions(model)
        save(model, path)
        return predicted, predictions(load(path))


def predictions(model: Model) -> Any:
    import numpy as np

    repr(model)
    return used(model, np.array(saved()[1]))


def wrong_use(_: Mutant, found: tuple[Any, Any]) -> str:
    return "" if repr(found[0]) == repr(found[1]) else f"{found[0]}, but reloaded {found[1]}"


MODELS = Target("model files", 60, model_seeds, read_model, wrong_model)
FORGED = Target("forged model files", 40, open_seeds, use_model, wrong_use, repair=forge)
