"""Changes of bytes: flips, cuts, repeats, pieces of other files, and wrong sizes."""

import random
import re
import struct
from collections.abc import Callable, Sequence

NUMBER = re.compile(rb"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
PIECES = (
    *(bytes([sign]) for sign in b"0123456789:\"'\0\r\n\xff-+.,;eE \t#|_/{}[]xn"),
    *(b"\r\n", b"\n\n", b"\n\r", b"\xef\xbb\xbf", b"\xc3", b"\xa9", "é".encode(), "१".encode()),
    *("𝟙".encode(), b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x80\xa8", b"\xc2\xa0", b"\x1a", b"\x0b"),
    *(b"\x0c", b"\x85", b"\x7f", b'""', b"nan", b"inf", b"null", b"true", b"0x1", b"1e5", b"e400"),
    *(b"1:1", b"qid:1", b"\\u0000", b"\\ud800", b"1_0", b"?", b"NaN", b"-Infinity"),
)
NUMBERS = (
    *(b"0", b"-0", b"1", b"-1", b"2", b"00", b"007", b"127", b"255", b"65536", b"2147483647"),
    *(b"2147483648", b"4294967295", b"4294967296", b"9007199254740993", b"9223372036854775807"),
    *(b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"-2147483649"),
    *(b"1e308", b"1e309", b"-1e999", b"1e-400", b"5e-324", b"0.1", b".5", b"5.", b"1e", b"1e+"),
    *(
        b"9" * 25,
        b"9" * 400,
        b"0." + b"0" * 400 + b"1",
        b"1" + b"0" * 308,
        b"1.7976931348623159e308",
    ),
    *(b"2.2250738585072011e-308", b"123456789012345678901234567890", b"0.30000000000000004"),
)
TOKEN = re.compile(rb'"[^"\\]{0,60}"|-?[0-9][0-9.eE+-]*|\b(?:true|false|null)\b')
TOKENS = (
    *(
        b"null",
        b"true",
        b"false",
        b"[]",
        b"{}",
        b"[[]]",
        b'""',
        b'"a"',
        b"0",
        b"-1",
        b"1.5",
        b"1e400",
    ),
    *(
        b'"nan"',
        b'"inf"',
        b"NaN",
        b'"1/1"',
        b'"0x1p5000"',
        b'{"float": "nan"}',
        b'"\\ud800"',
        b"[" * 40,
    ),
)
WORDS = (0, 1, 2**7, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1)

Change = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(rng: random.Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Return a file with one or a few changes, maybe with pieces of other files."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 5))):
        content = rng.choice(CHANGES)(rng, content, others)
    return content


def position(rng: random.Random, content: bytes) -> int:
    """Return a position in a file, often near its beginning, where sizes are stored."""
    end = len(content)
    return rng.randrange(min(end, 64) + 1) if rng.random() < 0.2 else rng.randrange(end + 1)


def flip_bit(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    if not content:
        return b"\x01"
    at = min(position(rng, content), len(content) - 1)
    return b"%b%c%b" % (content[:at], content[at] ^ 1 << rng.randrange(8), content[at + 1 :])


def replace(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at, piece = position(rng, content), rng.choice(PIECES)
    return content[:at] + piece + content[at + len(piece) :]


def insert(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = position(rng, content)
    return content[:at] + rng.choice(PIECES) * rng.choice((1, 1, 1, 2, 40)) + content[at:]


def delete(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = position(rng, content)
    return content[:at] + content[at + rng.choice((1, 1, 2, 4, 8, 30)) :]


def truncate(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = position(rng, content)
    return content[:at] if rng.random() < 0.8 else content[at:]


def repeat(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = position(rng, content)
    return content[:at] + content[max(0, at - rng.randint(1, 40)) :]


def change_lines(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    """Duplicate, delete or swap lines."""
    lines = content.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(3)
    if way == 0:
        lines.insert(other, lines[one])
    elif way == 1:
        del lines[one]
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def change_line_ends(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    end = rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\t\n"))
    if rng.random() < 0.5:
        return content.replace(b"\r\n", b"\n").replace(b"\n", end)
    at = content.find(b"\n", position(rng, content))
    return content if at < 0 else content[:at] + end + content[at + 1 :]


def splice(rng: random.Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Insert a piece of another file, or overwrite bytes with it."""
    other = rng.choice(others)
    begin, at = position(rng, other), position(rng, content)
    piece = other[begin : begin + rng.choice((4, 16, 64, 256, len(other)))]
    return content[:at] + piece + content[at + (len(piece) if rng.random() < 0.5 else 0) :]


def change_number(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    """Replace a decimal number by one that is unusual or huge."""
    found = NUMBER.search(content, position(rng, content)) or NUMBER.search(content)
    if found is None:
        return content
    return content[: found.start()] + rng.choice(NUMBERS) + content[found.end() :]


def change_word(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    """Replace four or eight bytes, often the first ones, by a number, maybe huge or negative."""
    size = rng.choice((4, 8, 8))
    at = 0 if rng.random() < 0.3 else position(rng, content) // size * size
    number = rng.choice(WORDS) if rng.random() < 0.7 else len(content) + rng.randint(-20, 20)
    word = struct.pack("<Q" if rng.random() < 0.8 else ">Q", number % 2**64)
    return content[:at] + word[:size] + content[at + size :]


def change_token(rng: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    """Replace a JSON value by another one, often from elsewhere in the same file."""
    found = TOKEN.search(content, position(rng, content)) or TOKEN.search(content)
    other = TOKEN.search(content, position(rng, content))
    if found is None:
        return content
    new = other.group() if other and rng.random() < 0.5 else rng.choice(TOKENS)
    return content[: found.start()] + new + content[found.end() :]


CHANGES: tuple[Change, ...] = (
    *(flip_bit, flip_bit, replace, replace, insert, insert, delete, truncate, repeat),
    *(change_lines, change_line_ends, splice, change_number, change_number, change_word),
    *(change_token, change_token),
)
