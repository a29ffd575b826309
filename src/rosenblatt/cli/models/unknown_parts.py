"""What a model does not know of samples that come in chunks: columns, and categories."""

import sys
from collections import Counter
from collections.abc import Collection

from rosenblatt.io.models.model_notes import Trained
from rosenblatt.io.samples.label_text import some_labels
from rosenblatt.io.samples.table import Table


class UnknownParts:
    """Counts, over all chunks, what the model does not know; ``columns`` are those of the first."""

    def __init__(self, trained: Trained) -> None:
        self._trained = trained
        self._values: Counter[str] = Counter()
        self.columns: list[str] = []
        self.n_samples = 0

    def add(self, table: Table) -> None:
        """Count a chunk."""
        if self.n_samples == 0:
            self.columns = self._trained.unknown_columns(table)
        self._values.update(
            self._trained.unseen_values(table)
        )  # the first has all columns, in order
        self.n_samples += table.n_samples

    @property
    def values(self) -> dict[str, int]:
        """How many cells of each column of categories have a value never learned from."""
        return {name: count for name, count in self._values.items() if count}

    def say(self, data: str, written: Collection[str]) -> None:
        """Say it on standard error, but for columns that are written beside the predictions."""
        for name, count in self.values.items():
            print(
                f"{data}: column {name}: {count:,} of {self.n_samples:,} values were never learned "
                "from, and count for nothing",
                file=sys.stderr,
            )
        unused = [name for name in self.columns if name not in written]
        if unused:
            print(
                f"{data}: columns that the model does not know are ignored: {some_labels(unused)}",
                file=sys.stderr,
            )
