"""Strict readers of CSV and libsvm files, line by line and slow.

They share no code with the package, and refuse every file that is ambiguous.
"""

import re
from typing import NamedTuple

from attack.data import Label

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
NAN = re.compile(r"[+-]?nan(\([0-9a-z_]*\))?", re.IGNORECASE | re.ASCII)

MISSING = (
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "<NA>",
    "NaN",
    "nan",
    "-nan",
    "NULL",
    "null",
    "None",
)

Cell = str | float | None


class Reading(NamedTuple):
    """The content of a file: rows as dicts from column to cell, the width, the labels.

    ``unlabeled`` counts rows without a label. Rows of libsvm have only the values that are not 0.
    """

    rows: list[dict[int, Cell]]
    width: int
    labels: list[Label]
    unlabeled: int = 0


class RefusalError(Exception):
    """The file is ambiguous or malformed."""


def is_same(found: Reading, expected: Reading) -> bool:
    """Return whether two readings are equal, bit by bit; libsvm labels may be numbers or text."""
    if [found.width, found.unlabeled] != [expected.width, expected.unlabeled]:
        return False
    if len(found.labels) != len(expected.labels) or len(found.rows) != len(expected.rows):
        return False
    if not all(
        a.keys() == b.keys() and all(is_same_cell(a[j], b[j]) for j in b)
        for a, b in zip(found.rows, expected.rows, strict=True)
    ):
        return False
    return all(
        a == b if type(a) is type(b) else isinstance(b, float) and float(a) == b
        for a, b in zip(found.labels, expected.labels, strict=True)
    )


def is_same_cell(found: Cell, expected: Cell) -> bool:
    """Compare cells: numbers as numbers, text without surrounding spaces, missing with missing."""
    if isinstance(found, str) and found.strip() in MISSING:
        return expected is None
    if isinstance(found, str) and isinstance(expected, float):  # its column has a control character
        return is_number_or_infinite(found) and float(found) == expected
    found = found.strip() if isinstance(found, str) else found
    return found == expected and type(found) is type(expected)


def readings(content: bytes, kind: str, header: bool | None) -> list[Reading]:
    """Return the possible readings of a file; none if it is malformed.

    In libsvm, a lone CR may end a line or not; in CSV, single quotes may be quotes or not.
    """
    if kind == "csv":
        ways = [(r"\r\n|\r|\n", quote) for quote in "\"'"]
    else:
        ways = [(r"\r\n|\r|\n", ""), (r"\n", "")]
    found = []
    for end, quote in ways:
        try:
            # libsvm comments may have any bytes; numbers are always valid UTF-8
            text = content.decode("utf-8-sig", "strict" if quote else "surrogateescape")
            lines = re.split(end, text)
            found.append(csv_strictly(lines, header, quote) if quote else libsvm_strictly(lines))
        except (RefusalError, UnicodeDecodeError):
            continue
    return found


def csv_strictly(lines: list[str], header: bool | None, quote: str) -> Reading:
    lines = [line for line in lines if line]
    if not lines or not lines[0].strip():
        raise RefusalError
    separator = separator_of(lines[:20])
    if quote == "'" and not any(re.search(rf"(^|{separator})'", line) for line in lines[:2]):
        raise RefusalError
    table = [[cell.strip() for cell in cells_of(line, separator, quote)] for line in lines]
    width = len(table[0]) - 1
    names = table[0]
    if header is None:
        header = all(map(is_name, names)) and not repeats(table)
    if header and len(set(names)) < len(names):
        raise RefusalError
    samples = table[1:] if header else table
    if not samples or width < 1 or any(len(cells) != width + 1 for cells in samples):
        raise RefusalError
    at = label_place(names) if header else width
    columns = [column_of([cells[j] for cells in samples]) for j in range(width + 1) if j != at]
    kept = [k for k, cells in enumerate(samples) if cells[at] not in MISSING]
    rows = [{j: column[k] for j, column in enumerate(columns)} for k in kept]
    if any(isinstance(x, float) and is_infinite(x) for row in rows for x in row.values()):
        raise RefusalError
    labels = labels_of([samples[k][at] for k in kept])
    return Reading(rows, width, labels, len(samples) - len(kept))


def separator_of(lines: list[str]) -> str:
    """Return the separator with the same count in most lines, then the most frequent one."""
    counts = {mark: [line.count(mark) for line in lines] for mark in ",;\t"}
    present = [mark for mark in counts if counts[mark][0]] or [","]
    return max(present, key=lambda mark: (counts[mark].count(counts[mark][0]), counts[mark][0]))


