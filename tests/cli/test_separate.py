"""What `separate` and `verify` say and read: claims as they were proved, and files of any kind."""

import json
import os
from pathlib import Path

import pytest

from rosenblatt.cli import run as run_command

SHIFTED = "1,no\n2,yes\n3,yes\n0.5,no\n"
CENTRED = "1,p\n-3,n\n2,p\n-4,n\n"


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run_command(arguments)
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


def test_what_is_no_certificate_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, proof, pipe = (tmp_path / name for name in ("data.csv", "proof.json", "pipe"))
    data.write_text(CENTRED)
    assert run(["separate", str(data), "--certificate", str(proof)], capsys)[0] == 0
    text = proof.read_text()
    os.mkfifo(pipe)
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1 << 40)
    for path, sentence in (
        (Path("/dev/zero"), "this is no ordinary file"),
        (pipe, "this is no ordinary file"),
        (tmp_path, "this is a folder"),
        (large, "the file is too large; at most "),
    ):
        code, said = run(["verify", str(path), str(data)], capsys)
        assert (code, said.count("\n")) == (2, 1)
        assert f"{path}: {sentence}" in said
    document = json.loads(text)
    for key, value in (
        ("combination", [["0x" + "f" * 5000, 1]]),
        ("lower_squared", f"0x{'f' * 10**6}/0x{'e' * 10**6}"),
        ("constant", "0x1p+5000000"),
        ("positive", "\ud800"),
        ("positive", "p" * 10**6),
        ("classes", ["\ud800", "p"]),
    ):
        proof.write_text(json.dumps({**document, key: value}))
        for options in ([], ["--json"], ["--exact"]):
            code, said = run(["verify", str(proof), str(data), *options], capsys)
            assert code in (1, 2)
            assert len(said) < 1000
