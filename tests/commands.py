"""Helpers for tests of the command line: JSON documents, sample files, terminals."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pexpect
import pytest

from rosenblatt.cli import run

AND = "x1,x2,both\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
XOR = "0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
IRIS_LIKE = "1,0,a\n0,1,b\n-1,-1,c\n2,0,a\n0,2,b\n-2,-2,c\n"

COMMAND = [sys.executable, "-c", "from rosenblatt.cli import main; main()"]


def document(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the JSON document that a command prints; it must print nothing else."""
    assert run([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one-line error of a command, which must print nothing else."""
    capsys.readouterr()
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rosenblatt: ")
    assert err.count("\n") == 1
    return err


def write_csv(path: Path, X: np.ndarray, y: Iterable[object]) -> Path:
    lines = [",".join(map(repr, x)) + f",{label}" for x, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines))
    return path


def on_terminal(*arguments: str, before: str = "") -> pexpect.spawn:
    """Run a command on a terminal, after the Python code ``before``."""
    return pexpect.spawn(
        COMMAND[0],
        [COMMAND[1], f"{before}\n{COMMAND[2]}", *arguments],
        encoding="utf-8",
        dimensions=(30, 160),
        timeout=120,
    )


def interrupt(child: pexpect.spawn) -> None:
    """Press Ctrl-C, and check the message and the exit code."""
    child.sendintr()
    child.expect("interrupted; no file was left half-written")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in (child.before or "")
