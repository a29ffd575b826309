"""Batches of mutants, in a process that may allocate one more gigabyte."""

import hashlib
import os
import random
import resource
import signal
import tempfile
import time
import traceback
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from attack.mutants.mutations import mutated
from attack.mutants.target import Mutant, Target
from attack.mutants.targets import TARGETS

SECONDS = 2.0
"""The limit of processor time for a single mutant."""

WARMUPS = 6
"""How often each seed is read beforehand, with different options."""

MEMORY = 1 << 30
"""The bytes that a single mutant may allocate; its file has a few thousand."""

ALARMS: list[float] = []
"""When a mutant took too long; other libraries may swallow the exception."""


class SlowError(BaseException):
    """A mutant takes too long; not an Exception, so that no handler catches it."""


class Batch(NamedTuple):
    """The result of some mutants: counts, failures, and the time it took."""

    counts: Counter[str]
    failures: list[str]
    seconds: float


def run_batch(seed: int, name: str, start: int, stop: int, limit: float = 0.0) -> Batch:
    """Read a range of mutants of a target, each with a time limit unless it is 0."""
    target = TARGETS[name]
    counts: Counter[str] = Counter()
    failures: list[str] = []
    began = time.process_time()
    with tempfile.TemporaryDirectory(dir=folder()) as where:
        path = Path(where) / "file"
        for number in range(start, stop):
            changed = make_mutant(seed, target, number)
            kind, wrong = judged(target, changed, path, limit)
            counts[kind] += 1
            if wrong:
                failures.append(
                    f"{wrong}: mutant {number} of {name}, seed {seed}, draw {changed.draw}: "
                    f"{changed.content[:1500]!r}"
                )
    return Batch(counts, failures, time.process_time() - began)


def run_limited(seed: int, name: str, start: int, stop: int) -> Batch:
    """Run a batch with limits of time and memory, which stay for the rest of the process."""
    set_limits(name)
    return run_batch(seed, name, start, stop, SECONDS)


@cache
def set_limits(name: str) -> None:
    """Read every seed, so that all code is loaded and compiled; then limit the memory."""
    resource.setrlimit(resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)[1:] * 2)
    signal.signal(signal.SIGVTALRM, too_slow)
    target = TARGETS[name]
    with tempfile.TemporaryDirectory(dir=folder()) as where:
        for k, content in enumerate(target.seeds()):
            for draw in range(WARMUPS):
                judged(target, Mutant(target.repair(content), k, draw), Path(where) / "file", 0.0)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, most))


def too_slow(*_: object) -> None:
    ALARMS.append(time.process_time())
    raise SlowError


def folder() -> str | None:
    """Return a folder in memory, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def make_mutant(seed: int, target: Target, number: int) -> Mutant:
    """Return a mutant, which depends only on the seed, the target and the number."""
    digest = hashlib.sha256(f"{seed} {target.name} {number}".encode()).digest()
    rng = random.Random(int.from_bytes(digest))
    seeds = target.seeds()
    k = rng.randrange(len(seeds))
    return Mutant(target.repair(mutated(rng, seeds[k], seeds)), k, rng.randrange(1 << 16))


def judged(target: Target, mutant: Mutant, path: Path, limit: float) -> tuple[str, str]:
    """Return the kind of a reader's answer, and what is wrong with it.

    A slow mutant is read a second time, because the first read may have compiled something.
    """
    ALARMS.clear()
    answer = judged_once(target, mutant, path, limit)
    return judged_once(target, mutant, path, limit) if ALARMS else answer


def judged_once(target: Target, mutant: Mutant, path: Path, limit: float) -> tuple[str, str]:
    from rosenblatt import InputError

    path.write_bytes(mutant.content)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            answer = target.read(path, mutant)
        except InputError as error:
            wrong = target.wrong_refusal(mutant, str(error), path)
            return "refused", wrong and f"{wrong}, {str(error)!r}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        return "accepted", target.wrong(mutant, answer)
    except SlowError:
        return "slow", f"more than {limit:g} s"
    except Exception:
        return "failed", traceback.format_exc(limit=-4)
