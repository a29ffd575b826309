"""Progress on a terminal, nothing in a pipe."""

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rosenblatt.history import Epoch

_SECONDS_BETWEEN = 0.1


class EpochProgress:
    """A bar that shows the epochs as they pass; it watches a run (see ``loop.Watcher``)."""

    def __init__(self, max_epochs: int) -> None:
        self._max_epochs = max_epochs
        self._epochs = 0
        self._mistakes = 0
        self._next_look = 0.0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[numbers]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task("learning", total=max_epochs, numbers="")

    def __enter__(self) -> "EpochProgress":
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def epoch_begins(self) -> None:
        """Show nothing: what counts is what an epoch did."""

    def epoch_ends(self, epoch: Epoch) -> bool:
        """Show the epoch, unless the last look was a moment ago; never stop the run."""
        self._epochs += 1
        self._mistakes += epoch.mistakes
        now = time.perf_counter()
        if now >= self._next_look:
            self._next_look = now + _SECONDS_BETWEEN
            self._progress.update(
                self._task,
                completed=self._epochs,
                numbers=(
                    f"epoch {self._epochs:,} of at most {self._max_epochs:,}, "
                    f"{epoch.mistakes:,} mistakes in it, {self._mistakes:,} so far"
                ),
            )
        return False
