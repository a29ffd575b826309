"""The public functions `read` and `stream`: samples from files, patterns and URLs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rosenblatt.core.checks import check_choice
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io import Reading, Table
from rosenblatt.io import read as read_table
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import Stream, open_stream

_KINDS = ("auto", "csv", "libsvm", "parquet", "arrow")


class Samples(NamedTuple):
    """Samples and their labels.

    ``X`` is a sparse matrix, or an Arrow table that `TableEncoder` turns into numbers.
    """

    X: MatrixLike
    y: Labels | None


class SampleStream:
    """Samples in chunks, as returned by `stream`: each iteration reads from the beginning."""

    def __init__(self, source: Stream) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Samples]:
        for table in self._source.chunks():
            yield _samples(table)

    @property
    def n_bytes(self) -> int | None:
        """The total stored size in bytes, or None if unknown."""
        return self._source.n_bytes

    @property
    def n_read(self) -> int:
        """The number of stored bytes read so far."""
        return self._source.n_read


def read(
    path: str | Path | Sequence[str | Path],
    *,
    kind: str = "auto",
    label: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
) -> Samples:
    r"""Read labeled samples into memory.

    ``path`` is a file, a pattern such as ``part-*.csv``, a URL (``s3://``, ``gs://`` or
    ``https://``), "-" for standard input, or several of these, with the same columns. Files are tables
    (CSV, Parquet, Arrow) or libsvm text, optionally compressed with gzip, bzip2 or zstd; set ``kind``
    if it is not detected correctly. ``label`` is the label column, by name or by number; ``header``
    says whether the first line of a CSV file has names; ``decimal`` is its decimal point.

    >>> from rosenblatt import Perceptron, read
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:1\n-1 2:1\n")
    >>> X, y = read(path)
    >>> X.shape, y
    ((2, 3), array([ 1, -1]))
    >>> Perceptron().fit(X, y).predict(X)
    array([ 1, -1])
    """
    check_choice("kind", kind, _KINDS)
    return _samples(read_table(path, Reading(kind, label, header, decimal)))


def stream(
    path: str | Path | Sequence[str | Path],
    chunk_rows: int | None = None,
    *,
    kind: str = "auto",
    label: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    zero_based: bool | None = None,
    text_labels: bool | None = None,
    n_features: int | None = None,
) -> SampleStream:
    r"""Read labeled samples in chunks, in memory that does not grow with the files; see `read`.

    Chunks have ``chunk_rows`` samples, or about 4 MB of text. Each iteration reads the source again,
    except standard input, which can be read only once.

    In libsvm text, indices begin at 1, or at 0 if the first 4 MB have an index 0, unless ``zero_based``
    is given. Chunks have as many columns as they need, or ``n_features``. Labels are whole numbers, or
    text if the first 4 MB have other labels, unless ``text_labels`` is given. If you give all of these
    and ``chunk_rows``, samples that arrive slowly on standard input are returned as soon as a chunk is
    full.

    Chunks of tables are Arrow tables with the column types of the whole table, which is read once
    beforehand to detect them; ``label``, ``header`` and ``decimal`` work as in `read`.
    `TableEncoder.fit_stream` makes another pass to learn how columns become numbers.

    >>> from rosenblatt import Perceptron, TableEncoder, stream
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:1\n-1 2:1\n+1 3:2\n")
    >>> learner = Perceptron(keep="last")
    >>> for X, y in stream(path, chunk_rows=2, n_features=3):
    ...     _ = learner.partial_fit(X, y, classes=[-1, 1])
    >>> learner.coef_
    array([[ 0.5, -1. ,  1. ]])
    >>> path = getfixture("tmp_path") / "data.csv"
    >>> _ = path.write_text("age,town,class\n20,Rome,1\n60,Oslo,0\n40,Rome,1\n")
    >>> encoder = TableEncoder(min_count=1).fit_stream(X for X, _ in stream(path, 2))
    >>> chunks = [(encoder.transform(X), y) for X, y in stream(path, 2)]
    >>> Perceptron().fit_stream(chunks, passes=9).outcome_.name
    'SEPARATED'
    """
    lines = LineReading(
        chunk_rows=chunk_rows,
        zero_based=zero_based,
        text_labels=text_labels,
        n_features=n_features,
    )
    paths = [path] if isinstance(path, str | Path) else path
    check_choice("kind", kind, _KINDS)
    return SampleStream(open_stream(paths, Reading(kind, label, header, decimal), lines))


def _samples(table: Table) -> Samples:
    return Samples(table.X, table.y)
