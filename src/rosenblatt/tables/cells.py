"""Conversion of a column's cells to numbers (NaN if missing), or to distinct texts and codes.

A cell is missing if it is null, NaN, blank, or one of the usual markers of missing values. The kind of a
text column is decided by its distinct texts, which are few even in a long column. Texts do not depend on
how values are stored: 4.9e+12 and 4900000000000.0 both become 4900000000000.

A missing marker is compared as the column's own type: numbers with numbers, dates with dates, booleans
with booleans; 0 is neither false nor 1970-01-01.
"""

import datetime
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError, not_unicode, quoted
from rosenblatt.core.number_syntax import NUMBER
from rosenblatt.core.types import Counts, Flags, Floats

Cells = pa.ChunkedArray
"""A column of a table."""

Codes = NDArray[np.int32]
"""For each cell the index of its text among the distinct texts, or -1 if the cell is missing."""

MISSING_MARKERS = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None",
)  # fmt: skip
"""Texts read as missing values: blanks, and the markers of UCI files, R, pandas and databases."""

_SECONDS = 86_400  # per day
_UNITS = {"s": 1, "ms": 1000, "us": 1_000_000}
_WRITTEN_AS_FLOAT = r"^(-?[0-9]+)\.0$"
_DECIMAL = r"^-?(?:(?:0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)$"
_WRITTEN_AS_MOMENT = r"^(.*?)(?:[ T]00:00:00)?(?:\.0+)?$"
_INEXACT = (
    "is a number that float64 cannot represent exactly, so different numbers may look equal; give "
    "numbers of at most 53 bits, declare the column categorical, or ignore it"
)
# In the order in which they are tried: day/month comes after month/day, for when a "month" is above 12.
# ISO 8601, which Arrow parses itself, is tried first.
_FORMATS = tuple(
    day + time
    for day in ("%d.%m.%Y", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y")
    for time in ("", " %H:%M", " %H:%M:%S")
)
ISO = "ISO 8601"
_LIKE_A_DATE = (
    r"^(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})(?:[ T]|$)"
)

_TRUTH = {"true": 1.0, "1": 1.0, "false": 0.0, "0": 0.0}
_ACCEPTED = (
    pa.types.is_null,
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_timestamp,
    pa.types.is_time,
    pa.types.is_duration,
)

Stored = TypeVar("Stored", pa.Array, pa.ChunkedArray)


class CellError(InputError):
    """An unusable cell; ``row`` counts from 0."""

    def __init__(self, column: str, row: int, fault: str) -> None:
        super().__init__(f"column {column}, row {row}: {fault}")
        self.column, self.row, self.fault = column, row, fault

    def __reduce__(self) -> tuple[type["CellError"], tuple[str, int, str]]:
        return CellError, (self.column, self.row, self.fault)


@dataclass(frozen=True)
class Texts:
    """The distinct texts of a column, without blanks around them, and the code of each cell."""

    values: pa.Array
    codes: Codes

    def counts(self) -> Counts:
        """Return how many cells have each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def row_of(self, index: int) -> int:
        """Return the first row that has the text with this index."""
        return int(np.argmax(self.codes == index))


class DistinctTexts(Protocol):
    """Distinct texts of a column, and the first row of each."""

    @property
    def values(self) -> pa.Array:
        """The texts."""

    def row_of(self, index: int) -> int:
        """Return the first row that has the text with this index."""


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type is stored as text."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def check_type(column: str, kind: pa.DataType) -> None:
    """Raise unless a column of this type can be encoded; lists and bytes cannot."""
    own = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(own) or any(is_accepted(own) for is_accepted in _ACCEPTED)):
        raise InputError(
            f"column {column} holds values of type {kind}: give numbers, text, booleans or dates"
        )


def texts_of(
    cells: Cells, missing: Iterable[str] = (), rewrite: Callable[[pa.Array], pa.Array] | None = None
) -> Texts:
    """Return the texts of a column; whole numbers stored as floats lose their ``.0``.

    ``rewrite`` makes texts with the same meaning equal: see `as_names` and `as_decimals`.

    >>> texts = texts_of(pa.chunked_array([["a", " b", "?", None, "b"]]))
    >>> texts.values.to_pylist(), texts.codes.tolist()
    (['a', 'b'], [0, 1, -1, -1, 1])
    """
    if len(cells) == 0:
        return Texts(pa.array([], pa.string()), np.empty(0, np.int32))
    if pa.types.is_dictionary(cells.type) and is_text(cells.type):
        coded = cells.unify_dictionaries() if cells.num_chunks > 1 else cells
    else:
        coded = _decoded(cells).dictionary_encode()  # one dictionary for all chunks
    found = _as_texts(coded.chunk(0).dictionary)
    trimmed = _trimmed(found)
    markers = pa.array([*MISSING_MARKERS, *missing], pa.string())
    same = lowercase_booleans if rewrite is None else as_names
    is_missing = pc.is_in(same(trimmed), value_set=same(markers))
    if rewrite is not None:
        trimmed = rewrite(trimmed)
    # null cells have one code more than there are texts
    rows = np.concatenate(
        [
            pc.fill_null(chunk.indices, len(found)).to_numpy(zero_copy_only=False)
            for chunk in coded.chunks
        ]
    )
    is_used = np.zeros(len(found) + 1, np.bool_)
    is_used[rows] = True  # a stored dictionary may have texts that no cell uses
    is_present = pc.and_(pc.invert(is_missing), pa.array(is_used[:-1]))
    renumbered = pc.if_else(is_present, trimmed, pa.scalar(None, pa.string())).dictionary_encode()
    new_codes = np.full(len(found) + 1, -1, np.int32)
    new_codes[:-1] = pc.fill_null(renumbered.indices, -1).to_numpy(zero_copy_only=False)
    return Texts(renumbered.dictionary, new_codes[rows])


def numbers_of(
    column: str, cells: Cells, missing: Iterable[str] = (), dates: str = "", kind: str = ""
) -> Floats:
    """Return the cells as numbers, NaN if missing; raise if a cell is not a number.

    Booleans become 0 and 1, dates become days since 1970; ``dates`` is the format of dates in text. If a
    column has learned a ``kind``, cells of other kinds are refused, except 0 and 1 for false and true.

    >>> numbers_of("age", pa.chunked_array([["1", "2.5", "?"]])).tolist()
    [1.0, 2.5, nan]
    >>> numbers_of("paid", pa.chunked_array([["True", "false"]])).tolist()
    [1.0, 0.0]
    >>> numbers_of("day", pa.chunked_array([["1970-01-02"]]), dates="ISO 8601").tolist()
    [1.0]
    """
    missing, cells = tuple(missing), cells if is_text(cells.type) else _decoded(cells)
    if is_text(cells.type):
        texts = texts_of(cells, missing)
        return np.append(text_numbers(column, texts, missing, dates, kind), np.nan)[texts.codes]
    own, found = cells.type, stored_kind(cells.type)
    plain = _days(cells) if found == "date" else cells
    values = plain.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if pa.types.is_integer(own) or (pa.types.is_decimal(own) and own.scale <= 0):
        values = _exact(column, cells, values, missing)
    markers = markers_as_numbers(missing, found, dates)
    if pa.types.is_floating(own):  # round the markers like the cells
        markers = (
            pa.array(markers, pa.float64()).cast(own, safe=False).cast(pa.float64()).to_pylist()
        )
    values = _finite(column, _masked(values, markers), int)
    if kind not in ("", found):
        _check_kind(column, cells, values, found, kind)
    return values


def stored_kind(kind: pa.DataType) -> str:
    """Return whether a column that is not text stores dates, booleans or numbers."""
    if pa.types.is_temporal(kind):
        return "date"
    return "boolean" if pa.types.is_boolean(kind) else "number"


def _check_kind(column: str, cells: Cells, values: Floats, found: str, kind: str) -> None:
    """Raise if cells that are not missing would change their meaning in a column of another kind."""
    wrong = ~np.isnan(values)
    if "date" not in (found, kind):
        wrong &= (values != 0.0) & (values != 1.0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise CellError(
            column,
            row,
            f"{cells[row].as_py()} is stored as a {found}, but this column was learned as a column of "
            f"{kind}s; give it the same kind of values",
        )


def whole_numbers_of(cells: Cells, missing: Iterable[str] = ()) -> NDArray[np.integer[Any]]:
    """Return the cells of a whole-number column, exactly, without missing cells.

    >>> whole_numbers_of(pa.chunked_array([[2**60 + 1, None, -9]]), ["-9"]).tolist()
    [1152921504606846977]
    """
    values: NDArray[np.integer[Any]] = cells.drop_null().to_numpy(zero_copy_only=False)
    numbers = [Decimal(text) for text in missing if _is_number(text)]
    limits = np.iinfo(values.dtype)
    markers = [int(n) for n in numbers if n == n // 1 and limits.min <= n <= limits.max]
    return values[~np.isin(values, np.array(markers, values.dtype))] if markers else values


def marker_text(value: object) -> str:
    """Return a missing marker as the text of a cell that contains it.

    >>> [marker_text(value) for value in (-999.0, "4.0 ", "v1.0", datetime.date(2020, 1, 1))]
    ['-999', '4', 'v1.0', '2020-01-01']
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]")
    if isinstance(value, datetime.date | np.datetime64):
        return re.sub(_WRITTEN_AS_MOMENT, r"\1", str(value), count=1)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    fault = not_unicode(str(value))
    if fault is not None:
        raise InputError(f"missing: {fault}")
    text: str = _trimmed(pa.array([str(value)]))[0].as_py()
    return text


