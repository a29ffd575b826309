"""fit_stream learns the same from chunks as fit from the whole table."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from made_tables import mixed_tables
from rosenblatt import InputError, TableEncoder
from rosenblatt.tables import facts
from rosenblatt.tables.columns import LeftOut, Words
from rosenblatt.tables.facts import ID, Limits
from rosenblatt.tables.learning import ColumnFacts, EncoderOptions
from rosenblatt.tables.table_facts import joined_facts

CELLS = {
    "texts": st.sampled_from(["a", "b", "True", "true", " 7", "1.5", "?", "2020-01-02", "x y z w"]),
    "numbers": st.floats(allow_nan=False, allow_infinity=False),
    "ids": st.integers(0, 2**60),
    "flags": st.booleans(),
}


def learned(encoder: TableEncoder) -> tuple[Any, ...]:
    # as text: arrays inside tuples cannot be compared with ==, and repr keeps all bits of floats
    with np.printoptions(floatmode="unique", threshold=10**9):
        return str(encoder.columns_), encoder.missing_counts_, encoder.is_scaled_


def outcome(fit: Any) -> Any:
    try:
        return learned(fit())
    except InputError as error:
        return str(error)


@settings(max_examples=60)
@given(
    st.data(),
    st.lists(st.integers(0, 30), max_size=4),
    st.sampled_from([{}, {"text": ["c"]}, {"categorical": ["c"]}, {"missing": ["7", "b", 1.5]}]),
)
def test_one_column_in_any_chunks(
    data: st.DataObject, cuts: list[int], options: dict[str, Any]
) -> None:
    cells = st.none() | CELLS[data.draw(st.sampled_from(sorted(CELLS)))]
    column = pa.array(data.draw(st.lists(cells, min_size=1, max_size=30)))
    name = data.draw(st.sampled_from(["c", "id"])) if not options else "c"
    table = pa.table({name: column.dictionary_encode() if data.draw(st.booleans()) else column})
    ends = [0, *sorted(min(cut, len(table)) for cut in cuts), len(table)]
    chunks = [table.slice(a, b - a) for a, b in pairwise(ends)]
    whole = outcome(lambda: TableEncoder(**options).fit(table))
    assert outcome(lambda: TableEncoder(**options).fit_stream(chunks)) == whole


@given(mixed_tables(), st.integers(1, 3))
def test_mixed_tables_in_chunks(frame: pd.DataFrame, size: int) -> None:
    table = pa.Table.from_pandas(frame)
    chunks = [table.slice(k, size) for k in range(0, len(table), size)]
    whole = TableEncoder(text=["note"]).fit(table)
    streamed = TableEncoder(text=["note"]).fit_stream(iter(chunks))
    assert learned(streamed) == learned(whole)
    stacked = [streamed.transform(chunk) for chunk in chunks]
    rows = [row for X in stacked for row in (X if isinstance(X, np.ndarray) else X.toarray())]
    expected = whole.transform(table)
    assert {type(X) for X in stacked} == {type(expected)}
    dense = expected if isinstance(expected, np.ndarray) else expected.toarray()
    assert np.array(rows).tolist() == dense.tolist()


def test_words_are_weighted_as_scikit_learn_does() -> None:
    texts = ["one two two", "two three", "Three, four!", None, "one two two"]
    (column,) = TableEncoder(text=["c"]).fit(pa.table({"c": texts})).columns_
    theirs = TfidfVectorizer(min_df=2).fit([text or "" for text in texts])
    assert isinstance(column, Words)
    assert list(column.words) == theirs.get_feature_names_out().tolist()
    assert column.idf.tolist() == theirs.idf_.tolist()


def chunked(name: str, chunks: list[list[Any]], limits: Limits, **options: Any) -> Any:
    gathered = ColumnFacts(name, EncoderOptions(**options), limits)
    for chunk in chunks:
        gathered.add(pa.chunked_array([chunk]))
    return gathered.summary()


FEW = Limits(30, 10_000, 50)


def test_beyond_the_limits_a_column_keeps_its_kind() -> None:
    keys = [[f"k{10 * k + j}" for j in range(10)] for k in range(9)]
    found = chunked("c", [*keys, ["k0", None]], FEW)
    assert found.column.reason == ID
    numbers = [[f"{10 * k + j}.5" for j in range(10)] for k in range(9)]
    assert chunked("c", numbers, FEW) == chunked("c", numbers, facts.UNLIMITED)
    with pytest.raises(InputError, match=r"column c, row 91: 'x' is not a number"):
        chunked("c", [*numbers, ["1", "x"]], FEW)
    ids = [list(range(10 * k, 10 * k + 10)) for k in range(9)]
    assert chunked("id", ids, FEW).column.reason == ID
    days = [[f"{day}.{month}.2020" for day in range(1, 29)] for month in range(1, 7)]
    assert chunked("c", days, FEW) == chunked("c", days, facts.UNLIMITED)


def test_texts_beyond_the_limits_are_counted_in_words() -> None:
    texts = [[f"this is text number {k % 7} of {j}" for k in range(10)] for j in range(9)]
    found = chunked("c", texts, FEW, min_count=3)
    whole = chunked("c", texts, facts.UNLIMITED, min_count=3)
    assert (found.column.words, found.column.idf.tolist()) == (
        whole.column.words,
        whole.column.idf.tolist(),
    )


@pytest.mark.parametrize(
    ("texts", "options", "sentence"),
    [
        ([f"v{k // 2}" for k in range(80)], {}, "column c has 40 different values in the first 80"),
        (list(range(80)), {"categorical": ["c"]}, "column c has 80 different values"),
        ([f"w{k}" for k in range(80)], {"text": ["c"]}, "column c has 80 different words"),
    ],
)
def test_too_many_values_or_words_are_refused(
    texts: list[Any], options: Any, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        chunked("c", [texts], FEW, **options)


@pytest.mark.parametrize(
    ("chunks", "sentence"),
    [
        ([{"a": [1.0]}, {"a": [2.0, np.inf]}], "column a, row 2: inf is not finite"),
        ([{"a": ["1", "2"]}, {"a": ["3", "oops"]}], "column a, row 3: 'oops' is not a number, but"),
        ([{"a": [1]}, {"b": [1]}], "the table after 1 rows does not have the columns of the first"),
        ([{"a": [1]}, {"a": ["x"]}], "column a, row 1: this table has text"),
        ([], "Summary array with 0 sample"),
    ],
)
def test_wrong_chunks(chunks: list[dict[str, list[Any]]], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        TableEncoder().fit_stream(map(pa.table, chunks))


def test_a_columns_first_chunk_may_be_empty() -> None:
    chunks = [{"a": [None, None]}, {"a": [1.0, 2.0]}, {"a": [None]}]
    encoder = TableEncoder().fit_stream(map(pa.table, chunks))
    assert encoder.missing_counts_ == {"a": 3}
    assert encoder.columns_[0].fill == 1.5


@pytest.mark.parametrize("size", [1, 7, 25, 40])
@pytest.mark.parametrize("kind", [int, float, str])
@pytest.mark.parametrize("is_broken", [False, True])
def test_a_count_of_the_rows_in_any_chunks_and_parts(
    size: int, kind: type, is_broken: bool
) -> None:
    values = [kind(k) for k in range(5, 45)]
    if is_broken:
        values[25] = kind(99)
    tables = [pa.table({"nr": values[k : k + size]}) for k in range(0, 40, size)]
    (column,) = TableEncoder().fit_stream(tables).columns_
    assert isinstance(column, LeftOut) != is_broken
    parts = [TableEncoder().new_facts(["nr"], is_part=True) for _ in tables]
    for part, table in zip(parts, tables, strict=True):
        part.add(table)
    assert TableEncoder().fit_facts(joined_facts(parts, ["nr"])).columns_ == (column,)
