"""Damaged and forged model files: either one error sentence, or a working model.

Damage is a change of bytes: the file must be refused, or predict as before. A forgery changes the
description and fixes the checksum: it may describe another model, but a loaded model must work, or
raise ValueError.
"""

import hashlib
import json
import random
import struct
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from attack.data import Json, Model, Samples
from attack.report import Report
from attack.worker import Worker

VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    3,
    2**62,
    10**400,
    1.5,
    "",
    "average",
    "0x1p5000",
    "nan",
    [],
    [[]],
    {},
    {"float": "0x1p5000"},
    {"float": "nan"},
    {"float": "inf"},
    {"list": []},
    {"array": "_weights"},
    {"array": "_visits"},
    {"array": ["<U5", "a", "b"]},
    {"array": ["O", 1, "b"]},
    {"array": ["<U9999999999", "a"]},
    {"array": ["V99999999999", "a"]},
    {"outcome": "SEPARATED"},
    {"tuple": [1, 2]},
    {"dict": [["a", 1]]},
    {"scalar": "_weights"},
]


@cache
def saved() -> tuple[list[tuple[str, bytes]], list[list[float]]]:
    """Return model files of every kind, and samples to predict."""
    import warnings

    import numpy as np
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, Normalizer, RobustScaler, StandardScaler

    from rosenblatt import (
        KernelPerceptron,
        MaxMargin,
        PassiveAggressive,
        Perceptron,
        TableEncoder,
        Winnow,
        save,
    )

    rng = np.random.RandomState(0)
    X = rng.randint(0, 2, size=(12, 4)).astype(np.float64)
    X[:4] = np.eye(4)
    two = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    three = (X[:, 0] + 2 * X[:, 1]).astype(int) % 3
    stream = Perceptron()
    for row, label in zip(X, three, strict=True):
        stream.learn_one({f"f{j}": float(x) for j, x in enumerate(row)}, int(label))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [
            Perceptron(record=True).fit(X, two),
            Perceptron(keep="average", certify=True).fit(X, three),
            Perceptron(keep="vote").fit(X, two),
            Perceptron(keep="pocket").fit(X, three),
            Perceptron(multiclass="joint", class_weight={0: 1.0, 1: 2.0, 2: 0.5}).fit(X, three),
            Perceptron().partial_fit(X, two),
            stream,
            PassiveAggressive().fit(X, three),
            Winnow().fit(X, two),
            KernelPerceptron().fit(X, two),
            KernelPerceptron(budget=3).fit(X, three),
            MaxMargin().fit(X, two),
            Perceptron(),
            make_pipeline(TableEncoder(categorical=["x1"], min_count=1), Perceptron()).fit(
                X, three
            ),
            make_pipeline(RobustScaler(), MinMaxScaler(), MaxMargin()).fit(X, two),
            make_pipeline(StandardScaler(), Normalizer(), Perceptron()).fit(X, three),
        ]
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            path = Path(folder) / "model"
            save(model, path)
            files.append((type(model).__name__, path.read_bytes()))
    return files, X.tolist()


def use(path: str, X: Samples) -> tuple[str, Json]:
    """Load a model file and use it; unless `load` raises InputError, the model must work."""
    import warnings

    import numpy as np

    from rosenblatt import InputError, load, save

    if path == "make":
        return "made", saved()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = load(path)
        except InputError as error:
            return ("refused", str(error)) if path in str(error) else ("nameless", str(error))
        predicted = used(model, np.array(X))
        try:
            repr(model)
            save(model, f"{path}.again")
            Path(f"{path}.again").unlink()
            if hasattr(model, "partial_fit"):
                model.partial_fit(np.array(X[:2]), model.predict(np.array(X[:2])))
        except ValueError:
            pass
    return "loaded", predicted


def used(model: Model, X: Samples) -> Any:
    """Return the predictions of a model, or the name of its error."""
    try:
        if hasattr(model, "transform"):
            cells = model.transform(X)
            return (cells.toarray() if hasattr(cells, "toarray") else cells).tolist()
        if hasattr(model, "_columns"):
            rows = [{f"f{j}": float(x) for j, x in enumerate(row)} for row in X]
            return [model.predict_one(row) for row in rows]
        found = model.predict(X).tolist()
        known = [0, 1] if model.predict(X).ndim == 2 else model.classes_.tolist()
        if not set(model.predict(X).ravel().tolist()) <= set(known):
            raise AssertionError(f"{found} are not among the classes {known}")
        model.decision_function(X)
    except ValueError as error:
        return f"{type(error).__name__}"
    return found


def attack_models(seed: int, count: int) -> Report:
    """Damage and forge model files, and load them."""
    report = Report(
        "model files", "a damaged file is refused or predicts as before; a forged one works"
    )
    rng = random.Random(seed)
    with Worker(use, seconds=60) as worker, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        files, X = worker.call("make", None).value[1]
        originals = []
        for _, content in files:
            path.write_bytes(content)
            originals.append(worker.call(str(path), X).value)
        for _ in range(count):
            if report.is_lost:
                break
            k = rng.randrange(len(files))
            is_forged = rng.random() < 0.5
            what, content = (forged if is_forged else damaged)(rng, files[k][1])
            path.write_bytes(content)
            answer = worker.call(str(path), X)
            report.count("forged files" if is_forged else "damaged files")
            where = f"{files[k][0]} (model {k}), {what}"
            if answer.kind != "value":
                report.fail(f"{answer.kind}, {answer.value}: {where}")
            elif answer.value[0] == "refused":
                report.count("refused")
            elif answer.value[0] == "nameless":
                report.fail(f"the error does not name the file, {answer.value[1]!r}: {where}")
            elif not is_forged and answer.value != originals[k]:
                report.fail(f"{answer.value} instead of {originals[k]}: {where}")
    return report


