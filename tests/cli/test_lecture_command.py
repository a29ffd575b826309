"""`rosenblatt lecture`: the output of the experiments."""

import re

import pytest

from commands import document
from rosenblatt.cli import run
from rosenblatt.lectures.counting import separable_fraction, simulate

CAPACITY, MARK1 = ["lecture", "capacity"], ["lecture", "mark1"]


def test_the_json_of_capacity(capsys: pytest.CaptureFixture[str]) -> None:
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


@pytest.mark.parametrize("options", [["--dimensions", "9" * 9], ["--points", "5:" + "9" * 9]])
def test_points_that_do_not_fit_memory(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*CAPACITY, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "dimensions are too many to draw: the limit is 50,000,000 numbers" in err


@pytest.mark.parametrize("option", ["--dimensions", "--trials"])
def test_wrong_options_of_capacity(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CAPACITY, option, "0"]) == 2
    assert capsys.readouterr().out == ""


def test_mark1_prints_a_line_per_card_and_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MARK1, "--cards", "12"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"card +1  square on the (left |right)  said nothing  ✗", lines[0])
    assert len(lines) == 12 + 3
    assert lines[12] == "Machine    400 photocells, 1,000 association units, 1 response unit"
    last = max(k for k, line in enumerate(lines[:12], start=1) if line.endswith("✗"))
    n_wrong = sum(line.endswith("✗") for line in lines[:12])
    assert lines[13] == f"Cards      12 shown, {n_wrong} mistakes, the last at card {last}"
    assert re.fullmatch(r"New cards  [\d,]+ of 1,000 right \(\d+\.\d%\)", lines[14])


def test_two_cards_as_in_1958(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MARK1, "--two-cards", "--cards", "30"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(
        re.match(r"card +\d+  squares on the (left |right)  said ", line) for line in lines[:30]
    )
    assert 2 <= sum(line.endswith("✗") for line in lines[:30]) <= 3
    assert lines[-1] == "Shown again  1,000 of 1,000 right (100.0%)"


def test_letters(capsys: pytest.CaptureFixture[str]) -> None:
    facts = document([*MARK1, "--letters", "TL", "--cards", "10"], capsys)
    assert facts["letters"] == "TL"
    assert {trial["card"] for trial in facts["trials"]} == {"T", "L"}
    assert run([*MARK1, "--letters", "EE"]) == 2
    assert "letters='EE' is not accepted" in capsys.readouterr().err
    assert run([*MARK1, "--letters", "EX", "--two-cards"]) == 2
    assert "--two-cards does not go with --letters EX" in capsys.readouterr().err


def test_the_json_of_mark1(capsys: pytest.CaptureFixture[str]) -> None:
    documents = [
        document([*MARK1, "--seed", seed, "--noise", "0.02"], capsys) for seed in ("1", "1", "2")
    ]
    facts = documents[0]
    assert facts == documents[1] != documents[2]
    assert (facts["units"], facts["noise"], facts["seed"], facts["cards"]) == (1000, 0.02, 1, 50)
    wrong = [k for k, trial in enumerate(facts["trials"], start=1) if not trial["right"]]
    assert (facts["mistakes"], facts["last_mistake"]) == (len(wrong), wrong[-1])
    assert facts["trials"][0]["said"] is None
    assert 0 < facts["right"] <= facts["new_cards"] == 1000


@pytest.mark.parametrize(
    "option",
    [["--cards", "0"], ["--noise", "1.5"], ["--units", "-3"], ["--units", "999999999999"]],
)
def test_wrong_options_of_mark1(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MARK1, *option]) == 2
    assert option[0] in capsys.readouterr().err
