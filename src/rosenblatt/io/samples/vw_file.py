"""Files of Vowpal Wabbit's text, hashed: see ``parse_vw`` for what a line is and how names are hashed.

Conventions: a sample without a label is left out, and counted, unless labels are not needed; labels are
integers when all are whole numbers, else the numbers as text.
"""

from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.line_parsers import parse_vw
from rosenblatt.io.samples.lines.number_labels import number_labels
from rosenblatt.io.samples.lines.parsed_file import parse_file
from rosenblatt.io.samples.sample_places import known_places
from rosenblatt.io.samples.table import Table

BITS = 18
"""Vowpal Wabbit's own default: 262,144 columns."""


def read_vw(path: Path, bits: int = BITS, *, needs_labels: bool = True) -> Table:
    """Read a file of Vowpal Wabbit's text as a sparse matrix of ``2**bits`` columns."""
    found = parse_file(path, partial(parse_vw, bits=bits))
    n_samples = len(found.labels)
    if not n_samples:
        raise InputError(f"{path}: the file is empty; give one sample per line: label | features")
    X = sp.csr_matrix((found.values, found.indices, found.indptr), shape=(n_samples, 2**bits))
    if not needs_labels:
        return Table(
            X, None, known_places(found.lines), weights=found.weights, first_index=0, hash_bits=bits
        )
    (labelled,) = np.nonzero(~np.isnan(found.labels))
    if not len(labelled):
        raise InputError(
            f"{path}: no line has a label; a label, then a blank, comes before the bar"
        )
    lines, weights = found.lines, found.weights
    if len(labelled) < n_samples:
        X = X[labelled]
        lines = [lines[k] for k in labelled.tolist()]
        weights = None if weights is None else weights[labelled]
    return Table(
        X,
        number_labels(path, found.labels[labelled], lines),
        known_places(lines),
        first_index=0,
        n_unlabelled=n_samples - len(labelled),
        weights=weights,
        hash_bits=bits,
    )
