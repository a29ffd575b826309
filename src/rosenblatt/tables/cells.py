"""The cells of a column, whatever they are stored as: numbers with NaN, or texts and their codes.

A cell is missing if it is null, NaN, blank, or one of the signs that people write for it. What a column
of texts holds is decided by its different texts, of which there are few even in a long column. Texts do
not depend on how values are stored: 4.9e+12 and 4900000000000.0 are 4900000000000.

A sign of missing is compared as what the column holds: numbers with numbers, dates with dates, truth
values with truth values; 0 is neither false nor 1970-01-01.
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
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import NUMBER
from rosenblatt.core.types import Counts, Flags, Floats

Cells = pa.ChunkedArray
"""A column of a table."""

Codes = NDArray[np.int32]
"""For each cell the number of its text among the different ones, or -1 if it is missing."""

SIGNS_OF_MISSING = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None",
)  # fmt: skip
"""What is read as a missing value: blanks, and what UCI's files, R, pandas and databases write."""

_SECONDS = 86_400  # of a day
_UNITS = {"s": 1, "ms": 1000, "us": 1_000_000}
_WRITTEN_AS_FLOAT = r"^(-?[0-9]+)\.0$"
_WRITTEN_AS_MOMENT = r"^(.*?)(?:[ T]00:00:00)?(?:\.0+)?$"
_INEXACT = (
    "is a number that float64 cannot hold exactly, so that different ones may look equal; give numbers "
    "of at most 53 bits, or say that the column is categorical (--categorical) or left out (--ignore)"
)
# In the order in which they are tried: month/day before day/month, which is tried if a "month" is
# beyond 12. ISO 8601 is Arrow's own, and is tried first.
_FORMATS = tuple(
    day + time
    for day in ("%d.%m.%Y", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y")
    for time in ("", " %H:%M", " %H:%M:%S")
)
ISO = "ISO 8601"
_LIKE_A_DATE = (
    r"^(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})(?:[ T]|$)"
)

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
    """A cell that cannot be used; ``row`` counts from 0."""

    def __init__(self, column: str, row: int, fault: str) -> None:
        super().__init__(f"column {column}, row {row}: {fault}")
        self.column, self.row, self.fault = column, row, fault

    def __reduce__(self) -> tuple[type["CellError"], tuple[str, int, str]]:
        return CellError, (self.column, self.row, self.fault)


@dataclass(frozen=True)
class Texts:
    """The different texts of a column, without blanks around them, and which of them each cell has."""

    values: pa.Array
    codes: Codes

    def counts(self) -> Counts:
        """Return how many cells have each of the texts."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def row_of(self, place: int) -> int:
        """Return the first row that has the text with this number."""
        return int(np.argmax(self.codes == place))


class DifferentTexts(Protocol):
    """Different texts of a column, and the first row that has each."""

    @property
    def values(self) -> pa.Array:
        """The texts."""

    def row_of(self, place: int) -> int:
        """Return the first row that has the text with this number."""


def is_text(kind: pa.DataType) -> bool:
    """Say whether a column of this type is stored as texts."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def check_type(column: str, kind: pa.DataType) -> None:
    """Raise unless a column holds numbers, texts, truth values or dates: lists and bytes are none."""
    own = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(own) or any(is_accepted(own) for is_accepted in _ACCEPTED)):
        raise InputError(
            f"column {column} holds values of type {kind}: numbers, texts, truth values and dates are "
            "accepted"
        )


def texts_of(cells: Cells, missing: Iterable[str] = (), *, names: bool = False) -> Texts:
    """Return the texts of a column; whole numbers that are stored as floats lose their ``.0``.

    Where texts are ``names`` of groups, true, True and TRUE are one.

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
    found = _written(coded.chunk(0).dictionary)
    trimmed = _plain(found)
    signs = pa.array([*SIGNS_OF_MISSING, *missing], pa.string())
    is_missing = pc.is_in(one_spelling(trimmed), value_set=one_spelling(signs))
    if names:
        trimmed = one_spelling(trimmed)
    # one place more than there are texts, for the cells that are null
    rows = np.concatenate(
        [
            pc.fill_null(chunk.indices, len(found)).to_numpy(zero_copy_only=False)
            for chunk in coded.chunks
        ]
    )
    is_used = np.zeros(len(found) + 1, np.bool_)
    is_used[rows] = True  # a stored dictionary may have texts that no cell has
    is_present = pc.and_(pc.invert(is_missing), pa.array(is_used[:-1]))
    renumbered = pc.if_else(is_present, trimmed, pa.scalar(None, pa.string())).dictionary_encode()
    places = np.full(len(found) + 1, -1, np.int32)
    places[:-1] = pc.fill_null(renumbered.indices, -1).to_numpy(zero_copy_only=False)
    return Texts(renumbered.dictionary, places[rows])


def numbers_of(column: str, cells: Cells, missing: Iterable[str] = (), dates: str = "") -> Floats:
    """Return the cells of a column as numbers, NaN where they are missing; raise if one is no number.

    Truth values become 0 and 1, dates become days since 1970; ``dates`` is how texts write them.

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
        return np.append(text_numbers(column, texts, missing, dates), np.nan)[texts.codes]
    kind, own = "number", cells.type
    if dates or pa.types.is_temporal(own):
        kind, dates = "date", dates or ISO
    elif pa.types.is_boolean(own):
        kind = "boolean"
    plain = _days(cells) if pa.types.is_temporal(own) else cells
    values = plain.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if pa.types.is_integer(own) or (pa.types.is_decimal(own) and own.scale <= 0):
        values = _exact(column, cells, values, missing)
    signs = signs_as_numbers(missing, kind, dates)
    if pa.types.is_floating(own):  # rounded as the cells are
        signs = pa.array(signs, pa.float64()).cast(own, safe=False).cast(pa.float64()).to_pylist()
    return _finite(column, _without(values, signs), int)


