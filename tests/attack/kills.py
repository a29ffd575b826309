"""Processes killed in the middle of `save`, and learners interrupted from the keyboard."""

import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from attack.models import checksum, parts
from attack.report import Report

ROOT = Path(__file__).resolve().parents[2]

SAVER = """
import os, sys, warnings
import numpy as np
from rosenblatt import Perceptron, save
warnings.simplefilter("ignore")
X = np.random.RandomState(0).randn(4, 60_000)
models = [Perceptron(max_iter=n).fit(X, [0, 1, 1, 0]) for n in (1, 3)]
for model, path in zip(models, sys.argv[1:3]):
    save(model, path)
print("ready", flush=True)
for line in sys.stdin:  # each line starts a child that saves until it is killed
    target = line.strip()
    if (child := os.fork()) == 0:
        print(os.getpid(), flush=True)
        k = 0
        while True:
            save(models[k % 2], target)
            k += 1
    os.waitpid(child, 0)
    save(models[0], target)
    print("saved", flush=True)
"""

LEARNER = """
import sys
import rosenblatt.cli
from rosenblatt.io.data import sonar
print("ready", flush=True)
sys.argv = ["rosenblatt", "learn", str(sonar()), "--model", sys.argv[1]]
sys.argv += ["--learner", "perceptron", "--scale", "none"]
rosenblatt.cli.main()
"""


def attack_saves(seed: int, count: int) -> Report:
    """Kill processes that save: the file is the old or the new one, and nothing else is left."""
    report = Report(
        "kills in save", "the file is complete, the old or the new one; nothing else is left"
    )
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        wholes = [Path(name) / "first", Path(name) / "second"]
        folder = Path(name) / "models"
        folder.mkdir()
        target = folder / "model"
        with started(SAVER, *map(str, wholes)) as saver:
            expect(saver, "ready")
            known = {digest(path) for path in wholes}
            target.write_bytes(wholes[0].read_bytes())
            for _ in range(count):
                saver.stdin.write(f"{target}\n")
                saver.stdin.flush()
                child = int(saver.stdout.readline())
                time.sleep(rng.random() * 0.03)
                left = kill(child, folder)
                report.count("kills")
                report.count("temporary files left by them", left)
                report.check(digest(target) in known, "the model file is neither of the two")
                expect(saver, "saved")
                report.check(digest(target) in known, "the next save wrote something else")
                stale = sorted(path.name for path in folder.iterdir() if path != target)
                report.check(not stale, f"after the next save there is {stale}")
                for path in stale:
                    (folder / path).unlink()
            saver.stdin.close()
    return report


def kill(child: int, folder: Path) -> int:
    """Kill a process, and count the files that it leaves besides its model."""
    os.kill(child, signal.SIGSTOP)
    n_files = len(list(folder.iterdir())) - 1
    os.kill(child, signal.SIGKILL)
    return n_files


def attack_interrupts(seed: int, count: int) -> Report:
    """Press Ctrl-C during `rosenblatt learn`: exit code 130, one sentence, nothing half-written."""
    report = Report(
        "interrupts of learn", "exit code 130 and one sentence; the file is the old one"
    )
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        for _ in range(count):
            folder = Path(tempfile.mkdtemp(dir=name))
            target = folder / "model"
            had_one = rng.random() < 0.5
            if had_one:
                target.write_bytes(b"the old one")
            with started(LEARNER, str(target)) as learner:
                expect(learner, "ready")
                time.sleep(rng.random() * 3.0)
                learner.send_signal(signal.SIGINT)
                out, err = learner.communicate(timeout=60)
            report.count("interrupts")
            check_interrupted(report, learner.returncode, err, folder, had_one=had_one)
            report.check("Traceback" not in out + err, f"a traceback: {(out + err)[-500:]}")
    return report


def check_interrupted(report: Report, code: int, err: str, folder: Path, *, had_one: bool) -> None:
    """Check the files that an interrupted learner left."""
    target = folder / "model"
    others = sorted(path.name for path in folder.iterdir() if path != target)
    report.check(not others, f"{others} is left")
    if code == 0:
        report.count("that had ended before")
        report.check(target.exists() and target.stat().st_size > 1000, "there is no model")
        return
    report.check(code == 130, f"exit code {code}: {err[-500:]}")
    old = target.read_bytes() == b"the old one" if had_one else not target.exists()
    report.check(old, "the old file was replaced by something else")


def started(source: str, *arguments: str) -> Any:
    """Start Python with source code, and pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if source is LEARNER else None,
    )


def expect(process: Any, word: str) -> None:
    line = process.stdout.readline().strip()
    if line != word:
        process.kill()
        raise AssertionError(f"expected {word!r}, got {line!r}")


def digest(path: Path) -> str:
    """Return the checksum in a model file, or an error: the order of the file itself varies."""
    try:
        head, body = parts(path.read_bytes())
        stored = head.pop("__metadata__")
        is_valid = stored["sha256"] == checksum(stored["model"], head, body)
        return stored["sha256"] if is_valid else "damaged"
    except (ValueError, KeyError, struct.error) as error:
        return repr(error)
