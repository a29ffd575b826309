"""Batches of mutants, in a process that may take one gigabyte more than it has, and no other failure."""

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

from attack.mutants.mutations import mutant
from attack.mutants.target import Mutant, Target
from attack.mutants.targets import TARGETS

SECONDS = 2.0
"""Of processor time, for a single mutant."""

WARMUPS = 6
"""How often each seed is read beforehand, in different ways."""

ROOM = 1 << 30
"""Bytes that a single mutant may ask for: its file has some thousand."""


ALARMS: list[float] = []
"""When a mutant took too long: an exception may be lost in code that others have written."""


class SlowError(BaseException):
    """A mutant takes too long. Nothing that catches exceptions must catch it."""


class Batch(NamedTuple):
    """What came of some mutants: how many were refused, what was wrong, and the seconds that it took."""

    counts: Counter[str]
    failures: list[str]
    seconds: float


def run_batch(seed: int, name: str, start: int, stop: int, limit: float = 0.0) -> Batch:
    """Have a target read its mutants with these numbers, each in a limited time unless that is 0."""
    target = TARGETS[name]
    counts: Counter[str] = Counter()
    failures: list[str] = []
    began = time.process_time()
    with tempfile.TemporaryDirectory(dir=folder()) as where:
        path = Path(where) / "file"
        for number in range(start, stop):
            one = made(seed, target, number)
            how, wrong = tried(target, one, path, limit)
            counts[how] += 1
            if wrong:
                failures.append(
                    f"{wrong}: mutant {number} of {name}, seed {seed}, draw {one.draw}: "
                    f"{one.content[:1500]!r}"
                )
    return Batch(counts, failures, time.process_time() - began)


def run_limited(seed: int, name: str, start: int, stop: int) -> Batch:
    """Do so with limits of time and memory, which hold for the rest of the process."""
    set_limits(name)
    return run_batch(seed, name, start, stop, SECONDS)


@cache
def set_limits(name: str) -> None:
    """Read every seed, so that all is loaded and compiled; then limit what more may be asked for."""
    resource.setrlimit(resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)[1:] * 2)
    signal.signal(signal.SIGVTALRM, too_slow)
    target = TARGETS[name]
    with tempfile.TemporaryDirectory(dir=folder()) as where:
        for k, content in enumerate(target.seeds()):
            for draw in range(WARMUPS):
                tried(target, Mutant(target.repair(content), k, draw), Path(where) / "file", 0.0)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, most))


def too_slow(*_: object) -> None:
    ALARMS.append(time.process_time())
    raise SlowError


def folder() -> str | None:
    """Return where files are not written to a disk, if there is such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def made(seed: int, target: Target, number: int) -> Mutant:
    """Return a mutant; it depends on nothing but the seed, the target and the number."""
    digest = hashlib.sha256(f"{seed} {target.name} {number}".encode()).digest()
    rng = random.Random(int.from_bytes(digest))
    seeds = target.seeds()
    k = rng.randrange(len(seeds))
    return Mutant(target.repair(mutant(rng, seeds[k], seeds)), k, rng.randrange(1 << 16))


def tried(target: Target, one: Mutant, path: Path, limit: float) -> tuple[str, str]:
    """Return how a reader answers, and what is wrong with that.

    What takes too long is asked once more: the first time something may have had to be compiled.
    """
    ALARMS.clear()
    answer = answered(target, one, path, limit)
    return answered(target, one, path, limit) if ALARMS else answer


def answered(target: Target, one: Mutant, path: Path, limit: float) -> tuple[str, str]:
    from rosenblatt import InputError

    path.write_bytes(one.content)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            answer = target.read(path, one)
        except InputError as error:
            wrong = target.wrong_refusal(one, str(error), path)
            return "refused", wrong and f"{wrong}, {str(error)!r}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        return "accepted", target.wrong(one, answer)
    except SlowError:
        return "slow", f"more than {limit:g} s"
    except Exception:
        return "failed", traceback.format_exc(limit=-4)
