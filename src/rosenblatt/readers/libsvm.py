"""libsvm files: a label, then index:value pairs, ascending; what is not named is zero.

scikit-learn reads the file. When it cannot, the file is read once more, slowly, to name the first line
that is wrong. Conventions: indices begin at 1, or at 0 in a file that has an index 0; labels are
integers when all are whole numbers, else the numbers as text.
"""

import math
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from rosenblatt.errors import InputError
from rosenblatt.readers.table import Table, check_width, open_text


def read_libsvm(path: Path, *, expect: Table | None) -> Table:
    """Read a libsvm file as a sparse matrix."""
    try:
        X, y = load_svmlight_file(str(path), dtype=np.float64)
    except (ValueError, OSError, EOFError, OverflowError) as error:
        _explain(path, str(error))
    if X.shape[0] == 0:
        raise InputError(f"{path}: the file is empty; give one sample a line, its label first")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        _explain(path, "a number is not finite")
    if expect is not None:
        if X.shape[1] > expect.n_features:
            check_width(path, X.shape[1], expect.n_features)
        X.resize(X.shape[0], expect.n_features)
    labels = y.astype(np.int64 if (y == np.round(y)).all() else np.str_)
    return Table(_with_small_indices(X), labels, X.shape[1])


def _with_small_indices(X: Any) -> Any:
    if max(X.nnz, X.shape[1]) < 2**31:
        indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        X = sp.csr_matrix((X.data, indices, indptr), shape=X.shape)
    return X


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
