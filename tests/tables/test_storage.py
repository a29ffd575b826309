"""A column's kind, missing values and encoding do not depend on how its values are stored."""

import datetime
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from rosenblatt import InputError, Perceptron, TableEncoder, load, save
from rosenblatt.tables.cells import ISO, CellError, numbers_of, texts_of
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.facts import ID, Limits
from rosenblatt.tables.learning import ColumnFacts, EncoderOptions


def learned(values: Any, name: str = "c", **options: Any) -> Any:
    cells = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    facts = ColumnFacts(name, EncoderOptions(**options))
    facts.add(cells)
    return facts.summary().column


def absent(values: Any, *missing: Any) -> list[bool]:
    """Return for each value whether the encoder takes it as missing, given these markers."""
    table = values if isinstance(values, pd.DataFrame) else pd.DataFrame({"c": values})
    encoder = TableEncoder(missing=list(missing), scale="none").fit(table)
    X = pd.DataFrame(encoder.transform(table), columns=encoder.get_feature_names_out())
    return X["c is missing"].astype(bool).tolist() if "c is missing" in X else [False] * len(X)


LARGE = [2**53, 2**53 + 1, 2**53 + 1]


@pytest.mark.parametrize(
    "cells", [LARGE, [str(x) for x in LARGE], np.array(LARGE, np.uint64), [2**70 + 1, 5, 5]]
)
def test_whole_numbers_that_float64_cannot_represent_are_refused(cells: Any) -> None:
    with pytest.raises(
        CellError, match=r"row \d: '?\d+'? is a number that float64 cannot represent"
    ):
        TableEncoder().fit(pd.DataFrame({"c": pd.Series(cells).convert_dtypes()}))


def test_large_numbers_that_are_exact_ids_or_missing_are_accepted() -> None:
    assert numbers_of("c", pa.chunked_array([[2**60, 2**53]])).tolist() == [2.0**60, 2.0**53]
    assert learned(LARGE[:2], "id") == learned(["9007199254740993", "3"], "id") == LeftOut("id", ID)
    assert absent([1, 2**63 - 1, 3, 4], 2**63 - 1) == [False, True, False, False]


@pytest.mark.parametrize("value", [0.1, 1e-200, 3.3e300, 0.0])
def test_a_constant_column_has_no_spread(value: float) -> None:
    table = pa.table({"a": [value, value, None], "b": [1.0, 2.0, 1.0]})
    assert TableEncoder().fit_transform(table)[:, 0].tolist() == [0.0] * 3


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=9), st.integers(-900, 900))
def test_scaling_does_not_depend_on_the_size_of_numbers(values: list[int], exponent: int) -> None:
    plain = np.array(values, float)[:, None]
    encoder = TableEncoder(scale="standard")
    expected = encoder.fit_transform(plain)
    scaled = encoder.fit_transform(np.ldexp(plain, exponent))
    if plain.std() > 0:
        assert scaled.tolist() == expected.tolist()


def test_numbers_too_large_to_scale_are_refused() -> None:
    with pytest.raises(CellError, match=r"row 0: 1.7e\+308 is so far from the mean"):
        TableEncoder(scale="standard").fit_transform([[1.7e308], [-1.7e308], [-1.7e308]])


def test_missing_values_are_filled_in_arrays_that_need_no_other_encoding() -> None:
    encoder = TableEncoder(missing=[-1], scale="none").fit([[0.5], [0.7]])
    assert encoder.transform(np.array([[-1.0], [0.5]])).tolist() == [[0.6], [0.5]]


@pytest.mark.parametrize(
    "texts", [["01/02/20", "03/04/20"], ["31.12.19", "30.12.19"], ["1.2.3", "1.2.4"]]
)
def test_a_date_has_a_year_of_four_digits(texts: list[str]) -> None:
    assert learned([*texts, texts[0]]).kind == "category"
    dates = TableEncoder().fit(pa.table({"c": ["01/02/2020", "31.12.2019".replace(".", "/")]}))
    with pytest.raises(InputError, match="is not a date"):
        dates.transform(pa.table({"c": ["01/02/20"]}))


@pytest.mark.parametrize("text", ["31.02.2020", "29.02.2019", "2020/02/30", "02/30/2020"])
def test_days_that_do_not_exist_are_not_dates(text: str) -> None:
    assert learned([text, text, None]).kind == "category"


