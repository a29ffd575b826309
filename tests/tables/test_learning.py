"""The kinds of columns that are detected."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.tables.cells import MISSING_MARKERS, numbers_of, texts_of
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.facts import CONSTANT, COUNTER, EMPTY, ID, SINGLE
from rosenblatt.tables.learning import ColumnFacts, EncoderOptions


def column_of(values: list[Any], name: str = "c", **options: Any) -> Any:
    facts = ColumnFacts(name, EncoderOptions(**options))
    facts.add(pa.chunked_array([list(values)]))
    return facts.summary().column


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 2], "number"),
        (["1", "2.5", "-3e2"], "number"),
        (["1", "?", "2", "NA", ""], "number"),
        ([True, False, None], "boolean"),
        (["true", "FALSE", "True"], "boolean"),
        (["yes", "no", "yes"], "category"),
        (["007", "008", "007"], "category"),
        (["0", "0.5", "0"], "number"),
        (["15-19", "20-24", "15-19"], "category"),
        (["0", "a", "b", "c", "a"], "category"),
        (["2020-01-01", "2020-02-30x", "2020-01-01"], "category"),
        (["2019-03-23 20:21:09", "2019-03-04 16:11:55"], "date"),
        (["2019-03-23T20:21:09Z", "2019-03-04T16:11:55Z"], "date"),
        (["23.03.2019", "04.03.2019"], "date"),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], "date"),
        ([datetime.datetime(2020, 1, 1, 12), None], "date"),
    ],
)
def test_the_kind_of_a_column(values: list[Any], kind: str) -> None:
    assert column_of(values).kind == kind


@pytest.mark.parametrize(
    ("values", "name", "reason"),
    [
        (["a1", "b7", "c9"], "c", ID),
        ([3, 1, 2], "id", ID),
        ([3, 1, 2], "customer_id", ID),
        ([0, 1, 2], "", ID),
        (range(1, 21), "nr", COUNTER),
        ([float(k) for k in range(-3, 30)], "seq", COUNTER),
        ([str(k) for k in range(1990, 2200)], "n", COUNTER),
        (range(30), "row_id", ID),
        (["x"] * 30, "c", SINGLE),
        ([7.5] * 30, "c", CONSTANT),
        (["7", "7.0"], "c", CONSTANT),
        ([True, True], "c", SINGLE),
        ([datetime.date(2020, 1, 1)] * 2, "c", SINGLE),
        ([None, None], "c", EMPTY),
        (["?", "NA"], "c", EMPTY),
        ([f"name {k}" for k in range(99)] + ["name 0"], "c", ID),
    ],
)
def test_columns_that_are_excluded(values: list[Any], name: str, reason: str) -> None:
    assert column_of(values, name) == LeftOut(name, reason)


@pytest.mark.parametrize("name", ["paid", "idea", "width", "valid"])
def test_distinct_numbers_are_ids_only_if_the_column_is_named_like_an_id(name: str) -> None:
    assert column_of([3, 1, 2], name).kind == "number"


def test_options_override_detection() -> None:
    assert column_of([1, 2, 3, 1], categorical=["c"]).values == ("1", "2", "3")
    assert column_of([1.0, 2.0, None, 1.0], categorical=["c"]).values == ("1", "2")
    assert column_of(["1.0", "2.0", "1.0"], categorical=["c"]).values == ("1", "2")
    assert column_of([1, 2], ignored=["c"]).kind == "left out"
    assert column_of(["red wine", "dry wine"], text=["c"]).kind == "text"


def test_sentences_are_free_text_and_zones_are_not() -> None:
    names = [f"ford model {k}" for k in range(40)] + ["ford pinto"] * 5
    assert column_of(names, min_count=3).kind == "text"
    assert column_of(names, min_count=3, categorical=["c"]).kind == "category"
    zones = [f"upper town {k % 20}" for k in range(200)]
    assert column_of(zones, min_count=3).kind == "category"
    assert column_of([name.replace(" ", "-") for name in names], min_count=3).kind == "category"


def test_missing_markers_of_all_columns_and_of_one() -> None:
    missing = {None: ["-999", "unknown"], "c": ["0"]}
    assert column_of(["1", "unknown", "3", "-999"], missing=missing).fill == 2.0
    assert column_of([1.0, -999.0, 3.0, 0.0], missing=missing).fill == 2.0
    assert column_of([1.0, -999.0, 3.0, 0.0], name="d", missing=missing).fill == 4.0 / 3.0


def test_month_comes_before_day_unless_a_month_is_above_12() -> None:
    assert column_of(["03/04/2020", "12/31/2020"]).dates == "%m/%d/%Y"
    assert column_of(["03/04/2020", "31/12/2020"]).dates == "%d/%m/%Y"
    first, second = numbers_of(
        "c", pa.chunked_array([["31/12/2020", "01/01/2021"]]), (), "%d/%m/%Y"
    )
    assert second - first == 1.0


def test_dates_count_from_the_columns_first_day() -> None:
    column = column_of(["2020-01-03", "2020-01-01", "2020-01-02 12:00"])
    (entries,) = column.entries(pa.chunked_array([["2020-01-02 12:00"]]), ())
    assert entries.values.tolist() == [1.5]


@given(
    st.lists(st.none() | st.sampled_from(["a", " a", "b ", *MISSING_MARKERS, "x y"]), min_size=1),
    st.integers(1, 5),
)
def test_texts_and_their_codes(cells: list[str | None], size: int) -> None:
    chunks = [cells[k : k + size] for k in range(0, len(cells), size)]
    stored = pa.chunked_array(chunks, pa.string())
    for column in (stored, stored.dictionary_encode()):
        texts = texts_of(column)
        values = texts.values.to_pylist()
        found = [None if code < 0 else values[code] for code in texts.codes.tolist()]
        trimmed = [None if cell is None else cell.strip() for cell in cells]
        assert found == [None if cell in MISSING_MARKERS else cell for cell in trimmed]
        assert texts.counts().tolist() == [found.count(value) for value in values]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_in_text_are_read_exactly(values: list[float]) -> None:
    cells = pa.chunked_array([[repr(value) for value in values]])
    assert numbers_of("c", cells).tolist() == values
    assert (np.signbit(numbers_of("c", cells)) == np.signbit(values)).all()


def test_a_typo_among_numbers_is_reported() -> None:
    with pytest.raises(InputError, match=r"row 3: '12o' is not a number, but 3 of the 4 different"):
        column_of(["10", "11", "12", "12o", "11"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([f"2020-01-{k:02}" for k in range(1, 29)] + ["soon"], "'soon': 28 of the 29 .* are dates"),
        (
            [*(f"{k}.5%" for k in range(30)), "all"],
            "'all': 30 of the 31 .* are numbers with a sign",
        ),
        ([f"{k}.3 kg" for k in range(30)], "numbers with a sign"),
        ([f"{k}:45" for k in range(10, 24)], "times"),
        ([f"{k:02}-Jan-2020" for k in range(1, 29)], "dates"),
    ],
)
def test_quantities_are_not_ids(values: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        column_of(values)
    assert column_of(values, categorical=["c"]).kind == "category"
    for ids in ([f"A{k}" for k in range(30)], [f"{k}A{k}" for k in range(30)]):
        assert column_of(ids) == LeftOut("c", ID)


@pytest.mark.parametrize(
    "values",
    [
        ["$1,810.00", "$2.00"],
        ["18.7%", "5 %"],
        ["39.10 €", "-7,50\u00a0€"],
        ["3", "3,750", "$4"],
        ["(£12)", "USD 9", "1'000 CHF"],
    ],
)
def test_amounts_and_percentages_are_refused(values: list[str]) -> None:
    cells = [*values * 9, None, "?", "none"]
    with pytest.raises(InputError, match="is an amount of money or a percentage; write plain num"):
        column_of(cells, missing={None: ["none"]})
    assert column_of(cells, categorical=["c"]).kind == "category"
    assert column_of([*values, "free"] * 9).kind == "category"
    frame = pd.DataFrame({"c": pd.Categorical(values), "d": range(len(values))})
    with pytest.raises(InputError, match=r"column c, row .: .* is an amount"):
        TableEncoder().fit(frame)


def test_constant_numbers_are_kept_if_some_are_missing_or_there_is_one_sample() -> None:
    assert column_of([7, 7, None]).indicates
    assert column_of([7]).kind == "number"


def test_a_column_is_never_excluded_and_missing() -> None:
    table = {
        "id": [3, 1, 2, None],
        "code": ["a1", "b2", None, "c3"],
        "none": [None] * 4,
        "blank": ["?", "", "?", ""],
        "skip": [1, 2, None, 1],
        "age": [1, 2, None, 1],
    }
    encoder = TableEncoder(ignore=["skip"]).fit(pa.table(table))
    assert sum(isinstance(column, LeftOut) for column in encoder.columns_) == 5
    assert encoder.missing_counts_ == {"age": 1}


@pytest.mark.parametrize(
    "values",
    [
        range(19),  # few
        range(1990, 2020),  # years
        [*range(30), 30, 30],
        [*range(30), None],
        [*range(30), 31],
        range(0, 60, 2),
        range(30, 0, -1),
        [k + 0.5 for k in range(30)],
        [2.0**53] * 30 + [0.0],
        [datetime.date(2020, 1, 1 + k) for k in range(30)],
    ],
)
def test_numbers_that_do_not_count_the_rows(values: Any) -> None:
    kind = "date" if isinstance(values[0], datetime.date) else "number"
    assert column_of(list(values)).kind == kind


def test_numeric_columns_are_kept() -> None:
    for values in (range(30), [str(k) for k in range(30)], [7] * 30, ["007", "008"] * 20):
        column = column_of(list(values), "id", numeric=["id"])
        assert column.kind == "number"
    with pytest.raises(InputError, match="row 1: 'x' is not a number"):
        column_of(["1", "x"], numeric=["c"])
    with pytest.raises(InputError, match="column 'c' is in both categorical and numeric"):
        TableEncoder(categorical=["c"], numeric=["c"]).fit(pa.table({"c": [1, 2]}))
