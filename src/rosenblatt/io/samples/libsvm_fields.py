"""Single fields of a libsvm line, parsed in Python, and the error message for a malformed line."""

import math
import re

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import NUMBER, number_fault

LARGEST_INDEX = 2**31 - 1

_END = r"(?=[ \t\r\n#])"
_LABEL = re.compile(rf"({NUMBER})(?:[ \t]+qid:[0-9]+)?{_END}".encode())
_PAIR = re.compile(rf"([0-9]+):({NUMBER}){_END}".encode())


def label_at(text: bytes, start: int) -> tuple[float, int] | None:
    """Parse the label at a position; return it and the end of its qid, or None if it is malformed.

    >>> label_at(b"1e0000000001 qid:2 1:3", 0)
    (10.0, 18)
    """
    found = _LABEL.match(text, start)
    if found is None or not math.isfinite(float(found[1])):
        return None
    return float(found[1]), found.end()


def pair_at(text: bytes, start: int, last: int) -> tuple[int, float, int] | None:
    """Parse the pair at a position; return index, value and end, or None if it cannot follow ``last``.

    >>> pair_at(b"1 3:5 0000000000004:6 ", 6, last=3)
    (4, 6.0, 21)
    """
    found = _PAIR.match(text, start)
    digits = b"" if found is None else found[1].lstrip(b"0")
    if found is None or len(digits) > len(str(LARGEST_INDEX)):
        return None
    index, value = int(digits or b"0"), float(found[2])
    follows = last < index <= LARGEST_INDEX
    return (index, value, found.end()) if follows and math.isfinite(value) else None


def line_error(path: str, number: int, line: bytes) -> InputError:
    """Return the error that explains what is wrong with a line.

    >>> line_error("data", 7, b"+1 1:2 3")
    InputError("data, line 7: '3' is not an index:value pair, such as 3:0.5")
    """
    text = line.removesuffix(b"\n").removesuffix(b"\r").partition(b"#")[0]
    if b"\r" in text:
        fault = "a carriage return (CR) is inside the line; end lines with LF or CR LF"
    else:
        fault = _fault([field.decode("utf-8", "backslashreplace") for field in text.split()])
    return InputError(f"{path}, line {number}: {fault}")


def _fault(fields: list[str]) -> str:
    fault = number_fault(fields[0]) if fields else None
    if fault:
        return f"the label: {fault}"
    last = -1
    for position, pair in enumerate(fields[1:]):
        if re.fullmatch(r"qid:[0-9]+", pair):
            if position > 0:
                return f"{quoted(pair)} must come directly after the label"
            continue
        index, colon, value = pair.partition(":")
        if not (colon and re.fullmatch(r"[0-9]+", index)):
            return f"{quoted(pair)} is not an index:value pair, such as 3:0.5"
        if not value:
            return f"{quoted(pair)} has no value after the colon; expected a number"
        fault = number_fault(value)
        if fault:
            return f"{quoted(pair)}: after the colon, {fault}"
        digits = index.lstrip("0") or "0"
        if len(digits) > 18 or int(digits) > LARGEST_INDEX:
            return f"the index {quoted(index)} is larger than {LARGEST_INDEX}"
        if int(digits) <= last:
            return f"index {index} follows index {last}; indices must increase"
        last = int(digits)
    return "expected a label and index:value pairs, separated by spaces"
