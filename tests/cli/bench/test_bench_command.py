"""`rosenblatt bench`: what it prints. No test asserts anything about a time."""

import sys
from pathlib import Path
from typing import Any

import pytest

import rosenblatt.cli.bench.works
from commands import document
from rosenblatt.cli import run
from rosenblatt.cli.bench.works import WORKS

# Processes take seconds to start; test_works.py runs the other configurations.
IN_PROCESS = [work for work in WORKS if work.name not in ("cross-validation", "news20")]
QUICK = ["--small", "--repeats", "1"]


def measured(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    return document(["bench", *QUICK, *arguments], capsys)


def keep_works(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    chosen = [work for work in WORKS if work.name in names]
    monkeypatch.setattr(rosenblatt.cli.bench.works, "WORKS", chosen)


@pytest.fixture
def no_river(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("river", "river.linear_model"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.slow
def test_every_work_of_scikit_learn(capsys: pytest.CaptureFixture[str]) -> None:
    names = [work.name for work in IN_PROCESS if work.peer != "River"]
    facts = measured([part for name in names for part in ("--only", name)], capsys)
    assert [work["name"] for work in facts["works"]] == names
    assert (facts["small"], facts["repeats"], facts["threads"]) == (True, 1, 2)
    assert facts["skipped"] == {}
    assert {"rosenblatt", "scikit-learn", "numba"} <= set(facts["versions"])
    for work in facts["works"]:
        assert work["ours_seconds"] > 0
        assert work["ratio"] == pytest.approx(work["peer_seconds"] / work["ours_seconds"])
        assert type(work["reached"]) is bool
        assert (work["shuffled_ratio"] is None) == (work["name"][:3] in ("row", "pre"))
        assert (work["limit_ratio"] is None) == work["name"].startswith("row")
        if work["name"].startswith(("dense", "sparse")):
            assert 0 < work["run"]["exact_share"] < 0.1


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", *QUICK, "--only", "dense-binary", "--only", "row-20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["work", "ours", "peer", "ratio", "shuffled", "×limit"]
    assert [line.split()[0] for line in lines[1:3]] == ["dense-binary", "row-20"]
    assert "random pixels; peer Perceptron (n_jobs=1)" in lines[4]
    assert "exact sums 1" in lines[4]
    assert any("say nothing about speed" in line for line in lines)


def test_river(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("river")
    facts = measured(["--only", "dict-9", "--only", "dict-75"], capsys)
    assert [work["units"] for work in facts["works"]] == [50, 50]
    assert facts["versions"]["river"] != "not installed"


@pytest.mark.usefixtures("no_river")
def test_what_is_missing_is_said_in_its_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_works(monkeypatch, "news20", "dict-9", "row-20")
    assert run(["bench", *QUICK]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split(maxsplit=1) == [
        "news20",
        "needs news20/news20.bz2 in the folder that --data names",
    ]
    assert lines[2].split(maxsplit=1) == [
        "dict-9",
        "river is not installed: pip install 'rosenblatt[bench]'",
    ]
    facts = measured([], capsys)
    assert set(facts["skipped"]) == {"news20", "dict-9"}
    assert [work["name"] for work in facts["works"]] == ["row-20"]


@pytest.mark.usefixtures("no_river")
def test_what_is_missing_and_named_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for name, complaint in [
        ("dict-75", "dict-75: river is not installed: pip install 'rosenblatt[bench]'"),
        ("news20", "news20: needs news20/news20.bz2"),
    ]:
        assert run(["bench", *QUICK, "--json", "--only", name]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert complaint in err


def test_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--only", "everything"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "--only everything: there is no such work; there are dense-binary, " in err
    assert run(["bench", "--data", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert run(["bench", "--repeats", "0"]) == 2
