"""`benchmarks/accuracy.py`: its splits do not overlap, and its figures are right."""

import gzip
import importlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rosenblatt.io.data import sonar


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the bundled sonar set, a small a9a, images, iris and news."""
    (tmp_path / "small").mkdir()
    shutil.copy(sonar(), tmp_path / "small" / "sonar.csv")
    lines = [f"{k},{-2 * k},{'abc'[k % 3]}" for k in reversed(range(60))]
    (tmp_path / "small" / "iris.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "a9a").mkdir()
    (tmp_path / "a9a" / "a9a").write_text("-1 1:1\n-1 2:1\n+1 3:1 5:1\n+1 4:1\n")
    (tmp_path / "a9a" / "a9a.t").write_text("-1 1:1\n+1 3:1\n")
    images = tmp_path / "fashion_mnist"
    images.mkdir()
    for part, n in (("train", 4), ("t10k", 2)):
        pixels = np.array([0, n, 28, 28], ">i4").tobytes() + b"".join(
            bytes([k + 1] * 784) for k in range(n)
        )
        labels = np.array([0, n], ">i4").tobytes() + bytes(range(n))
        (images / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(pixels))
        (images / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    return tmp_path


@pytest.fixture
def splits(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("splits")


@pytest.fixture
def accuracy(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("accuracy")


def test_parts_do_not_overlap(splits: ModuleType, folder: Path) -> None:
    found = {task.name: task for task in splits.tasks(folder)}
    assert list(found) == ["Fashion-MNIST", "a9a", "iris", "sonar"]
    for task in found.values():
        tested = np.concatenate([test for _, test in task.splits])
        assert len(set(tested.tolist())) == len(tested)
        for learned, test in task.splits:
            assert not set(learned.tolist()) & set(test.tolist())
    assert len(np.concatenate([test for _, test in found["sonar"].splits])) == 208


def test_a_separate_test_set_comes_last_in_its_order(splits: ModuleType, folder: Path) -> None:
    (task,) = splits.tasks(folder, "a9a")
    ((learned, test),) = task.splits
    assert (task.X.shape, learned.tolist(), test.tolist()) == ((6, 5), [0, 1, 2, 3], [4, 5])
    assert task.X[4:].toarray().tolist() == [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert task.y[4:].tolist() == [-1, 1]


def test_rows_are_shuffled_with_their_labels(splits: ModuleType, folder: Path) -> None:
    (task,) = splits.tasks(folder, "iris")
    assert task.y.tolist() == ["abc"[int(k) % 3] for k in task.X[:, 0]]
    assert task.X[:, 0].tolist() != sorted(task.X[:, 0])
    (images,) = splits.tasks(folder, "Fashion")
    assert (images.X[:, 0] - 1).tolist() == images.y.tolist()
    assert images.y[4:].tolist() == [0, 1]


def test_sonar(
    accuracy: ModuleType,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["accuracy.py", "--data", str(folder), "--only", "sonar", "--json"]
    )
    accuracy.main()
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["learned"], row["tested"], row["features"], row["classes"]) == (187, 208, 60, 2)
    found = row["accuracy"]
    assert list(found) == list(accuracy.LEARNERS)
    # In the same order, both make the same updates and average them.
    assert found["average"] == pytest.approx(found["scikit-learn's average"], abs=0.01)
    assert 0.65 < found["maximum margin"] < 0.85
    assert found["joint, last"].startswith("two classes")
    cells = accuracy.line(row).split(" | ")
    assert cells[1] == "187 / 208, 10 folds"
    assert cells[5] == "–"


def test_inseparable_data_has_no_margin(accuracy: ModuleType, folder: Path) -> None:
    splits = importlib.import_module("splits")
    (task,) = splits.tasks(folder, "iris")
    reason = accuracy.accuracy(accuracy.LEARNERS["maximum margin"], task)
    assert "no hyperplane strictly separates" in reason
