"""Work on all chunks of a stream, with a progress bar."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeVar

from rosenblatt.cli.stream_bar import StreamBar
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
    """Return the result of the work on all chunks of a stream, showing a bar meanwhile.

    If a late chunk contradicts the format guessed from the first ones, all is done again, unless the
    stream can be read only once or the first results are printed already.
    """
    while True:
        try:
            with (
                StreamBar(what, is_shown=has_bar) as bar,
                closing(bar.watched(stream)) as chunks,
            ):
                return work(chunks)
        except (FormChangedError, QuotesChangedError) as error:
            if stream.is_repeatable and not is_printed:
                continue
            if isinstance(error, QuotesChangedError):
                raise
            remedy = "write to a file with --output" if is_printed else "save it to a file first"
            raise InputError(f"{error}; {remedy}") from error
