"""Mutated CSV and libsvm files: what is read is what a strict reader finds line by line, or is refused.

The strict reader is in this file. The library may refuse what it finds doubtful, even where the strict
reader does not; but it must never read another table.
"""

import random
import re
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from attack.data import Json, Label
from attack.report import Report
from attack.worker import Worker

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
PIECES = [
    *(b'"', b"'", b",", b";", b"\t", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"\0", b"_", b"-", b"+"),
    *(
        b".",
        b"e",
        b"e400",
        b"0",
        b"9",
        b"x",
        b"M",
        b":",
        b"#",
        b"?",
        b"\xff",
        b"nan",
        b"inf",
        b"1e5",
    ),
    *(
        "१".encode(),
        "é".encode(),
        b"\xef\xbb\xbf",
        b'""',
        b"0x1",
        b"1:1",
        b"qid:1",
        b"\x1a",
        b"\x0b",
    ),
]


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
    """What a file says: rows as dicts of column to cell, the width, the labels, how many have none.

    Rows of libsvm have the values that are not 0.
    """

    rows: list[dict[int, Cell]]
    width: int
    labels: list[Label]
    unlabelled: int = 0


class RefusalError(Exception):
    """The file does not say clearly what its table is."""


def attack_csv(seed: int, count: int) -> Report:
    """Change bytes of CSV files, and compare what is read."""
    report = Report("CSV files", "the table that a strict reader finds line by line, or an error")
    rng = random.Random(seed)
    with Worker(read_table, seconds=60) as worker, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        for content, wanted in known_csv():
            report.count("known cases")
            check_known(report, worker, path, content, wanted, "csv")
        for _ in range(count):
            if report.is_lost:
                break
            has_header = rng.random() < 0.5
            content = mutated(rng, csv_file(rng, has_header))
            header = has_header if rng.random() < 0.6 else None
            compare(report, worker, path, content, "csv", header)
    return report


def attack_libsvm(seed: int, count: int) -> Report:
    """Change bytes of libsvm files, and compare what is read."""
    report = Report(
        "libsvm files", "the table that a strict reader finds line by line, or an error"
    )
    rng = random.Random(seed)
    with Worker(read_table, seconds=60) as worker, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.libsvm"
        for content, wanted in known_libsvm():
            report.count("known cases")
            check_known(report, worker, path, content, wanted, "libsvm")
        for _ in range(count):
            if report.is_lost:
                break
            compare(report, worker, path, mutated(rng, libsvm_file(rng)), "libsvm", None)
    return report


def compare(
    report: Report, worker: Worker, path: Path, content: bytes, kind: str, header: bool | None
) -> None:
    """Have both readers read a file."""
    path.write_bytes(content)
    answer = worker.call(str(path), kind, header)
    report.count("files")
    expected = readings(content, kind, header)
    where = f"kind={kind} header={header} {content!r}"
    if answer.kind != "value":
        report.fail(f"{answer.kind}, {answer.value}: {where}")
    elif answer.value[0] == "refused":
        report.count("refused")
        report.count("refused by both", not expected)
        report.check(str(path) in answer.value[1], f"nameless error {answer.value[1]!r}: {where}")
    elif not any(is_same(Reading(*answer.value[1]), one) for one in expected):
        report.fail(f"read {answer.value[1]}, not {expected}: {where}")
    else:
        report.count("lines accounted for", len(answer.value[1][0]))


def check_known(
    report: Report, worker: Worker, path: Path, content: bytes, wanted: Json, kind: str
) -> None:
    """Read a file that was once read wrongly: ``wanted`` is its number of rows, or None: refuse it."""
    path.write_bytes(content)
    answer = worker.call(str(path), kind, None)
    found: Json = answer.kind
    if answer.kind == "value":
        found = None if answer.value[0] == "refused" else len(answer.value[1][0])
    report.check(
        found == wanted, f"{found} instead of {wanted} ({answer!s:.300}): {content[:200]!r}"
    )


def read_table(path: str, kind: str, header: bool | None) -> tuple[str, Json]:
    """Have the library read a file."""
    from rosenblatt import InputError
    from rosenblatt.io import Reading, read
    from rosenblatt.io.samples.preparation import Wanted, prepared

    try:
        table = read(Path(path), Reading(kind=kind, header=header))
    except InputError as error:
        return "refused", str(error)
    if kind == "libsvm":
        X = table.X
        ends = X.indptr.tolist()
        parts = [slice(*pair) for pair in pairwise(ends)]
        rows = [dict(zip(X.indices[p].tolist(), X.data[p].tolist(), strict=True)) for p in parts]
        rows = [{j: x for j, x in row.items() if x != 0.0} for row in rows]
        return "read", (rows, X.shape[1], table.y.tolist(), 0)
    columns = [column.to_pylist() for column in table.X.columns]
    rows = [dict(enumerate(row)) for row in zip(*columns, strict=True)]
    if any(cell in (float("inf"), float("-inf")) for column in columns for cell in column):
        try:
            prepared(path, table, Wanted())
        except InputError as error:
            return "refused", str(error)
    return "read", (rows, len(columns), table.y.tolist(), table.n_unlabelled)


