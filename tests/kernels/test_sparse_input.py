"""Every index of a sparse matrix is checked, whatever SciPy's flags say."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError
from rosenblatt.kernels.predict import choose
from rosenblatt.kernels.rows import CSRRows, as_rows, unchecked_rows
from rosenblatt.kernels.sparse_input import are_sound, as_csr, as_dense, is_sound_row

N_COLUMNS = 3
CSR = sp.csr_array | sp.csr_matrix


def blank(kind: type[CSR], **arrays: np.ndarray) -> CSR:
    """Return a CSR matrix with these arrays, which bypass SciPy's checks."""
    X = kind((len(arrays["indptr"]) - 1, N_COLUMNS))
    X.has_canonical_format = True  # not true
    for name, array in arrays.items():
        setattr(X, name, array)
    return X


def as_table(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray) -> np.ndarray | None:
    """Return the dense table of CSR arrays, built number by number, or None if they are invalid."""
    table = np.zeros((len(indptr) - 1, N_COLUMNS))
    if indptr[0] != 0:
        return None
    for i in range(len(table)):
        if not 0 <= indptr[i] <= indptr[i + 1] <= min(len(data), len(indices)):
            return None
        for k in range(indptr[i], indptr[i + 1]):
            if not 0 <= indices[k] < N_COLUMNS:
                return None
            table[i, indices[k]] += data[k]
    return table


column_indices = st.sampled_from([0, 1, 2, 0, 1, 2, 0, 1, 2, 3, -1, 2**31 - 1, -(2**31)])
ends = st.sampled_from([0, 1, 2, 3, 4, 1, 2, 3, 4, 9, -1, 2**31 - 1])