def markers_as_numbers(missing: Iterable[str], kind: str, dates: str = "") -> list[float]:
    """Return the missing markers that fit a column of numbers, booleans or dates, as numbers.

    >>> markers = ["-999", "False", "1970-01-02"]
    >>> [markers_as_numbers(markers, kind, "ISO 8601") for kind in ("number", "boolean", "date")]
    [[-999.0], [0.0], [1.0]]
    """
    if kind == "boolean":
        return [float(text.lower() == "true") for text in missing if _is_boolean(text)]
    if kind == "number":
        return [float(text) for text in missing if _is_number(text)]
    formats = dict.fromkeys((dates or ISO, ISO))
    parsed = (_parsed(pa.array([text]), one) for text in missing for one in formats)
    return [float(days[0]) for days in parsed if days is not None]


def lowercase_booleans(texts: pa.Array) -> pa.Array:
    """Return texts with booleans in lowercase: true and false."""
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    if not np.isin(lengths, (len("true"), len("false"))).any():  # takes a tenth of the time
        return texts
    lower = pc.utf8_lower(texts)
    return pc.if_else(pc.is_in(lower, value_set=pa.array(["true", "false"])), lower, texts)


def as_names(texts: pa.Array) -> pa.Array:
    """Return names of groups: true, True and TRUE are the same name, and so are 2.5 and 2.50."""
    return as_decimals(lowercase_booleans(texts))


