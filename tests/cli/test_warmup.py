"""`rosenblatt warmup`: later runs compile nothing."""

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from rosenblatt.cli import run

_SAID = r"(\d+) functions compiled, (\d+) already compiled, (?:stored in (.+)|not stored.*)\n"
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


def test_warmup_prints_the_number_of_functions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[None] = []
    monkeypatch.setattr(
        "rosenblatt.cli.warmup_calls.warmup_calls", lambda: [partial(called.append, None)] * 2
    )
    assert run(["warmup"]) == 0
    assert len(called) == 2
    assert re.fullmatch(_SAID, capsys.readouterr().out)


@pytest.mark.slow
def test_nothing_compiles_after_warmup(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rosenblatt", "warmup"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    said = re.fullmatch(_SAID, done.stdout)
    assert said
    assert int(said[1]) + int(said[2]) > 100
    assert Path(said[3]).is_dir()
    after = subprocess.run(
        [sys.executable, "-c", _AFTER], capture_output=True, text=True, cwd=tmp_path
    )
    assert (after.returncode, after.stderr) == (0, "")
    compiled, loaded = json.loads(after.stdout.splitlines()[-1])
    assert (compiled, loaded > 10) == (0, True)
