"""TableEncoder against scikit-learn's encoders and estimator checks."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import InputError, Perceptron, TableEncoder
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.matrix import dense_matrix, sparse_matrix

NUMBERS = st.floats(-1e6, 1e6) | st.integers(-1000, 1000).map(float)
WORDS = st.sampled_from(["red", "green", "blue", "é", "a b", "x=1"])


@parametrize_with_checks([TableEncoder(), *(TableEncoder(scale=s) for s in ("standard", "unit"))])
def test_estimator_checks_pass(estimator: Any, check: Any) -> None:
    check(estimator)


def dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else np.asarray(X)


@given(st.lists(st.none() | NUMBERS, min_size=2, max_size=30), st.booleans())
def test_numbers_are_imputed_and_scaled_as_scikit_learn_does(
    cells: list[float | None], scale: bool
) -> None:
    values = np.array([[np.nan if cell is None else cell] for cell in cells])
    if np.isnan(values).all():
        return
    expected = [SimpleImputer().fit_transform(values)]
    if scale:
        expected = [StandardScaler().fit(values).transform(expected[0])]
    if np.isnan(values).any():
        expected.append(MissingIndicator().fit_transform(values).astype(float))
    encoder = TableEncoder(scale="standard" if scale else "none")
    found = encoder.fit_transform(pa.table({"a": cells}))
    spread = np.nanstd(values)
    if scale and 0 < spread < 1e-6 * np.nanmax(np.abs(values)):
        return  # rounding decides what such a column becomes
    np.testing.assert_allclose(found, np.hstack(expected), rtol=1e-9, atol=1e-9)


@given(st.lists(WORDS, min_size=2, max_size=40), st.lists(WORDS | st.just("new"), min_size=1))
def test_categories_are_one_hot_as_scikit_learn_does(learned: list[str], new: list[str]) -> None:
    if len(set(learned)) in (1, len(learned)):
        return  # one value, or an id: excluded
    theirs = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit([[w] for w in learned])
    ours = TableEncoder(min_count=1).fit(pa.table({"color": learned}))
    found = dense(ours.transform(pa.table({"color": new})))
    assert found.tolist() == theirs.transform([[word] for word in new]).tolist()
    names = [f"color={word}" for word in theirs.categories_[0]]
    assert ours.get_feature_names_out().tolist() == names


@given(st.lists(WORDS, min_size=20, max_size=40), st.integers(2, 6))
def test_rare_categories_share_a_column(learned: list[str], min_count: int) -> None:
    encoder = TableEncoder(min_count=min_count).fit(pa.table({"a": learned}))
    (column,) = encoder.columns_
    if isinstance(column, LeftOut):
        assert len(set(learned)) == 1
        return
    counts = {word: learned.count(word) for word in set(learned)}
    fewest = min_count if max(counts.values()) >= min_count else 1
    assert set(column.values) == {w for w, n in counts.items() if n >= fewest}
    assert set(column.rare) == {w for w, n in counts.items() if n < fewest}
    X = dense(encoder.transform(pa.table({"a": learned})))
    assert X.sum(axis=1).tolist() == [1.0] * len(learned)
    for word, row in zip(learned, X, strict=True):
        assert (row[-1] == 1.0) == (word in column.rare) or not column.rare
    assert dense(encoder.transform(pa.table({"a": ["never seen"]}))).sum() == 0.0


MIXED = {
    "age": [20.0, None, 60.0, 33.0, 41.0],
    "member": [True, False, None, True, True],
    "town": ["Rome", "Oslo", "Rome", None, "Oslo"],
    "since": ["2020-01-01", "2021-06-30", None, "2020-01-02", "2019-12-31"],
    "key": ["a1", "a2", "a3", "a4", "a5"],
}


def frames() -> dict[str, Any]:
    arrow = pa.table(MIXED)
    return {
        "arrow": arrow,
        "batch": arrow.to_batches()[0],
        "pandas": pd.DataFrame(MIXED),
        "pandas objects": pd.DataFrame(MIXED).astype(object),
        "pandas with dates": pd.DataFrame(MIXED).assign(since=pd.to_datetime(MIXED["since"])),
        "dictionary": arrow.set_column(2, "town", arrow.column("town").dictionary_encode()),
        "chunks": pa.concat_tables([arrow.slice(0, 2), arrow.slice(2)]),
    }


@pytest.mark.parametrize(
    "kind", [*frames(), pytest.param("polars", marks=pytest.mark.extra("polars"))]
)
def test_every_kind_of_table_gives_the_same_numbers(kind: str) -> None:
    encoder = TableEncoder(min_count=1).fit(pa.table(MIXED))
    expected = dense(encoder.transform(pa.table(MIXED)))
    frame = pytest.importorskip(kind).DataFrame(MIXED) if kind == "polars" else frames()[kind]
    assert dense(encoder.transform(frame)).tolist() == expected.tolist()
    again = TableEncoder(min_count=1)
    assert dense(again.fit_transform(frame)).tolist() == expected.tolist()
    assert again.feature_names_in_.tolist() == list(MIXED)


def test_columns_are_matched_by_name_in_any_order() -> None:
    encoder = TableEncoder(min_count=1).fit(pa.table(MIXED))
    expected = dense(encoder.transform(pa.table(MIXED)))
    shuffled = {"other": [0] * 5, **{name: MIXED[name] for name in reversed(MIXED)}}
    del shuffled["key"]  # an id, which the encoder excluded
    assert dense(encoder.transform(pa.table(shuffled))).tolist() == expected.tolist()
    del shuffled["town"]
    with pytest.raises(InputError, match="no column 'town', which the encoder needs"):
        encoder.transform(pa.table(shuffled))


def test_dense_and_sparse_matrices_are_the_same() -> None:
    rng = np.random.default_rng(0)
    n = 20_000  # several batches
    table = pa.table(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 40, n).astype(str),
            "c": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    encoder = TableEncoder(categorical=["b"])
    X = encoder.fit_transform(table)
    assert sp.issparse(X)
    assert X.has_sorted_indices
    entries = [one.entries(table.column(one.name), ()) for one in encoder.columns_]
    widths = [one.width for one in encoder.columns_]
    placed = [(sum(widths[:k]), own) for k, some in enumerate(entries) for own in some]
    assert (dense_matrix(placed, n, sum(widths)) == X.toarray()).all()
    assert (sparse_matrix(placed, n, sum(widths)) != X).nnz == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_that_need_no_encoding_are_not_copied(dtype: type) -> None:
    X = np.random.default_rng(0).uniform(-1, 1, (50, 3)).astype(dtype)
    before = X.copy()
    encoder = TableEncoder(scale="none")
    assert encoder.fit_transform(X) is X
    assert encoder.transform(X) is X
    scaled = TableEncoder().fit_transform(X)
    assert scaled is not X
    assert (before == X).all()


@pytest.mark.parametrize(
    ("values", "is_scaled"),
    [
        ([1.0, 2.0, 3.0], True),
        ([0.001, 0.002, 0.003], True),
        ([0, 2, 0], True),
        ([-1, 1, 1], True),
        (["2020-01-01", "2020-01-02", "2020-03-01"], True),
        ([0.0, 1.0, 1.0], False),
        (["0", "1", "1.0"], False),
        ([0, 1, None], False),
        ([True, False, False], False),
        (["f", "m", "f"], False),
    ],
)
def test_numbers_and_dates_are_standardized_except_0_and_1(
    values: list[Any], is_scaled: bool
) -> None:
    encoder = TableEncoder(min_count=1)
    X = encoder.fit_transform(pa.table({"a": values}))
    assert encoder.is_scaled_ is is_scaled
    assert (abs(X.mean(axis=0)) < 1e-12).all() == is_scaled
    assert np.allclose(X.std(axis=0), 1.0) or not is_scaled
    assert not TableEncoder(scale="none").fit(pa.table({"a": values})).is_scaled_


def test_the_encoder_scores_like_a_standard_scaler() -> None:
    """Age and income: raw, hardly better than a coin; scaled by either, the same high score."""
    rng = np.random.default_rng(0)
    age, income = rng.uniform(18, 90, 300), rng.uniform(1e4, 2e5, 300)
    y = (age - 54) / 20.0 + (income - 1e5) / 5e4 + rng.normal(0, 0.3, 300) > 0
    X = np.column_stack([age, income])
    learner = Perceptron(keep="average", max_iter=50)
    raw = learner.fit(X, y).score(X, y)
    by_hand = make_pipeline(StandardScaler(), learner).fit(X, y).score(X, y)
    ours = make_pipeline(TableEncoder(), learner).fit(X, y).score(X, y)
    assert ours == by_hand > 0.9
    assert raw < ours


def test_unit_rows_have_the_bits_of_a_normalizer() -> None:
    table = pa.table({**MIXED, "size": [1e-200, 3.0, 0.0, -7e100, 0.5]})
    for rows in (table, np.array([[3, 4], [0, 0]], dtype=np.float32)):
        unit = TableEncoder(min_count=1, scale="unit")
        found = dense(unit.fit_transform(rows))
        wide = TableEncoder(min_count=1, scale="none").fit_transform(rows).astype(float)
        assert found.tolist() == dense(normalize(sp.csr_array(wide))).tolist()
        assert found.tolist() == dense(unit.transform(rows)).tolist()
        assert not unit.is_scaled_


def test_free_text_is_counted_in_words() -> None:
    texts = ["buy cheap pills", "meeting at noon", "cheap pills now", "noon meeting moved"]
    encoder = TableEncoder(text=["body"]).fit(pa.table({"body": texts}))
    X = encoder.transform(pa.table({"body": [*texts, None, "unknown words"]}))
    assert sp.issparse(X)
    assert set(encoder.get_feature_names_out()) == {
        f"body:{word}" for word in ("cheap", "pills", "meeting", "noon")
    }
    assert np.allclose(np.sqrt(X.multiply(X).sum(axis=1))[:4], 1.0)
    assert X[4:].nnz == 0


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"ignore": ["agee"]}, "ignore: there is no column 'agee'; the columns are 'age'"),
        ({"categorical": "age"}, "categorical='age' is not accepted: give a list of names"),
        ({"missing": {"agee": [0]}}, "missing: there is no column 'agee'"),
        ({"missing": "none"}, "missing='none' is not accepted: give a list of values"),
        ({"missing": None}, "missing=None is not accepted: give a list of values"),
        ({"missing": -9}, "missing=-9 is not accepted: give a list of values"),
        ({"missing": {"age": "none"}}, r"missing\['age'\]='none' is not accepted: give a list"),
        ({"scale": "minmax"}, "scale='minmax' is not accepted: use 'standard' or 'none' or 'unit'"),
        ({"min_count": 0}, "min_count=0 is not accepted"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        TableEncoder(**parameters).fit(pa.table(MIXED))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (pa.table({"a": [1.0, np.inf]}), "column a, row 1: inf is not finite"),
        (pa.table({"a": ["1", "2", "oops"]}), "column a, row 2: 'oops' is not a number, but 2 of"),
        (pa.table({"a": [[1], [2]]}), "column a holds values of type list"),
        (sp.csr_matrix(np.eye(2)), "a sparse matrix holds numbers already"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), "two columns are named"),
    ],
)
def test_wrong_tables(table: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        TableEncoder().fit(table)


def test_transform_reports_cells_of_the_wrong_kind() -> None:
    encoder = TableEncoder().fit(pa.table({"a": [1.0, 2.0]}))
    with pytest.raises(InputError, match="column a, row 1: 'two' is not a number"):
        encoder.transform(pa.table({"a": ["1", "two"]}))
    dates = TableEncoder().fit(pa.table({"a": ["2020-01-01", "2020-01-05"]}))
    with pytest.raises(InputError, match="column a, row 1: 'soon' is not a date"):
        dates.transform(pa.table({"a": ["2020-01-01", "soon"]}))


@pytest.mark.parametrize("names", [["a", 7], [7, "a"], ["a", 2.5], [("a", 1), "b"]], ids=str)
def test_a_frame_with_some_names_that_are_not_text_is_matched_by_name(names: list[Any]) -> None:
    frame = pd.DataFrame([[1.0, 10.0], [2.0, 30.0]], columns=pd.Index(names, dtype=object))
    encoder = TableEncoder(scale="none").fit(frame)
    assert encoder.feature_names_in_.tolist() == [str(name) for name in names]
    assert encoder.transform(frame.iloc[:, ::-1]).tolist() == frame.to_numpy().tolist()


def test_only_a_frame_whose_names_are_all_whole_numbers_is_matched_by_position() -> None:
    frame = pd.DataFrame([[1.0, 10.0], [2.0, 30.0]], columns=[3, 1])
    encoder = TableEncoder(scale="none").fit(frame)
    assert not hasattr(encoder, "feature_names_in_")
    assert encoder.transform(frame.set_axis([1, 3], axis=1)).tolist() == frame.to_numpy().tolist()
