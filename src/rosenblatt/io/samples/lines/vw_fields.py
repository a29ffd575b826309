"""One line of Vowpal Wabbit's text, read by Python, or the sentence that says what is wrong with it."""

import math
import re
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.kernels.parsing.name_hash import name_hash

_MOST_NUMBERS = 2


class VwSample(NamedTuple):
    """A line: its label, NaN if it has none, its importance, and its columns, which ascend."""

    label: float
    weight: float
    columns: list[int]
    values: list[float]


def read_vw_line(line: bytes, bits: int) -> VwSample:
    """Read a line without its end; an `InputError` says what is wrong, but not where.

    >>> read_vw_line(b"1 'tag |a:2 7 3:0.5 |b 7", 4)
    VwSample(label=1.0, weight=1.0, columns=[5, 9, 10], values=[1.0, 2.0, 1.0])
    """
    head, bar, body = line.partition(b"|")
    if b"\r" in line:
        raise InputError(
            "a carriage return (CR) is inside the line; lines must end with LF or CR LF"
        )
    if not bar:
        raise InputError("there is no bar, |, which features come after")
    label, weight = _head(head)
    sums: dict[int, float] = {}
    for section in body.split(b"|"):
        name, *features = re.split(rb"[ \t]+", section)
        namespace, scale = 0, 1.0
        if name:
            if name.startswith(b":"):
                raise InputError(f"{_text(b'|' + name)} is a namespace without a name")
            name, scale = _name_and_number(name)
            namespace = _hash(name, 0)
        n_nameless = 0
        for feature in filter(None, features):
            name, value = _name_and_number(feature)
            column = _hash(name, namespace) + (0 if name else n_nameless)
            n_nameless += not name
            column &= 2**bits - 1
            value *= scale
            sums[column] = sums[column] + value if column in sums else value
            if not math.isfinite(sums[column]):
                raise InputError(
                    f"{_text(feature)}: the value is not finite after it was multiplied by the scale of "
                    "its namespace, and added to what is in the same column; give smaller numbers"
                )
    columns = sorted(sums)
    return VwSample(label, weight, columns, [sums[column] for column in columns])


def _head(head: bytes) -> tuple[float, float]:
    """Return label and importance; the last word is a tag if it touches the bar, or begins with '."""
    if b"\t" in head:
        raise InputError("a tab comes before the first bar; give blanks, or nothing, between words")
    words = [word for word in head.split(b" ") if word]
    if words and (head.endswith(words[-1]) or words[-1].startswith(b"'")):
        words.pop()
    if len(words) > _MOST_NUMBERS:
        raise InputError(
            f"{_text(words[_MOST_NUMBERS])} comes after the label and the importance; of a base, and "
            "of more than one tag, nothing is known"
        )
    label, weight = math.nan, 1.0
    if words:
        label = _number(words[0], "the label: ")
    if len(words) > 1:
        weight = _number(words[1], "the importance: ")
    if weight < 0:
        raise InputError(f"the importance: {_text(words[1])} is negative; give a number from 0 on")
    return label, weight


def _name_and_number(field: bytes) -> tuple[bytes, float]:
    name, colon, number = field.partition(b":")
    if not colon:
        return name, 1.0
    if not number:
        raise InputError(f"{_text(field)} has no value after the colon; a number is expected")
    return name, _number(number, f"{_text(field)}: after the colon, ")


def _number(text: bytes, where: str) -> float:
    fault = number_fault(_decoded(text))
    if fault:
        raise InputError(where + fault)
    return float(text)


def _hash(name: bytes, seed: int) -> int:
    return name_hash(np.frombuffer(name + bytes(4), dtype=np.uint8), 0, len(name), seed)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


def _text(field: bytes) -> str:
    return quoted(_decoded(field))
