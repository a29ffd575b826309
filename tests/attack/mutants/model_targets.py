"""Model files: damaged, and forged with a checksum that fits."""

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
    """Return a model file without what differs from run to run: seconds, and the order of arrays."""
    text, arrays = content_of(content)
    text = json.dumps(json.loads(text, object_hook=without_seconds))
    head: dict[str, Json] = {}
    body = b""
    for name, (dtype, shape, values) in sorted(arrays.items()):
        ends = [len(body), len(body) + len(values)]
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": ends}
        body += bytes(len(values)) if "seconds" in name else values
    said = {"format": "rosenblatt-model", "version": "4", "model": text}
    said["sha256"] = checksum(text, head, body)
    return joined({"__metadata__": said, **head}, body)


def without_seconds(entry: dict[str, Json]) -> dict[str, Json]:
    """Return a part of a description in which nothing took time; steps and rounds end with seconds."""
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
    """Return what is wrong: the checksum covers all, so that only what says the same is accepted."""
    same = content_of(mutant.content) == content_of(model_seeds()[mutant.seed])
    return "" if same else "a change was not noticed"


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
    """Return what is in a model file, one after another: its description, its arrays, their bytes.

    The description is text within text in the file, where most changes of bytes only break it.
    """
    head, body = parts(content)
    said = head.pop("__metadata__")
    return SEPARATOR.join([said["model"].encode(), json.dumps(head).encode(), body])


def forge(content: bytes) -> bytes:
    """Return the model file in which this is, with the checksum that fits, if it can be written so."""
    try:
        text, entries, body = content.split(SEPARATOR, 2)
        model, arrays = text.decode(), json.loads(entries)
        said = {"format": "rosenblatt-model", "version": "4", "model": model}
        said["sha256"] = checksum(model, arrays, body)
        return joined({"__metadata__": said, **arrays}, body)
    except (ValueError, KeyError, TypeError, AttributeError):  # it cannot
        return content


def use_model(path: Path, _: Mutant) -> tuple[Any, Any]:
    """Return what a model says, and what it says once it was saved and loaded again."""
    from rosenblatt import load, save

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load(path)
        told = asked(model)
        save(model, path)
        return told, asked(load(path))


def asked(model: Model) -> Any:
    import numpy as np

    repr(model)
    return used(model, np.array(saved()[1]))


def wrong_use(_: Mutant, found: tuple[Any, Any]) -> str:
    return "" if repr(found[0]) == repr(found[1]) else f"{found[0]}, and later {found[1]}"


MODELS = Target("model files", 60, model_seeds, read_model, wrong_model)
FORGED = Target("forged model files", 40, open_seeds, use_model, wrong_use, repair=forge)
