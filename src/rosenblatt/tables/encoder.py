"""TableEncoder: a scikit-learn transformer that encodes mixed tables as numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from rosenblatt.core.checks import check_choice, whole_number
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Labels, LabelsLike, MatrixLike, is_sparse
from rosenblatt.tables.arrow_table import as_table
from rosenblatt.tables.cells import check_type, marker_text
from rosenblatt.tables.columns import Category, Learned, LeftOut, Number, Words
from rosenblatt.tables.facts import OF_A_STREAM, UNLIMITED, Limits
from rosenblatt.tables.learning import EncoderOptions
from rosenblatt.tables.matrix import encoded_matrix
from rosenblatt.tables.scaling import SCALE_MODES, scaled, unit_rows
from rosenblatt.tables.table_facts import TableFacts, duplicate_columns_error, some_names
from rosenblatt.tables.text_kind import TextKind

Names = Sequence[str]
"""Names of columns: x0, x1 and so on if the table has no names."""


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encodes a table of numbers, booleans, categories, dates and text as a matrix of numbers.

    When a table is transformed, columns are matched by name in any order. Extra columns are ignored; a
    missing column is an error. Arrays, and data frames whose names are all whole numbers, are matched by
    position. Masked entries of an array are missing values.

    Parameters
    ----------
    categorical : names, default=()
        Columns whose values, numbers included, are names of groups. Decimals match by value, 2.5 and
        2.50, but codes such as 007 only as they are written.
    numeric : names, default=()
        Columns of numbers to keep, although they look like ids, count the rows (20 or more in order, but
        not years) or are constant.
    ignore : names, default=()
        Columns to exclude.
    text : names, default=()
        Columns of free text, whose words are counted (tf-idf). Other columns are detected as free text
        if most texts are rare and have two or more words, or if all differ and have four or more.
    missing : values, or a dict that maps column names to values, default=()
        Markers of missing values, besides null, NaN, blanks, ``?``, ``NA``, ``null`` and the like:
        numbers in columns of numbers, dates (text or Python dates) in columns of dates, and so on.
    scale : {"standard", "none", "unit"}, default="standard"
        "standard" scales numbers and dates to mean 0 and standard deviation 1, except columns of 0 and
        1. "unit" leaves columns unscaled and divides each encoded row by its length; a row of zeros
        stays zero.
    min_count : int, default=3
        Categories with fewer samples share one column, unless all have fewer. Categories that were not
        in the training data have no column.

    Attributes
    ----------
    columns_ : tuple
        A `Number`, `Category`, `Words` or `LeftOut` for each column.
    missing_counts_ : dict
        The number of missing values in each column that is not excluded and has some.
    is_scaled_ : bool
        Whether any column of numbers or dates is scaled.
    n_features_in_, feature_names_in_ :
        The table's columns; names only if the table has them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rosenblatt import TableEncoder
    >>> table = pa.table({"age": [20, 40, None], "town": ["Rome", "Oslo", "Rome"]})
    >>> encoder = TableEncoder(min_count=1)
    >>> encoder.fit_transform(table).tolist()
    [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age is missing', 'town=Oslo', 'town=Rome']
    """

    columns_: tuple[Learned, ...]
    missing_counts_: dict[str, int]
    is_scaled_: bool
    n_features_in_: int
    feature_names_in_: Labels

    def __init__(
        self,
        *,
        categorical: Names = (),
        numeric: Names = (),
        ignore: Names = (),
        text: Names = (),
        missing: Sequence[object] | Mapping[str, Sequence[object]] = (),
        scale: str = "standard",
        min_count: int = 3,
    ) -> None:
        self.categorical = categorical
        self.numeric = numeric
        self.ignore = ignore
        self.text = text
        self.missing = missing
        self.scale = scale
        self.min_count = min_count

    def fit(self, X: MatrixLike, y: LabelsLike = None) -> "TableEncoder":
        """Learn how to encode each column; y is ignored."""
        del y
        self._learn([_opened(X)], UNLIMITED)
        return self

    def fit_stream(self, tables: Iterable[MatrixLike]) -> "TableEncoder":
        """Learn from a table in chunks, with the same result as `fit` on the whole table.

        Each chunk is read once, and none is kept. The distinct values of a text column are kept until
        they exceed 262,144 or 64 MiB. By then they must be numbers, dates, free text or ids, and the
        column keeps that kind; too many categories raise an `InputError`. Whole numbers in a column with
        the name of an id are taken for ids when that many distinct values have occurred. More than
        4,194,304 distinct words of free text raise an `InputError`.

        >>> chunks = [pa.table({"town": ["Rome", "Oslo"]}), pa.table({"town": ["Rome", None]})]
        >>> TableEncoder(min_count=1).fit_stream(chunks).get_feature_names_out().tolist()
        ['town=Oslo', 'town=Rome', 'town is missing']
        """
        self._learn(map(_opened, tables), OF_A_STREAM)
        return self

    def fit_transform(self, X: MatrixLike, y: LabelsLike = None, **_: object) -> Any:
        """Learn how to encode each column, and return the table as numbers."""
        del y
        source = _opened(X)
        self._learn([source], UNLIMITED)
        return self._encoded(source[0].columns, X)

    def transform(self, X: MatrixLike) -> Any:
        """Return the table as numbers: an array, or a CSR matrix if that is smaller.

        After ``set_output``, the result is a data frame, which is never sparse.
        """
        check_is_fitted(self, "columns_")
        if self._is_unchanged(X):
            return X
        table, has_names = _opened(X)
        return self._encoded(self._matched(table, has_names), X)

    def get_feature_names_out(self, input_features: object = None) -> Labels:
        """Return the names of the encoded columns, all different.

        ``input_features`` names the table's columns; if the table had names, they must be the same.

        >>> encoder = TableEncoder().fit([[1.0, 2.0], [3.0, 1.0]])
        >>> encoder.get_feature_names_out(["a", "b"]).tolist()
        ['a', 'b']
        """
        check_is_fitted(self, "columns_")
        given = _check_feature_names_in(self, input_features)
        names = dict(zip((one.name for one in self.columns_), given, strict=True))
        renamed = [replace(one, name=str(names[one.name])) for one in self._ordered()]
        found: dict[str, None] = {}
        for name in (name for column in renamed for name in column.feature_names()):
            while name in found:
                name += "_"
            found[name] = None
        return np.array(list(found), dtype=object)

    def columns_of_features(self) -> list[int]:
        """Return for each encoded column the index of the table's column that it comes from."""
        check_is_fitted(self, "columns_")
        indices = {column.name: k for k, column in enumerate(self.columns_)}
        return [indices[one.name] for one in self._ordered() for _ in range(one.width)]

    def unseen_values(self, X: MatrixLike) -> dict[str, int]:
        """Return for each column of categories how many cells have an unknown value."""
        check_is_fitted(self, "columns_")
        table, has_names = _opened(X)
        cells = self._matched(table, has_names)
        options = self._options([one.name for one in self.columns_])
        return {
            one.name: one.n_unseen(own, options.missing_in(one.name))
            for one, own in zip(self.columns_, cells, strict=True)
            if isinstance(one, Category)
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def new_facts(
        self,
        names: list[str],
        limits: Limits | None = None,
        *,
        kinds: Mapping[str, TextKind] | None = None,
        is_part: bool = False,
    ) -> TableFacts:
        """Return an empty `TableFacts` for a table with these columns, or for a part of one.

        The default limits are those of `fit_stream`. ``kinds`` has the known kinds of text columns.

        >>> facts = TableEncoder().new_facts(["age"])
        >>> facts.add(pa.table({"age": [20, 40]}))
        >>> TableEncoder().fit_facts(facts).missing_counts_
        {}
        """
        options = replace(self._options(names), kinds=kinds or {})
        return TableFacts(names, options, limits or OF_A_STREAM, is_part=is_part)

    def fit_facts(self, facts: TableFacts, *, has_names: bool = True) -> "TableEncoder":
        """Learn how to encode each column from facts gathered with `new_facts`."""
        check_choice("scale", self.scale, SCALE_MODES)
        if facts.n_rows == 0:
            raise _no_rows()
        summaries = [own.summary() for own in facts.columns]
        self.columns_, self.is_scaled_ = scaled(summaries, self.scale)
        self.missing_counts_ = {
            one.column.name: one.n_missing for one in summaries if one.n_missing
        }
        self.n_features_in_ = len(facts.names)
        if has_names:
            self.feature_names_in_ = np.array(facts.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _learn(self, sources: Iterable[tuple[pa.Table, bool]], limits: Limits) -> None:
        check_choice("scale", self.scale, SCALE_MODES)
        facts, has_names = None, False
        for table, is_named in sources:
            if facts is None:
                facts, has_names = self.new_facts(table.column_names, limits), is_named
            facts.add(table)
        if facts is None:
            raise _no_rows()
        self.fit_facts(facts, has_names=has_names)

    def missing_in(self, name: str) -> Sequence[object]:
        """Return the parameter's missing markers for a column."""
        return self.missing.get(name, ()) if isinstance(self.missing, Mapping) else self.missing

    def _options(self, names: list[str]) -> EncoderOptions:
        def checked(parameter: str, given: Names) -> tuple[str, ...]:
            if isinstance(given, str):
                raise InputError(f"{parameter}={given!r} is not accepted: give a list of names")
            for name in given:
                if name not in names:
                    raise InputError(
                        f"{parameter}: there is no column {quoted(str(name))}; the columns are "
                        + some_names(names)
                    )
            return tuple(given)

        missing = self.missing if isinstance(self.missing, Mapping) else {None: self.missing}
        checked("missing", [name for name in missing if name is not None])
        kinds = ("categorical", "numeric", "ignore", "text")
        ways = {way: checked(way, getattr(self, way)) for way in kinds}
        for (way, given), (other, others) in combinations(ways.items(), 2):
            for name in set(given) & set(others):
                raise InputError(
                    f"column {quoted(str(name))} is in both {way} and {other}: give it only once"
                )
        return EncoderOptions(
            ways["categorical"],
            ways["ignore"],
            ways["text"],
            {name: _marker_texts(name, values) for name, values in missing.items()},
            whole_number("min_count", self.min_count, 1),
            numeric=ways["numeric"],
        )

    def _ordered(self) -> list[Number | Category | Words]:
        """Return the encoded columns, free text last."""
        plain = [one for one in self.columns_ if isinstance(one, Number | Category)]
        return [*plain, *(one for one in self.columns_ if isinstance(one, Words))]

    def _matched(self, table: pa.Table, has_names: bool) -> list[Any]:
        """Return the table's columns in the order of `columns_`."""
        names = table.column_names
        if has_names and hasattr(self, "feature_names_in_"):
            needed = [one.name for one in self.columns_ if not isinstance(one, LeftOut)]
            given = set(names)
            absent = [name for name in needed if name not in given]
            if absent:
                raise InputError(
                    f"the table has no column {', '.join(map(quoted, absent))}, which the encoder "
                    f"needs; its columns are {some_names(names)}"
                )
            repeated = next((name for name in needed if names.count(name) > 1), None)
            if repeated is not None:
                raise duplicate_columns_error(repeated)
            indices = {name: k for k, name in enumerate(names)}
            return [
                table.column(indices[one.name]) if one.name in indices else None
                for one in self.columns_
            ]
        if len(names) != self.n_features_in_:
            raise InputError(
                f"X has {len(names)} features, but TableEncoder is expecting {self.n_features_in_} "
                "features as input"
            )
        return table.columns

    def _encoded(self, cells: list[Any], X: MatrixLike) -> MatrixLike:
        pairs = list(zip(self.columns_, cells, strict=True))
        if self._is_unchanged(X):
            return X
        for one, own in pairs:
            if not isinstance(one, LeftOut):
                check_type(one.name, own.type)
        plain = [(one, own) for one, own in pairs if isinstance(one, Number | Category)]
        words = [(one, own) for one, own in pairs if isinstance(one, Words)]
        options = self._options([one.name for one in self.columns_])
        entries = [one.entries(own, options.missing_in(one.name)) for one, own in plain]
        n_rows = next((len(own) for own in cells if own is not None), None)
        n_rows = len(X) if n_rows is None else n_rows  # if the table has none of the columns
        numbers = encoded_matrix([one for one, _ in plain], entries, n_rows)
        if words:
            counted = [one.matrix(own, options.missing_in(one.name)) for one, own in words]
            numbers = sp.csr_matrix(sp.hstack([sp.csr_matrix(numbers), *counted], format="csr"))
        if self.scale == "unit":
            numbers = unit_rows(numbers)
        if not isinstance(numbers, np.ndarray) and self._gives_frames():
            return numbers.toarray()
        return numbers

    def _gives_frames(self) -> bool:
        """Return whether `set_output` asks for data frames, which cannot hold sparse rows."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        output: str = own or get_config()["transform_output"]
        return output != "default"

    def _is_unchanged(self, X: MatrixLike) -> bool:
        """Return whether X needs no encoding: an array whose numbers all stay the same."""
        return (
            self.scale != "unit"
            and isinstance(X, np.ndarray)
            and not np.ma.is_masked(X)
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_
            and X.dtype in (np.float32, np.float64)
            and all(
                isinstance(one, Number) and one.is_unchanged() and not one.indicates
                for one in self.columns_
            )
            and len(self.missing) == 0
            and bool(np.isfinite(X).all())
        )


def _marker_texts(column: str | None, values: object) -> list[str]:
    """Return a column's missing markers, or those of all columns, as texts."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        place = "missing" if column is None else f"missing[{column!r}]"
        raise InputError(
            f"{place}={values!r:.100} is not accepted: give a list of values, such as [-1, 'none']"
        )
    return [marker_text(value) for value in values]


def _no_rows() -> InputError:
    # scikit-learn's estimator checks expect this message
    return InputError("Summary array with 0 sample(s) while a minimum of 1 is required.")


def _opened(X: MatrixLike) -> tuple[pa.Table, bool]:
    if is_sparse(X):
        raise InputError(
            "a sparse matrix holds numbers already: pass it to the learner, or scale it with "
            "scikit-learn's StandardScaler(with_mean=False)"
        )
    return as_table(X)
