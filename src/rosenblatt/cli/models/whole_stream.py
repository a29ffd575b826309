"""All chunks of a stream, one after another, with a bar that shows how far they are done."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeVar

from rosenblatt.cli.stream.stream_bar import StreamBar
from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.tables.csv_parser import QuotesChangedError
from rosenblatt.io.streams.tables.table_form import FormChangedError

Result = TypeVar("Result")


def read_whole(
    stream: Stream,
    what: str,
    work: Callable[[Iterator[Table]], Result],
    *,
    has_bar: bool = True,
    is_printed: bool = False,
) -> Result:
    """Return what is made of all chunks of a stream, while a bar says what is done.

    If something turns out late that was to be known from the beginning, all is done again, unless the
    stream can be read only once, or the result of the first chunks is printed already.
    """
    while True:
        try:
            with (
                StreamBar(what, is_wanted=has_bar) as bar,
                closing(bar.watched(stream)) as chunks,
            ):
                return work(chunks)
        except (FormChangedError, QuotesChangedError) as error:
            if stream.is_repeatable and not is_printed:
                continue
            if isinstance(error, QuotesChangedError):
                raise
            what = "write to a file, with --output" if is_printed else "give files, to read again"
            raise InputError(f"{error}; {what}") from error