def as_decimals(texts: pa.Array) -> pa.Array:
    """Return texts with each decimal as float64 is written, so that a file's form does not matter.

    Whole numbers stay exact; codes such as 007 and numbers with an exponent are texts like any other.

    >>> as_decimals(pa.array(["2.50", "3.00", ".5", "007", "1.5.0"])).to_pylist()
    ['2.5', '3', '0.5', '007', '1.5.0']
    """
    where = np.flatnonzero(matches(texts, _DECIMAL))
    if len(where) == 0:
        return texts
    values, decimals = texts.to_pylist(), [texts[k].as_py() for k in where.tolist()]
    written = _as_texts(pa.array([float(text) for text in decimals])).to_pylist()
    for k, text, value in zip(where.tolist(), decimals, written, strict=True):
        whole, _, fraction = text.partition(".")
        is_whole = not fraction.strip("0") and whole.strip("-0")
        values[k] = whole if is_whole else text if value.endswith("inf") else value
    return pa.array(values, pa.string())


def are_numbers(texts: pa.Array) -> Flags:
    """Return for each text whether it is a number."""
    return matches(texts, f"^(?:{NUMBER})$")


def are_numbers_with_commas(texts: pa.Array) -> Flags:
    """Return for each text whether it is a number with a comma, such as 1,5 or 1,000."""
    return matches(texts, "[0-9],[0-9]") & are_numbers(pc.replace_substring(texts, ",", ""))


