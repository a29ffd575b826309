"""The labelled samples of a command: read from a file, or the bundled set, and described."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cli.app import Source
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels
from rosenblatt.io import Table, read
from rosenblatt.io.data import sonar


class Samples:
    """A file of labelled samples; None stands for the bundled sonar set."""

    table: Table
    classes: Labels
    counts: Any

    def __init__(self, path: Path | None) -> None:
        self.is_bundled = path is None
        self.path = sonar() if path is None else path

    def read(self, source: Source) -> None:
        """Read the file; it must have at least two labels."""
        self.table = read(self.path, **source._asdict())
        self.classes, self.counts = np.unique(self.y, return_counts=True)
        if len(self.classes) < 2:
            raise InputError(
                f"{self.path}: every sample has the label {self.classes[0]}; "
                "learning needs at least two labels"
            )

    @property
    def y(self) -> Labels:
        """Their labels."""
        assert self.table.y is not None
        return self.table.y

    @contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Put the file's name in front of what is wrong with its samples."""
        try:
            yield
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error

    def facts(self) -> dict[str, Any]:
        """Return what the samples are, for programs."""
        return {
            "file": self.path.name if self.is_bundled else str(self.path),
            "bundled": self.is_bundled,
            "samples": len(self.y),
            "features": self.table.n_features,
            "classes": {
                str(label): int(n) for label, n in zip(self.classes, self.counts, strict=True)
            },
        }

    def text(self) -> str:
        """Return what the samples are, for people."""
        facts = self.facts()
        classes = ", ".join(f"{name} ({count:,})" for name, count in facts["classes"].items())
        bundled = " (bundled)" if self.is_bundled else ""
        return (
            f"{facts['file']}{bundled}: {facts['samples']:,} samples, "
            f"{facts['features']:,} features, classes {classes}"
        )
