"""Vowpal Wabbit's text, whole and in a stream, against a strict reader that hashes for itself."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attack.data import Label
from attack.mutants.stream_targets import rows_of
from attack.mutants.target import Mutant, Seeds, Target, line_of
from attack.mutants.text_targets import LARGEST_LABEL, wrong_line
from attack.strict import Reading, RefusalError, is_same
from attack.strict_vw import Sample, vw_sample, vw_samples

WHOLE = 18
"""The bits of a file that is read whole."""
BITS = (1, 3, 10, 18, 24, 30)

Found = tuple[list[dict[int, Any]], list[Label], list[float], int, list[str]]
"""Rows, labels, weights, how many have no label, and where the others are."""


@cache
def vw_seeds() -> Seeds:
    plain = b"1 |f price:0.23 sqft:.25 age 2006\n-1 2.5 'b|f price:1e-3 tag'1 |g a a a:2\n"
    return [
        plain,
        plain.replace(b"\n", b"\r\n"),
        b"1 'tag |a:2 7 3:0.5 |b:-1 7 :3 :4\n\n|a no label\n2 0.5 |c\tx\ty:2\n0 | 1 2 3\n-1 |\n",
        b"0.5 tag| a:-0.0 b\n1.5 1 x|ns " + b"long" * 30 + b":7 z\n3 |" + b"n" * 70 + b" 1:1\n",
        b"\xef\xbb\xbf1 |w "
        + b" ".join(b"word%d" % k for k in range(60))
        + b"\n2 |w \xc3\xa9t\xc3\xa9 1\n",
        b"".join(
            b"%d %d |a f%d:%d.5 %d |b:0.%d g%d\n" % (k % 2, k % 4, k, k, k, k, k * 7)
            for k in range(30)
        ),
        b"1 |i 4294967295 4294967296 00000000000000001 99999999999999999999:3\n2 |i 12345678901234567\n",
    ]


def read_vw(path: Path, _: Mutant) -> Found:
    from rosenblatt.io import Reading, read

    table = read(path, Reading(kind="vw"))
    return found_in([table], WHOLE)


def read_vw_stream(path: Path, mutant: Mutant) -> Found:
    from rosenblatt.io import Reading
    from rosenblatt.io.streams.line_chunks import LineReading
    from rosenblatt.io.streams.sample_stream import open_stream

    draw = mutant.draw
    lines = LineReading(
        chunk_rows=draw % 5 or None,
        piece_size=16 + draw % 97,
        text_labels=True,
        hash_bits=bits_of(mutant),
    )
    return found_in(list(open_stream([path], Reading(kind="vw"), lines)), bits_of(mutant))


def bits_of(mutant: Mutant) -> int:
    return BITS[mutant.draw % len(BITS)]


def found_in(tables: list[Any], bits: int) -> Found:
    rows: list[dict[int, Any]] = []
    labels: list[Label] = []
    weights: list[float] = []
    places: list[str] = []
    for table in tables:
        if table.X.shape[1] != 1 << bits:
            raise AssertionError(f"{table.X.shape[1]} columns")
        rows += rows_of(table.X)
        labels += table.y.tolist()
        n = table.n_samples
        weights += [1.0] * n if table.weights is None else table.weights.tolist()
        places += table.places_of(np.arange(n))
    return rows, labels, weights, sum(table.n_unlabelled for table in tables), places


def wrong_whole(mutant: Mutant, found: Found) -> str:
    return wrong_samples(mutant, found, WHOLE)


def wrong_stream(mutant: Mutant, found: Found) -> str:
    # samples without a label that follow the last chunk are in none
    return wrong_samples(mutant, (*found[:3], -1, found[4]), bits_of(mutant))


def wrong_samples(mutant: Mutant, found: Found, bits: int) -> str:
    try:
        samples = vw_samples(mutant.content, bits)
    except RefusalError:
        return f"{found} was read"
    labelled = [(number, sample) for number, sample in samples if sample.label is not None]
    rows, labels, weights, n_unlabelled, places = found
    if n_unlabelled not in (len(samples) - len(labelled), -1):
        return f"{n_unlabelled} samples without a label of {samples}"
    if places != [f"line {number}" for number, _ in labelled]:
        return f"the samples are said to be on {places}: {labelled}"
    if weights != [sample.weight for _, sample in labelled]:
        return f"the weights are {weights}: {labelled}"
    expected = Reading([sample.row for _, sample in labelled], 0, [s.label for _, s in labelled])
    return "" if is_same(Reading(rows, 0, labels), expected) else f"{found}, not {expected}"


def wrong_vw_line(mutant: Mutant, sentence: str, path: Path) -> str:
    """Return what is wrong with an error: it names a line that is in doubt, if there are such lines."""
    number = line_of(sentence)
    if number is None and "no line has a label" in sentence:
        return ""
    wrong = wrong_line(mutant, sentence, path)
    if wrong or number is None:
        return wrong
    lines = mutant.content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if number > len(lines):
        return f"there is no line {number}"
    faulty = [k for k, line in enumerate(lines, start=1) if is_faulty(line)]
    return "" if number in faulty else f"line {number} is none of {faulty}"


def is_faulty(line: bytes) -> bool:
    line = line.removesuffix(b"\r")
    if b"\0" in line:
        return True
    try:
        sample = vw_sample(line, WHOLE) if line.strip(b" ") else Sample(None, 1.0, {})
    except RefusalError:
        return True
    return sample.label is not None and abs(sample.label) >= LARGEST_LABEL


VW = Target("Vowpal Wabbit text", 120, vw_seeds, read_vw, wrong_whole, wrong_vw_line)
VW_STREAMS = Target(
    "Vowpal Wabbit streams", 30, vw_seeds, read_vw_stream, wrong_stream, wrong_vw_line
)
