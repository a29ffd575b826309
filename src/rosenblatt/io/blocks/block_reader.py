"""Blocks of samples, read by themselves, in any order, again and again."""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Protocol

from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.line_blocks import LineBlockReader
from rosenblatt.io.blocks.table_blocks import TableBlockReader
from rosenblatt.io.samples.table import Table


class _OwnReader(Protocol):
    """What reads blocks of one kind."""

    def tables(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Table, Sequence[Block]], None, None]:
        """Yield the samples of blocks."""

    def close(self) -> None:
        """Close the sources."""


class BlockReader:
    r"""Reads blocks of the sources at some places, whose numbers are their places in this list.

    >>> from rosenblatt.io.blocks.agreement import combine_surveys
    >>> from rosenblatt.io.blocks.block import SurveyOptions
    >>> from rosenblatt.io.blocks.survey import survey_source
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:1\n-1 2:1\n+1 3:2\n")
    >>> found = combine_surveys([survey_source(str(path), 0, SurveyOptions())], SurveyOptions())
    >>> with closing(BlockReader([str(path)], found.form)) as reader:
    ...     for table, blocks in reader.tables([found.blocks[2], found.blocks[0]]):
    ...         print(table.X.toarray().tolist(), table.y.tolist(), len(blocks))
    [[0.0, 0.0, 2.0], [0.5, 0.0, 1.0]] [1, 1] 2
    """

    def __init__(self, places: Sequence[str], form: SampleForm) -> None:
        kind = LineBlockReader if form.kind == "libsvm" else TableBlockReader
        self._own: _OwnReader = kind(places, form)

    def tables(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Table, Sequence[Block]], None, None]:
        """Yield the samples of blocks, in this order, and beside them whose they are.

        A table has all samples of one or more blocks, one after another: what is small is read and
        parsed together. Labels are typed, and X is numbers. A block that is read for the first time is
        compared with its digest, and the state of a source with what it was whenever this is called.
        """
        with closing(self._own.tables(blocks)) as tables:
            yield from tables

    def close(self) -> None:
        """Close the sources."""
        self._own.close()
