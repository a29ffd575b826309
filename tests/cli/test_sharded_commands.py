"""`learn --shards`, `separate --shards` and `verify --model`: what they print, write and refuse."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from commands import document, refused
from learning_contract import bits_of, fitted, sample_file
from rosenblatt import Perceptron, load
from rosenblatt.cli import run

TABLE = "size,town,class\n" + "".join(
    f"{size},{town},{'yes' if size > (30 if town == 'Rome' else 60) else 'no'}\n"
    for size in range(0, 90, 4)
    for town in ("Rome", "Oslo")
)


def test_learning_in_shards_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = sample_file(tmp_path, 300), tmp_path / "model.safetensors"
    arguments = ["learn", str(path), "--shards", "3", "--max-epochs", "4", "--model", str(model)]
    found = document(arguments, capsys)
    assert found["outcome"] == "MIXED"
    assert found["shards"] == 3
    assert found["engine"] == "threads"
    assert found["epochs"] == 4
    assert found["data"]["samples"] == 300
    assert found["certificates"] is None
    assert found["progressive"]["samples"] == 300
    assert found["training_mistakes"] > 0
    here = fitted(path, Perceptron(max_iter=4, shards=3))
    assert np.array_equal(load(model).coef_, here.coef_)
    assert run(arguments) == 0
    text = capsys.readouterr().out
    assert "Outcome      MIXED: " in text
    assert "Bound        with a margin γ, which is at most " in text
    assert "Shards       3 on threads; slowest: shard " in text


def test_a_certificate_of_a_table_is_verified_as_the_model_prepares_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, model, proof = (str(tmp_path / name) for name in ("t.csv", "m.st", "p.json"))
    Path(table).write_text(TABLE)
    learning = ["learn", table, "--shards", "2", "--model", model, "--certificate", proof]
    found = document(learning, capsys)
    assert found["outcome"] == "SEPARATED"
    assert found["mistakes"] <= found["mistake_bound"]
    assert found["epochs"] <= found["epoch_bound"]
    assert json.loads(Path(proof).read_text()) == found["certificates"][0]
    assert run(["verify", proof, table, "--model", model]) == 0
    assert capsys.readouterr().out.startswith("TRUE: a hyperplane separates 'yes' from the rest")
    assert run(["verify", proof, table]) == 1
    assert "--model" in capsys.readouterr().out
    Path(table).write_text(TABLE.replace("40,Rome", "41,Rome"))
    assert run(["verify", proof, table, "--model", model]) == 1
    assert capsys.readouterr().out.startswith("FALSE: the data is not the data")


def test_separability_is_decided_in_shards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, proof = str(tmp_path / "t.csv"), str(tmp_path / "p.json")
    Path(table).write_text(TABLE)
    arguments = ["separate", table, "--certificate", proof]
    found, alone = (
        document([*arguments, *more], capsys)
        for more in (["--shards", "3"], ["--certificate", proof])
    )
    assert found["shards"] == 3
    for name in ("verdict", "margin", "support", "mistake_bound", "parameters"):
        assert found[name] == alone[name], name
    assert run(["separate", table, "--shards", "2", "--certificate", proof]) == 0
    assert "Shards       2 on threads" in capsys.readouterr().out
    assert run(["verify", proof, table]) == 0
    capsys.readouterr()
    Path(table).write_text(TABLE + "80,Rome,no\n")
    assert run(["separate", table, "--shards", "2"]) == 0
    said = capsys.readouterr().out
    assert "INSEPARABLE" in said
    assert "lines 42 and 48 are equal" in said


def test_no_proof_is_said_after_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, proof = sample_file(tmp_path, 300), tmp_path / "p.json"
    arguments = ["learn", str(path), "--shards", "2", "--max-epochs", "1"]
    assert run([*arguments, "--certificate", str(proof)]) == 2
    said = capsys.readouterr()
    assert "Outcome      MIXED" in said.out
    assert "p.json: nothing was written, for nothing was proved" in said.err
    assert not proof.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "ray"], "--engine needs --shards"),
        (["--resume"], "--resume needs --shards"),
        (["--shards", "2", "--folds", "3"], "--folds does not go with --shards"),
        (["--shards", "2", "--resume"], "--resume needs --checkpoint"),
        (["--shards", "2", "--learner", "winnow"], "a Winnow cannot learn in shards"),
        (["--shards", "2", "--keep", "vote"], "one sequence"),
        (["--shards", "2", "--address", "10.0.0.1:1"], "which runs on this machine"),
        (["--shards", "2", "--class-weight", "maybe=2"], "there is no class 'maybe'"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    path = sample_file(tmp_path, 50)
    assert said in refused(["learn", str(path), *arguments], capsys)


def test_importances_of_zero_are_left_out_of_learning_and_not_of_the_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, proof = tmp_path / "three.vw", tmp_path / "proof.json"
    path.write_text("1 1 |a x:1\n-1 1 |a y:1\n1 0 |a y:1\n")
    assert run(["learn", str(path), "--shards", "2", "--certificate", str(proof)]) == 2
    said = capsys.readouterr()
    assert "SEPARATED" in said.out
    assert "samples of importance 0, which were not learned from, are not all" in said.out
    assert "Certificate" not in said.out
    assert "nothing was written" in said.err
    assert not proof.exists()
    for more in ([], ["--shards", "2"]):
        assert document(["separate", str(path), *more], capsys)["verdict"] == "INSEPARABLE"


def test_a_certificate_of_samples_with_importances_is_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, proof = tmp_path / "three.vw", tmp_path / "proof.json"
    path.write_text("1 2 |a x:1\n-1 0.5 |a y:1\n1 3 |a x:2\n")
    assert run(["learn", str(path), "--shards", "2", "--certificate", str(proof)]) == 0
    assert run(["verify", str(proof), str(path), "--exact"]) == 0
    assert "TRUE" in capsys.readouterr().out


def test_shards_need_files(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("learn", "separate"):
        assert "--shards needs files" in refused([command, "--shards", "2"], capsys)


def test_a_driver_that_is_killed_is_resumed_with_the_same_bits(tmp_path: Path) -> None:
    path, checkpoint = sample_file(tmp_path, 3000, 3), tmp_path / "run.safetensors"
    model = tmp_path / "model.safetensors"
    arguments = [
        sys.executable, "-m", "rosenblatt", "learn", str(path), "--shards", "2", "--max-epochs", "300",
        "--checkpoint", str(checkpoint), "--resume", "--model", str(model), "--json",
    ]  # fmt: skip
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as driver:
        deadline = time.monotonic() + 60.0
        while not checkpoint.exists() and driver.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(driver.pid, signal.SIGKILL)
    assert not model.exists()
    ended = subprocess.run(arguments, capture_output=True, text=True, check=True)
    said = json.loads(ended.stdout)
    assert 0 < said["resumed_after"] < 300
    found, here = load(model), fitted(path, Perceptron(max_iter=300, shards=2))
    assert np.array_equal(found.coef_, here.coef_)
    assert bits_of(load(checkpoint)) == bits_of(here)
