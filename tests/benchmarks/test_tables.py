"""`benchmarks/tables.py` and `benchmarks/mixed_rows.py`, on a few synthetic rows."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier


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
    (tmp_path / "titanic.csv").write_text("\n".join(lines) + "\n")
    lines = [f"{k},{k % 7},{k // 10}" for k in range(30)]
    (tmp_path / "wheat-seeds.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_columns_that_repeat_the_label_and_rows_without_one_are_left_out(
    tables: ModuleType, folder: Path
) -> None:
    X, y = tables.frame(tables.TABLES["titanic"], folder)
    assert list(X) == ["sex", "age"]
    assert len(X) == len(y) == 40
    X, y = tables.frame(tables.TABLES["wheat-seeds"], folder)
    assert X.shape == (30, 2)
    assert y.tolist() == [str(k // 10) for k in range(30)]


@pytest.mark.slow
def test_tables(
    tables: ModuleType,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("skrub")
    monkeypatch.setattr(tables, "ours", lambda: tables.peer(tables.PEERS["logistic regression"]))
    monkeypatch.setattr(sys, "argv", ["tables.py", "--data", str(folder), "--json"])
    tables.main()
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["titanic", "wheat-seeds"]
    row = found["titanic"]
    assert (row["samples"], row["classes"], row["largest_class_error"]) == (40, 2, 0.5)
    assert row["errors"]["logistic regression"] == {"mean": 0.0, "standard_error": 0.0}
    assert row["within"]
    assert found["wheat-seeds"]["command"]["exit"] == 0
    assert tables.line("titanic", row).startswith("| titanic | 40 | 2 | 0.5000 | 0.0000 ± 0.0000 |")


@pytest.mark.parametrize(("constant", "error", "within"), [("0", 0.4, "yes"), ("1", 0.6, "no")])
def test_within_means_one_standard_error(
    tables: ModuleType,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    constant: str,
    error: float,
    within: str,
) -> None:
    """The peers misclassify two fifths of the rows, ours two or three fifths."""
    path = folder / "wheat-seeds.csv"
    path.write_text("".join(f"{k},{int(k % 5 < 2)}\n" for k in range(50)))
    monkeypatch.setattr(tables, "peer", lambda _: DummyClassifier())
    monkeypatch.setattr(
        tables, "ours", lambda: DummyClassifier(strategy="constant", constant=constant)
    )
    monkeypatch.setattr(tables, "command", lambda *_: {"exit": 2, "message": ""})
    row = tables.measure(tables.TABLES["wheat-seeds"], folder)
    assert row["errors"]["ours"]["mean"] == pytest.approx(error)
    assert tables.line("it", row).endswith(f"| {within} | exit 2 |")


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