def are_booleans(texts: pa.Array) -> bool:
    """Return whether all distinct texts are true or false, in any mix of upper and lower case."""
    # true can be written in 16 ways, false in 32
    return len(texts) <= 48 and all(map(_is_boolean, texts.to_pylist()))


def date_format(texts: pa.Array) -> str | None:
    """Return the format of dates, or None if some texts are not dates.

    >>> date_format(pa.array(["31/12/2019", "01/02/2020"]))
    '%d/%m/%Y'
    """
    if len(texts) == 0 or not matches(texts, _LIKE_A_DATE).all():
        return None
    return next((one for one in (ISO, *_FORMATS) if _parsed(texts, one) is not None), None)


def text_numbers(
    column: str, texts: DistinctTexts, missing: Sequence[str], dates: str = "", kind: str = ""
) -> Floats:
    """Return each distinct text as a number, NaN if it is a missing marker; see `numbers_of`."""
    return _finite(column, _text_numbers(column, texts, missing, dates, kind), texts.row_of)


def _text_numbers(
    column: str, texts: DistinctTexts, missing: Sequence[str], dates: str, kind: str
) -> Floats:
    if dates:
        days = _parsed(texts.values, dates)
        if days is None:
            index = next(
                k for k in range(len(texts.values)) if _parsed(texts.values[k:][:1], dates) is None
            )
            raise _cell_error(
                column, texts, index, f"is not a date in this column's format, {dates}"
            )
        return _masked(days, markers_as_numbers(missing, "date", dates))
    if kind == "boolean" or are_booleans(texts.values):
        truth = [_TRUTH.get(text.lower(), np.nan) for text in texts.values.to_pylist()]
        if np.isnan(truth).any():
            fault = "is not true or false, but this column was learned as a column of booleans"
            raise _cell_error(column, texts, int(np.argmax(np.isnan(truth))), fault)
        return np.array(truth)
    is_number = are_numbers(texts.values)
    if not is_number.all():
        index = int(np.argmin(is_number))
        raise _cell_error(column, texts, index, "is not a number; write it like 12, -0.5 or 1e-3")
    values = texts.values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    for index in np.flatnonzero((np.abs(values) >= WHOLE) & np.isfinite(values)).tolist():
        text = texts.values[index].as_py()
        if re.fullmatch("[+-]?[0-9]+", text) and Decimal(text) != float(values[index]):
            raise _cell_error(column, texts, index, _INEXACT)
    return _masked(values, markers_as_numbers(missing, "number"))


def _exact(column: str, cells: Cells, values: Floats, missing: Sequence[str]) -> Floats:
    """Return whole numbers, NaN for large missing markers; raise if float64 rounds a number."""
    large = np.flatnonzero(np.abs(values) >= WHOLE).tolist()
    if not large:
        return values
    values, markers = values.copy(), {Decimal(text) for text in missing if _is_number(text)}
    for row in large:
        value = cells[row].as_py()
        if Decimal(value) in markers:
            values[row] = np.nan
        elif float(values[row]) != value:  # Python compares exactly
            raise CellError(column, row, f"{value} {_INEXACT}")
    return values


def _masked(values: Floats, markers: Sequence[float]) -> Floats:
    finite = [marker for marker in markers if math.isfinite(marker)]
    return np.where(np.isin(values, finite), np.nan, values) if finite else values


def _cell_error(column: str, texts: DistinctTexts, index: int, fault: str) -> CellError:
    return CellError(column, texts.row_of(index), f"{quoted(texts.values[index].as_py())} {fault}")


