"""Reading blocks of samples in any order, any number of times."""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Protocol

from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.line_blocks import LineBlockReader
from rosenblatt.io.blocks.table_blocks import TableBlockReader
from rosenblatt.io.samples.table import Table


class _KindReader(Protocol):
    """A reader of blocks of one kind."""

    def tables(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Table, Sequence[Block]], None, None]:
        """Yield the samples of blocks."""

    def close(self) -> None:
        """Close the sources."""


class BlockReader:
    r"""Reads blocks of sources, which are numbered by their positions in ``paths``.

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

    def __init__(self, paths: Sequence[str], form: SampleForm) -> None:
        kind = LineBlockReader if form.kind == "libsvm" else TableBlockReader
        self._reader: _KindReader = kind(paths, form)

    def tables(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Table, Sequence[Block]], None, None]:
        """Yield tables of samples in the order of the blocks, each with the blocks that it has.

        A table has all samples of one or more blocks: small blocks are read and parsed together. Labels
        are typed, and X is numbers. The first read of a block compares it with its digest; every call
        compares the state of the sources with the survey.
        """
        with closing(self._reader.tables(blocks)) as tables:
            yield from tables

    def close(self) -> None:
        """Close the sources."""
        self._reader.close()
