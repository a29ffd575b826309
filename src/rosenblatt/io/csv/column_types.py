"""The types of CSV columns: guessed from the first lines, or known from a model.

Reading the file shows whether a guess holds for all lines.
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
"""The minimum number of bytes to look at."""

_CODE = re.compile(rb"(?:^|[,;\t\r\n\"' ])[+-]?0[0-9]")
_THOUSANDS = r"^ *[+-]?[0-9]{1,3}(?:[.][0-9]{3})+(?:,[0-9]+)? *$"


def feature_names(place: str, layout: Layout, reading: Reading) -> list[str]:
    """Return the names of the feature columns: the model's if it knows columns by position only."""
    own, expect = layout.names, reading.expect
    names = [own[k] for k in layout.features]
    if expect is None or (expect.has_names and layout.has_header):
        return names
    check_width(place, len(names), expect.n_features)
    return names if expect.names is None else list(expect.names)


def known_types(place: str, layout: Layout, reading: Reading) -> dict[int, pa.DataType] | None:
    """Return the types of the columns that are numbers to the model; None without such a model."""
    expect = reading.expect
    if expect is None or expect.names is None:
        return None
    texts = _declared_texts(place, layout, reading)
    learned = zip(layout.features, feature_names(place, layout, reading), strict=True)
    # columns that the model does not know may hold anything
    known = set(expect.names) - set(expect.texts)
    own = [k for k, name in learned if name in known and k not in texts]
    return dict.fromkeys(own, pa.float64())


def guessed_types(
    place: str, layout: Layout, reading: Reading, head: bytes
) -> dict[int, pa.DataType]:
    """Return the types of columns that look like numbers, times or texts that hardly repeat."""
    texts = _declared_texts(place, layout, reading)
    found = [k for k in layout.features if k not in texts]
    with suppress(pa.ArrowInvalid):
        # Looking at columns one by one takes a minute if there are 150,000.
        if not _CODE.search(head):
            numbers = dict.fromkeys(found, pa.float64())
            _parsed_head(head, layout, reading, numbers)
            return numbers
    cells = _parsed_head(head, layout, reading, {})
    return {k: _guessed_type(cells.column(k), reading) for k in found}


def _declared_texts(place: str, layout: Layout, reading: Reading) -> set[int]:
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
    """Return float64, timestamp, or text: a dictionary if texts repeat."""
    texts = texts_of(cells, reading.missing).values
    if _are_numbers(texts, reading):
        return pa.float64()
    if date_format(texts) == ISO and not pc.any(pc.ends_with(texts, "Z")).as_py():
        return pa.timestamp("us")
    return TEXT if 2 * len(texts) < len(cells) else pa.string()


def _are_numbers(texts: pa.Array, reading: Reading) -> bool:
    """Return whether all texts are numbers and none is a code such as 007."""
    if reading.decimal == ",":
        if pc.any(pc.match_substring_regex(texts, "[.]")).as_py():
            return False
        texts = pc.replace_substring(texts, ",", ".")
    codes = pc.match_substring_regex(texts, "^[+-]?0[0-9]")
    return len(texts) == 0 or bool(are_numbers(texts).all() and not pc.any(codes).as_py())


def needs_points(texts: pa.Array) -> bool:
    """Return whether most distinct texts are numbers once decimal commas are points."""
    return 2 * int(np.count_nonzero(are_numbers(_pointed(texts)))) >= len(texts)


def with_points(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace the decimal commas of a column by points."""
    chunks: Sequence[pa.Array] = cells.cast(pa.string()).chunks
    return pa.chunked_array([_pointed(chunk) for chunk in chunks], pa.string())


def _pointed(texts: pa.Array) -> pa.Array:
    """Replace decimal commas by points; drop points that separate thousands.

    Any other point is replaced so that the text is not a number and learning refuses it.
    """
    plain = pc.replace_substring(texts, ".", "")
    is_grouped = pc.match_substring_regex(texts, _THOUSANDS)
    has_point = pc.match_substring_regex(texts, "[.]")
    kept = pc.if_else(
        is_grouped, plain, pc.if_else(has_point, pc.replace_substring(texts, ".", "·"), texts)
    )
    return pc.replace_substring(kept, ",", ".")
