"""From samples as read to numbers, following the user's column options and the encoder's rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from sklearn.preprocessing import Normalizer, StandardScaler

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io.samples.label_column import check_label
from rosenblatt.io.samples.table import Arrangement, Reading, Table, column_number
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.scaling import unit_rows


@dataclass(frozen=True)
class ColumnOptions:
    """The user's options for columns, by name or by number; see `TableEncoder`.

    ``missing`` has values that count as missing, or "COLUMN=VALUE" for one column only. If ``scale`` is
    None, tables are scaled as by default, and libsvm files are not.
    """

    ignore: Sequence[str] = ()
    categorical: Sequence[str] = ()
    text: Sequence[str] = ()
    missing: Sequence[str] = ()
    scale: str | None = "none"
    min_count: int = 1
    numeric: Sequence[str] = ()

    @property
    def anywhere(self) -> list[str]:
        """The values that count as missing in every column."""
        return [value for value in self.missing if "=" not in value]

    @property
    def are_about_columns(self) -> bool:
        """Whether an option needs a table."""
        return any((self.ignore, self.categorical, self.text, self.missing, self.numeric))


def prepared(file: str, table: Table, options: ColumnOptions) -> tuple[Any, MatrixLike]:
    """Return the fitted encoder or scaler, or None if there is nothing to do, and the numbers."""
    if not isinstance(table.X, pa.Table):
        return _sparse(file, table, options)
    encoder = new_encoder(file, table.columns, table.X.column_names, options)
    X = encoded(file, table, encoder.fit_transform)
    check_columns_left(file, encoder)
    return encoder, X


def check_fits_kind(
    name: str, options: ColumnOptions, *, is_table: bool, has_zero_based: bool
) -> None:
    """Raise InputError if options do not fit the kind of a file that is not read whole."""
    if is_table and has_zero_based:
        raise InputError(f"{name}: zero_based applies only to libsvm files; this is a table")
    if not is_table and options.are_about_columns:
        raise InputError(f"{name}: a libsvm file has no columns to ignore, encode or fill")
    if not is_table and options.scale == "standard":
        raise InputError(
            f"{name}: a libsvm file that is not read whole cannot be standardized; scale it beforehand"
        )


def check_columns_left(file: str, encoder: TableEncoder) -> None:
    """Raise InputError if an encoder excluded all columns."""
    left_out = [column for column in encoder.columns_ if isinstance(column, LeftOut)]
    if len(left_out) == len(encoder.columns_):
        reasons = ", ".join(f"{column.name} ({column.reason})" for column in left_out[:10])
        raise InputError(f"{file}: no column is left to learn from: {reasons}")


def encoded(file: str, table: Table, encode: Callable[[MatrixLike], MatrixLike]) -> MatrixLike:
    """Return the encoded table; an error names the line of the cell that caused it."""
    try:
        return encode(table.X)
    except CellError as error:
        place = table.place(file, error.row)
        raise cell_fault(place, error, has_names=table.has_names) from error
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def cell_fault(place: str, error: CellError, *, has_names: bool) -> InputError:
    """Return the error for a cell that cannot be used, with its place."""
    column = f"column {error.column}" if has_names else error.column
    return InputError(f"{place}, {column}: {error.fault}")


def reading_of(reading: Reading, options: ColumnOptions) -> Reading:
    """Return how to read a table, with the column options that affect reading.

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
    """Raise InputError unless the labels can be classes, or the user made them categorical."""
    if own.label is None:
        return
    column = own.columns[own.label]
    if column not in named_columns(file, own.columns, options.categorical):
        others = [name for name in own.columns if name != column]
        check_label(file, classes, n_samples, own.label_name or str(own.label + 1), others)


def new_encoder(
    file: str, columns: Sequence[str], features: Sequence[str], options: ColumnOptions
) -> TableEncoder:
    """Return an unfitted encoder for the feature columns; options may also name the label."""
    for what, given in (("ignored", options.ignore), ("numeric", options.numeric)):
        for name in named_columns(file, columns, given):
            if name not in features:
                raise InputError(
                    f"{file}: column {quoted(name)} is the label, so it cannot be {what}; choose "
                    "another label, or leave it out there"
                )

    def named(given: Sequence[str]) -> tuple[str, ...]:
        return tuple(_named_features(file, columns, features, given))

    missing = missing_by_column(file, columns, features, options)
    return TableEncoder(
        categorical=named(options.categorical),
        numeric=named(options.numeric),
        ignore=named(options.ignore),
        text=named(options.text),
        missing=missing if options.missing else (),
        scale=options.scale or "standard",
        min_count=options.min_count,
    )


def missing_by_column(
    file: str, columns: Sequence[str], features: Sequence[str], options: ColumnOptions
) -> dict[str, list[str]]:
    """Return the values that count as missing in each feature column."""
    missing = {name: list(options.anywhere) for name in features}
    for column, _, value in (text.rpartition("=") for text in options.missing if "=" in text):
        for name in _named_features(file, columns, features, [column]):
            missing[name].append(value)
    return missing


def _named_features(
    file: str, columns: Sequence[str], features: Sequence[str], given: Sequence[str]
) -> list[str]:
    """Return the names of feature columns; the label may be given, too."""
    return [name for name in named_columns(file, columns, given) if name in features]


def _sparse(file: str, table: Table, options: ColumnOptions) -> tuple[Any, MatrixLike]:
    """Return a libsvm file's scaler, if any, and its samples, which stay sparse."""
    if options.are_about_columns:
        raise InputError(f"{file}: a libsvm file has no columns to ignore, encode or fill")
    if options.scale == "unit":
        return row_normalizer(table.X.shape[1]), unit_rows(table.X)
    if options.scale != "standard":
        return None, table.X
    scaler = StandardScaler(with_mean=False)
    return scaler, scaler.fit_transform(table.X)


def row_normalizer(n_features: int) -> Normalizer:
    """Return the step that records in a model file that libsvm rows are scaled to length 1."""
    step = Normalizer()
    step.n_features_in_ = n_features
    return step
