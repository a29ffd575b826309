"""`rosenblatt lecture`: what the experiments print."""

import pytest

from commands import document
from rosenblatt.cli import run
from rosenblatt.lectures.counting import separable_fraction, simulate

CAPACITY = ["lecture", "capacity"]


def test_the_document_of_capacity(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--dimensions 3 --points 2:10:4 --trials 30 --seed 5"
    facts = document([*CAPACITY, *options.split()], capsys)
    assert (facts["dimensions"], facts["seed"]) == (3, 5)
    assert [row["points"] for row in facts["rows"]] == [2, 6, 10]
    for row in facts["rows"]:
        assert row["formula"] == float(separable_fraction(row["points"], 3))
        assert row["separable"] == simulate(row["points"], 3, trials=30, seed=5).separable
        assert row["found"] == row["separable"] / 30
        assert (row["trials"], row["undecided"]) == (30, 0)
    assert facts["rows"][1]["formula"] == 0.5


def test_the_table_of_capacity(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CAPACITY, "--dimensions", "2", "--trials", "10"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["points", "per", "dimension", "formula", "found", "trials"]
    rows = [line.split() for line in lines[1 : lines.index("")]]
    assert [int(row[0]) for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert rows[0][1:] == ["0.50", "1.000000", "1.0000", "10/10"]
    assert rows[3][1:3] == ["2.00", "0.500000"]
    assert any("exactly one half" in line for line in lines)


@pytest.mark.parametrize(
    ("points", "numbers"), [("7", [7]), ("3:5", [3, 4, 5]), ("1:6:5", [1, 6]), ("2:3:9", [2])]
)
def test_ranges(points: str, numbers: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    facts = document([*CAPACITY, "--dimensions", "1", "--points", points, "--trials", "2"], capsys)
    assert [row["points"] for row in facts["rows"]] == numbers


@pytest.mark.parametrize(
    "points", ["", "x", "0:3", "5:4", "1:2:0", "1:2:3:4", "-1", "1:", "9" * 12, "१", "1_0"]
)
def test_wrong_ranges(points: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CAPACITY, f"--points={points}"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"--points {points}: give a number of points" in err


@pytest.mark.parametrize("option", ["--dimensions", "--trials"])
def test_wrong_options_of_capacity(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CAPACITY, option, "0"]) == 2
    assert capsys.readouterr().out == ""
