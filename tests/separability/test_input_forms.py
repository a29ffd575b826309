"""The same samples and labels in any form give the same answer, and are never modified."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from rosenblatt import Verdict, separate
from rosenblatt.core.types import LabelsLike, MatrixLike
from separation_checks import SETTINGS, Options, X, is_proved, y

FORMS = {
    "list": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "int8": lambda X: X.astype(np.int8),
    "uint8": lambda X: X.astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
    "float16": lambda X: X.astype(np.float16),
    "float32": lambda X: X.astype(np.float32),
    "big-endian": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "DataFrame": lambda X: pd.DataFrame(X, columns=["a", "b"]),
    "mixed DataFrame": lambda X: pd.DataFrame({"a": X[:, 0].astype(int), "b": X[:, 1]}),
    "csr_matrix": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "lil": sp.lil_matrix,
    "float32 csr": lambda X: sp.csr_matrix(X.astype(np.float32)),
    "int csr": lambda X: sp.csr_matrix(X.astype(np.int16)),
}


def _read_only(data: MatrixLike) -> MatrixLike:
    parts = [data] if isinstance(data, np.ndarray) else []
    if sp.issparse(data) and data.format in ("csr", "csc"):
        parts = [data.data, data.indices, data.indptr]
    for part in parts:
        part.flags.writeable = False
    return data


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_forms_of_the_same_data(form: str, options: Options) -> None:
    data = _read_only(FORMS[form](X.copy()))
    s = separate(data, y, exact=True, **options)
    assert s.squared_margin == separate(X, y, exact=True, **options).squared_margin
    assert s.certificate.verify(data, y)
    assert s.certificate.verify(X, y)
    bad = FORMS[form](np.vstack([X, [[4.0, 1.0]]]))
    assert separate(bad, [*y, 0], **options).conflicts[0].rows == (2, 4)


def test_bool_samples() -> None:
    s = separate(np.array([[False, True], [True, True]]), [0, 1], exact=True)
    assert s.squared_margin == separate([[0, 1], [1, 1]], [0, 1], exact=True).squared_margin


@pytest.mark.parametrize(
    "damage", ["explicit zeros", "unsorted", "duplicates", "empty rows", "int64 indices"]
)
def test_untidy_csr(damage: str) -> None:
    dense = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 0.0], [0.0, 6.0, 0.0]])
    classes = np.array([0, 0, 1, 1])
    values, indices, indptr = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 2, 2, 0, 1, 1], [0, 2, 3, 5, 6]
    if damage == "explicit zeros":
        values, indices = [1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 0.0, 6.0], [0, 1, 2, 2, 0, 1, 2, 1]
        indptr = [0, 3, 4, 7, 8]
    if damage == "unsorted":
        values, indices = [2.0, 1.0, 3.0, 5.0, 4.0, 6.0], [2, 0, 2, 1, 0, 1]
    if damage == "duplicates":
        values, indices = [0.5, 2.0, 0.5, 3.0, 4.0, 5.0, 6.0], [0, 2, 0, 2, 0, 1, 1]
        indptr = [0, 3, 4, 6, 7]
    if damage == "empty rows":
        dense[1] = 0.0
        values, indices, indptr = [1.0, 2.0, 4.0, 5.0, 6.0], [0, 2, 0, 1, 1], [0, 2, 2, 4, 5]
    kind = np.int64 if damage == "int64 indices" else np.int32
    matrix = sp.csr_matrix(
        (np.array(values), np.array(indices, dtype=kind), np.array(indptr, dtype=kind)),
        shape=(4, 3),
    )
    before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
    for options in SETTINGS:
        s = separate(matrix, classes, exact=True, **options)
        assert s.squared_margin == separate(dense, classes, exact=True, **options).squared_margin
        assert s.certificate.verify(matrix, classes)
        assert s.certificate.verify(dense, classes)
    for part, kept in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        assert part.tobytes() == kept.tobytes()


def test_equal_rows_are_found_among_explicit_zeros() -> None:
    # Row 0 stores five zeros that row 3 does not.
    values = [0.1, 0.0, 0.2, 0.0, 0.3, 0.0, 0.7, 0.0, 0.9, 5.0, 6.0, 0.1, 0.2, 0.3, 0.7, 0.9]
    indices = [*range(9), 0, 1, 0, 2, 4, 6, 8]
    matrix = sp.csr_matrix((values, indices, [0, 9, 10, 11, 16]), shape=(4, 9))
    for options in SETTINGS:
        s = separate(matrix, [0, 0, 1, 1], **options)
        assert s.verdict is Verdict.INSEPARABLE
        assert s.conflicts[0].rows == (0, 3)
        assert is_proved(s, matrix, [0, 0, 1, 1])


@pytest.mark.parametrize(
    "names",
    [
        ("ham", "spam"),
        (False, True),
        (-1, 1),
        (0.5, 2.5),
        (2**62, 2**62 + 1),
        (2**63, 2**63 + 1),
        (2**80, 2**80 + 1),
        (-(2**63), 2**63 - 1),
        ("", "ü"),
    ],
    ids=str,
)
@pytest.mark.parametrize("container", [list, np.array, pd.Series, tuple])
def test_labels_of_any_kind(names: tuple, container: Callable[[list], LabelsLike]) -> None:
    classes = container([names[0], names[0], names[1], names[1]])
    s = separate(X, classes, exact=True)
    assert s.squared_margin == separate(X, y, exact=True).squared_margin
    assert s.certificate.verify(X, classes)
    assert s.certificate.positive == names[1]
    bad = np.vstack([X, X[:1]])
    crossed = container([*classes, names[1]])
    t = separate(bad, crossed)
    assert t.conflicts[0].rows == (0, 4)
    assert repr(names[0]) in str(t.conflicts[0])
    assert repr(names[1]) in str(t.conflicts[0])


def test_inputs_are_never_modified() -> None:
    rng = np.random.default_rng(5)
    dense = rng.normal(size=(50, 4))
    for data in (dense, np.asfortranarray(dense), dense.astype(np.float32), dense.tolist()):
        for classes in (rng.integers(0, 2, 50), rng.integers(0, 3, 50)):
            kept, marks = np.array(data, copy=True), classes.copy()
            for options in SETTINGS:
                separate(data, classes, **options)
            assert np.array(data).tobytes() == kept.tobytes()
            assert classes.tobytes() == marks.tobytes()
