"""The values of a certificate as JSON, and back, bit for bit.

Floats are written in hexadecimal; whole numbers as they are up to 2⁵³, beyond that as hexadecimal text;
rational numbers as "p/q". Labels are text, truth values or whole numbers that stand for themselves,
{"int": text} or {"float": text}. What is read must be what would have been written.

Limits: a document that nobody has checked must cost no more than a true one may. The numbers of an exact
proof have about 110 bits for each sample of its support (measured: 6,600 at 59 samples, and 24,000 at 16
samples whose values range from 2⁻⁴⁰⁰ to 2⁴⁰⁰). So 2¹⁹ bits are enough for a support of 4,700 samples;
the digits of its weights and counts would fill the 1 GiB that a document may have.
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
from rosenblatt.certificates.display import shown
from rosenblatt.certificates.label_codes import Label, label_text
from rosenblatt.certificates.rounding import Weights
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError

Json: TypeAlias = "str | int | Sequence[Json] | Mapping[str, Json] | None"
"""What is written into a document. What is read from one is an ``object`` until it was looked at."""

FORMAT = "rosenblatt-certificate"
VERSION = 1

MOST_BITS = 1 << 19
"""Bits of a whole number; a greatest common divisor of two such numbers takes a second."""
MOST_BYTES = 1 << 30
"""Bytes of a document."""

_MOST_SIGNS = MOST_BITS // 4 + len("-0x")
_MOST_DIGITS = len(str(-WHOLE))
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,15}|0x[1-9a-f][0-9a-f]*)")
_SHA256 = re.compile(r"[0-9a-f]{64}")

_T = TypeVar("_T")


def write(entries: Mapping[str, Json]) -> str:
    """Return a document with the entries, the format and the version."""
    document = {"format": FORMAT, "version": VERSION, **entries}
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    _check_size(text)
    return text


def read(text: object) -> dict[str, object]:
    """Return the entries of a document of this format and version."""
    if not isinstance(text, str):
        raise InputError(f"a certificate is read from text, but a {type(text).__name__} came")
    _check_size(text)
    try:
        document = _load_strictly(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the certificate is not a JSON document ({error})") from error
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise InputError(f"the certificate does not say that its format is {FORMAT!r}")
    version = document.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise InputError(
            f"the certificate has version {version!r:.20}, but this rosenblatt reads version {VERSION}"
        )
    return document


def most_bytes(n_samples: int, n_features: int, classes: Sequence[object]) -> int:
    """Return how many bytes a certificate about such data has at most.

    >>> most_bytes(4, 2, ["no", "yes"]), most_bytes(10**6, 10**3, ["no", "yes"]) == MOST_BYTES
    (4461752, True)
    """
    texts = sum(len(label_text(label)) for label in classes)
    # A weight for each feature, the constant and each class; each sample, rival and count; two bounds.
    n_numbers = len(classes) * (n_features + 1 + 3 * n_samples) + 4
    return min(MOST_BYTES, 4096 + 2 * texts + n_numbers * (_MOST_SIGNS + 32))


def _check_size(text: str) -> None:
    # What is written is ASCII, so that signs are bytes.
    if len(text) > MOST_BYTES:
        raise InputError(
            f"the certificate has {len(text):,} signs: at most {MOST_BYTES:,} are accepted"
        )


def _short_integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a whole number of {len(digits)} digits is not in hexadecimal")
    return int(digits)


def malformed(place: str, value: object, accepted: str) -> InputError:
    """Return the error for an entry that cannot be read."""
    came = shown(value[:40] if isinstance(value, str) else value)
    if not isinstance(value, str | int | None):
        came = type(value).__name__
    return InputError(f"{place} of the certificate is {came:.60}: {accepted} is accepted")


def encode_float(value: object) -> str:
    """Return a float in hexadecimal.

    >>> encode_float(0.5)
    '0x1.0000000000000p-1'
    """
    if not isinstance(value, int | float):
        raise malformed("a number", value, "a float")
    return float(value).hex()


def decode_float(place: str, value: object) -> float:
    """Return what `encode_float` was given, if finite."""
    try:
        number = float.fromhex(value) if isinstance(value, str) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number.hex() != value:
        raise malformed(place, value, "a finite float in hexadecimal")
    return number


def encode_integer(value: object) -> int | str:
    """Return a whole number, as text if it is large.

    >>> encode_integer(-7), encode_integer(2**60)
    (-7, '0x1000000000000000')
    """
    if type(value) is not int or value.bit_length() > MOST_BITS:
        raise malformed("a number", value, f"a whole number of at most {MOST_BITS} bits")
    return value if -WHOLE <= value <= WHOLE else hex(value)


def decode_integer(place: str, value: object) -> int:
    """Return what `encode_integer` was given."""
    number = _parsed(value) if isinstance(value, str) else value
    if type(number) is not int or encode_integer(number) != value:
        accepted = (
            f"a whole number of at most {MOST_BITS} bits, in hexadecimal if it is beyond 2^53,"
        )
        raise malformed(place, value, accepted)
    return number


def _parsed(text: str) -> int | None:
    """Return the whole number that a text of this format has, if it is short enough."""
    if len(text) > _MOST_SIGNS or not _INTEGER.fullmatch(text):
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


def decode_fraction(place: str, value: object) -> Fraction:
    """Return what `encode_fraction` was given."""
    parts = value.split("/", 2) if isinstance(value, str) else []
    over, under = (_parsed(part) for part in parts) if len(parts) == 2 else (None, None)
    if over is not None and under is not None and under > 0:
        fraction = Fraction(over, under)
        if encode_fraction(fraction) == value:
            return fraction
    accepted = f"a rational number p/q in lowest terms, each of at most {MOST_BITS} bits,"
    raise malformed(place, value, accepted)


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


def decode_label(place: str, value: object) -> Label:
    """Return what `encode_label` was given."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, dict) and set(value) == {"float"}:
        return decode_float(place, value["float"])
    if isinstance(value, dict) and set(value) == {"int"} and isinstance(value["int"], str):
        return _checked(decode_integer(place, value["int"]))
    if type(value) is int:
        return _checked(decode_integer(place, value))
    raise malformed(place, value, "text, a truth value, or a number")


