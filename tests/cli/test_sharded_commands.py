"""`learn --shards`: report, model, errors and resuming."""

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


def test_the_report_of_learning_in_shards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = sample_file(tmp_path, 300), tmp_path / "model.safetensors"
    arguments = ["learn", str(path), "--shards", "3", "--max-epochs", "4", "--model", str(model)]
    arguments += ["--learner", "perceptron"]
    found = document(arguments, capsys)
    assert found["outcome"] == "MIXED"
    assert found["shards"] == 3
    assert found["engine"] == "threads"
    assert found["epochs"] == 4
    assert found["data"]["samples"] == 300
    assert found["progressive"]["samples"] == 300
    assert found["training_mistakes"] > 0
    here = fitted(path, Perceptron(max_iter=4, shards=3))
    assert np.array_equal(load(model).coef_, here.coef_)
    assert run(arguments) == 0
    text = capsys.readouterr().out
    assert "Outcome            MIXED: " in text
    assert "Bound              if the margin is γ, which is at most " in text
    assert "Shards             3 on threads; slowest: shard " in text


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
def test_options_that_exclude_each_other_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    path = sample_file(tmp_path, 50)
    assert said in refused(["learn", str(path), *arguments], capsys)


def test_shards_need_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--shards needs files" in refused(["learn", "--shards", "2"], capsys)


def test_a_killed_run_resumes_with_the_same_bits(tmp_path: Path) -> None:
    path, checkpoint = sample_file(tmp_path, 3000, 3), tmp_path / "run.safetensors"
    model = tmp_path / "model.safetensors"
    arguments = [
        sys.executable, "-m", "rosenblatt", "learn", str(path), "--shards", "2", "--max-epochs", "300",
        "--checkpoint", str(checkpoint), "--resume", "--model", str(model), "--json",
        "--learner", "perceptron",
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
