"""The scripts in `benchmarks/` run; their results are not checked."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def document(script: str, *options: str) -> Any:
    command = [sys.executable, str(BENCHMARKS / script), *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_learning() -> None:
    facts = document("learning.py", "--small", "--repeats", "1", "--only", "row-20")
    assert [work["name"] for work in facts["works"]] == ["row-20"]


@pytest.mark.slow
def test_growth() -> None:
    for growth in document("growth.py", "--small", "--repeats", "1"):
        assert len(growth["sizes"]) == len(growth["seconds"]) == 5
        assert growth["sizes"][4] == 16 * growth["sizes"][0]


@pytest.mark.slow
def test_start() -> None:
    facts = document("start.py", "--repeats", "1")
    assert facts["import_ratio"]["import sklearn.linear_model"] == 1.0
    assert set(facts["compile_seconds"]) == {"float64", "float32", "sparse", "three", "many"}
    assert facts["first_learn"]["compile_seconds"] > 0.0


@pytest.mark.slow
def test_kernel() -> None:
    facts = document("kernel.py", "--samples", "200")
    assert set(facts["medians"]) == {"1 epoch", "3 epochs", "SVC"}
    assert facts["SVC_over_ours"]["1 epoch"]["learn_seconds"] > 0
    facts = document("kernel.py", "--samples", "200", "--voted")
    assert len(facts["mistakes_per_epoch"]) == 3


@pytest.mark.slow
def test_memory() -> None:
    for case in document("memory.py", "--small"):
        assert 0 < case["traced_bytes"] < 20 * (case["panel_bytes"] + case["samples_bytes"])


@pytest.mark.slow
def test_winnow() -> None:
    for contest in document("winnow.py", "--small"):
        assert contest["winnow"] <= contest["winnow_entropy_bound"] <= contest["winnow_bound"]
        assert contest["perceptron"] <= contest["perceptron_bound"]


@pytest.mark.slow
def test_mark1() -> None:
    facts = document("mark1.py", "--seeds", "2", "--cards", "10")
    assert (facts["seeds"], facts["cards"], facts["new_cards"]) == (2, 10, 200)
    assert facts["all"] <= facts["at_least_99_percent"] <= facts["at_least_95_percent"] <= 2


@pytest.mark.slow
def test_checks() -> None:
    facts = document("checks.py", "--small", "--repeats", "1")
    assert facts["look_over"]["look"] == 1.0
    assert set(facts["look_over"]) == {"look", "fit, 1 epoch", "predict", "decision_function"}


@pytest.mark.slow
def test_reading() -> None:
    for rates in document("reading.py", "--megabytes", "1", "--repeats", "1").values():
        assert all(rate > 0 for rate in rates.values())


@pytest.mark.slow
def test_cluster() -> None:
    facts = document("cluster.py", "--quick", "--engines", "threads", "--repeats", "1")
    assert facts["rows"] > 0
    assert list(facts["seconds"]) == ["threads", "plain loop"]