def is_same(found: Reading, expected: Reading) -> bool:
    """Say whether two readings are one, bit by bit; labels of libsvm are numbers, or those as text."""
    if [found.width, found.unlabelled] != [expected.width, expected.unlabelled]:
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
    """Compare numbers as numbers, texts without blanks around them, and what is missing as that."""
    if isinstance(found, str) and found.strip() in MISSING:
        return expected is None
    if isinstance(found, str) and isinstance(expected, float):  # a control sign is in its column
        return is_number_or_infinite(found) and float(found) == expected
    found = found.strip() if isinstance(found, str) else found
    return found == expected and type(found) is type(expected)


def mutated(rng: random.Random, content: bytes) -> bytes:
    """Return a file with up to three changes, sometimes with none."""
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        at, way = rng.randrange(len(content) + 1), rng.randrange(5)
        piece = rng.choice(PIECES)
        if way <= 1:
            content = content[:at] + piece + content[at:]
        elif way == 2:
            content = content[:at] + piece + content[at + len(piece) :]
        elif way == 3:
            content = content[:at] + content[at + rng.randint(1, 4) :]
        else:
            lines = content.splitlines(keepends=True) or [b""]
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
            content = b"".join(lines)
    return content


def csv_file(rng: random.Random, has_header: bool) -> bytes:
    """Return a file of two or three columns of numbers, perhaps one of texts, and a label."""
    separator = rng.choice([",", ",", ";", "\t"])
    width = rng.randint(2, 3)
    has_texts = rng.random() < 0.3
    labels = rng.choice(
        [
            ["M", "R", "rock", '"quoted"', "two words"],
            ["0", "1", "2"],
            ["true", "False"],
            ["0.5", "1"],
            ["M", "R", "?", ""],
        ]
    )
    lines = []
    if has_header:
        lines.append(separator.join([*(f"name{j}" for j in range(width)), "class"]))
    for _ in range(rng.randint(3, 8)):
        cells = [rng.choice(["1", "-2.5", "0.125", "3e2", "0", "17.25"]) for _ in range(width)]
        if has_texts:
            cells[0] = rng.choice(["red", "blue", " blue", "?", "", '"a, b"', "007"])
        label = rng.choice(labels)
        lines.append(separator.join([*cells, label]))
    end = rng.choice(["\n", "\n", "\r\n"])
    return (end.join(lines) + rng.choice(["", end])).encode()


def libsvm_file(rng: random.Random) -> bytes:
    """Return a file of labels and pairs."""
    lines = []
    for _ in range(rng.randint(2, 6)):
        indices = sorted(rng.sample(range(1, 9), rng.randint(0, 4)))
        pairs = [f"{j}:{rng.choice(['1', '0.5', '-2', '1e-3', '0'])}" for j in indices]
        comment = [" # a comment"] if rng.random() < 0.1 else []
        lines.append(" ".join([rng.choice(["1", "-1", "2.5", "+1"]), *pairs, *comment]))
    return ("\n".join(lines) + "\n").encode()


def readings(content: bytes, kind: str, header: bool | None) -> list[Reading]:
    """Return what a file says if it says it clearly; a lone CR may end a line of libsvm, or not."""
    ends = [r"\r\n|\r|\n"] if kind == "csv" else [r"\r\n|\r|\n", r"\n"]
    if kind == "libsvm":
        content = re.sub(rb"#[^\n]*", b"", content) if b"\r" not in content else content
    found = []
    for end in ends:
        try:
            lines = re.split(end, content.decode("utf-8-sig"))
            found.append(csv_strictly(lines, header) if kind == "csv" else libsvm_strictly(lines))
        except (RefusalError, UnicodeDecodeError):
            continue
    return found


def csv_strictly(lines: list[str], header: bool | None) -> Reading:
    lines = [line for line in lines if line.strip()]
    if not lines:
        raise RefusalError
    separator = max(",;\t", key=lines[0].count)
    table = [[cell.strip() for cell in cells_of(line, separator)] for line in lines]
    width = len(table[0]) - 1
    names = table[0]
    if header is None:
        header = not any(is_number(cell) or cell == "?" for cell in names) and not repeats(table)
    if header and len(set(names)) < len(names):
        raise RefusalError
    samples = table[1:] if header else table
    if not samples or width < 1 or any(len(cells) != width + 1 for cells in samples):
        raise RefusalError
    at = label_place(names) if header else width
    columns = [column_of([cells[j] for cells in samples]) for j in range(width + 1) if j != at]
    kept = [k for k, cells in enumerate(samples) if cells[at] not in MISSING]
    rows = [{j: column[k] for j, column in enumerate(columns)} for k in kept]
    if any(cell in (float("inf"), float("-inf")) for row in rows for cell in row.values()):
        raise RefusalError
    labels = labels_of([samples[k][at] for k in kept])
    return Reading(rows, width, labels, len(samples) - len(kept))


