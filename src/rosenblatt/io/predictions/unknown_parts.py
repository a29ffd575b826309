"""What a model does not know of samples that come in chunks: columns, and categories."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from rosenblatt.io.models.model_notes import Trained
from rosenblatt.io.samples.label_text import some_labels
from rosenblatt.io.samples.table import Table


@dataclass
class UnknownParts:
    """Counts, over all chunks, what the model does not know; ``columns`` are those of the first.

    ``n_cells`` says of each column of categories how many of its cells have a value never learned from.
    """

    columns: list[str] = field(default_factory=list)
    n_cells: Counter[str] = field(default_factory=Counter)
    n_samples: int = 0

    def add(self, trained: Trained, table: Table) -> None:
        """Count the next chunk."""
        if self.n_samples == 0:
            self.columns = trained.unknown_columns(table)
        self.n_cells.update(trained.unseen_values(table))  # the first has all columns, in order
        self.n_samples += table.n_samples

    @property
    def values(self) -> dict[str, int]:
        """The columns of categories that have cells with a value never learned from."""
        return {name: count for name, count in self.n_cells.items() if count}

    def lines(self, data: str, written: Collection[str]) -> list[str]:
        """Return it in words, but for columns that are written beside the predictions.

        >>> UnknownParts(["age", "id"], Counter(town=2), 5).lines("a.csv", ["id"])[0]
        'a.csv: column town: 2 of 5 values were never learned from, and count for nothing'
        """
        lines = [
            f"{data}: column {name}: {count:,} of {self.n_samples:,} values were never learned from, "
            "and count for nothing"
            for name, count in self.values.items()
        ]
        unused = [name for name in self.columns if name not in written]
        if unused:
            names = some_labels(unused)
            lines.append(f"{data}: columns that the model does not know are ignored: {names}")
        return lines
