"""`rosenblatt mark1`: in a pipe, for programs, on a terminal, interrupted."""

import re

import pexpect
import pytest

from commands import document, interrupt, on_terminal
from rosenblatt.cli import run


def test_lines_for_each_card_and_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mark1", "--cards", "12", "--fast"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert "\x1b" not in out
    assert re.fullmatch(r"card +1  square on the (left |right)  said nothing  ✗", lines[0])
    assert len(lines) == 12 + 3
    assert lines[12] == "Machine    400 photocells, 1,000 association units, 1 response unit"
    last = max(k for k, line in enumerate(lines[:12], start=1) if line.endswith("✗"))
    n_wrong = sum(line.endswith("✗") for line in lines[:12])
    assert lines[13] == f"Cards      12 shown, wrong about {n_wrong}, the last time at card {last}"
    assert re.fullmatch(r"New cards  right about [\d,]+ of 1,000 \(\d+\.\d%\)", lines[14])


def test_two_cards_as_in_1958(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mark1", "--two-cards", "--cards", "30", "--fast"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(
        re.match(r"card +\d+  squares on the (left |right)  said ", line) for line in lines[:30]
    )
    assert 2 <= sum(line.endswith("✗") for line in lines[:30]) <= 3
    assert lines[-1] == "Shown again  right about 1,000 of 1,000 (100.0%)"


def test_letters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mark1", "--letters", "TL", "--cards", "10", "--fast"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(re.match(r"card +\d+  letter [TL]      said ", line) for line in lines[:10])
    facts = document(["mark1", "--letters", "TL", "--cards", "10"], capsys)
    assert facts["letters"] == "TL"
    assert {trial["letter"] for trial in facts["trials"]} == {"T", "L"}


@pytest.mark.parametrize("options", [["--letters", "EE"], ["--letters", "EX", "--two-cards"]])
def test_letters_that_cannot_be_shown(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mark1", *options]) == 2
    assert re.search("letters='EE' is not accepted|are both given", capsys.readouterr().err)


def test_quiet_leaves_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mark1", "--cards", "12", "--quiet", "--units", "50"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["Machine", "Cards", "New cards"]
    assert "50 association units" in lines[0]


def test_one_unit_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mark1", "--quiet", "--units", "1"]) == 0
    assert "photocells, 1 association unit, 1 response unit" in capsys.readouterr().out


def test_json_is_the_same_run(capsys: pytest.CaptureFixture[str]) -> None:
    documents = [
        document(["mark1", "--seed", seed, "--noise", "0.02"], capsys) for seed in ("1", "1", "2")
    ]
    facts = documents[0]
    assert facts == documents[1] != documents[2]
    assert (facts["units"], facts["noise"], facts["seed"], facts["cards"]) == (1000, 0.02, 1, 50)
    wrong = [k for k, trial in enumerate(facts["trials"], start=1) if not trial["right"]]
    assert (facts["mistakes"], facts["last_mistake"]) == (len(wrong), wrong[-1])
    assert facts["trials"][0]["said"] is None
    assert 0 < facts["right"] <= facts["new_cards"] == 1000


@pytest.mark.parametrize("option", [["--cards", "0"], ["--noise", "1.5"], ["--units", "-3"]])
def test_wrong_options(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mark1", *option]) == 2
    assert option[0] in capsys.readouterr().err


@pytest.mark.slow
def test_a_terminal_shows_the_cards() -> None:
    child = on_terminal("mark1", "--cards", "6")
    child.expect("card 1")
    child.expect("[▀▄█]{6}")
    child.expect("said nothing")
    child.expect("1 wrong so far; 6 cards in all")
    child.expect(r"New cards  right about [\d,]+ of 1,000")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_ctrl_c_ends_it_politely() -> None:
    child = on_terminal("mark1", "--cards", "100000")
    child.expect("card 3")
    interrupt(child)