@given(st.dates(datetime.date(1000, 1, 1)))
def test_every_day_is_a_date(day: datetime.date) -> None:
    expected = float((day - datetime.date(1970, 1, 1)).days)
    for layout in ("%d.%m.%Y", "%Y/%m/%d", "%m/%d/%Y %H:%M"):
        text = day.strftime(layout.replace("%Y", f"{day.year:04}"))
        assert numbers_of("c", pa.chunked_array([[text]]), (), layout).tolist() == [expected]


DAYS = ["2020-01-01", "1970-01-01", "2020-01-03", "2020-01-04"]


@pytest.mark.parametrize("marker", ["1970-01-01", pd.Timestamp(0), datetime.date(1970, 1, 1)])
@pytest.mark.parametrize(
    "days", [DAYS, pd.to_datetime(DAYS), [f"{t[8:]}.{t[5:7]}.{t[:4]}" for t in DAYS]]
)
def test_a_date_as_a_missing_marker(days: Any, marker: Any) -> None:
    assert absent(days, marker) == [False, True, False, False]
    assert absent(days, 0) == [False] * 4


def test_missing_markers_are_compared_as_the_columns_type() -> None:
    for flags in ([True, False, True], ["True", "False", "true"]):
        assert absent(flags, 0, 1) == [False] * 3
        assert absent(flags, False) == absent(flags, "FALSE") == [False, True, False]
    for stored in (np.float32, np.float64, str):
        assert absent(np.array([0.1, 0.5, 0.7]).astype(stored), 0.1) == [True, False, False]
    assert absent(["-999.00", "1", "2"], -999) == [True, False, False]
    assert absent(["v1.0", "v1", "v1", "v1.0"], "v1.0") == [True, False, False, True]


def test_free_text_may_be_missing() -> None:
    texts = ["good red wine", "NULL", "none of it", "red wine", "?", "nothing"]
    encoder = TableEncoder(text=["c"], missing=["nothing"]).fit(pa.table({"c": texts}))
    assert encoder.missing_counts_ == {"c": 3}
    assert encoder.get_feature_names_out().tolist() == ["c:red", "c:wine"]
    X = encoder.transform(pa.table({"c": ["red wine", "nothing", None]}))
    assert X[1:].nnz == 0 < X[0].nnz


def test_categories_do_not_depend_on_storage() -> None:
    whole = [4_900_000_000_000, 10**10, 7, 7]
    for stored in (whole, [float(x) for x in whole], [str(x) for x in whole]):
        assert learned([*stored, None], categorical=["c"]).values == (
            "10000000000",
            "4900000000000",
            "7",
        )
    flags = [True, False, True]
    for stored in (flags, [str(x) for x in flags], ["TRUE", "false", "true"]):
        column = learned(stored, categorical=["c"])
        assert column.values == ("false", "true")
        (entries,) = column.entries(pa.chunked_array([["True", "FALSE"]]), ())
        assert entries.places.tolist() == [1, 0]
    days = [datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 1, 12, 30)]
    assert learned(days, categorical=["c"]).values == ("2020-01-01 12:30:00", "2020-01-02")
    assert texts_of(pa.chunked_array([["True", "maybe"]])).values.to_pylist() == ["True", "maybe"]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([3, 1, 3], ("1", "3")),
        ([True, False, True], ("false", "true")),
        (pd.to_datetime(DAYS[:2]), ("1970-01-01", "2020-01-01")),
    ],
)
def test_dictionaries_of_values_are_categories(values: Any, names: tuple[str, ...]) -> None:
    frame = pd.DataFrame({"c": pd.Categorical(values)})
    (column,) = TableEncoder(min_count=1).fit(frame).columns_
    assert column.values == names
    numbers = TableEncoder().fit(pd.DataFrame({"c": values}))
    plain = numbers.transform(pd.DataFrame({"c": values}))
    assert numbers.transform(frame).tolist() == plain.tolist()


def test_timestamps_and_times_of_all_units_are_encoded() -> None:
    moments = pa.chunked_array([pa.array([1_001, 86_400 * 10**9 + 1], pa.timestamp("ns"))])
    assert numbers_of("c", moments).tolist() == [1e-6 / 86_400, 1.0]
    spans = pd.DataFrame({"c": pd.to_timedelta([1, 86_400 * 10**9], unit="ns")})
    assert TableEncoder(scale="none").fit(spans).columns_[0].kind == "date"
    clock = pa.chunked_array([[datetime.time(12), datetime.time(18)]])
    for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        assert numbers_of("c", clock.cast(kind)).tolist() == [0.5, 0.75]


