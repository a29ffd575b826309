"""Which columns of a CSV file hold numbers or moments: as it begins, or as a model has learned.

Whether that is true of all lines is found out when they are read.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.io.csv.csv_layout import Layout
from rosenblatt.io.csv.csv_parsing import TEXT, arrow_bytes, parse
from rosenblatt.io.samples.table import Reading, check_width, column_number
from rosenblatt.tables.cells import ISO, are_numbers, date_format, texts_of

HEAD = 2**18
"""How many bytes of a file, at least, are looked at."""

_CODE = re.compile(rb"(?:^|[,;\t\r\n\"' ])[+-]?0[0-9]")
_THOUSANDS = r"^ *[+-]?[0-9]{1,3}(?:[.][0-9]{3})+(?:,[0-9]+)? *$"


def feature_names(place: str, layout: Layout, reading: Reading) -> list[str]:
    """Return the names of the feature columns, or the model's where only their places are known."""
    own, expect = layout.names, reading.expect
    names = [own[k] for k in layout.features]
    if expect is None or (expect.has_names and layout.has_header):
        return names
    check_width(place, len(names), expect.n_features)
    return names if expect.names is None else list(expect.names)


def known_types(place: str, layout: Layout, reading: Reading) -> dict[int, pa.DataType] | None:
    """Return which columns are a model's numbers; None if there is no model that knows."""
    expect = reading.expect
    if expect is None or expect.names is None:
        return None
    texts = _said_to_be_text(place, layout, reading)
    learned = zip(layout.features, feature_names(place, layout, reading), strict=True)
    # what the model does not know may be anything
    known = set(expect.names) - set(expect.texts)
    own = [k for k, name in learned if name in known and k not in texts]
    return dict.fromkeys(own, pa.float64())


def guessed_types(
    place: str, layout: Layout, reading: Reading, head: bytes
) -> dict[int, pa.DataType]:
    """Return which columns look like numbers or moments, and other ones that hardly repeat."""
    texts = _said_to_be_text(place, layout, reading)
    found = [k for k in layout.features if k not in texts]
    with suppress(pa.ArrowInvalid):
        # To look at each column by itself takes a minute where there are 150,000.
        if not _CODE.search(head):
            numbers = dict.fromkeys(found, pa.float64())
            _parsed_head(head, layout, reading, numbers)
            return numbers
    cells = _parsed_head(head, layout, reading, {})
    return {k: _guessed_type(cells.column(k), reading) for k in found}


def _said_to_be_text(place: str, layout: Layout, reading: Reading) -> set[int]:
    return {column_number(place, name, layout.names) for name in reading.texts}


def _parsed_head(
    head: bytes, layout: Layout, reading: Reading, types: dict[int, pa.DataType]
) -> pa.Table:
    return parse(
        arrow_bytes(head),
        layout,
        reading,
        types,
        block=len(head) + 1,
        lines_above=layout.lines_above,
    )


def _guessed_type(cells: pa.ChunkedArray, reading: Reading) -> pa.DataType:
    """Return float64, a moment, or text: as a dictionary if texts repeat."""
    texts = texts_of(cells, reading.missing).values
    if _are_numbers(texts, reading):
        return pa.float64()
    if date_format(texts) == ISO and not pc.any(pc.ends_with(texts, "Z")).as_py():
        return pa.timestamp("us")
    return TEXT if 2 * len(texts) < len(cells) else pa.string()


def _are_numbers(texts: pa.Array, reading: Reading) -> bool:
    """Say whether all texts are numbers, none of them a code such as 007."""
    if reading.decimal == ",":
        if pc.any(pc.match_substring_regex(texts, "[.]")).as_py():
            return False
        texts = pc.replace_substring(texts, ",", ".")
    codes = pc.match_substring_regex(texts, "^[+-]?0[0-9]")
    return len(texts) == 0 or bool(are_numbers(texts).all() and not pc.any(codes).as_py())


def needs_points(texts: pa.Array) -> bool:
    """Say whether most of a column's different texts are numbers once they have decimal points."""
    return 2 * int(np.count_nonzero(are_numbers(_pointed(texts)))) >= len(texts)


def with_points(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of numbers that have decimal commas, with points."""
    chunks: Sequence[pa.Array] = cells.cast(pa.string()).chunks
    return pa.chunked_array([_pointed(chunk) for chunk in chunks], pa.string())


def _pointed(texts: pa.Array) -> pa.Array:
    """Return numbers with a decimal point; a point in front of three digits separates thousands.

    Any other point makes a text that is no number, so that whoever learns from it refuses it.
    """
    plain = pc.replace_substring(texts, ".", "")
    is_grouped = pc.match_substring_regex(texts, _THOUSANDS)
    has_point = pc.match_substring_regex(texts, "[.]")
    kept = pc.if_else(
        is_grouped, plain, pc.if_else(has_point, pc.replace_substring(texts, ".", "·"), texts)
    )
    return pc.replace_substring(kept, ",", ".")
