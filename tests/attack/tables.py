"""Mutated CSV and libsvm files: read like a strict reader does line by line, or refused.

The library may refuse files that the strict reader accepts, but must never read another table.
"""

import random
import tempfile
from itertools import pairwise
from pathlib import Path

from attack.data import Json
from attack.report import Report
from attack.strict import Reading, is_infinite, is_same, readings
from attack.worker import Worker

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


def attack_csv(seed: int, count: int) -> Report:
    """Change bytes of CSV files, and compare what is read."""
    report = Report("CSV files", "the table that a strict reader finds line by line, or an error")
    rng = random.Random(seed)
    with Worker(read_table, seconds=60) as worker, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        for content, expected in known_csv():
            report.count("known cases")
            check_known(report, worker, path, content, expected, "csv")
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
        for content, expected in known_libsvm():
            report.count("known cases")
            check_known(report, worker, path, content, expected, "libsvm")
        for _ in range(count):
            if report.is_lost:
                break
            compare(report, worker, path, mutated(rng, libsvm_file(rng)), "libsvm", None)
    return report


def compare(
    report: Report, worker: Worker, path: Path, content: bytes, kind: str, header: bool | None
) -> None:
    """Read a file with both readers and compare."""
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
    report: Report, worker: Worker, path: Path, content: bytes, expected: Json, kind: str
) -> None:
    """Read a file that was once read wrongly; ``expected`` is its number of rows, or None: refused."""
    path.write_bytes(content)
    answer = worker.call(str(path), kind, None)
    found: Json = answer.kind
    if answer.kind == "value":
        found = None if answer.value[0] == "refused" else len(answer.value[1][0])
    report.check(
        found == expected, f"{found} instead of {expected} ({answer!s:.300}): {content[:200]!r}"
    )


def read_table(path: str, kind: str, header: bool | None) -> tuple[str, Json]:
    """Read a file with the library."""
    from rosenblatt import InputError
    from rosenblatt.io import Reading, read
    from rosenblatt.io.samples.preparation import ColumnOptions, prepared

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
    if any(is_infinite(cell) for column in columns for cell in column):  # detected later
        try:
            prepared(path, table, ColumnOptions())
        except InputError as error:
            return "refused", str(error)
    return "read", (rows, len(columns), table.y.tolist(), table.n_unlabeled)


def mutated(rng: random.Random, content: bytes) -> bytes:
    """Return a file with up to three changes."""
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
    """Return a file of two or three columns of numbers, maybe one of text, and a label."""
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


def known_csv() -> list[tuple[bytes, int | None]]:
    """Return files that were once read wrongly, with the right number of rows, or None: refused."""
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
