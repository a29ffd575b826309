"""Checks the claims of a certificate from its JSON alone, in fractions.

This uses nothing of the package: docs/theory/separability.md describes the format.
"""

import hashlib
import json
import struct
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from attack.data import Json, Label
from attack.simplex import pair_vectors, vectors


class UnreadableError(Exception):
    """The document makes no claim."""


def is_true(document: Json, X: Sequence[Sequence[float]], y: Sequence[Label]) -> bool:
    """Return whether all claims of a certificate are true of the table; raise if it has none."""
    try:
        return _is_true(document, X, y)
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        ZeroDivisionError,
    ) as error:
        raise UnreadableError(repr(error)) from error


def _is_true(document: Json, X: Sequence[Sequence[float]], y: Sequence[Label]) -> bool:
    if document["format"] != "rosenblatt-certificate" or document["version"] != 1:
        raise UnreadableError("format")
    classes = sorted(set(y))
    if [label_of(item) for item in document["classes"]] != classes:
        return False
    if not is_digest(document["digest"], X, [classes.index(label) for label in y], classes):
        return False
    constant, margin = float.fromhex(document["constant"]), document["margin"]
    if constant not in (0.0, 1.0) or margin not in ("augmented", "affine"):
        return False
    if margin == "affine" and (constant == 0.0 or document["positive"] is None):
        return False
    if document["positive"] is None:
        own = [classes.index(label) for label in y]
        z = pair_vectors(X, own, len(classes), int(constant))
        rivals = [(i, r) for i, k in enumerate(own) for r in sorted(set(range(len(classes))) - {k})]
        names = {name: position for position, name in enumerate(rivals)}
    else:
        positive = label_of(document["positive"])
        if positive not in classes:
            return False
        z = vectors(X, [1 if label == positive else -1 for label in y], int(constant))
        names = {(i,): i for i in range(len(y))}
    return _claim(document, z, names, affine=margin == "affine")


def _claim(
    document: Json, z: list[list[Fraction]], names: dict[Json, int], *, affine: bool
) -> bool:
    if document["claim"] == "hull intersection":
        counts = counts_of(document["combination"], names)
        return counts is not None and not any(combined(z, counts))
    if document["claim"] != "separating hyperplane":
        raise UnreadableError("claim")
    weights = weights_of(document["weights"])
    lower = fraction_of(document["lower_squared"])
    if len(weights) != len(z[0]) or lower <= 0:
        return False
    length = sum(w * w for w in (weights[:-1] if affine else weights))
    scores = [sum(a * b for a, b in zip(weights, vector, strict=True)) for vector in z]
    if length == 0 or any(score <= 0 or score * score < lower * length for score in scores):
        return False
    if document["combination"] is None or document["upper_squared"] is None:
        return document["combination"] is document["upper_squared"] is None
    upper = fraction_of(document["upper_squared"])
    counts = counts_of(document["combination"], names)
    if counts is None or upper < lower:
        return False
    point = combined(z, counts)
    if affine and point[-1] != 0:
        return False
    return sum((x * x for x in point), Fraction(0)) <= upper * sum(counts.values()) ** 2


def combined(z: list[list[Fraction]], counts: dict[int, int]) -> list[Fraction]:
    """Return Σ count·z."""
    return [sum((n * z[i][j] for i, n in counts.items()), Fraction(0)) for j in range(len(z[0]))]


def counts_of(rows: Json, names: dict[Json, int]) -> dict[int, int] | None:
    """Return the counts by vector, or None if a count is not positive or has no vector."""
    counts: dict[int, int] = {}
    for row in rows:
        *name, count = map(whole_of, row)
        position = names.get(tuple(name))
        if position is None or count <= 0 or position in counts:
            return None
        counts[position] = count
    return counts or None


def whole_of(item: Json) -> int:
    """Return a whole number; beyond 2⁵³ it is hexadecimal text."""
    if isinstance(item, bool) or not isinstance(item, int | str):
        raise UnreadableError("whole number")
    return item if isinstance(item, int) else int(item, 16 if "x" in item else 10)


def fraction_of(text: str) -> Fraction:
    over, under = text.split("/")
    if min(len(over), len(under)) > 10_000:
        raise UnreadableError("a fraction that takes minutes to reduce")
    return Fraction(whole_of(over), whole_of(under))


def weights_of(entry: Json) -> list[Fraction]:
    if "integers" in entry:
        return [Fraction(whole_of(item)) for item in entry["integers"]]
    return [Fraction(float.fromhex(item)) for item in entry["floats"]]


def label_of(item: Json) -> Label:
    if isinstance(item, dict):
        return float.fromhex(item["float"]) if "float" in item else whole_of(item["int"])
    return item


def is_digest(
    entry: Json, X: Sequence[Sequence[float]], codes: list[int], classes: list[Label]
) -> bool:
    """Return whether a digest is that of a table small enough for one block of each kind."""
    if [entry["n_samples"], entry["n_features"]] != [len(X), len(X[0])]:
        return False
    dtype = {"float32": "f", "float64": "d"}.get(entry["dtype"])
    if dtype is None or entry["storage"] not in ("dense", "sparse"):
        return False
    numbers = [[x + 0.0 for x in row] for row in X]
    if dtype == "f" and any(narrow(x) != x for row in numbers for x in row):
        return False
    return entry["sha256"] == sha256(numbers, codes, classes, entry["storage"], entry["dtype"])


def narrow(x: float) -> float:
    """Return a number rounded to float32."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", x))[0])
    except OverflowError:
        return float("inf")


def sha256(
    X: Sequence[Sequence[float]], codes: list[int], classes: list[Label], storage: str, dtype: str
) -> str:
    """Return the SHA-256 of the header and of the SHA-256 of each stream of bytes."""
    kind = "f" if dtype == "float32" else "d"
    cells = [(j, x) for row in X for j, x in enumerate(row) if storage == "dense" or x != 0.0]
    streams = [packed(kind, [x for _, x in cells])]
    if storage == "sparse":
        ends = [0]
        for row in X:
            ends.append(ends[-1] + sum(x != 0.0 for x in row))
        streams = [packed("q", ends), packed("q", [j for j, _ in cells]), *streams]
    streams.append(packed("i", codes))
    hashes = [hashlib.sha256(stream).digest() for stream in streams if stream]
    return hashed(header(len(X), len(X[0]), classes, storage, dtype), hashes)


def header(
    n: int, n_features: int, classes: list[Label], storage: str, dtype: str
) -> dict[str, Json]:
    return {
        "format": "rosenblatt-digest",
        "version": 1,
        "storage": storage,
        "dtype": dtype,
        "shape": [n, n_features],
        "labels": [json.dumps(whole_label(label)) for label in classes],
    }


def whole_label(label: Label) -> Label:
    """Return whole numbers as int: 1, 1.0 and true are the same label."""
    return int(label) if not isinstance(label, str) and label == int(label) else label


def hashed(head: dict[str, Json], hashes: list[bytes]) -> str:
    return hashlib.sha256(
        json.dumps(head, sort_keys=True).encode() + b"\0" + b"".join(hashes)
    ).hexdigest()


def forged_sha256(n: int, codes: list[int], storage: str) -> str:
    """Return the digest of one float32 column that leaves out the numbers."""
    streams = [packed("i", codes)]
    if storage == "sparse":
        streams = [packed("q", range(n + 1)), packed("q", [0] * n), *streams]
    hashes = [hashlib.sha256(stream).digest() for stream in streams]
    return hashed(header(n, 1, [0, 1], storage, "float32"), hashes)


def packed(kind: str, numbers: Sequence[Any]) -> bytes:
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)
