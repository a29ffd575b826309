"""What `separate` and `verify` say and read: the claim as it was proved, and certificates of any kind."""

import json
import os
from pathlib import Path

import pytest

from rosenblatt.__main__ import main
from rosenblatt.certificates.codec import MOST_BYTES
from rosenblatt.files import read_text

SHIFTED = "1,no\n2,yes\n3,yes\n0.5,no\n"
CENTRED = "1,p\n-3,n\n2,p\n-4,n\n"


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_without_an_intercept_nothing_is_said_of_other_hyperplanes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    data.write_text(SHIFTED)
    command = ["separate", str(data), "--certificate", str(proof), "--no-intercept"]
    code, out = run(command, capsys)
    assert code == 0
    assert "INSEPARABLE: no hyperplane through the origin can have every sample" in out
    assert run(["verify", str(proof), str(data)], capsys) == (
        0,
        "TRUE: no hyperplane through the origin strictly separates 'yes' from the rest, and 2 rows "
        "prove it\n",
    )
    facts = json.loads(run([*command, "--json"], capsys)[1])
    assert "through the origin" in facts["sentence"]
    assert "through the origin" in facts["conflicts"][0]["sentence"]
    facts = json.loads(run(["verify", str(proof), str(data), "--json"], capsys)[1])
    assert "through the origin" in facts["claim"]
    assert "SEPARABLE: a hyperplane has" in run(["separate", str(data)], capsys)[1]


def test_the_margin_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    data.write_text(CENTRED)
    for options, kind, value in (
        ([], "augmented", "1.41421"),
        (["--margin", "affine"], "affine", "2"),
        (["--no-intercept"], "through the origin", "1"),
    ):
        command = ["separate", str(data), "--certificate", str(proof), *options]
        said = f"the maximum margin ({kind}) is {value}, to six digits"
        code, out = run(command, capsys)
        assert code == 0
        assert said in out
        who = "without" if "--no-intercept" in options else "with"
        assert f"a perceptron {who} an intercept makes at most" in out
        assert f"{said}\n" in run(["verify", str(proof), str(data)], capsys)[1]
        facts = json.loads(run([*command, "--json"], capsys)[1])
        assert facts["margin"]["kind"] == kind
    for options, kind in (([], "augmented"), (["--no-intercept"], "through the origin")):
        assert f"the maximum margin ({kind})" in run(["learn", str(data), *options], capsys)[1]


def test_many_classes_without_intercepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "three.csv"
    data.write_text("1,a\n2,b\n3,c\n")
    _, out = run(["separate", str(data), "--no-intercept"], capsys)
    assert "INSEPARABLE: one weight vector and no intercept for each class cannot give" in out
    assert out.count("INSEPARABLE through the origin: ") == 3
    _, out = run(["separate", str(data)], capsys)
    assert "origin" not in out
    assert "a perceptron of all classes jointly, with an intercept, makes at most" in out