@st.composite
def csr_arrays(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Arrays of a CSR matrix that is often damaged, and rarely sorted."""
    sane = draw(st.booleans())
    indices = draw(st.lists(st.integers(0, 2) if sane else column_indices, max_size=5))
    indptr = draw(st.lists(ends, max_size=4))
    if sane:
        indptr = sorted(min(max(end, 0), len(indices)) for end in indptr)
    data = draw(st.lists(st.integers(-4, 4), min_size=len(indices), max_size=len(indices) + 1))
    kinds = st.sampled_from(["int32", "int64", ">i4"])
    return {
        "data": np.array(data, dtype=draw(st.sampled_from(["f4", "f8", ">f8", "f2", "i1", "g"]))),
        "indices": np.array(indices, dtype=draw(kinds)),
        "indptr": np.array([0, *indptr], dtype=draw(kinds)),
    }


@given(csr_arrays(), st.sampled_from([sp.csr_matrix, sp.csr_array]))
def test_arrays_are_read_correctly_or_refused(
    arrays: dict[str, np.ndarray], kind: type[CSR]
) -> None:
    X, expected = blank(kind, **arrays), as_table(**arrays)
    before = {name: array.tobytes() for name, array in arrays.items()}
    if expected is None:
        with pytest.raises(InputError, match="not a valid sparse matrix"):
            as_csr(X)
        with pytest.raises(InputError, match="not a valid sparse matrix"):
            as_rows(X, 1.0)
        return
    found = as_csr(X)
    assert type(found) is kind
    assert np.array_equal(found.toarray().astype(float), expected)
    rows = as_rows(X, 1.0)
    assert isinstance(rows, CSRRows)
    spans = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    assert all((np.diff(rows.indices[a:b]) > 0).all() for a, b in spans)
    assert len(rows.values) == len(rows.indices) == rows.indptr[-1]
    assert before == {name: array.tobytes() for name, array in arrays.items()}


@given(csr_arrays(), st.integers(1, 3))
def test_decisions_check_unchecked_rows(arrays: dict[str, np.ndarray], height: int) -> None:
    arrays["data"] = arrays["data"].astype(np.float64)
    X, expected = blank(sp.csr_array, **arrays), as_table(**arrays)
    panel = np.arange(4.0 * height).reshape(height, 4) % 5 - 2
    try:
        chosen = choose(unchecked_rows(X, 1.0), panel, 0, 1)[0].tolist()
    except InputError:
        assert expected is None
        return
    assert expected is not None
    assert chosen == choose(as_rows(expected, 1.0), panel, 0, 1)[0].tolist()


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.int32, np.int64]), st.data())
def test_checking_many_rows_equals_checking_each(
    seed: int, kind: type, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random_array((200, 9), density=0.3, rng=rng, format="csr")
    arrays = {"indptr": X.indptr.astype(kind), "indices": X.indices.astype(kind)}
    assert are_sound(*arrays.values(), X.nnz, 9)
    damaged = arrays[data.draw(st.sampled_from(["indptr", "indices", "indices"]))]
    k = data.draw(
        st.integers(0, len(damaged) - 1) | st.sampled_from([0, 64, 128, 192, len(damaged) - 1])
    )
    damaged[k] = data.draw(
        st.sampled_from([0, 1, 8, 9, damaged[k] - 1, damaged[k] + 1, -1, 2**31 - 1])
    )
    each = all(is_sound_row(*arrays.values(), X.nnz, i, 9) for i in range(200))
    assert are_sound(*arrays.values(), X.nnz, 9) == each


def _damaged(kind: str) -> sp.sparray:
    """Return a matrix with an index out of range, which SciPy does not notice."""
    table = np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5], [6, 0, 0]])
    X = getattr(sp, f"{kind}_array")(table)
    far = 2**30
    if kind == "coo":
        X.coords[1][1] = far
    elif kind == "lil":
        X.data[0] = [1.0] * 1000
    elif kind == "dia":
        X.offsets = np.arange(1000, dtype=np.int32)
    elif kind == "dok":
        X._dict[1, far] = 1.0
    else:
        X.indices[1] = far
    return X


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dia", "dok"])
def test_conversions_refuse_indices_out_of_range(kind: str) -> None:
    with pytest.raises(ValueError, match=r"valid sparse matrix|exceeds"):
        as_csr(_damaged(kind))
    table = np.array([[0, 1.0], [2, 0]])
    assert as_dense(getattr(sp, f"{kind}_matrix")(table)).tolist() == table.tolist()


@pytest.mark.parametrize("kind", ["csc", "bsr"])
@pytest.mark.parametrize("indptr", [[0, 2**30, 1, 1], [1, 1, 1, 1], [0, 1], [0, 1, 1, 9]])
def test_invalid_indptr_of_columns_and_blocks_is_refused(kind: str, indptr: list[int]) -> None:
    X = getattr(sp, f"{kind}_array")(np.eye(3))
    X.indptr = np.array(indptr, dtype=np.int32)
    with pytest.raises(InputError, match="X is not a valid sparse matrix: its indptr"):
        as_csr(X)


def test_error_names_row_and_column() -> None:
    X = sp.csr_matrix((np.ones(5), [0, 2**40, 0, 1, 2], [0, 2, 3, 4, 5]), shape=(4, 3))
    with pytest.raises(
        InputError, match=r"row 0 refers to column 1099511627776, but it has 3 of them"
    ):
        as_rows(X, 1.0)
    X = sp.csc_matrix((np.ones(2), [0, 7], [0, 1, 2]), shape=(4, 2))
    with pytest.raises(InputError, match=r"column 1 refers to row 7, but it has 4 of them"):
        as_rows(X, 1.0)


def test_sorted_matrix_is_returned_unchanged() -> None:
    X = sp.csr_array(np.eye(3))
    X.has_sorted_indices = False  # not true either
    assert as_csr(X) is X


def test_vector_becomes_a_row_on_request() -> None:
    for vector in (sp.coo_array(np.array([0, 2.0])), sp.csr_array(np.array([0, 2.0]))):
        assert as_csr(vector, vector=True).toarray().tolist() == [[0, 2]]
        with pytest.raises(InputError, match=r"X has shape \(2,\): give a table"):
            as_csr(vector)


@pytest.mark.parametrize("indices", [[0.0, 1.0], [[0], [1]]])
def test_indices_must_be_one_dimensional_integers(indices: list) -> None:
    X = blank(sp.csr_array, data=np.ones(2), indices=np.array(indices), indptr=np.array([0, 1, 2]))
    with pytest.raises(InputError, match="must be a one-dimensional array of integers"):
        as_csr(X)
