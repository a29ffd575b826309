"""One table in several files: each gives the same predictions and the same evaluation."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet
import pytest

from commands import document
from rosenblatt import Perceptron, TableEncoder, load, save
from rosenblatt.cli import run
from rosenblatt.kernels.sparse_input import as_dense

N = 60
RNG = np.random.default_rng(0)
DOSE = RNG.choice([0.5, 1.25, 2.5, 3.0, 0.1, 0.0001], N)
FRAME = pd.DataFrame(
    {
        "dose": DOSE,
        "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(RNG.integers(0, 99, N), unit="D"),
        "paid": RNG.random(N) < 0.5,
        "zip": RNG.choice(["007", "7", "07"], N),
        "age": RNG.integers(20, 70, N),
        "grade": np.where(DOSE > 1, 2.5, np.where(DOSE > 0.2, 1.0, 0.1)),
    }
)
FORMS = ("csv", "long csv", "parquet", "decimals", "arrow")


def write(folder: Path, form: str) -> Path:
    path = folder / form
    if form == "csv":
        FRAME.to_csv(path, index=False)
    elif form == "long csv":
        long = FRAME.assign(**{c: [f"{x:.7f}" for x in FRAME[c]] for c in ("dose", "grade")})
        long.to_csv(path, index=False)
    elif form == "parquet":
        FRAME.to_parquet(path)
    elif form == "arrow":
        pa_feather.write_feather(pa.Table.from_pandas(FRAME), str(path))
    else:
        table = pa.Table.from_pandas(FRAME)
        for name in ("dose", "grade"):
            exact = [Decimal(f"{x:.7f}") for x in FRAME[name]]
            column = pa.array(exact, pa.decimal128(20, 10))
            table = table.set_column(table.column_names.index(name), name, column)
        pa_parquet.write_table(table, path)
    return path


OPTIONS = ["--categorical", "dose", "--categorical", "zip", "--label", "grade"]


@pytest.mark.parametrize("learned", FORMS)
def test_the_form_of_a_file_changes_no_prediction(
    learned: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model"
    path = write(tmp_path, learned)
    found = document(["learn", str(path), *OPTIONS, "--model", str(model)], capsys)
    assert sorted(found["data"]["classes"]) == ["0.1", "1", "2.5"]
    results = []
    for form in FORMS:
        own = write(tmp_path, form)
        facts = document(["evaluate", str(model), str(own)], capsys)
        assert run(["predict", str(model), str(own)]) == 0
        del facts["file"]
        results.append((facts, capsys.readouterr().out))
    for form, result in zip(FORMS, results, strict=True):
        assert result == results[0], form
    assert results[0][0]["unseen_values"] == {}
    assert results[0][0]["mistakes"] == 0
    predicted = load(model).predict(FRAME.drop(columns="grade"))
    assert predicted.astype(float).tolist() == FRAME["grade"].tolist()


def test_spellings_that_are_equal_as_float64_are_one_category() -> None:
    texts = [
        "2.5",
        "2.50",
        "2.500000000000000000001",
        "3.00",
        "3",
        "007",
        "7",
        "7e0",
        "-.5",
        "-0.50",
    ]
    encoder = TableEncoder(categorical=["c"], min_count=1).fit(pd.DataFrame({"c": texts}))
    assert encoder.columns_[0].values == ("-0.5", "007", "2.5", "3", "7", "7e0")
    stored: Any = pd.DataFrame({"c": [2.5, 3.0, -0.5, 7.0]})
    assert encoder.unseen_values(stored) == {"c": 0}
    found = encoder.transform(stored)
    same = encoder.transform(pd.DataFrame({"c": ["2.50", "3.0", "-.5", "7.00"]}))
    np.testing.assert_array_equal(as_dense(found), as_dense(same))


def test_missing_markers_match_decimals_in_categories_by_value() -> None:
    for cells in (["2.50", "1.5", "3"], [2.5, 1.5, 3.0]):
        frame = pd.DataFrame({"c": cells})
        encoder = TableEncoder(categorical=["c"], min_count=1, missing=[2.5]).fit(frame)
        assert encoder.missing_counts_ == {"c": 1}


def test_large_whole_numbers_stay_different_categories() -> None:
    texts = ["9007199254740992.00", "9007199254740993.00"]
    encoder = TableEncoder(categorical=["c"], min_count=1).fit(pd.DataFrame({"c": texts}))
    assert encoder.columns_[0].values == ("9007199254740992", "9007199254740993")


def test_a_model_with_decimals_as_written_is_evaluated_by_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pd.DataFrame({"a": [1.0, 2.0, 5.0, 6.0], "y": [2.5, 2.5, 3.0, 3.0]})
    written = [f"{y:.2f}" for y in data["y"]]
    save(Perceptron().fit(data[["a"]], written), tmp_path / "model")
    for form in ("csv", "parquet"):
        path = tmp_path / form
        if form == "csv":
            data.to_csv(path, index=False)
        else:
            data.to_parquet(path)
        facts = document(["evaluate", str(tmp_path / "model"), str(path)], capsys)
        assert facts["mistakes"] == 0, facts
        assert facts["unknown_labels"] == {}


def test_codes_never_match_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "learn.csv").write_text("a,y\n1,7\n2,7\n5,10\n6,10\n")
    (tmp_path / "codes.csv").write_text("a,y\n1,007\n2,7\n5,+10\n6,1e1\n")
    model = str(tmp_path / "model")
    document(["learn", str(tmp_path / "learn.csv"), "--model", model], capsys)
    facts = document(["evaluate", model, str(tmp_path / "codes.csv")], capsys)
    assert facts["unknown_labels"] == {"007": 1}
    assert facts["mistakes"] == 1
