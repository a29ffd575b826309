"""The output of `rosenblatt stream`: lines during the run, a bar on a terminal, and the report."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from rosenblatt.cli import interrupt
from rosenblatt.cli.column_report import column_lines, table_facts
from rosenblatt.cli.report import (
    Facts,
    finite_or_none,
    print_columns,
    progressive_text,
    time_text,
)
from rosenblatt.cli.stream_bar import StreamBar
from rosenblatt.core.digits import counted
from rosenblatt.io.runs.stream_job import StreamJob

_HEAD = ["samples", "mistakes", "progressive error", "since last line"]
_WIDTHS = [15, 13, 17, 15]
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StreamProgress:
    """Shows a run: a line whenever the number of samples has doubled and, on a terminal, a bar.

    After the first Ctrl-C or SIGTERM the run ends with the current chunk, and saves its checkpoint if it
    has one; the second ends it at once.
    """

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._n_printed = 0
        self._n_passes = 0
        self._has_head = False
        self._is_asked_to_stop = False
        self._bar = StreamBar("reading")

    def __enter__(self) -> "StreamProgress":
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    @contextmanager
    def encodes(self, _stream: Any) -> Iterator[None]:
        """Show the pass that learns how to encode a table."""
        self._bar.begin("columns")
        yield

    @contextmanager
    def learns(self, job: StreamJob) -> Iterator[None]:
        """Show a run; Ctrl-C ends it between two chunks."""
        self._bar.begin("learning")
        self._n_printed = 0
        self._print(job)  # the lines of the run that is resumed
        before = {one: signal.signal(one, partial(self._stop, job)) for one in _SIGNALS}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
        self._print_rest(job)

    def watch(self, job: StreamJob) -> bool:
        """Show a learned chunk; return whether to stop."""
        self._print(job)
        n_passes, most = job.learning.n_passes, job.learning.passes
        if n_passes != self._n_passes:
            self._n_passes = n_passes
            self._bar.begin("learning")
        number = f"pass {n_passes + 1} of {most}, " if n_passes < most > 1 else ""
        self._bar.show(job.stream, job.learning.visited, number)
        return self._is_asked_to_stop

    def _stop(self, job: StreamJob, number: int, frame: FrameType | None) -> None:
        if self._is_asked_to_stop or job.is_waiting:
            interrupt(number, frame)
        self._is_asked_to_stop = True

    def _print(self, job: StreamJob) -> None:
        new, self._n_printed = job.lines[self._n_printed :], len(job.lines)
        if self._is_quiet:
            return
        if new and not self._has_head:
            print_columns(_HEAD, _WIDTHS)
            self._has_head = True
        for samples, mistakes in new:
            before = [line for line in job.lines if line[0] < samples]
            self._print_line(samples, mistakes, *(before[-1] if before else (0, 0)))

    def _print_rest(self, job: StreamJob) -> None:
        """Print a line for the samples since the last line."""
        found = job.learning.progressive
        if not self._is_quiet and job.lines and found.samples > job.lines[-1][0]:
            self._print_line(found.samples, found.mistakes, *job.lines[-1])

    def _print_line(self, samples: int, mistakes: int, n_before: int, wrong_before: int) -> None:
        error, recent = mistakes / samples, (mistakes - wrong_before) / (samples - n_before)
        cells = [f"{samples:,}", f"{mistakes:,}", f"{error:.4f}", f"{recent:.4f}"]
        with self._bar.above():
            print_columns(cells, _WIDTHS)


def stream_facts(job: StreamJob, model: Path | None, compile_seconds: float) -> Facts:
    """Return the report as JSON."""
    learned, run = job.learning.result()
    progressive = job.learning.progressive
    return {
        "file": job.stream.name,
        "samples": job.n_samples,
        "features": learned.features.count,
        "classes": [str(label) for label in learned.classes.labels.tolist()],
        "columns": table_facts(job.encoder),
        "learner": type(job.learning.learner).__name__,
        "passes": job.learning.n_passes,
        "outcome": run.outcome.name,
        "updates": learned.n_updates,
        "progressive": {
            "samples": progressive.samples,
            "mistakes": progressive.mistakes,
            "error": finite_or_none(progressive.error),
            "lines": [{"samples": n, "mistakes": wrong} for n, wrong in job.lines],
        },
        "unlabeled": job.n_unlabeled,
        "resumed_after": None if job.resumed_at is None else job.resumed_at.rows,
        "seconds": job.seconds,
        "compile_seconds": compile_seconds,
        "model": None if model is None else str(model),
    }


def stream_lines(job: StreamJob, model: Path | None, compile_seconds: float) -> dict[str, str]:
    """Return the report for people."""
    learned, run = job.learning.result()
    labels = [str(label) for label in learned.classes.labels.tolist()]
    classes = ", ".join(labels[:20]) + (f" and {len(labels) - 20:,} more" * (len(labels) > 20))
    facts = {
        "Data": f"{job.stream.name}: {counted(job.n_samples, 'sample')}, "
        f"{counted(learned.features.count, 'feature')}, classes {classes}",
        **column_lines(job.encoder),
        "Learner": type(job.learning.learner).__name__,
        "Outcome": str(run.outcome),
        "Passes": f"{job.learning.n_passes:,} of at most {job.learning.passes:,}, "
        f"{learned.n_updates:,} updates",
        "Progressive error": progressive_text(job.learning.progressive, "pass"),
        "Time": time_text(job.seconds, compile_seconds),
    }
    if job.n_unlabeled:
        facts["Data"] += f"; excluded: {job.n_unlabeled:,} without a label"
    if job.resumed_at is not None:
        rows, number = job.resumed_at.rows, job.resumed_pass
        position = f"{rows:,} samples of pass {number}" if rows else f"pass {number - 1}"
        facts["Resumed"] = f"after {position}"
    if model is not None:
        facts["Model"] = str(model)
    return facts
