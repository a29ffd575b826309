"""The values of a certificate as JSON, and back, bit for bit.

Floats are written in hexadecimal; integers up to 2⁵³ as numbers, larger ones as hexadecimal text;
rational numbers as "p/q". Labels are text, booleans and integers as they are, {"int": text} or {"float":
text}. Reading accepts exactly what writing produces.

Limits: an unchecked document must not cost more than a true one. The numbers of an exact proof have
about 110 bits per sample of its support (measured: 6,600 at 59 samples, and 24,000 at 16 samples whose
values range from 2⁻⁴⁰⁰ to 2⁴⁰⁰). So 2¹⁹ bits are enough for a support of 4,700 samples; the digits of
its weights and counts would fill the 1 GiB that a document may have.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NoReturn, TypeAlias, TypeVar

import numpy as np

from rosenblatt.certificates.combination import Combination
from rosenblatt.certificates.digest import Digest
from rosenblatt.certificates.display import short_repr
from rosenblatt.certificates.label_codes import Label, label_text
from rosenblatt.certificates.rounding import Weights
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError

Json: TypeAlias = "str | int | Sequence[Json] | Mapping[str, Json] | None"
"""Values to be written. A value that was read is an ``object`` until it has been checked."""

FORMAT = "rosenblatt-certificate"
VERSION = 1

MAX_BITS = 1 << 19
"""Bits of an integer; a greatest common divisor of two such numbers takes a second."""
MAX_BYTES = 1 << 30
"""Bytes of a document."""

_MAX_CHARACTERS = MAX_BITS // 4 + len("-0x")
_MAX_DIGITS = len(str(-WHOLE))
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,15}|0x[1-9a-f][0-9a-f]*)")
_SHA256 = re.compile(r"[0-9a-f]{64}")

_T = TypeVar("_T")


def write(entries: Mapping[str, Json]) -> str:
    """Return a JSON document with the entries, the format and the version."""
    document = {"format": FORMAT, "version": VERSION, **entries}
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    _check_size(text)
    return text


def read(text: object) -> dict[str, object]:
    """Return the entries of a document of this format and version."""
    if not isinstance(text, str):
        raise InputError(f"a certificate must be given as text, not as {type(text).__name__}")
    _check_size(text)
    try:
        document = _load_strictly(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the certificate is not a JSON document ({error})") from error
    if not isinstance(document, dict):
        raise InputError("this is not a certificate: the JSON document is not an object")
    if (format_name := document.pop("format", None)) != FORMAT:
        found = short_repr(format_name)
        raise InputError(
            f"this is not a certificate: expected the format {FORMAT!r}, found {found:.60}"
        )
    version = document.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise InputError(
            f"the certificate has version {version!r:.20}, but only version {VERSION} is supported"
        )
    return document


def max_document_bytes(n_samples: int, n_features: int, classes: Sequence[object]) -> int:
    """Return the largest size in bytes of a certificate about such data.

    >>> max_document_bytes(4, 2, [0, 1]), max_document_bytes(10**6, 10**3, [0, 1]) == MAX_BYTES
    (4461738, True)
    """
    texts = sum(len(label_text(label)) for label in classes)
    # Weights per class for each feature and the constant; sample, rival and count; two bounds.
    n_numbers = len(classes) * (n_features + 1 + 3 * n_samples) + 4
    return min(MAX_BYTES, 4096 + 2 * texts + n_numbers * (_MAX_CHARACTERS + 32))


def _check_size(text: str) -> None:
    # Certificates are ASCII, so characters are bytes.
    if len(text) > MAX_BYTES:
        raise InputError(
            f"the certificate has {len(text):,} characters; the limit is {MAX_BYTES:,}"
        )


def _short_integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits must be in hexadecimal")
    return int(digits)


def malformed(name: str, value: object, expected: str) -> InputError:
    """Return the error for an entry that has an unexpected value."""
    found = short_repr(value[:40] if isinstance(value, str) else value)
    if not isinstance(value, str | int | None):
        found = type(value).__name__
    return InputError(f"{name} in the certificate is {found:.60}; expected {expected}")


def encode_float(value: object) -> str:
    """Return a float in hexadecimal.

    >>> encode_float(0.5)
    '0x1.0000000000000p-1'
    """
    if not isinstance(value, int | float):
        raise malformed("a number", value, "a float")
    return float(value).hex()


def decode_float(name: str, value: object) -> float:
    """Undo `encode_float`; raise InputError unless the number is finite."""
    try:
        number = float.fromhex(value) if isinstance(value, str) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number.hex() != value:
        raise malformed(name, value, "a finite float in hexadecimal")
    return number


def encode_integer(value: object) -> int | str:
    """Return an integer, as text if it is large.

    >>> encode_integer(-7), encode_integer(2**60)
    (-7, '0x1000000000000000')
    """
    if type(value) is not int or value.bit_length() > MAX_BITS:
        raise malformed("a number", value, f"an integer of at most {MAX_BITS} bits")
    return value if -WHOLE <= value <= WHOLE else hex(value)


def decode_integer(name: str, value: object) -> int:
    """Undo `encode_integer`."""
    number = _parse_integer(value) if isinstance(value, str) else value
    if type(number) is not int or encode_integer(number) != value:
        expected = f"an integer of at most {MAX_BITS} bits, in hexadecimal if it is beyond 2^53"
        raise malformed(name, value, expected)
    return number


def _parse_integer(text: str) -> int | None:
    if len(text) > _MAX_CHARACTERS or not _INTEGER.fullmatch(text):
        return None
    return int(text, 16 if "x" in text else 10)


def encode_fraction(value: object) -> str:
    """Return a rational number as text.

    >>> encode_fraction(Fraction(2, 6))
    '1/3'
    """
    if not isinstance(value, Fraction):
        raise malformed("a bound", value, "a Fraction")
    return f"{encode_integer(value.numerator)}/{encode_integer(value.denominator)}"


def decode_fraction(name: str, value: object) -> Fraction:
    """Undo `encode_fraction`."""
    parts = value.split("/", 2) if isinstance(value, str) else []
    over, under = (_parse_integer(part) for part in parts) if len(parts) == 2 else (None, None)
    if over is not None and under is not None and under > 0:
        fraction = Fraction(over, under)
        if encode_fraction(fraction) == value:
            return fraction
    expected = f"a rational number p/q in lowest terms, with p and q of at most {MAX_BITS} bits"
    raise malformed(name, value, expected)


def encode_label(label: object) -> Json:
    """Return a label as JSON that keeps its type.

    >>> encode_label("rock"), encode_label(-1), encode_label(True), encode_label(0.5)
    ('rock', -1, True, {'float': '0x1.0000000000000p-1'})
    """
    label_text(label)
    if isinstance(label, float):
        return {"float": encode_float(label)}
    if isinstance(label, str | bool):
        return label
    number = encode_integer(label)
    return {"int": number} if isinstance(number, str) else number


def decode_label(name: str, value: object) -> Label:
    """Undo `encode_label`."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, dict) and set(value) == {"float"}:
        return decode_float(name, value["float"])
    if isinstance(value, dict) and set(value) == {"int"} and isinstance(value["int"], str):
        return _checked_label(decode_integer(name, value["int"]))
    if type(value) is int:
        return _checked_label(decode_integer(name, value))
    raise malformed(name, value, "text, a boolean, or a number")