def damaged(rng: random.Random, content: bytes) -> tuple[str, bytes]:
    """Change bytes: flip, cut, insert, delete, overwrite."""
    at, way = rng.randrange(len(content)), rng.randrange(6)
    if rng.random() < 0.3:
        at = rng.randrange(min(200, len(content)))
    if way <= 1:
        bit = 1 << rng.randrange(8)
        return f"bit {bit} of byte {at}", b"%b%c%b" % (
            content[:at],
            content[at] ^ bit,
            content[at + 1 :],
        )
    if way == 2:
        return f"cut at {at}", content[:at]
    if way == 3:
        junk = rng.randbytes(rng.randint(1, 20))
        return f"{junk!r} at {at}", content[:at] + junk + content[at:]
    if way == 4:
        size = rng.randint(1, 50)
        return f"{size} bytes at {at} deleted", content[:at] + content[at + size :]
    junk = rng.choice([b"\0" * 8, b"\xff" * 8, struct.pack("<Q", 2**40), b'"', b"{}"])
    return f"{junk!r} over {at}", content[:at] + junk + content[at + len(junk) :]


def forged(rng: random.Random, content: bytes) -> tuple[str, bytes]:
    """Change the description of the model, or its arrays, and fix the checksum."""
    head, body = parts(content)
    model = json.loads(head["__metadata__"]["model"])
    arrays = {name: entry for name, entry in head.items() if name != "__metadata__"}
    if arrays and rng.random() < 0.25:
        what, body = change_array(rng, arrays, body)
    else:
        what = change_json(rng, model)
    text = json.dumps(model)
    head["__metadata__"]["model"] = text
    head["__metadata__"]["sha256"] = checksum(text, arrays, body)
    return what, joined(head, body)


def change_array(rng: random.Random, arrays: dict[str, Json], body: bytes) -> tuple[str, bytes]:
    """Change numbers of an array, or its declared shape or type."""
    name = rng.choice(sorted(arrays))
    entry = arrays[name]
    begin, end = entry["data_offsets"]
    way = rng.randrange(3)
    if way == 0 and end - begin >= 8:
        at = begin + 8 * rng.randrange((end - begin) // 8)
        odd = [struct.pack("<d", x) for x in (float("nan"), float("inf"), 1e308, -1.0)]
        new = rng.choice([*odd, b"\xff" * 8, struct.pack("<q", 2**40), bytes(8)])
        return f"{new!r} in {name}", body[:at] + new + body[at + 8 :]
    if way == 1:
        entry["shape"] = rng.choice([entry["shape"][::-1], [*entry["shape"], 1], [end - begin]])
        size = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "BOOL": 1, "U8": 1, "I8": 1}
        if len(entry["shape"]) == 1:
            entry["shape"] = [(end - begin) // size.get(entry["dtype"], 8)]
        return f"shape {entry['shape']} of {name}", body
    swap = {"F64": "I64", "I64": "F64", "F32": "I32", "I32": "F32", "BOOL": "U8", "U8": "BOOL"}
    entry["dtype"] = swap.get(entry["dtype"], entry["dtype"])
    return f"{name} as {entry['dtype']}", body


def change_json(rng: random.Random, model: Model) -> str:
    """Replace, remove or add a value at a random place of the description."""
    places: list[tuple[Any, Any]] = []

    def walk(node: Json) -> None:
        for key in keys_of(node):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    walk(model)
    node, key = rng.choice(places)
    way = rng.random()
    if way < 0.15:
        del node[key]
        return f"without {key!r}"
    if way < 0.25 and isinstance(node, dict):
        node[rng.choice(["_weights", "coef_", "__class__", "a" * 1000])] = rng.choice(VALUES)
        return "with an additional entry"
    new = rng.choice(VALUES)
    if way > 0.7:  # a copy of another value in the document
        other, place = rng.choice(places)
        new = json.loads(json.dumps(other[place])) if place in keys_of(other) else None
    elif way > 0.6 and isinstance(node[key], int):
        new = node[key] + 1
    node[key] = new
    return f"{key!r} is {str(new)[:80]}"


def keys_of(node: Json) -> Any:
    return list(node) if isinstance(node, dict) else range(len(node))


def parts(content: bytes) -> tuple[dict[str, Json], bytes]:
    """Return the header of a safetensors file and the bytes after it."""
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def joined(head: dict[str, Json], body: bytes) -> bytes:
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def checksum(text: str, arrays: dict[str, Json], body: bytes) -> str:
    """Return the SHA-256 of the description and of every array, by name, as the package writes it."""
    types = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "I8": "|i1", "U8": "|u1"}
    types |= {"BOOL": "|b1", "I16": "<i2", "U16": "<u2", "U32": "<u4", "U64": "<u8"}
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        entry = arrays[name]
        shape = tuple(entry["shape"])
        digest.update(f"\n{name} {types[entry['dtype']]} {shape}\n".encode())
        begin, end = entry["data_offsets"]
        digest.update(body[begin:end])
    return digest.hexdigest()
