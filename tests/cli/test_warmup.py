"""`rosenblatt warmup`: it says what it did, and nothing is left to compile after it."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from commands import document
from rosenblatt.cli import run
from rosenblatt.cli.warmup import public_calls
from rosenblatt.cli.warmup.public_calls import KINDS, Step, steps
from rosenblatt.core.compiling import was_loaded

_AFTER = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import scipy.sparse as sp
from rosenblatt import Perceptron
from rosenblatt.cli import run
from rosenblatt.core.compiling import n_compiled, n_loaded
rng = np.random.default_rng(0)
for n_classes in (2, 10, 40):
    y = np.arange(200) % n_classes
    for dtype in (np.float32, np.float64):
        for X in (rng.random((200, 300)), sp.random(200, 300, 0.1, format="csr", rng=rng)):
            X = X.astype(dtype)
            Perceptron(max_iter=3).fit(X, y).predict(X)
            Perceptron(max_iter=3, keep="average", n_jobs=2).fit(X, y).predict(X)
            Perceptron().partial_fit(X, y, np.unique(y)).predict(X[:2])
for command in (["learn", "--max-epochs", "5"], ["separate"], ["learn", "--folds", "2"], ["trace"]):
    assert run(command) == 0
print(json.dumps([n_compiled(), n_loaded()]))
"""


@pytest.fixture
def two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Step("one", was_loaded), Step("two", partial(int, 2))]
    monkeypatch.setattr(public_calls, "steps", lambda: iter(found))


@pytest.mark.usefixtures("two_steps")
def test_it_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(["warmup"], capsys)
    assert (facts["compiled"], facts["found"], facts["compile_seconds"]) == (0, 1, 0.0)
    assert run(["warmup"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Compiled  0 functions in 0 µs", "Found     1 that were compiled before"]
    assert lines[2].startswith("Folder    ")


def test_every_kind_of_samples_is_used() -> None:
    names = [step.name for step in steps()]
    assert len(set(names)) == len(names)
    for kind in KINDS:
        assert sum(kind.name in name for name in names) > 5
        X = kind.store([[1, 0]])
        assert X.shape == (1, 2)


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rosenblatt", "warmup", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["compiled"] + facts["found"] > 100
    assert Path(facts["folder"]).is_dir()
    after = subprocess.run(
        [sys.executable, "-c", _AFTER], capture_output=True, text=True, cwd=tmp_path
    )
    assert (after.returncode, after.stderr) == (0, "")
    compiled, loaded = json.loads(after.stdout.splitlines()[-1])
    assert (compiled, loaded > 20) == (0, True)