def whole_numbers_of(cells: Cells, missing: Iterable[str] = ()) -> NDArray[np.integer[Any]]:
    """Return the cells of a column of whole numbers, exactly, without missing ones.

    >>> whole_numbers_of(pa.chunked_array([[2**60 + 1, None, -9]]), ["-9"]).tolist()
    [1152921504606846977]
    """
    values: NDArray[np.integer[Any]] = cells.drop_null().to_numpy(zero_copy_only=False)
    signs = [Decimal(text) for text in missing if _is_number(text)]
    limits = np.iinfo(values.dtype)
    held = [int(sign) for sign in signs if sign == sign // 1 and limits.min <= sign <= limits.max]
    return values[~np.isin(values, np.array(held, values.dtype))] if held else values


def sign_text(value: object) -> str:
    """Return what stands for a missing value as the text that such a cell has.

    >>> [sign_text(value) for value in (-999.0, "4.0 ", "v1.0", datetime.date(2020, 1, 1))]
    ['-999', '4', 'v1.0', '2020-01-01']
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]")
    if isinstance(value, datetime.date | np.datetime64):
        return re.sub(_WRITTEN_AS_MOMENT, r"\1", str(value), count=1)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    text: str = _plain(pa.array([str(value)]))[0].as_py()
    return text


def signs_as_numbers(missing: Iterable[str], kind: str, dates: str = "") -> list[float]:
    """Return the signs of missing values that can be in a column of numbers, booleans or dates.

    >>> signs = ["-999", "False", "1970-01-02"]
    >>> [signs_as_numbers(signs, kind, "ISO 8601") for kind in ("number", "boolean", "date")]
    [[-999.0], [0.0], [1.0]]
    """
    if kind == "boolean":
        return [float(text.lower() == "true") for text in missing if _is_truth_value(text)]
    if kind == "number":
        return [float(text) for text in missing if _is_number(text)]
    ways = dict.fromkeys((dates or ISO, ISO))
    parsed = (_parsed(pa.array([text]), way) for text in missing for way in ways)
    return [float(days[0]) for days in parsed if days is not None]


def one_spelling(texts: pa.Array) -> pa.Array:
    """Return texts in which truth values are true and false, whatever letters they had."""
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    if not np.isin(lengths, (len("true"), len("false"))).any():  # which takes a tenth of the time
        return texts
    lower = pc.utf8_lower(texts)
    return pc.if_else(pc.is_in(lower, value_set=pa.array(["true", "false"])), lower, texts)


def are_numbers(texts: pa.Array) -> Flags:
    """Say of each text whether it is a number."""
    return matches(texts, f"^(?:{NUMBER})$")


def are_numbers_with_commas(texts: pa.Array) -> Flags:
    """Say of each text whether it is a number with commas, decimal ones or others: 1,5 or 1,000."""
    return matches(texts, "[0-9],[0-9]") & are_numbers(pc.replace_substring(texts, ",", ""))


def truth_values(texts: pa.Array) -> bool:
    """Say whether all of the different texts are true or false, in small or capital letters."""
    # true may be written in 16 ways, false in 32
    return len(texts) <= 48 and all(map(_is_truth_value, texts.to_pylist()))


def date_format(texts: pa.Array) -> str | None:
    """Return how the texts write dates, or None if some are not dates.

    >>> date_format(pa.array(["31/12/2019", "01/02/2020"]))
    '%d/%m/%Y'
    """
    if len(texts) == 0 or not matches(texts, _LIKE_A_DATE).all():
        return None
    return next((way for way in (ISO, *_FORMATS) if _parsed(texts, way) is not None), None)


def text_numbers(
    column: str, texts: DifferentTexts, missing: Sequence[str], dates: str = ""
) -> Floats:
    """Return each of the different texts as a number, NaN if it is a sign of missing ones."""
    return _finite(column, _text_numbers(column, texts, missing, dates), texts.row_of)


def _text_numbers(column: str, texts: DifferentTexts, missing: Sequence[str], dates: str) -> Floats:
    if dates:
        days = _parsed(texts.values, dates)
        if days is None:
            place = next(
                k for k in range(len(texts.values)) if _parsed(texts.values[k:][:1], dates) is None
            )
            raise _fault(column, texts, place, f"is not a date, written as the others: {dates}")
        return _without(days, signs_as_numbers(missing, "date", dates))
    if truth_values(texts.values):
        return np.array([text.lower() == "true" for text in texts.values.to_pylist()], np.float64)
    is_number = are_numbers(texts.values)
    if not is_number.all():
        place = int(np.argmin(is_number))
        raise _fault(column, texts, place, "is not a number; write it like 12, -0.5 or 1e-3")
    values = texts.values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    for place in np.flatnonzero((np.abs(values) >= WHOLE) & np.isfinite(values)).tolist():
        text = texts.values[place].as_py()
        if re.fullmatch("[+-]?[0-9]+", text) and Decimal(text) != float(values[place]):
            raise _fault(column, texts, place, _INEXACT)
    return _without(values, signs_as_numbers(missing, "number"))


def _exact(column: str, cells: Cells, values: Floats, missing: Sequence[str]) -> Floats:
    """Return whole numbers, NaN for large signs of missing ones; raise if float64 cannot hold one."""
    large = np.flatnonzero(np.abs(values) >= WHOLE).tolist()
    if not large:
        return values
    values, signs = values.copy(), {Decimal(text) for text in missing if _is_number(text)}
    for row in large:
        value = cells[row].as_py()
        if Decimal(value) in signs:
            values[row] = np.nan
        elif float(values[row]) != value:  # as Python compares, exactly
            raise CellError(column, row, f"{value} {_INEXACT}")
    return values


def _without(values: Floats, signs: Sequence[float]) -> Floats:
    finite = [sign for sign in signs if math.isfinite(sign)]
    return np.where(np.isin(values, finite), np.nan, values) if finite else values


def _fault(column: str, texts: DifferentTexts, place: int, fault: str) -> CellError:
    return CellError(column, texts.row_of(place), f"{quoted(texts.values[place].as_py())} {fault}")


def _finite(column: str, values: Floats, row_of: Callable[[int], int]) -> Floats:
    infinite = np.isinf(values)
    if infinite.any():
        place = int(np.argmax(infinite))
        raise CellError(
            column, row_of(place), f"{values[place]} is not finite; give a finite number"
        )
    return values


def _parsed(values: pa.Array, way: str) -> Floats | None:
    """Return dates as days, or None if some are not written this way."""
    if way != ISO:
        found = pc.strptime(values, format=way, unit="us", error_is_null=True)
        # for the 31st of February it gives a day of March, and it takes years of two digits
        pattern = _pattern(way)
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


def _pattern(way: str) -> str:
    """Return the regular expression of a way to write dates."""
    pattern = way.replace(".", r"\.").replace("%d", "([0-9]{1,2})", 1)
    return "^" + re.sub("%[a-zA-Z]", "[0-9]{1,2}", pattern.replace("%Y", "[0-9]{4}")) + "$"


def _days(cells: Stored) -> Stored:
    """Return moments as days since 1970, times of day as parts of a day, to the microsecond."""
    kind = cells.type
    if pa.types.is_date32(kind):
        return cells.cast(pa.int32()).cast(pa.float64())
    unit = "ms" if pa.types.is_date(kind) else kind.unit
    counts = cells.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64()).cast(pa.int64())
    if unit == "ns":
        counts, unit = pc.divide(counts, 1000), "us"
    return pc.divide(counts.cast(pa.float64(), safe=False), float(_SECONDS * _UNITS[unit]))


def _decoded(cells: Cells) -> Cells:
    """Return the cells of a dictionary of values that are no texts; others as they are."""
    if not pa.types.is_dictionary(cells.type):
        return cells
    chunks = [chunk.dictionary_decode() for chunk in cells.chunks]
    return pa.chunked_array(chunks, cells.type.value_type)


def _written(values: pa.Array) -> pa.Array:
    """Return different values as texts: whole numbers without an exponent, days without a time."""
    texts = values.cast(pa.string())
    if pa.types.is_timestamp(values.type):
        return pc.replace_substring_regex(texts, _WRITTEN_AS_MOMENT, r"\1")
    if not pa.types.is_floating(values.type):
        return texts
    numbers = values.cast(pa.float64()).to_pylist()
    pairs = zip(numbers, texts.to_pylist(), strict=True)
    written = [str(int(x)) if x is not None and x.is_integer() else text for x, text in pairs]
    return pa.array(written, pa.string())


def _plain(texts: pa.Array) -> pa.Array:
    """Return texts without blanks around them, whole numbers without ``.0``."""
    trimmed = pc.utf8_trim_whitespace(texts)
    if not pc.any(pc.ends_with(trimmed, ".0")).as_py():  # which is quicker than to look for numbers
        return trimmed
    return pc.replace_substring_regex(trimmed, _WRITTEN_AS_FLOAT, r"\1")


def _is_truth_value(text: str) -> bool:
    return text.lower() in ("true", "false")


def matches(values: pa.Array, pattern: str) -> Flags:
    """Say of each text whether it has the pattern."""
    return pc.match_substring_regex(values, pattern).to_numpy(zero_copy_only=False)


def _is_number(text: str) -> bool:
    return bool(are_numbers(pa.array([text]))[0])
