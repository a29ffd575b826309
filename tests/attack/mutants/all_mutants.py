"""Mutants of every target, in two processes with limits of time and memory."""

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from attack.mutants.batches import Batch, run_limited
from attack.mutants.targets import TARGETS
from attack.report import Report
from attack.worker import Worker

PROCESSES = 2
BATCH = 500
SECONDS = 120.0
"""The time limit of a batch: a hang in compiled code can only be stopped from outside."""

Job = tuple[str, int, int]
"""A target, and a range of mutant numbers."""


def attack_mutants(seed: int, count: int) -> Report:
    """Change bytes of real files of every kind, and read them."""
    report = Report("mutants", "a file with changed bytes is refused, or read correctly")
    jobs = deque(job for name, number in counts(count).items() for job in cut(name, number))
    report.counts.update(dict.fromkeys(["mutants", "refused", *map(count_name, TARGETS)], 0))

    def work() -> None:
        with Worker(run_limited, SECONDS) as worker:
            while jobs and not report.is_lost:
                name, start, stop = jobs.popleft()
                for batch in answers(worker, seed, (name, start, stop)):
                    number = batch.counts.total()
                    report.count("mutants", number)
                    report.count(count_name(name), number)
                    report.count("refused", batch.counts["refused"])
                    for failure in batch.failures:
                        report.fail(failure)

    with ThreadPoolExecutor(PROCESSES) as pool:
        for done in [pool.submit(work) for _ in range(PROCESSES)]:
            done.result()
    return report


def counts(count: int) -> dict[str, int]:
    """Return how many mutants each target gets: at least one."""
    whole = sum(target.share for target in TARGETS.values())
    return {name: max(1, count * target.share // whole) for name, target in TARGETS.items()}


def cut(name: str, count: int) -> Iterator[Job]:
    for start in range(0, count, BATCH):
        yield name, start, min(start + BATCH, count)


def count_name(name: str) -> str:
    return f"of {name}"


def answers(worker: Worker, seed: int, job: Job) -> Iterator[Batch]:
    """Yield the result of a batch; if the process died, the results of its single mutants."""
    name, start, stop = job
    answer = worker.call(seed, name, start, stop)
    if answer.kind == "value":
        yield answer.value
    elif stop - start > 1:
        for number in range(start, stop):
            yield from answers(worker, seed, (name, number, number + 1))
    else:
        failure = f"{answer.kind}, {answer.value}: mutant {start} of {name}, seed {seed}"
        yield Batch(Counter([answer.kind]), [failure], 0.0)