def _finite(column: str, values: Floats, row_of: Callable[[int], int]) -> Floats:
    infinite = np.isinf(values)
    if infinite.any():
        index = int(np.argmax(infinite))
        raise CellError(
            column, row_of(index), f"{values[index]} is not finite; give a finite number"
        )
    return values


def _parsed(values: pa.Array, layout: str) -> Floats | None:
    """Return dates as days, or None if some do not have this format."""
    if layout != ISO:
        found = pc.strptime(values, format=layout, unit="us", error_is_null=True)
        # strptime turns February 31 into a day in March, and accepts two-digit years
        pattern = _pattern(layout)
        if found.null_count or not matches(values, pattern).all():
            return None
        days = pc.replace_substring_regex(values, pattern, r"\1").cast(pa.int64())
        return _days(found).to_numpy(zero_copy_only=False) if days.equals(pc.day(found)) else None
    for zone in (None, "UTC"):
        try:
            found = values.cast(pa.timestamp("us", zone))
        except pa.ArrowInvalid:
            continue
        return _days(found).to_numpy(zero_copy_only=False)
    return None


def _pattern(layout: str) -> str:
    """Return a regular expression that matches a date format."""
    pattern = layout.replace(".", r"\.").replace("%d", "([0-9]{1,2})", 1)
    return "^" + re.sub("%[a-zA-Z]", "[0-9]{1,2}", pattern.replace("%Y", "[0-9]{4}")) + "$"


def _days(cells: Stored) -> Stored:
    """Return timestamps as days since 1970 and times as fractions of a day, to the microsecond."""
    kind = cells.type
    if pa.types.is_date32(kind):
        return cells.cast(pa.int32()).cast(pa.float64())
    unit = "ms" if pa.types.is_date(kind) else kind.unit
    counts = cells.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64()).cast(pa.int64())
    if unit == "ns":
        counts, unit = pc.divide(counts, 1000), "us"
    return pc.divide(counts.cast(pa.float64(), safe=False), float(_SECONDS * _UNITS[unit]))


def _decoded(cells: Cells) -> Cells:
    """Return dictionary-encoded cells decoded, other cells unchanged."""
    if not pa.types.is_dictionary(cells.type):
        return cells
    chunks = [chunk.dictionary_decode() for chunk in cells.chunks]
    return pa.chunked_array(chunks, cells.type.value_type)


def _as_texts(values: pa.Array) -> pa.Array:
    """Return distinct values as texts: whole numbers without an exponent, dates without a time."""
    texts = values.cast(pa.string())
    if pa.types.is_timestamp(values.type):
        return pc.replace_substring_regex(texts, _WRITTEN_AS_MOMENT, r"\1")
    if pa.types.is_decimal(values.type):  # without an exponent
        return pa.array([None if x is None else f"{x:f}" for x in values.to_pylist()], pa.string())
    if not pa.types.is_floating(values.type):
        return texts
    numbers = values.cast(pa.float64()).to_pylist()
    pairs = zip(numbers, texts.to_pylist(), strict=True)
    written = [str(int(x)) if x is not None and x.is_integer() else text for x, text in pairs]
    return pa.array(written, pa.string())


def _trimmed(texts: pa.Array) -> pa.Array:
    """Return texts without blanks around them, whole numbers without ``.0``."""
    trimmed = pc.utf8_trim_whitespace(texts)
    if not pc.any(pc.ends_with(trimmed, ".0")).as_py():  # faster than matching numbers
        return trimmed
    return pc.replace_substring_regex(trimmed, _WRITTEN_AS_FLOAT, r"\1")


def _is_boolean(text: str) -> bool:
    return text.lower() in ("true", "false")


def matches(values: pa.Array, pattern: str) -> Flags:
    """Return for each text whether it matches the pattern."""
    return pc.match_substring_regex(values, pattern).to_numpy(zero_copy_only=False)


def _is_number(text: str) -> bool:
    return bool(are_numbers(pa.array([text]))[0])
