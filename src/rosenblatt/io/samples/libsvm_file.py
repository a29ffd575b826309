"""libsvm files: a label, then index:value pairs, ascending; what is not named is zero.

Conventions: indices begin at 1, or at 0 in a file that has an index 0; labels are integers when all are
whole numbers, else the numbers as text. A ``qid`` after the label is ignored.
"""

from pathlib import Path

import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.line_parsers import parse_libsvm
from rosenblatt.io.samples.lines.number_labels import number_labels
from rosenblatt.io.samples.lines.parsed_file import ParsedFile, parse_file
from rosenblatt.io.samples.sample_places import known_places
from rosenblatt.io.samples.table import Expected, Table, check_width

# A model has a weight for every index up to the largest, which a single line can make as large as it
# likes. kdd2010, one of the widest sets there are, has 30 million features, in a file of gigabytes.
_MOST_FEATURES = 2**25


def read_libsvm(path: Path, expect: Expected | None = None) -> Table:
    """Read a libsvm file as a sparse matrix."""
    found = parse_file(path, parse_libsvm)
    if not len(found.labels):
        raise InputError(f"{path}: the file is empty; give one sample per line, its label first")
    n_stored = len(found.indices)
    smallest = int(found.indices.min()) if n_stored else 1
    largest = int(found.indices.max()) if n_stored else 0
    first = min(smallest, 1) if expect is None else expect.first_index
    if smallest < first:
        raise InputError(
            f"{path}: there is an index 0, but the model has learned from indices 1, 2, …"
        )
    n_features = largest + 1 - first
    if expect is None:
        _check_largest_index(path, largest, found)
    else:
        if n_features > expect.n_features:
            check_width(path, n_features, expect.n_features)
        n_features = expect.n_features
    indices = found.indices
    indices -= first
    X = sp.csr_matrix((found.values, indices, found.indptr), shape=(len(found.labels), n_features))
    y = number_labels(path, found.labels, found.lines)
    return Table(X, y, known_places(found.lines), first_index=first)


def _check_largest_index(path: Path, largest: int, found: ParsedFile) -> None:
    """Raise if a model would have far more weights than the file has bytes."""
    most = max(_MOST_FEATURES, found.n_bytes)
    if largest > most:
        line = found.lines[found.row_of(int(found.indices.argmax()))]
        raise InputError(
            f"{path}, line {line}: the index {largest} is too large for a "
            f"file of {found.n_bytes:,} bytes: a model has a weight for every index, and at most "
            f"{most:,} are accepted"
        )