def test_mixed_objects_and_empty_tables() -> None:
    mixed = pd.DataFrame({"c": [1, "a", pd.NA, "a"]}, dtype=object)
    (column,) = TableEncoder(min_count=1, categorical=["c"]).fit(mixed).columns_
    assert column.values == ("1", "a")
    table = pa.table({"a": ["x", "y", "x"], "b": ["a b", "b c", "a c"], "c": ["1", "2", "4"]})
    encoder = TableEncoder(min_count=1, text=["b"]).fit(table)
    assert encoder.transform(table.slice(0, 0)).shape == (0, len(encoder.get_feature_names_out()))
    ids = pd.DataFrame({"a": ["x", "y", "z"]})
    assert TableEncoder().fit_transform(ids).shape == (3, 0)
    assert TableEncoder().fit(ids).transform(pd.DataFrame(index=range(5))).shape == (5, 0)
    assert TableEncoder().fit(ids).transform(pd.DataFrame({"b": [1, 2]})).shape == (2, 0)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (pd.Series([1, 2]), "a Series is not a table: give"),
        ([[1, 2], [3]], "the rows of the table have different lengths: give"),
    ],
)
def test_objects_that_are_not_tables_are_refused(table: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        TableEncoder().fit(table)


def test_only_excluded_columns_may_be_duplicated() -> None:
    encoder = TableEncoder(ignore=["b"], scale="none").fit(pd.DataFrame({"a": [1, 2], "b": [1, 2]}))
    twice = pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=["a", "a", "b"])
    with pytest.raises(InputError, match="two columns are named 'a'"):
        encoder.transform(twice)
    twice.columns = ["a", "b", "b"]
    assert encoder.transform(twice).tolist() == [[1.0], [4.0]]


def test_feature_names() -> None:
    X = np.arange(12.0).reshape(3, 4) / 12
    chosen = ColumnTransformer([("t", TableEncoder(), [1, 3])]).fit(X)
    assert chosen.get_feature_names_out().tolist() == ["t__x1", "t__x3"]
    named = TableEncoder().fit(pd.DataFrame(X, columns=list("abcd")))
    for wrong in (list("abc"), list("abdc")):
        with pytest.raises(ValueError, match="input_features"):
            named.get_feature_names_out(wrong)
    same = {"a": [1.0, math.nan, 2.0], "a is missing": [0.0, 1.0, 0.5]}
    names = TableEncoder().fit(pd.DataFrame(same)).get_feature_names_out().tolist()
    assert names == ["a", "a is missing", "a is missing_"]


@pytest.mark.parametrize(
    "kind", ["pandas", pytest.param("polars", marks=pytest.mark.extra("polars"))]
)
def test_data_frames_are_dense(kind: str) -> None:
    table = pa.table(
        {"c": ["a", "b", "c", "d", "e", "f", "a"], "t": ["x y", "y z", "x"] * 2 + [None]}
    )
    plain = TableEncoder(min_count=1, text=["t"])
    frames = TableEncoder(min_count=1, text=["t"]).set_output(transform=kind)
    found = frames.fit_transform(table)
    assert list(found.columns) == plain.fit(table).get_feature_names_out().tolist()
    assert found.to_numpy().tolist() == plain.transform(table).toarray().tolist()


def test_distinct_texts_of_several_words_are_free_text() -> None:
    reviews = [f"this wine no {k} was very good indeed" for k in range(300)]
    for min_count in (1, 3):
        assert learned(reviews, min_count=min_count).kind == "text"
        assert learned(
            [f"chevrolet chevelle {k}" for k in range(300)], min_count=min_count
        ).kind == ("left out")
    assert learned(reviews[:10], min_count=3) == LeftOut("c", ID)


def test_parameters_of_numpy_and_pandas_can_be_saved(tmp_path: Path) -> None:
    table = pd.DataFrame({"a": [1, 4, 2, 2], "b": [1, 2, 1, 2], "day": pd.to_datetime(DAYS)})
    encoder = TableEncoder(
        categorical=pd.Index(["b"]),
        ignore=np.array([], dtype=object),
        missing={"a": [np.int64(4)], "day": [pd.Timestamp(0)]},
        min_count=np.int64(1),
    )
    model = make_pipeline(encoder, Perceptron()).fit(table, [0, 1, 0, 1])
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again[0].missing == {"a": [4], "day": ["1970-01-01"]}
    assert again[0].transform(table).tolist() == encoder.transform(table).tolist()


