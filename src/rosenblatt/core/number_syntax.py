"""The syntax of numbers in sample files: digits from 0 to 9, a point, an exponent, a sign.

The readers' parsers must accept this and nothing else. Arrow does, except that it also accepts nan and
inf, which are refused after reading. Compiled code reads the common forms in libsvm lines, and this
pattern matches the rest. The tests compare both parsers with it.
"""

import math
import re

from rosenblatt.core.errors import quoted

# Digits must match in only one way: otherwise a million digits followed by a letter take hours.
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

_NUMBER = re.compile(NUMBER)
_NAMED = re.compile(r"[+-]?(?:nan(?:\([0-9a-z_]*\))?|inf(?:inity)?)", re.IGNORECASE | re.ASCII)


def is_number(text: str) -> bool:
    """Return whether a text is a number, finite or not; blanks around it are ignored.

    >>> [is_number(text) for text in ("-1.5e3", " 7 ", "inf", "1_000", "१", "")]
    [True, True, True, False, False, False]
    """
    text = text.strip(" \t")
    return (_NUMBER.fullmatch(text) or _NAMED.fullmatch(text)) is not None


def number_fault(text: str) -> str | None:
    """Return why a text is not a finite number, or None if it is one.

    >>> number_fault("1_000")
    "'1_000' is not a number; write it like 12, -0.5 or 1e-3"
    """
    text = text.strip(" \t")
    if not text:
        return "this cell is empty; expected a number"
    if not is_number(text):
        return f"{quoted(text)} is not a number; write it like 12, -0.5 or 1e-3"
    if _NAMED.fullmatch(text) or not math.isfinite(float(text)):
        return f"{quoted(text)} is not finite; give a finite number"
    return None