def _checked(label: int) -> int:
    label_text(label)
    return label


def encode_weights(weights: object) -> Json:
    """Return the weights and their kind.

    >>> encode_weights((1, 1, -3))
    {'integers': [1, 1, -3]}
    """
    if isinstance(weights, tuple):
        return {"integers": [encode_integer(weight) for weight in weights]}
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float64:
        raise malformed("the weights", weights, "an array of float64 or a tuple of integers")
    return {"floats": [encode_float(weight) for weight in weights.ravel().tolist()]}


def decode_weights(place: str, value: object) -> Weights:
    """Return what `encode_weights` was given."""
    if isinstance(value, dict) and set(value) == {"integers"}:
        return tuple(_items(place, value["integers"], decode_integer))
    if isinstance(value, dict) and set(value) == {"floats"}:
        return np.array(_items(place, value["floats"], decode_float), dtype=np.float64)
    raise malformed(place, value, 'one of {"floats": [...]} and {"integers": [...]}')


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
    return [[*map(_place_number, row[:-1]), encode_integer(row[-1])] for row in sorted(rows)]


def decode_combination(place: str, value: object, *, joint: bool) -> Combination:
    """Return what `encode_combination` was given."""
    rows = _items(place, value, _decode_row)
    if not all(len(row) == (3 if joint else 2) for row in rows):
        what = "[row, rival, count]" if joint else "[row, count]"
        raise malformed(place, value, f"a list of {what}")
    pairs = {(row[0], row[1]): row[2] for row in rows} if joint else {}
    counts: Combination = pairs if joint else {row[0]: row[1] for row in rows}
    if len(counts) < len(rows) or rows != sorted(rows):
        raise InputError(f"{place} of the certificate does not name each row once, in order")
    return counts


def _decode_row(place: str, value: object) -> list[int]:
    if not isinstance(value, list) or len(value) < 2:
        raise malformed(place, value, "a list of rows and counts")
    return [*map(_place_number, value[:-1]), decode_integer(place, value[-1])]


def _place_number(value: object) -> int:
    """Return the number of a row or a class, if it is one that an array can have."""
    if type(value) is not int or not -WHOLE <= value <= WHOLE:
        raise malformed("a row or class", value, "a whole number of at most 2^53")
    return value


def _items(place: str, value: object, decode: Callable[[str, object], _T]) -> list[_T]:
    if not isinstance(value, list):
        raise malformed(place, value, "a list")
    return [decode(place, item) for item in value]


def decode_labels(place: str, value: object) -> tuple[Label, ...]:
    """Return a tuple of labels from a list of what `encode_label` returns."""
    return tuple(_items(place, value, decode_label))


def encode_digest(digest: object) -> Json:
    """Return a digest as JSON."""
    if not isinstance(digest, Digest):
        raise malformed("the digest", digest, "a Digest")
    return dict(vars(digest))


def decode_digest(place: str, value: object) -> Digest:
    """Return what `encode_digest` was given."""
    if not isinstance(value, dict) or set(value) != set(Digest.__dataclass_fields__):
        raise malformed(place, value, "an object with the five entries of a digest")
    texts = [value[name] for name in ("sha256", "storage", "dtype")]
    sizes = [value[name] for name in ("n_samples", "n_features")]
    known = (
        all(isinstance(text, str) for text in texts)
        and _SHA256.fullmatch(texts[0])
        and texts[1] in ("dense", "sparse")
        and texts[2] in ("float32", "float64")
        and all(type(size) is int and 0 <= size <= WHOLE for size in sizes)
    )
    if not known:
        raise malformed(place, value, "a SHA-256, a storage, a type and a shape")
    return Digest(*texts, *sizes)


def _load_strictly(text: str) -> object:
    """Return what a document says; raise ValueError for a key that comes twice, NaN and Infinity.

    >>> _load_strictly('{"rows": 1, "rows": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'rows' comes twice
    """
    return json.loads(
        text, object_pairs_hook=_once, parse_int=_short_integer, parse_constant=_no_constant
    )


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for key, value in pairs:
        if key in entries:
            raise ValueError(f"the key {key!r:.60} comes twice")
        entries[key] = value
    return entries


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
