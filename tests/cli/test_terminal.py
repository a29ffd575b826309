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
        (["--scale", "none"], r"[\d,]+ of at most 14,104,538 mistakes, epoch [\d,]+"),
        (
            ["--time-limit", "0.001", "--no-intercept", "--max-epochs", "400000"],
            r"epoch [\d,]+ of at most 400,000, [\d,]+ mistakes in it, [\d,]+ so far|"
            r"[\d,]+ of at most [\d,]+ mistakes, epoch [\d,]+",
        ),
    ],
)
def test_a_terminal_shows_progress(options: list[str], shown: str) -> None:
    child = on_terminal("learn", str(sonar()), "--learner", "perceptron", *options)
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


# Imports that turn KeyboardInterrupt into another error, as a class body with cached properties does.
FRAGILE = """
import os, signal, sys, time
class Name:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
class Owner:
    name = Name()
"""


def test_ctrl_c_during_an_import_is_delayed(tmp_path: Path) -> None:
    (tmp_path / "fragile.py").write_text(FRAGILE)
    code = f"""
import sys, time
import rosenblatt.cli as cli
sys.path.insert(0, {str(tmp_path)!r})
def call(_):
    import fragile
    print("imported", flush=True)
    time.sleep(60)
cli._call = call
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "imported\n")
    assert done.stderr == "rosenblatt: interrupted; no file was left half-written\n"


@pytest.mark.parametrize(
    "n_imports",
    [5, 400, *(pytest.param(n, marks=pytest.mark.slow) for n in range(20, 1800, 40))],
)
def test_ctrl_c_at_any_moment_of_starting(n_imports: int, tmp_path: Path) -> None:
    path = tmp_path / "data.svm"
    path.write_text("+1 1:1\n-1 1:-1\n" * 50)
    code = f"""
import os, signal, sys
from rosenblatt.cli import main
left = {n_imports}
def hook(event, _):
    global left
    if event == "import":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "stream", str(path)], capture_output=True, text=True
    )
    assert done.returncode in (0, 130), done.stderr
    assert done.stderr in ("", "rosenblatt: interrupted; no file was left half-written\n")


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
