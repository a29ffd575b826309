"""CSV and libsvm files, compared with the strict readers."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from attack.mutants.target import Mutant, Seeds, Target, line_of, wrong_sentence
from attack.strict import Reading, RefusalError, is_infinite, is_same, libsvm_samples, readings
from attack.tables import read_table

WHOLE_FILE = (
    *("the file is empty", "there are no samples"),
    *("no column is left", "no sample has a label"),
)
"""Errors of a file as a whole, which name no line."""

NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
SAMPLE = re.compile(
    rb"[ \t]*(?:%b(?:[ \t]+qid:[0-9]+)?(?:[ \t]+[0-9]{1,9}:%b)*[ \t]*)?" % (NUMBER, NUMBER)
)
LARGEST_LABEL = 2.0**53
HEADERS = (None, None, True, False)


@cache
def csv_seeds() -> Seeds:
    import rosenblatt.io.data

    sonar = Path(rosenblatt.io.data.__file__).with_name("sonar.csv").read_bytes()
    lines = sonar.splitlines(keepends=True)
    few = [b",".join([*line.split(b",")[:3], line.split(b",")[-1]]) for line in lines[95:102]]
    return [
        b"".join(lines[95:99]),
        b"".join(few),
        b"".join(few).replace(b"\n", b"\r\n"),
        b"a,b,class\n1,2,M\n3,4.5,R\n-5e2,.6,M\n7,?,R\n",
        b'name;"size";class\nred;1.5;yes\n"light ""blue""";;no\nred;-2;yes\n green ;3;no\n',
        b"1\t2\ttrue\n3\t4\tfalse\n5\t6\ttrue\n",
        b"\xef\xbb\xbfx,y\n1,0\n2,1\n\n3,0\n4,1\n",
        b"'a','b','kind'\n'x','1','M'\n'y','2','R'\n'x','3','M'\n",
        b"007,9007199254740993,0.5\n008,1,1\n009,2,0.5\n010,3,1\n",
    ]


def read_csv(path: Path, mutant: Mutant) -> Any:
    return answer(path, "csv", header_of(mutant))


def read_csv_stream(path: Path, mutant: Mutant) -> Any:
    """Return all samples of a file, read in random pieces and chunks."""
    from rosenblatt.io import Reading as Options
    from rosenblatt.io.streams.line_chunks import LineReading
    from rosenblatt.io.streams.sample_stream import open_stream

    options = Options(kind="csv", header=header_of(mutant))
    lines = LineReading(chunk_rows=mutant.draw % 5 or None, piece_size=16 + mutant.draw % 97)
    tables = list(open_stream([path], options, lines))
    rows = [dict(enumerate(row.values())) for table in tables for row in table.X.to_pylist()]
    labels = [label for table in tables for label in table.y.tolist()]
    width = len(tables[0].X.columns)
    return Reading(rows, width, labels, sum(table.n_unlabeled for table in tables))


def answer(path: Path, kind: str, header: bool | None) -> Any:
    """Return the package's reading, or raise its error."""
    from rosenblatt import InputError

    outcome, result = read_table(str(path), kind, header)
    if outcome == "refused":
        raise InputError(result)
    return Reading(*result)


def header_of(mutant: Mutant) -> bool | None:
    return HEADERS[mutant.draw % len(HEADERS)]


def wrong_csv(mutant: Mutant, found: Reading) -> str:
    expected = readings(mutant.content, "csv", header_of(mutant))
    return "" if any(is_same(found, one) for one in expected) else f"{found}, not {expected}"


def wrong_line(mutant: Mutant, sentence: str, path: Path) -> str:
    """Check that an error names an existing line, or concerns the whole file."""
    number, content = line_of(sentence), mutant.content
    if number is None:
        known = any(part in sentence for part in WHOLE_FILE)
        return wrong_sentence(mutant, sentence, path) or ("" if known else "no line is named")
    if not 1 <= number <= len(re.split(rb"\r\n|\r|\n", content)):
        return f"there is no line {number}"
    return wrong_sentence(mutant, sentence, path)


@cache
def libsvm_seeds() -> Seeds:
    plain = b"+1 1:0.5 3:2 7:-1e-3\n-1 2:1 3:0.25\n1 1:1\n-1\n2 4:12345.678 9:1e10\n"
    return [
        plain,
        plain.replace(b"\n", b"\r\n"),
        b"# a comment\n1 qid:3 1:1 2:2 # more: 7:x\n\n-1 qid:4 2:3\n0 qid:4\n",
        b"0 0:1 1:0.1234567890123456789\n1 0:2\n0.5 5:1\n",
        b"1\t1:1  2:2 \n 2 3:3\t\n\xef\xbb\xbf"[:-3] + b"3 1:0 2:-0.0",
        b"\xef\xbb\xbf1 1:4.9e-324 2:1.7976931348623157e308\n2 1:9007199254740993\n",
        b"".join(b"%d %d:%d.5 %d:0.%d\n" % (k % 2, k + 1, k, k + 9, k * 7919) for k in range(40)),
    ]


def read_libsvm(path: Path, _: Mutant) -> Any:
    return answer(path, "libsvm", None)


def wrong_libsvm(mutant: Mutant, found: Reading) -> str:
    expected = readings(mutant.content, "libsvm", None)
    return "" if any(is_same(found, one) for one in expected) else f"{found}, not {expected}"


def wrong_libsvm_line(mutant: Mutant, sentence: str, path: Path) -> str:
    """Check that an error names a faulty line, if there are any."""
    wrong = wrong_line(mutant, sentence, path)
    number = line_of(sentence)
    if wrong or number is None:
        return wrong
    lines = mutant.content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if number > len(lines):
        return f"there is no line {number}"
    faulty = [k for k, line in enumerate(lines, start=1) if is_faulty(line)]
    return f"line {number} is not in {faulty}" if faulty and number not in faulty else ""


def is_faulty(line: bytes) -> bool:
    """Return whether a line is anything but a clear sample, a blank line or a comment."""
    sample = line.removesuffix(b"\r").partition(b"#")[0]
    if b"\0" in line or SAMPLE.fullmatch(sample) is None:
        return True
    try:
        samples = libsvm_samples([sample.decode()])
    except RefusalError:
        return True
    return any(abs(label) >= LARGEST_LABEL for label, _ in samples)


def wrong_csv_stream(mutant: Mutant, found: Reading) -> str:
    """Compare a stream; infinite cells are refused later, unlabeled samples at the end not counted."""
    if any(is_infinite(cell) for row in found.rows for cell in row.values()):
        return ""
    expected = readings(mutant.content, "csv", header_of(mutant))
    same = any(is_same(found._replace(unlabeled=one.unlabeled), one) for one in expected)
    return "" if same else f"{found}, not {expected}"


CSV_STREAMS = Target("CSV streams", 10, csv_seeds, read_csv_stream, wrong_csv_stream, wrong_line)
CSV = Target("CSV", 60, csv_seeds, read_csv, wrong_csv, wrong_line)
LIBSVM = Target("libsvm", 170, libsvm_seeds, read_libsvm, wrong_libsvm, wrong_libsvm_line)
