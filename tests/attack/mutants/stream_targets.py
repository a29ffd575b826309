"""Streams of libsvm lines in pieces and chunks of any size."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from attack.mutants.target import Mutant, Target
from attack.mutants.text_targets import libsvm_seeds, wrong_libsvm_line
from attack.strict import Reading, RefusalError, is_same, libsvm_samples


def read_stream(path: Path, mutant: Mutant) -> Any:
    """Return all samples of a file, read in random pieces and chunks."""
    stream = opened(path, piece_size=16 + mutant.draw % 97, chunk_rows=mutant.draw % 5 or None)
    rows, labels, places = [], [], []
    for table in stream:
        rows += rows_of(table.X)
        labels += table.y.tolist()
        places += table.places_of(np.arange(table.n_samples))
    return Reading(rows, 0, labels), places


def opened(path: Path, **options: Any) -> Any:
    """Return a stream of the file, with indices as written and labels as text."""
    from rosenblatt.io.samples.table import Reading
    from rosenblatt.io.streams.line_chunks import LineReading
    from rosenblatt.io.streams.sample_stream import open_stream

    lines = LineReading(**{"zero_based": True, "text_labels": True, **options})
    return open_stream([path], Reading(kind="libsvm"), lines)


def rows_of(X: Any) -> list[dict[int, Any]]:
    """Return the rows of a matrix as dicts; rows with duplicate columns get the key -1."""
    parts = [slice(*pair) for pair in pairwise(X.indptr.tolist())]
    pairs = [list(zip(X.indices[p].tolist(), X.data[p].tolist(), strict=True)) for p in parts]
    return [dict(row) if len(dict(row)) == len(row) else {-1: row} for row in pairs]


def wrong_stream(mutant: Mutant, found: tuple[Reading, list[str]]) -> str:
    """Check the samples and their line numbers."""
    lines = mutant.content.decode("utf-8-sig", "surrogateescape").split("\n")
    try:
        samples = libsvm_samples(lines)
    except RefusalError:
        return f"{found} was read"
    reading = Reading([row for _, row in samples], 0, [label for label, _ in samples])
    numbers = [k for k, line in enumerate(lines, start=1) if line.partition("#")[0].split()]
    if found[1] != [f"line {number}" for number in numbers]:
        return f"the samples are reported on {found[1]}, not on {numbers}"
    return "" if is_same(found[0], reading) else f"{found[0]}, not {reading}"


STREAMS = Target("libsvm streams", 40, libsvm_seeds, read_stream, wrong_stream, wrong_libsvm_line)
