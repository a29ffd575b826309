"""The command line as a separate process: in a pipe, on a terminal, interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from commands import COMMAND, interrupt, on_terminal, write_csv
from rosenblatt.io.data import sonar


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Return an inseparable file on which a learner works for seconds."""
    X = np.random.default_rng(0).random((500, 2)).round(3)
    return write_csv(tmp_path / "endless.csv", X, "xy" * 250)


def test_a_pipe_gets_only_the_report(endless: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "learn", str(endless), "--max-epochs", "20"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "INSEPARABLE" in done.stdout


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], r"[\d,]+ of at most 14,104,538 mistakes, epoch [\d,]+"),
        (
            ["--time-limit", "0.001", "--no-intercept", "--max-epochs", "400000"],
            r"epoch [\d,]+ of at most 400,000, [\d,]+ mistakes in it, [\d,]+ so far|"
            r"[\d,]+ of at most [\d,]+ mistakes, epoch [\d,]+",
        ),
    ],
)
def test_a_terminal_shows_progress(options: list[str], shown: str) -> None:
    child = on_terminal("learn", str(sonar()), *options)
    child.expect(shown)
    interrupt(child)


def test_ctrl_c_leaves_nothing_behind(endless: Path) -> None:
    model = endless.with_name("model")
    child = subprocess.Popen(
        [*COMMAND, "learn", str(endless), "--model", str(model), "--max-epochs", "10000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(4)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert out == ""
    assert err == "rosenblatt: interrupted; no file was left half-written\n"
    assert sorted(os.listdir(endless.parent)) == ["endless.csv"]


def test_an_early_ctrl_c() -> None:
    for delay in (0.02, 0.1, 0.4):
        child = subprocess.Popen(
            [*COMMAND, "learn"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(delay + 0.1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        assert out == ""
        # Python itself may still be starting; later, there is one sentence.
        assert "interrupted" in err or "KeyboardInterrupt" in err


@pytest.mark.parametrize(
    ("shell", "code", "complaint"),
    [
        ("{} trace > /dev/full", 2, "the output cannot be written"),
        ("PYTHONIOENCODING=ascii {} trace", 0, ""),
    ],
)
@pytest.mark.slow
def test_output_that_cannot_be_written_or_encoded(shell: str, code: int, complaint: str) -> None:
    command = shell.format(f"'{sys.executable}' -m rosenblatt")
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == code
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["trace"],
        ["--help"],
        ["learn", "--help"],
        pytest.param(["verify"], marks=pytest.mark.slow),
    ],
)
def test_closed_pipe_exits_141(arguments: list[str], tmp_path: Path) -> None:
    """The code must not be 1, which means that a certificate is false."""
    if arguments == ["verify"]:
        proof = str(tmp_path / "proof.json")
        subprocess.run([*COMMAND, "separate", "--certificate", proof], check=True)
        arguments = ["verify", proof]
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == ""
        assert child.wait(timeout=60) == 141


@pytest.mark.parametrize(
    ("shell", "complaint"),
    [
        ("{} trace >&-", "the output cannot be written (it is closed)"),
        ("{} learn nothing 2>&-", ""),
        pytest.param("{} learn nothing 2>/dev/full", "", marks=pytest.mark.slow),
    ],
)
def test_closed_or_full_standard_streams(shell: str, complaint: str) -> None:
    command = shell.format(f"'{sys.executable}' -m rosenblatt")
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for environment in (plain, {**plain, "PYTHONUNBUFFERED": "1"}):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
        assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_internal_errors_exit_70() -> None:
    fault = "import rosenblatt.cli as c; c._call = lambda _: 1 / 0; c.main()"
    done = subprocess.run([sys.executable, "-c", fault], capture_output=True, text=True)
    assert done.returncode == 70
    assert "ZeroDivisionError" in done.stderr
