"""A target of mutants: a reader of the package, seed files, and checks of its answers."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LONGEST_SENTENCE = 1000
LINE = re.compile(r"^(?:.*?), line (-?[0-9]+)\b", re.DOTALL)

Seeds = Sequence[bytes]
"""Valid files, which are then changed."""


class Mutant(NamedTuple):
    """A changed file, the number of its seed, and a random number for options."""

    content: bytes
    seed: int
    draw: int


def wrong_sentence(_: Mutant, sentence: str, path: Path) -> str:
    """Check that an error names the file, and is one printable sentence."""
    if not sentence.startswith(str(path)):
        return "the error does not begin with the file's name"
    return "" if is_sentence(sentence) else "the error is not one sentence"


def is_sentence(text: str) -> bool:
    """Return whether a text is one line, and not too long."""
    return len(text) <= LONGEST_SENTENCE and "\n" not in text and "\r" not in text


def line_of(sentence: str) -> int | None:
    """Return the number of the line that an error names, or None."""
    found = LINE.match(sentence)
    return int(found.group(1)) if found else None


class Target(NamedTuple):
    """A reader, and the oracles that check its answers.

    ``read`` returns the package's answer to a file. ``wrong`` returns what is wrong with an answer, and
    ``wrong_refusal`` with the message of an `InputError`, or an empty string. ``share`` is the target's
    share of mutants, relative to the others; ``repair`` fixes checksums after a change.
    """

    name: str
    share: int
    seeds: Callable[[], Seeds]
    read: Callable[[Path, Mutant], Any]
    wrong: Callable[[Mutant, Any], str]
    wrong_refusal: Callable[[Mutant, str, Path], str] = wrong_sentence
    repair: Callable[[bytes], bytes] = bytes
