"""What is attacked: a reader of the package, files to begin with, and what must be true of an answer."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LONGEST_SENTENCE = 1000
LINE = re.compile(r"^(?:.*?), line (-?[0-9]+)\b", re.DOTALL)

Seeds = Sequence[bytes]
"""Files that the reader reads, to be changed."""


class Mutant(NamedTuple):
    """A changed file, the number of the seed that it was, and one more number to draw options from."""

    content: bytes
    seed: int
    draw: int


def wrong_sentence(_: Mutant, sentence: str, path: Path) -> str:
    """Return what is wrong with an error: it names the file, and is one sentence that can be printed."""
    if not sentence.startswith(str(path)):
        return "the error does not begin with the file's name"
    return "" if is_sentence(sentence) else "the error is not one sentence"


def is_sentence(text: str) -> bool:
    """Say whether a text is one line that can be printed, and not too long."""
    return len(text) <= LONGEST_SENTENCE and "\n" not in text and "\r" not in text


def line_of(sentence: str) -> int | None:
    """Return the number of the line that an error names, if it does."""
    found = LINE.match(sentence)
    return int(found.group(1)) if found else None


class Target(NamedTuple):
    """A reader, and the oracles that know what it may answer.

    ``read`` is the package's answer to a file; ``wrong`` says what is wrong with an answer, and
    ``wrong_refusal`` with the sentence of an `InputError`: nothing, if all is well. ``share`` is how
    many of a thousand mutants are of this target; ``repair`` puts checksums right after a change.
    """

    name: str
    share: int
    seeds: Callable[[], Seeds]
    read: Callable[[Path, Mutant], Any]
    wrong: Callable[[Mutant, Any], str]
    wrong_refusal: Callable[[Mutant, str, Path], str] = wrong_sentence
    repair: Callable[[bytes], bytes] = bytes
