"""A verdict is about the numbers that were given: every entry point refuses those it would round."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from rosenblatt import (
    InputError,
    MaxMargin,
    Perceptron,
    decide_and_learn,
    separate,
    separate_in_feature_space,
)
from rosenblatt.lectures.general_position import in_general_position

LARGE = [2**53, 2**53 + 1]  # equal as float64
DECIMALS = [Decimal("0.1"), Decimal("0.10000000000000000001")]
Y = [0, 1]


def marked(form: str) -> Any:
    """Return a form as a parameter that is skipped without polars, if it needs polars."""
    marks = [pytest.mark.extra("polars")] if "polars" in form else []
    return pytest.param(form, marks=marks)


def polars_frame(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


FORMS: dict[str, Any] = {
    "mixed frame": lambda: pd.DataFrame({"a": LARGE, "b": [0.5, 0.5]}),
    "Int64": lambda: pd.DataFrame({"a": pd.array(LARGE, dtype="Int64")}),
    "Int64 and floats": lambda: pd.DataFrame({"a": pd.array(LARGE, "Int64"), "b": [0.5, 0.5]}),
    "frame of objects": lambda: pd.DataFrame({"a": LARGE, "b": [0.5, 0.5]}, dtype=object),
    "objects": lambda: np.array([[LARGE[0], 0.5], [LARGE[1], 0.5]], dtype=object),
    "list": lambda: [[LARGE[0], 0.5], [LARGE[1], 0.5]],
    "int64": lambda: np.array([LARGE]).T,
    "uint64": lambda: np.array([LARGE], dtype=np.uint64).T,
    "CSR": lambda: sp.csr_array(np.array([LARGE]).T),
    "CSC": lambda: sp.csc_array(np.array([LARGE]).T),
    "long double": lambda: np.array([[1], [1 + np.finfo(np.longdouble).eps]], dtype=np.longdouble),
    "Arrow": lambda: pa.table({"a": LARGE, "b": [0.5, 0.5]}),
    "Arrow decimals": lambda: pa.table({"a": DECIMALS, "b": [0.5, 0.5]}),
    "decimals": lambda: pd.DataFrame({"a": DECIMALS, "b": [0.5, 0.5]}),
    "polars": lambda: polars_frame({"a": LARGE, "b": [0.5, 0.5]}),
    "polars integers": lambda: polars_frame({"a": LARGE, "b": [1, 1]}),
    "polars decimals": lambda: polars_frame({"a": DECIMALS, "b": [0.5, 0.5]}),
}

VERDICTS: dict[str, Any] = {
    "separate": separate,
    "certify": lambda X, y: Perceptron(certify=True).fit(X, y),
    "certify jointly": lambda X, y: Perceptron(certify=True, multiclass="joint").fit(X, y),
    "cycles": lambda X, y: Perceptron(order="cyclic", keep="last").fit(X, y),
    "MaxMargin": lambda X, y: MaxMargin().fit(X, y),
    "decide_and_learn": decide_and_learn,
    "feature space": lambda X, y: separate_in_feature_space(X, y, degree=1),
}


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("form", [marked(form) for form in FORMS])
def test_numbers_that_float64_rounds_are_refused(form: str, verdict: str) -> None:
    if form == "long double" and np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        pytest.skip("long double is float64 here")
    with pytest.raises(InputError, match=r"X contains (numbers that float64|9007199254740992)"):
        VERDICTS[verdict](FORMS[form](), Y)


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize(
    "form", [marked(form) for form in ("mixed frame", "Int64", "objects", "Arrow", "polars", "CSC")]
)
def test_numbers_that_float64_represents_are_accepted(
    form: str, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.LARGE", [3, 4])
    samples = FORMS[form]()
    if verdict == "feature space" and form not in ("Int64", "CSC"):
        return  # it needs whole numbers
    VERDICTS[verdict](samples, Y)


def test_frames_of_sparse_columns_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    def frame(large: list[int]) -> pd.DataFrame:
        return pd.DataFrame({"a": large, "b": [0.5, 0.0]}).astype(
            {"a": pd.SparseDtype(np.int64, 0), "b": pd.SparseDtype(np.float64, 0.0)}
        )

    with pytest.raises(InputError, match="X contains numbers that float64"):
        Perceptron(certify=True).fit(frame(LARGE), Y)
    monkeypatch.setattr("rosenblatt.separability.checked_input.exact_table", None)
    assert Perceptron(certify=True).fit(frame([3, 4]), Y).outcome_.name == "SEPARATED"


@pytest.mark.extra("polars")
def test_certificates_are_not_checked_on_rounded_numbers() -> None:
    plain = np.array([[2.0**53, 0.5], [2.0**53 + 2, 0.5]])
    proof = separate(plain, Y).certificate
    assert proof.verify(polars_frame({"a": [2**53, 2**53 + 2], "b": [0.5, 0.5]}), Y)
    for column in (LARGE, [DECIMALS[0], DECIMALS[1]]):
        falsehood = proof.falsehood(polars_frame({"a": column, "b": [0.5, 0.5]}), Y)
        assert falsehood is not None
        assert "X contains numbers that float64 cannot represent" in falsehood


@pytest.mark.parametrize("form", [marked("mixed frame"), marked("Arrow"), marked("polars")])
def test_points_in_frames_are_rows(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="X contains numbers that float64"):
        in_general_position(FORMS[form]())
    monkeypatch.setattr(f"{__name__}.LARGE", [3, 4])
    assert in_general_position(FORMS[form]()) == in_general_position([[3, 0.5], [4, 0.5]])


@pytest.mark.parametrize("form", [marked("Arrow"), marked("polars")])
def test_dates_next_to_numbers_are_refused_in_words(form: str) -> None:
    moments = pa.array([10**18, 10**18 + 1], pa.timestamp("ns"))
    table: Any = pa.table({"a": moments, "b": [0.5, 0.5]})
    if form == "polars":
        table = pytest.importorskip("polars").from_arrow(table)
    with pytest.raises(InputError, match="column 'a' of X contains text or dates"):
        separate(table, Y)