LEARNED_KINDS = {
    "date": [pd.to_datetime(DAYS), DAYS, ["01.02.2020", "03.02.2020", "04.02.2020"]],
    "boolean": [[True, False, True], ["true", "False", "TRUE"]],
    "number": [[1, 5, 7], [0.5, 2.0, 1.0], ["1", "5", "7"]],
}
OTHER_KINDS = [
    ("date", [20200301, None], "20200301.* is stored as a number, .* learned as a column of dates"),
    ("date", [0.5], "0.5 is stored as a number, but this column was learned as a column of dates"),
    (
        "date",
        [None, True],
        "True is stored as a boolean, but .* learned as a column of dates",
    ),
    ("date", ["20200301"], "'20200301' is not a date in this column's format"),
    (
        "number",
        pd.to_datetime(DAYS[:1]),
        "is stored as a date, but .* learned as a column of numbers",
    ),
    ("number", [datetime.date(2020, 1, 1)], "2020-01-01 is stored as a date, but .* of numbers"),
    (
        "boolean",
        [1, 0, 57],
        "57 is stored as a number, but .* learned as a column of boolea",
    ),
    (
        "boolean",
        [0.5],
        "0.5 is stored as a number, but this column was learned as a column of bool",
    ),
    ("boolean", ["true", "57"], "'57' is not true or false, but this column was learned as"),
    ("boolean", pd.to_datetime(DAYS[:1]), "is stored as a date, but .* a column of booleans"),
]


@pytest.mark.parametrize(("kind", "cells", "complaint"), OTHER_KINDS)
def test_cells_of_another_kind_are_refused(kind: str, cells: Any, complaint: str) -> None:
    for values in LEARNED_KINDS[kind]:
        encoder = TableEncoder().fit(pd.DataFrame({"c": values}))
        assert encoder.columns_[0].kind == kind
        with pytest.raises(CellError, match=f"column c, row .*{complaint}"):
            encoder.transform(pd.DataFrame({"c": cells}))


@pytest.mark.parametrize(
    ("kind", "cells", "same_as"),
    [
        ("boolean", [1, 0, None], [True, False, None]),
        ("boolean", ["1", "0.0", ""], [True, False, None]),
        ("number", [True, False], [1, 0]),
        ("date", [None, float("nan")], pd.to_datetime([None, None])),
        ("date", pd.to_datetime(DAYS[:2]).date, DAYS[:2]),
    ],
)
def test_cells_of_another_kind_that_mean_the_same_are_accepted(
    kind: str, cells: Any, same_as: Any
) -> None:
    for values in LEARNED_KINDS[kind]:
        encoder = TableEncoder().fit(pd.DataFrame({"c": values}))
        if encoder.columns_[0].dates not in ("", ISO):
            continue
        found, expected = (encoder.transform(pd.DataFrame({"c": c})) for c in (cells, same_as))
        assert found.tolist() == expected.tolist()


def test_a_stream_does_not_take_numbers_for_booleans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.tables.encoder.OF_A_STREAM", Limits(1, 2**20, 2**20))
    chunks = [pa.table({"c": ["true", "false"]}), pa.table({"c": ["true", "57"]})]
    with pytest.raises(CellError, match="column c, row 3: '57' is not true or false"):
        TableEncoder().fit_stream(chunks)


LONE = "a\ud800"


def frame_of(values: Any, name: str = "c") -> pd.DataFrame:
    return pd.DataFrame({0: pd.Series(values, dtype=object)}).set_axis(
        pd.Index([name], dtype=object), axis=1
    )


@pytest.mark.parametrize(
    ("table", "place"),
    [
        (frame_of(["b", LONE]), "column c, row 1: "),
        (frame_of([1, LONE]), "column c, row 1: "),
        (frame_of(pd.Categorical(pd.Index(["b", LONE], dtype=object))), "column c, row 1: "),
        (np.array([["x", "b"], ["y", LONE]]), "column x1, row 1: "),
        ([["x", 1], [LONE, 2]], "column x0, row 1: "),
        (frame_of([1, 2], LONE), "the column name "),
    ],
)
def test_lone_surrogates_are_refused(table: Any, place: str) -> None:
    complaint = re.escape(f"{place}'a\\ud800' has a lone surrogate, so it is not Unicode text")
    with pytest.raises(InputError, match=f"^{complaint}"):
        TableEncoder().fit(table)
    with pytest.raises(InputError, match=r"missing: 'a.ud800' has a lone surrogate"):
        TableEncoder(missing=[LONE]).fit([[1.0], [2.0]])
