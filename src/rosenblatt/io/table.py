"""What a reader returns."""

from dataclasses import dataclass
from pathlib import Path

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, MatrixLike


@dataclass(frozen=True)
class Table:
    """Samples as a dense or sparse matrix, their labels if there are any, and the columns' names.

    ``label_column`` is where a CSV file has its labels, as ``--label`` counts: from 1, or -1 for the
    last; None if it is not known. ``first_index`` is that of a libsvm file.
    """

    X: MatrixLike
    y: Labels | None
    n_features: int
    feature_names: list[str] | None = None
    label_name: str | None = None
    label_column: int | None = -1
    first_index: int = 1


def check_width(path: Path, found: int, expected: int) -> None:
    """Raise unless a file has the number of features that the model has learned from."""
    if found != expected:
        raise InputError(
            f"{path}: the samples have {found} features, but the model has learned from {expected}"
        )