def label_place(names: list[str]) -> int:
    """Return where the label is: in the column that is called so, or in the last one."""
    small = [name.lower() for name in names]
    usual = [name for name in ("class", "label", "target", "y", "outcome") if name in small]
    return small.index(usual[0]) if usual else len(names) - 1


def repeats(table: list[list[str]]) -> bool:
    """Say whether half of the columns have the cell of the first line again."""
    first, below = table[0], table[1:]
    again = [any(row[j : j + 1] == [cell] for row in below) for j, cell in enumerate(first)]
    return 2 * sum(again) >= len(first)


def column_of(texts: list[str]) -> list[Cell]:
    """Return numbers if all cells that are not missing are, none of them a code such as 007."""
    present = [text for text in texts if text not in MISSING]
    if all(is_number_or_infinite(text) for text in present) and not any(
        re.match("[+-]?0[0-9]", text) for text in present
    ):
        return [None if text in MISSING else float(text) for text in texts]
    return [None if text in MISSING else text for text in texts]


def labels_of(texts: list[str]) -> list[Label]:
    """Return labels in their own type: whole numbers, truth values, or texts."""
    texts = [re.sub(r"^(-?[0-9]+)\.0$", r"\1", text, flags=re.ASCII) for text in texts]
    if all(re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text) for text in texts):
        return [int(text) for text in texts]
    if all(text.lower() in ("true", "false") for text in texts):
        return [text.lower() == "true" for text in texts]
    return list(texts)


def cells_of(line: str, separator: str) -> list[str]:
    """Return the cells of a line; a quote that opens a cell must be closed in the same line."""
    cells, at = [], 0
    while True:
        cell = ""
        if line[at : at + 1] == '"':
            at += 1
            while line[at : at + 2] == '""' or line[at : at + 1] != '"':
                if at >= len(line):
                    raise RefusalError
                cell += line[at]
                at += 2 if line[at] == '"' else 1
            at += 1
        end = line.find(separator, at)
        cells.append(cell + (line[at:] if end < 0 else line[at:end]))
        if end < 0:
            return cells
        at = end + 1


def libsvm_strictly(lines: list[str]) -> Reading:
    found = []
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
    if not found:
        raise RefusalError
    used = [j for _, row in found for j in row]
    first = min([1, *used])
    rows = [{j - first: x for j, x in row.items() if x != 0.0} for _, row in found]
    return Reading(rows, max([first - 1, *used]) - first + 1, [label for label, _ in found])


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


def is_number_or_infinite(cell: str) -> bool:
    return is_number(cell) or INFINITE.fullmatch(cell.strip()) is not None


def number_of(cell: str) -> float:
    if not is_number(cell) or float(cell) in (float("inf"), float("-inf")):
        raise RefusalError
    return float(cell)


def known_csv() -> list[tuple[bytes, int | None]]:
    """Return files that were once read wrongly, and the right number of rows, or None if refused."""
    many = b"".join(b"%d,%d,%c\n" % (i, i % 7, b"MR"[i % 2]) for i in range(1000))
    wide = b"".join(b"1," * 150_000 + label + b"\n" for label in (b"a", b"b", b"a"))
    return [
        (b'1,2,"M\n' + many, None),
        (b'1,2,"M\n' + many + b'3,4,"R\n', None),
        (many + b'1,2,"M', None),
        (b"10,20,30\n1,2,a\n3,4,b\n5,6,a\n", None),
        (b"?,M\n0.5,R\n0.25,M\n0.75,R\n", 4),
        (b"1,5;M\n2,5;R\n3,5;M\n", None),
        (b"1,2,M\0\n3,4,M\n5,6,R\n", None),
        (wide, 3),
        (many, 1000),
    ]


def known_libsvm() -> list[tuple[bytes, int | None]]:
    return [
        (b"1 1_1:1\n-1 2:1\n", None),
        (b"1 1:0.50_849\n-1 2:1\n", None),
        (b"1_0 1:0.5\n-1 2:1\n", None),
        ("1 १:1\n-1 2:1\n".encode(), None),
        (b"1 1:1 qid:3 2:1\n-1 2:1\n", None),
        (b"1 1:1 2:1\n-1 2:1\n", 2),
    ]