def is_name(cell: str) -> bool:
    """Return whether a cell can name a column: it is empty, or has a letter or digit."""
    if is_number_or_infinite(cell) or NAN.fullmatch(cell):
        return False
    return not cell or re.search(r"\w", cell) is not None


def label_place(names: list[str]) -> int:
    """Return the position of the label: a column with a usual name, or the last one."""
    small = [name.lower() for name in names]
    usual = [name for name in ("class", "label", "target", "y", "outcome") if name in small]
    return small.index(usual[0]) if usual else len(names) - 1


def repeats(table: list[list[str]]) -> bool:
    """Return whether half of the columns repeat the cell of the first line."""
    first, below = table[0], table[1:]
    again = [any(row[j : j + 1] == [cell] for row in below) for j, cell in enumerate(first)]
    return 2 * sum(again) >= len(first)


def column_of(texts: list[str]) -> list[Cell]:
    """Return numbers if all present cells are numbers, and none is a code such as 007."""
    present = [text for text in texts if text not in MISSING]
    if all(is_number_or_infinite(text) for text in present) and not any(
        re.match("[+-]?0[0-9]", text) for text in present
    ):
        return [None if text in MISSING else float(text) for text in texts]
    return [None if text in MISSING else text for text in texts]


def labels_of(texts: list[str]) -> list[Label]:
    """Return labels as whole numbers, booleans or text."""
    texts = [decimal_of(re.sub(r"^(-?[0-9]+)\.0$", r"\1", text, flags=re.ASCII)) for text in texts]
    if all(re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text) for text in texts):
        return [int(text) for text in texts]
    if all(text.lower() in ("true", "false") for text in texts):
        return [text.lower() == "true" for text in texts]
    return list(texts)


def decimal_of(text: str) -> str:
    """Return a decimal without zeros at the end; other texts, and codes such as 007, unchanged."""
    if not re.fullmatch(r"-?((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)", text, flags=re.ASCII):
        return text
    whole, fraction = text.split(".")
    if not fraction.strip("0") and whole.strip("-0"):
        return whole
    value = float(text)
    return f"{value:.0f}" if value.is_integer() else repr(value)


def cells_of(line: str, separator: str, quote: str) -> list[str]:
    """Return the cells of a line; a quote that opens a cell must be closed in the same line."""
    cells, at = [], 0
    while True:
        cell = ""
        if line[at : at + 1] == quote:
            at += 1
            while line[at : at + 2] == 2 * quote or line[at : at + 1] != quote:
                if at >= len(line):
                    raise RefusalError
                cell += line[at]
                at += 2 if line[at] == quote else 1
            at += 1
        end = line.find(separator, at)
        cells.append(cell + (line[at:] if end < 0 else line[at:end]))
        if end < 0:
            return cells
        at = end + 1


def libsvm_strictly(lines: list[str]) -> Reading:
    found = libsvm_samples(lines)
    if not found:
        raise RefusalError
    used = [j for _, row in found for j in row]
    first = min([1, *used])
    rows = [{j - first: x for j, x in row.items() if x != 0.0} for _, row in found]
    return Reading(rows, max([first - 1, *used]) - first + 1, [label for label, _ in found])


def libsvm_samples(lines: list[str]) -> list[tuple[float, dict[int, Cell]]]:
    """Return the labels and pairs of lines, as written; raise if one is ambiguous."""
    found: list[tuple[float, dict[int, Cell]]] = []
    for line in lines:
        fields = line.split("#")[0].split()
        if not fields:
            continue
        pairs = [pair.partition(":") for pair in fields[1:]]
        if pairs and pairs[0][0] == "qid" and pairs[0][2].isdecimal():
            del pairs[0]
        if not all(colon and re.fullmatch("[+]?[0-9]+", index) for index, colon, _ in pairs):
            raise RefusalError
        indices = [int(index) for index, _, _ in pairs]
        if sorted(set(indices)) != indices:
            raise RefusalError
        values = [number_of(value) for _, _, value in pairs]
        found.append((number_of(fields[0]), dict(zip(indices, values, strict=True))))
    return found


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


def is_number_or_infinite(cell: str) -> bool:
    return is_number(cell) or INFINITE.fullmatch(cell.strip()) is not None


def is_infinite(cell: Cell) -> bool:
    """Return whether a cell is infinite, or too large for float64."""
    return (
        isinstance(cell, float | str)
        and (isinstance(cell, float) or is_number_or_infinite(cell))
        and abs(float(cell)) == float("inf")
    )


def number_of(cell: str) -> float:
    if not is_number(cell) or float(cell) in (float("inf"), float("-inf")):
        raise RefusalError
    return float(cell)
