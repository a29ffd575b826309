"""Samples as read become numbers: by the columns that the user has named, and the encoder's rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from sklearn.preprocessing import Normalizer, StandardScaler

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io.samples.label_column import check_label
from rosenblatt.io.samples.table import Arrangement, Reading, Table, column_number
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.scaling import unit_rows


@dataclass(frozen=True)
class ColumnOptions:
    """What the user has said about columns, by name or by number; see `TableEncoder`.

    ``missing`` has values, or "COLUMN=VALUE" where a value is missing in one column only.
    """

    ignore: Sequence[str] = ()
    categorical: Sequence[str] = ()
    text: Sequence[str] = ()
    missing: Sequence[str] = ()
    scale: str = "none"
    min_count: int = 1

    @property
    def anywhere(self) -> list[str]:
        """The values that are missing in any column."""
        return [value for value in self.missing if "=" not in value]


def prepared(file: str, table: Table, options: ColumnOptions) -> tuple[Any, MatrixLike]:
    """Return what has prepared the samples, None if nothing was to be done, and the numbers."""
    if not isinstance(table.X, pa.Table):
        return _sparse(file, table, options)
    encoder = new_encoder(file, table.columns, table.X.column_names, options)
    X = encoded(file, table, encoder.fit_transform)
    check_columns_left(file, encoder)
    return encoder, X


def check_fits_kind(
    name: str, options: ColumnOptions, *, is_table: bool, has_zero_based: bool
) -> None:
    """Raise if options do not fit the kind of a file that is never read whole."""
    if is_table and has_zero_based:
        raise InputError(
            f"{name}: --zero-based and --one-based are for libsvm files; this is a table"
        )
    if not is_table and (options.ignore or options.categorical or options.text or options.missing):
        raise InputError(
            f"{name}: a file of index:value pairs has no columns to ignore, encode or fill"
        )
    if not is_table and options.scale == "standard":
        raise InputError(
            f"{name}: index:value pairs are not scaled where files are not read whole: scale them"
        )


def check_columns_left(file: str, encoder: TableEncoder) -> None:
    """Raise if an encoder has left out all columns."""
    left_out = [one for one in encoder.columns_ if isinstance(one, LeftOut)]
    if len(left_out) == len(encoder.columns_):
        reasons = ", ".join(f"{one.name} ({one.reason})" for one in left_out[:10])
        raise InputError(f"{file}: no column is left to learn from: {reasons}")


def encoded(file: str, table: Table, encode: Callable[[MatrixLike], MatrixLike]) -> MatrixLike:
    """Return what an encoder makes of a table; a cell that cannot be used is named by its line."""
    try:
        return encode(table.X)
    except CellError as error:
        place = table.place(file, error.row)
        raise cell_fault(place, error, has_names=table.has_names) from error
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def cell_fault(place: str, error: CellError, *, has_names: bool) -> InputError:
    """Return the error of a cell that cannot be used, named by its line."""
    column = f"column {error.column}" if has_names else error.column
    return InputError(f"{place}, {column}: {error.fault}")


def reading_of(reading: Reading, options: ColumnOptions) -> Reading:
    """Return how tables are read: also what the user has said about columns, as far as reading needs it.

    >>> reading_of(Reading(), ColumnOptions(categorical=["town"], missing=["-", "age=0"])).missing
    ['-']
    """
    return replace(reading, texts=[*options.categorical, *options.text], missing=options.anywhere)


def named_columns(file: str, names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the names of columns that are given by name or by number."""
    return [names[column_number(file, name, names)] for name in columns]


def check_classes(
    file: str, own: Arrangement, classes: Labels, n_samples: int, options: ColumnOptions
) -> None:
    """Raise unless the labels of samples can be classes, or the user has said that they are."""
    if own.label is None:
        return
    column = own.columns[own.label]
    if column not in named_columns(file, own.columns, options.categorical):
        others = [name for name in own.columns if name != column]
        check_label(file, classes, n_samples, own.label_name or str(own.label + 1), others)


def new_encoder(
    file: str, columns: Sequence[str], features: Sequence[str], options: ColumnOptions
) -> TableEncoder:
    """Return an encoder of features, which are columns of a table that may have others."""

    def named(given: Sequence[str]) -> tuple[str, ...]:
        found = named_columns(file, columns, given)  # the label is no feature
        return tuple(name for name in found if name in features)

    missing: dict[str, list[str]] = {}
    for column, _, value in (text.rpartition("=") for text in options.missing if "=" in text):
        for name in named([column]):
            missing.setdefault(name, []).append(value)
    for name in features:
        missing.setdefault(name, []).extend(options.anywhere)
    return TableEncoder(
        categorical=named(options.categorical),
        ignore=named(options.ignore),
        text=named(options.text),
        missing=missing if options.missing else (),
        scale=options.scale,
        min_count=options.min_count,
    )


def _sparse(file: str, table: Table, options: ColumnOptions) -> tuple[Any, MatrixLike]:
    """Return a libsvm file's samples; a sparse matrix is scaled if asked to, and stays sparse."""
    if options.ignore or options.categorical or options.text or options.missing:
        raise InputError(
            f"{file}: a libsvm file holds numbers and has no columns to ignore, encode or fill"
        )
    if options.scale == "unit":
        return row_normalizer(table.X.shape[1]), unit_rows(table.X)
    if options.scale != "standard":
        return None, table.X
    scaler = StandardScaler(with_mean=False)
    return scaler, scaler.fit_transform(table.X)


def row_normalizer(n_features: int) -> Normalizer:
    """Return the step that says in a model file that rows without columns of their own are scaled."""
    step = Normalizer()
    step.n_features_in_ = n_features
    return step
