"""`separate` and `verify`: verdicts, certificates, and files that are refused."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from commands import AND, IRIS_LIKE, XOR, document, write_csv
from rosenblatt.cli import run as run_command

DECIMAL = pa.decimal128(30, 19)
SHIFTED = "1,no\n2,yes\n3,yes\n0.5,no\n"
CENTERED = "1,p\n-3,n\n2,p\n-4,n\n"


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run_command(arguments)
    captured = capsys.readouterr()
    return code, captured.out + captured.err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(AND)
    return path


def test_separate_and_verify(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = data.with_suffix(".json")
    assert run_command(["separate", str(data), "--exact", "--certificate", str(proof)]) == 0
    out = capsys.readouterr().out
    assert "SEPARABLE: a separating hyperplane exists" in out
    assert "its square is exactly 1/17" in out
    assert "a perceptron with an intercept makes at most 51" in out
    for options in ([], ["--exact"]):
        assert run_command(["verify", str(proof), str(data), *options]) == 0
        assert capsys.readouterr().out.startswith(
            "TRUE: a hyperplane separates 'yes' from all other samples"
        )
    assert document(["verify", str(proof), str(data)], capsys)["true"] is True
    data.write_text(AND.replace("0,1,no", "0,1,yes"))
    assert run_command(["verify", str(proof), str(data)]) == 1
    assert capsys.readouterr().out == (
        "FALSE: this certificate is about other data: the digests differ; "
        "use the options that 'separate' had\n"
    )
    assert run_command(["verify", str(proof), str(data), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["true"] is False


def test_a_changed_certificate_is_false(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = data.with_suffix(".json")
    assert run_command(["separate", str(data), "--exact", "--certificate", str(proof)]) == 0
    text = proof.read_text()
    assert '"1/17"' in text
    proof.write_text(text.replace('"1/17"', '"1/16"'))
    capsys.readouterr()
    assert run_command(["verify", str(proof), str(data)]) == 1
    assert capsys.readouterr().out.startswith("FALSE: ")


def test_separate_proves_that_xor_is_inseparable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, proof = tmp_path / "xor.csv", tmp_path / "proof.json"
    path.write_text(XOR)
    facts = document(["separate", str(path), "--certificate", str(proof)], capsys)
    assert facts["verdict"] == "INSEPARABLE"
    assert facts["conflicts"][0]["rows"] == [0, 1, 2, 3]
    assert facts["squared_margin"] == "0"
    assert run_command(["verify", str(proof), str(path)]) == 0
    assert (
        "no hyperplane strictly separates 'yes' from all other samples, and 4 rows prove it"
        in capsys.readouterr().out
    )


def test_separate_many_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, proof = tmp_path / "three.csv", tmp_path / "proof.json"
    path.write_text(IRIS_LIKE)
    facts = document(["separate", str(path), "--certificate", str(proof)], capsys)
    assert facts["verdict"] == "SEPARABLE"
    assert set(facts["by_class"]) == {"a", "b", "c"}
    assert run_command(["verify", str(proof), str(path), "--exact"]) == 0
    assert "TRUE: one weight vector and one intercept per class" in capsys.readouterr().out
    assert run_command(["separate", str(path)]) == 0
    assert re.search("^b vs not b +SEPARABLE$", capsys.readouterr().out, re.MULTILINE)
    assert run_command(["separate", str(path), "--verbose"]) == 0
    out = capsys.readouterr().out
    assert re.search("^b vs not b +SEPARABLE: the maximum margin", out, re.MULTILINE)
    assert "SEPARABLE: one weight vector and one intercept per class can" in out


def test_weights_of_many_digits_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 90)), rng.integers(0, 2, 200)
    path = write_csv(tmp_path / "noise.csv", X, y)
    facts = document(["separate", str(path)], capsys)
    assert facts["verdict"] == "INSEPARABLE"
    assert max(len(weight) for weight in facts["conflicts"][0]["weights"]) > 1000


def test_control_characters_in_labels_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("1,\x1b[31mred\n2,blue\n")
    assert run_command(["separate", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


def test_affine_without_an_intercept(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["separate", str(data), "--margin", "affine", "--no-intercept"]) == 2
    assert "leave --no-intercept out" in capsys.readouterr().err


def test_bad_certificates(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = data.with_suffix(".json")
    for content, complaint in [
        (b"{", "is not a JSON document"),
        (b"[]", "this is not a certificate"),
        (b"\xff", "this is not a UTF-8 text file"),
    ]:
        proof.write_bytes(content)
        assert run_command(["verify", str(proof), str(data)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert str(proof) in err
        assert complaint in err
    assert run_command(["learn", str(data), "--model", str(proof)]) == 0
    capsys.readouterr()
    assert run_command(["verify", str(proof), str(data)]) == 2
    assert capsys.readouterr().err == f"rosenblatt: {proof}: this is a model, not a certificate\n"
    proof.unlink()
    assert run_command(["verify", str(proof), str(data)]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert run_command(["separate", str(data), "--certificate", str(data)]) == 2
    assert "the certificate would overwrite" in capsys.readouterr().err
    assert run_command(["separate", str(data), "--tolerance", "2"]) == 2
    assert "tolerance=2.0 is not accepted" in capsys.readouterr().err


def test_without_an_intercept_claims_are_about_the_origin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    data.write_text(SHIFTED)
    command = ["separate", str(data), "--certificate", str(proof), "--no-intercept"]
    code, out = run(command, capsys)
    assert code == 0
    assert "INSEPARABLE: no hyperplane through the origin puts every sample" in out
    assert run(["verify", str(proof), str(data)], capsys) == (
        0,
        "TRUE: no hyperplane through the origin strictly separates 'yes' from all other samples, and 2 "
        "rows prove it\n",
    )
    facts = json.loads(run([*command, "--json"], capsys)[1])
    assert "through the origin" in facts["sentence"]
    assert "through the origin" in facts["conflicts"][0]["sentence"]
    facts = json.loads(run(["verify", str(proof), str(data), "--json"], capsys)[1])
    assert "through the origin" in facts["claim"]
    assert "SEPARABLE: a separating hyperplane exists" in run(["separate", str(data)], capsys)[1]


def test_the_kind_of_margin_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    data.write_text(CENTERED)
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
    assert "INSEPARABLE: one weight vector and no intercept per class cannot give" in out
    assert out.count("INSEPARABLE through the origin: ") == 3
    _, out = run(["separate", str(data)], capsys)
    assert "origin" not in out
    assert "a perceptron of all classes jointly, with an intercept, makes at most" in out


def test_files_that_are_no_certificates_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, proof, pipe = (tmp_path / name for name in ("data.csv", "proof.json", "pipe"))
    data.write_text(CENTERED)
    assert run(["separate", str(data), "--certificate", str(proof)], capsys)[0] == 0
    text = proof.read_text()
    os.mkfifo(pipe)
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1 << 40)
    for path, sentence in (
        (Path("/dev/zero"), "this is not a regular file"),
        (pipe, "this is not a regular file"),
        (tmp_path, "this is a folder"),
        (large, "the file is too large; the limit is "),
    ):
        code, said = run(["verify", str(path), str(data)], capsys)
        assert (code, said.count("\n")) == (2, 1)
        assert f"{path}: {sentence}" in said
    true = json.loads(text)
    for key, value in (
        ("combination", [["0x" + "f" * 5000, 1]]),
        ("lower_squared", f"0x{'f' * 10**6}/0x{'e' * 10**6}"),
        ("constant", "0x1p+5000000"),
        ("positive", "\ud800"),
        ("positive", "p" * 10**6),
        ("classes", ["\ud800", "p"]),
    ):
        proof.write_text(json.dumps({**true, key: value}))
        for options in ([], ["--json"], ["--exact"]):
            code, said = run(["verify", str(proof), str(data), *options], capsys)
            assert code in (1, 2)
            assert len(said) < 1200


def test_one_label_needs_no_intercept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, proof = tmp_path / "one.csv", tmp_path / "proof.json"
    path.write_text("1,2,in\n2,1,in\n-1,-2,in\n")
    code, said = run(["separate", str(path)], capsys)
    assert code == 2
    assert "every sample has the label in; with an intercept there is nothing to separate" in said
    assert "use --no-intercept" in said
    options = ["--no-intercept", "--certificate", str(proof)]
    code, said = run(["separate", str(path), *options], capsys)
    assert code == 0
    assert "1/2·line 1 + 1/2·line 3 is the origin" in said
    code, said = run(["verify", str(proof), str(path)], capsys)
    assert (code, said) == (
        0,
        "TRUE: no hyperplane through the origin puts every sample strictly on its positive side, and 2 "
        "rows prove it\n",
    )


def conflict_in(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the conflict as text, after checking that JSON words it the same way."""
    code, out = run(["separate", str(path)], capsys)
    assert code == 0
    (text,) = re.findall(r"^Conflict +(.*)$", out, re.MULTILINE)
    sentence = document(["separate", str(path)], capsys)["conflicts"][0]["sentence"]
    assert re.sub(r"^\w+ \d and \d ", "", text) == re.sub(r"^\w+ \d and \d ", "", sentence)
    return str(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,class\n0.1,2,x\n0.10000000000000000001,2,y\n5,5,x\n", "are equal as float64 but"),
        ("a,b,class\n1,red,x\n1,red,y\n5,blue,x\n2,blue,y\n", "are equal but"),
        ("a,b,class\n.5,red,x\n.5,red,y\n5,blue,x\n2,blue,y\n", "are equal as float64 but"),
        ("1 1:0.5\n2 1:0.5\n1 1:3\n", "are equal as float64 but"),
        ("1 1:3\n2 1:3\n", "are equal but"),
    ],
)
def test_numbers_read_from_text_are_called_equal_as_float64(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.txt"
    path.write_text(text)
    assert says in conflict_in(path, capsys)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (pa.array(["0.1", "0.1000000000000000001", "5"]).cast(DECIMAL), "equal as float64 but"),
        (pa.array(["0.1", "0.1", "5"]).cast(DECIMAL), "are equal but"),
        (pa.array([0.1, 0.1, 5.0]), "are equal but"),
        (pa.array([10**18, 10**18 + 1, 10**17], pa.timestamp("ns")), r"\(after encoding\)$"),
    ],
    ids=["decimals", "equal decimals", "floats", "moments"],
)
def test_stored_numbers_that_differ_are_not_called_equal(
    cells: pa.Array, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.parquet"
    pa_parquet.write_table(pa.table({"a": cells, "b": [2, 2, 5], "class": ["x", "y", "x"]}), path)
    assert re.search(says, conflict_in(path, capsys))


def test_a_constant_column_can_take_the_place_of_the_intercept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    path.write_text("one,size,class\n1,3,a\n1,2,a\n1,1,b\n")
    assert run_command(["separate", str(path), "--no-intercept"]) == 0
    out = capsys.readouterr().out
    assert "INSEPARABLE" in out
    assert "one (one value only; --numeric one keeps it)" in out
    assert run_command(["separate", str(path), "--no-intercept", "--numeric", "one"]) == 0
    assert " SEPARABLE" in capsys.readouterr().out
