"""Model files: damaged, forged with a checksum that fits, and as JSON, which has no checksum."""

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from attack.data import Json, Model
from attack.models import checksum, joined, parts, saved, used
from attack.mutants.target import Mutant, Seeds, Target

SEPARATOR = b"\n\0\n"


class Answer(NamedTuple):
    """What a model says of samples, and what it is as JSON once it was written again."""

    told: Any
    again: Json


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


@cache
def json_seeds() -> Seeds:
    import tempfile

    from rosenblatt import load
    from rosenblatt.io.models.json_model import write_json

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for content in model_seeds():
            path.write_bytes(content)
            write_json(load(path), path, {"label_name": "kind"})
            found.append(path.read_bytes())
    return found


def read_json(path: Path, _: Mutant) -> Answer:
    from rosenblatt.io.models.json_model import read_json, write_json

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, notes = read_json(path)
        told = asked(model)
        write_json(model, path, notes)
    return Answer(told, json.loads(path.read_bytes()))


def wrong_json(mutant: Mutant, found: Answer) -> str:
    """Return what is wrong: what was read is all that the document says, and says it once."""
    try:
        document = json.loads(mutant.content, object_pairs_hook=once, parse_constant=no_constant)
    except ValueError as error:
        return f"this is not JSON: {error}"
    return difference(document, found.again)


def once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def difference(said: Json, read: Json, place: str = "") -> str:
    """Return the first place in which a document and what was read of it differ."""
    if isinstance(said, dict) and isinstance(read, dict) and said.keys() <= read.keys():
        # what is left out is what it was before there was such a thing
        pairs = [(said[key], read[key], f"{place}.{key}") for key in said]
    elif isinstance(said, list) and isinstance(read, list) and len(said) == len(read):
        pairs = [(a, b, f"{place}[{k}]") for k, (a, b) in enumerate(zip(said, read, strict=True))]
    else:
        same = said == read or (place.endswith(".certificate") and is_same_text(said, read))
        return "" if same else f"{place} is {str(said)[:200]}, but was read as {str(read)[:200]}"
    return next(filter(None, (difference(*pair) for pair in pairs)), "")


def is_same_text(one: Json, other: Json) -> bool:
    """Say whether two texts are the same JSON, as the certificate in a model is."""
    return isinstance(one, str) and json.loads(one) == json.loads(other)


MODELS = Target("model files", 60, model_seeds, read_model, wrong_model)
FORGED = Target("forged model files", 40, open_seeds, use_model, wrong_use, repair=forge)
JSON = Target("JSON models", 50, json_seeds, read_json, wrong_json)