def _checked_label(label: int) -> int:
    label_text(label)
    return label


def encode_weights(weights: object) -> Json:
    """Return the weights, labeled as floats or integers.

    >>> encode_weights((1, 1, -3))
    {'integers': [1, 1, -3]}
    """
    if isinstance(weights, tuple):
        return {"integers": [encode_integer(weight) for weight in weights]}
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float64:
        raise malformed("the weights", weights, "an array of float64 or a tuple of integers")
    return {"floats": [encode_float(weight) for weight in weights.ravel().tolist()]}


def decode_weights(name: str, value: object) -> Weights:
    """Undo `encode_weights`."""
    if isinstance(value, dict) and set(value) == {"integers"}:
        return tuple(_items(name, value["integers"], decode_integer))
    if isinstance(value, dict) and set(value) == {"floats"}:
        return np.array(_items(name, value["floats"], decode_float), dtype=np.float64)
    raise malformed(name, value, '{"floats": [...]} or {"integers": [...]}')


def encode_combination(combination: object) -> Json:
    """Return the counts as lists [row, count], or [row, rival, count], sorted.

    >>> encode_combination({4: 1, 2: 7})
    [[2, 7], [4, 1]]
    """
    if not isinstance(combination, dict):
        raise malformed("the combination", combination, "a dict")
    rows = [(*(key if isinstance(key, tuple) else (key,)), n) for key, n in combination.items()]
    if len({len(row) for row in rows}) > 1:
        raise malformed("the combination", combination, "a dict with keys of one kind")
    return [[*map(_checked_index, row[:-1]), encode_integer(row[-1])] for row in sorted(rows)]


