"""A strict reader of Vowpal Wabbit's text, which goes line by line and hashes as Vowpal Wabbit does.

It shares no code with the package. Names are hashed with MurmurHash3 of 32 bits, with the hash of their
namespace as the seed; a name of digits alone is the number itself plus the seed.
"""

import re
import struct
from typing import NamedTuple

from attack.strict import NUMBER, RefusalError

LOW = 0xFFFFFFFF


class Sample(NamedTuple):
    """A line: its label, if it has one, its importance, and its values by column."""

    label: float | None
    weight: float
    row: dict[int, float]


def vw_samples(content: bytes, bits: int) -> list[tuple[int, Sample]]:
    """Return the samples and the numbers of their lines; raise if one of them is not clear."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    found = [(number, line.removesuffix(b"\r")) for number, line in enumerate(lines, start=1)]
    return [(number, vw_sample(line, bits)) for number, line in found if line.strip(b" ")]


def vw_sample(line: bytes, bits: int) -> Sample:
    head, bar, body = line.partition(b"|")
    if not bar or b"\r" in line or b"\t" in head:
        raise RefusalError
    words = head.split(b" ")
    is_tag = words[-1] != b""
    words = [word for word in words if word]
    if is_tag or (words and words[-1].startswith(b"'")):
        words.pop()
    numbers = [number_of(word) for word in words]
    if len(numbers) > 2 or any(weight < 0.0 for weight in numbers[1:]):
        raise RefusalError
    row: dict[int, float] = {}
    for section in body.split(b"|"):
        add_section(row, section, bits)
    label, weight = [*numbers, 1.0][:2] if numbers else (None, 1.0)
    return Sample(label, weight, row)


def add_section(row: dict[int, float], section: bytes, bits: int) -> None:
    """Add the features of a namespace to a row."""
    name, *features = re.split(rb"[ \t]", section)
    seed, scale = 0, 1.0
    if name:
        name, scale = name_and_value(name)
        if not name:
            raise RefusalError
        seed = hashed(name, 0)
    n_nameless = 0
    for feature in features:
        if not feature:
            continue
        name, value = name_and_value(feature)
        column = hashed(name, seed) if name else seed + n_nameless
        n_nameless += not name
        column %= 1 << bits
        row[column] = row[column] + value * scale if column in row else value * scale
        if abs(row[column]) == float("inf") or row[column] != row[column]:
            raise RefusalError


def name_and_value(field: bytes) -> tuple[bytes, float]:
    name, colon, value = field.partition(b":")
    return name, number_of(value) if colon else 1.0


def number_of(word: bytes) -> float:
    try:
        text = word.decode("ascii")
    except UnicodeDecodeError as error:
        raise RefusalError from error
    if NUMBER.fullmatch(text) is None or abs(float(text)) == float("inf"):
        raise RefusalError
    return float(text)


def hashed(name: bytes, seed: int) -> int:
    """Return the hash of a name: see the module."""
    return (int(name) + seed) & LOW if re.fullmatch(rb"[0-9]+", name) else murmur3(name, seed)


def murmur3(data: bytes, seed: int) -> int:
    """Return MurmurHash3_x86_32.

    >>> hex(murmur3(b"hello", 0)), hex(murmur3(b"The quick brown fox jumps over the lazy dog", 0))
    ('0x248bfa47', '0x2e4ff723')
    """
    state, whole = seed, len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        state = rotated(state ^ mixed(word), 13) * 5 + 0xE6546B64 & LOW
    if data[whole:]:
        state ^= mixed(int.from_bytes(data[whole:], "little"))
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & LOW
    state = (state ^ state >> 13) * 0xC2B2AE35 & LOW
    return state ^ state >> 16


def mixed(word: int) -> int:
    return rotated(word * 0xCC9E2D51 & LOW, 15) * 0x1B873593 & LOW


def rotated(word: int, n: int) -> int:
    return (word << n | word >> 32 - n) & LOW
