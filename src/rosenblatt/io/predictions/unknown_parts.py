"""Columns and categories of samples that a model does not know."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from rosenblatt.io.models.model_notes import LoadedModel
from rosenblatt.io.samples.label_text import some_labels
from rosenblatt.io.samples.table import Table


@dataclass
class UnknownParts:
    """Unknown columns (of the first chunk) and unknown categories (of all chunks).

    ``n_cells`` counts, per column of categories, the cells with a value that the model never saw.
    """

    columns: list[str] = field(default_factory=list)
    n_cells: Counter[str] = field(default_factory=Counter)
    n_samples: int = 0

    def add(self, trained: LoadedModel, table: Table) -> None:
        """Count the next chunk."""
        if self.n_samples == 0:
            self.columns = trained.unknown_columns(table)
        self.n_cells.update(
            trained.unseen_values(table)
        )  # the first chunk sets the order of columns
        self.n_samples += table.n_samples

    @property
    def values(self) -> dict[str, int]:
        """The columns with values that the model never saw, and the number of such cells."""
        return {name: count for name, count in self.n_cells.items() if count}

    def lines(self, data: str, written: Collection[str]) -> list[str]:
        """Return warnings, except about columns that are ``written`` along with the predictions.

        >>> UnknownParts(["age", "id"], Counter(town=2), 5).lines("a.csv", ["id"])[0]
        'a.csv: column town: the model never saw 2 of 5 values, which are encoded as zeros'
        """
        lines = [
            f"{data}: column {name}: the model never saw {count:,} of {self.n_samples:,} values, "
            "which are encoded as zeros"
            for name, count in self.values.items()
        ]
        unused = [name for name in self.columns if name not in written]
        if unused:
            names = some_labels(unused)
            lines.append(f"{data}: columns unknown to the model are ignored: {names}")
        return lines
