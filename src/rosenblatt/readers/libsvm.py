"""libsvm files: a label, then index:value pairs, ascending; what is not named is zero.

scikit-learn reads the file. When it cannot, the file is read once more, slowly, to name the first line
that is wrong. Conventions: indices begin at 1, or at 0 in a file that has an index 0; labels are
integers when all are whole numbers, else the numbers as text.
"""

import math
import zlib
from pathlib import Path
from typing import NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from rosenblatt.errors import InputError
from rosenblatt.readers.table import Table, check_width, open_text
from rosenblatt.typing import Floats, Labels


def read_libsvm(path: Path, *, expect: Table | None) -> Table:
    """Read a libsvm file as a sparse matrix."""
    try:
        X, y = load_svmlight_file(str(path), dtype=np.float64, zero_based=True)
    except (ValueError, OSError, EOFError, OverflowError, zlib.error) as error:
        _explain(path, str(error))
    if X.shape[0] == 0:
        raise InputError(f"{path}: the file is empty; give one sample a line, its label first")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        _explain(path, "a number is not finite")
    smallest = int(X.indices.min()) if X.nnz else 1
    first = min(smallest, 1) if expect is None else expect.first_index
    if smallest < first:
        raise InputError(
            f"{path}: there is an index 0, but the model has learned from indices 1, 2, …"
        )
    n_features = X.shape[1] - first
    if expect is not None:
        if n_features > expect.n_features:
            check_width(path, n_features, expect.n_features)
        n_features = expect.n_features
    kind = np.int32 if max(X.nnz, n_features) < 2**31 else np.int64
    indices, indptr = (X.indices - first).astype(kind), X.indptr.astype(kind)
    X = sp.csr_matrix((X.data, indices, indptr), shape=(X.shape[0], n_features))
    return Table(X, _labels(y), n_features, first_index=first)


def _labels(y: Floats) -> Labels:
    if (y == np.round(y)).all() and (np.abs(y) < 2**53).all():
        return y.astype(np.int64)
    return np.array([repr(label).removesuffix(".0") for label in y.tolist()])


def _explain(path: Path, otherwise: str) -> NoReturn:
    """Raise the error that names the first wrong line; ``otherwise`` is said if none is found."""
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            fields = line.split("#")[0].split()
            if fields:
                _check_line(f"{path}, line {number}", fields)
    raise InputError(f"{path}: cannot be read as libsvm ({otherwise})")


def _check_line(place: str, fields: list[str]) -> None:
    if not _is_finite(fields[0]):
        raise InputError(f"{place}: {fields[0]!r} stands where a number, the label, belongs")
    last = -1
    for pair in fields[1:]:
        index, colon, value = pair.partition(":")
        if index == "qid":
            continue
        if not (colon and index.isdecimal()):
            raise InputError(f"{place}: {pair!r} stands where an index:value pair belongs")
        if not _is_finite(value):
            raise InputError(f"{place}: {pair!r} has no finite number after the colon")
        if int(index) <= last:
            raise InputError(f"{place}: index {index} follows index {last}; they must ascend")
        last = int(index)


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
