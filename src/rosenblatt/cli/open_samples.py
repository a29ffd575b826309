"""The labelled samples of a command: read from a file, or the bundled set, and described."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rosenblatt.cli.report import Facts
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels
from rosenblatt.io import Table, read
from rosenblatt.io.data import sonar


@dataclass(frozen=True)
class Samples:
    """Labelled samples, the file that they are from, and how many have each label."""

    path: Path
    is_bundled: bool
    table: Table
    y: Labels
    classes: Labels
    counts: Counts

    @property
    def file(self) -> str:
        """The file as the user knows it."""
        return self.path.name if self.is_bundled else str(self.path)

    @property
    def by_class(self) -> dict[str, int]:
        """How many samples have each label."""
        return {str(label): int(n) for label, n in zip(self.classes, self.counts, strict=True)}

    def facts(self) -> Facts:
        """Return what the samples are, for programs."""
        return {
            "file": self.file,
            "bundled": self.is_bundled,
            "samples": len(self.y),
            "features": self.table.n_features,
            "classes": self.by_class,
        }

    def text(self) -> str:
        """Return what the samples are, for people."""
        classes = ", ".join(f"{name} ({count:,})" for name, count in self.by_class.items())
        return (
            f"{self.file}{' (bundled)' if self.is_bundled else ''}: {len(self.y):,} samples, "
            f"{self.table.n_features:,} features, classes {classes}"
        )


def samples_path(data: Path | None) -> Path:
    """Return the file that is read: the bundled sonar set if none is given."""
    return sonar() if data is None else data


def read_samples(data: Path | None, kind: str, label: str | None, header: bool | None) -> Samples:
    """Read a file of samples, which must have at least two labels; see `rosenblatt.io.read`."""
    path = samples_path(data)
    table = read(path, kind=kind, label=label, header=header)
    y = table.y
    assert y is not None  # only a file that is read for a model may come without labels
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise InputError(
            f"{path}: every sample has the label {classes[0]}; learning needs at least two labels"
        )
    return Samples(path, data is None, table, y, classes, counts)
