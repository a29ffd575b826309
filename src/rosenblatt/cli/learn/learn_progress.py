"""Progress of `rosenblatt learn` on a terminal."""

import sys
import time
from contextlib import AbstractContextManager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rosenblatt.cli.progress import spinning
from rosenblatt.estimators.evaluation import decide_and_learn
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Watcher

_SECONDS_BETWEEN = 0.1


class EpochProgress:
    """A progress bar for the epochs of a run (see ``loop.Watcher``).

    Its end is the mistake bound if there is one, else the epoch limit.
    """

    def __init__(self, max_epochs: int, mistake_bound: int | None = None) -> None:
        self._max_epochs = max_epochs
        self._bound = mistake_bound
        self._epochs = 0
        self._mistakes = 0
        self._next_update = 0.0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[numbers]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        total = max_epochs if mistake_bound is None else mistake_bound
        self._task = self._progress.add_task("learning", total=total, numbers="")

    def __enter__(self) -> "EpochProgress":
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    patient = True

    def epoch_begins(self) -> None:
        """Do nothing: the bar moves at the end of epochs."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int) -> bool:
        """Move the bar, at most ten times per second; never stop the run."""
        self._epochs += n_epochs
        self._mistakes += epoch.mistakes
        now = time.perf_counter()
        if now >= self._next_update:
            self._next_update = now + _SECONDS_BETWEEN
            completed, numbers = self._state(epoch.mistakes / n_epochs)
            self._progress.update(self._task, completed=completed, numbers=numbers)
        return False

    def _state(self, mistakes: float) -> tuple[int, str]:
        if self._bound is not None:
            return (
                self._mistakes,
                f"{self._mistakes:,} of at most {self._bound:,} mistakes, epoch {self._epochs:,}",
            )
        return (
            self._epochs,
            f"epoch {self._epochs:,} of at most {self._max_epochs:,}, "
            f"{mistakes:,.0f} mistakes in it, {self._mistakes:,} so far",
        )


class ShownProgress(decide_and_learn.Progress):
    """Shows the stages and epochs of a run."""

    def stage(self, text: str) -> AbstractContextManager[None]:
        """Show a spinner during a stage."""
        return spinning(text)

    def epochs(self, most: int, mistake_bound: int | None) -> AbstractContextManager[Watcher]:
        """Show a bar for the epochs."""
        return EpochProgress(most, mistake_bound)