def decode_combination(name: str, value: object, *, joint: bool) -> Combination:
    """Undo `encode_combination`."""
    rows = _items(name, value, _decode_row)
    if not all(len(row) == (3 if joint else 2) for row in rows):
        item = "[row, rival, count]" if joint else "[row, count]"
        raise malformed(name, value, f"a list of {item}")
    pairs = {(row[0], row[1]): row[2] for row in rows} if joint else {}
    counts: Combination = pairs if joint else {row[0]: row[1] for row in rows}
    if len(counts) < len(rows) or rows != sorted(rows):
        raise InputError(f"{name} in the certificate does not name each row once, in order")
    return counts


def _decode_row(name: str, value: object) -> list[int]:
    if not isinstance(value, list) or len(value) < 2:
        raise malformed(name, value, "a list of rows and counts")
    return [*map(_checked_index, value[:-1]), decode_integer(name, value[-1])]


def _checked_index(value: object) -> int:
    if type(value) is not int or not -WHOLE <= value <= WHOLE:
        raise malformed("a row or class", value, "an integer of at most 2^53")
    return value


def _items(name: str, value: object, decode: Callable[[str, object], _T]) -> list[_T]:
    if not isinstance(value, list):
        raise malformed(name, value, "a list")
    return [decode(name, item) for item in value]


def decode_labels(name: str, value: object) -> tuple[Label, ...]:
    """Undo `encode_label` for a list of labels."""
    return tuple(_items(name, value, decode_label))


def encode_digest(digest: object) -> Json:
    """Return a digest as JSON."""
    if not isinstance(digest, Digest):
        raise malformed("the digest", digest, "a Digest")
    return dict(vars(digest))


def decode_digest(name: str, value: object) -> Digest:
    """Undo `encode_digest`."""
    if not isinstance(value, dict) or set(value) != set(Digest.__dataclass_fields__):
        raise malformed(name, value, "an object with the five entries of a digest")
    texts = [value[key] for key in ("sha256", "storage", "dtype")]
    sizes = [value[key] for key in ("n_samples", "n_features")]
    valid = (
        all(isinstance(text, str) for text in texts)
        and _SHA256.fullmatch(texts[0])
        and texts[1] in ("dense", "sparse")
        and texts[2] in ("float32", "float64")
        and all(type(size) is int and 0 <= size <= WHOLE for size in sizes)
    )
    if not valid:
        raise malformed(name, value, "a SHA-256, a storage, a type and a shape")
    return Digest(*texts, *sizes)


def _load_strictly(text: str) -> object:
    """Parse JSON; raise ValueError for duplicate keys, NaN, Infinity and long integers.

    >>> _load_strictly('{"rows": 1, "rows": 2}')
    Traceback (most recent call last):
    ...
    ValueError: duplicate key 'rows'
    """
    return json.loads(
        text, object_pairs_hook=_unique_keys, parse_int=_short_integer, parse_constant=_reject
    )


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for key, value in pairs:
        if key in entries:
            raise ValueError(f"duplicate key {key!r:.60}")
        entries[key] = value
    return entries


def _reject(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")
