"""Encoding of the steps before a pipeline's learner.

Each class has a fixed list of parameters and of learned attributes, with a check of each. Nothing else
is written or read.
"""

import datetime
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.core.checks import check_choice, check_flag, is_number, whole_number
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.models.codec import Tensors, check_known, decode, encode
from rosenblatt.tables.cells import marker_text
from rosenblatt.tables.columns import Category, LeftOut, Number, Words
from rosenblatt.tables.scaling import SCALE_MODES

Check = Callable[[str, Any], object]
"""Takes a parameter's name and value, and raises InputError if the value is invalid."""

_OUTPUT = "_sklearn_output_config"  # scikit-learn keeps the argument of `set_output` there
_NAMES = "feature_names_in_"
_DATE_FORMAT = re.compile(r"(?:ISO 8601|(?=.*%d)(?:%[YmdHMS][-/.: T]?){1,6})?")


@dataclass(frozen=True)
class Step:
    """A class, its parameters, its learned attributes, and a check of the latter."""

    module: str
    name: str
    parameters: dict[str, Check]
    learned: tuple[str, ...]
    check: Callable[[Any, "Step"], None]

    @property
    def kind(self) -> Any:
        """The class."""
        return getattr(import_module(self.module), self.name)

    def is_kind_of(self, step: object) -> bool:
        """Return whether an object is of this class, not of a namesake."""
        return type(step) is self.kind


def encode_step(name: str, step: Any, tensors: Tensors, prefix: str) -> dict[str, Any]:
    """Return a step, fitted or not, as JSON; add its arrays to ``tensors``."""
    kind = STEPS[type(step).__name__]
    parameters = {
        k: _plain(v) for k, v in step.get_params(deep=False).items() if k in kind.parameters
    }
    others = sorted(set(vars(step)) - {*parameters, *kind.learned, _OUTPUT})
    if others:
        raise InputError(
            f"the step {quoted(name)}, a {kind.name}, cannot be saved: model files do not contain its "
            + ", ".join(others)
        )
    try:
        _check_step(step, kind)
    except ValueError as error:
        raise InputError(
            f"the step {quoted(name)}, a {kind.name}, cannot be saved because it could not be "
            f"loaded again: {error}"
        ) from error
    learned = {k: vars(step)[k] for k in kind.learned if k in vars(step)}
    return {
        "class": kind.name,
        "parameters": {k: encode(v, tensors, f"{prefix}{k}") for k, v in parameters.items()},
        "learned": {k: encode(v, tensors, f"{prefix}{k}") for k, v in learned.items()},
        "output": vars(step).get(_OUTPUT, {}).get("transform"),
    }


def decode_step(document: dict[str, Any], tensors: Tensors) -> Any:
    """Return the step that `encode_step` was given; raise some error if the document is bad."""
    kind = STEPS[document["class"]]
    check_known(kind.name, document["parameters"], kind.parameters)
    check_known(kind.name, document["learned"], kind.learned)
    parameters = {k: decode(v, tensors) for k, v in document["parameters"].items()}
    learned = {k: decode(v, tensors) for k, v in document["learned"].items()}
    step = kind.kind(**parameters)
    vars(step).update(learned)
    if document["output"] is not None:
        check_choice("output", document["output"], ("default", "pandas", "polars"))
        step.set_output(transform=document["output"])
    _check_step(step, kind)
    return step


def width_in(step: Any) -> int | None:
    """Return the number of features that a step has learned from, or None before it learns."""
    width: int | None = getattr(step, "n_features_in_", None)
    return width


def width_out(step: Any) -> int | None:
    """Return the number of features that a step outputs, or None before it learns."""
    width = width_in(step)
    if width is None:
        return None
    if hasattr(step, "columns_"):
        return sum(int(column.width) for column in step.columns_)
    return len(step.cells_) if hasattr(step, "cells_") else width


def _check_step(step: Any, kind: Step) -> None:
    """Raise ValueError unless parameters and learned attributes are valid and consistent."""
    for name, check in kind.parameters.items():
        # the installed scikit-learn may be older than a parameter
        if hasattr(step, name):
            check(name, _plain(getattr(step, name)))
    present = [name for name in kind.learned if name in vars(step)]
    if not present:
        return
    absent = [name for name in kind.learned if name not in {*present, _NAMES}]
    if absent:
        raise ValueError(f"{absent[0]} is missing")
    if type(step.n_features_in_) is not int or step.n_features_in_ < 1:
        raise ValueError("n_features_in_ must be a positive integer")
    if _NAMES in present:
        names = step.feature_names_in_
        if not isinstance(names, np.ndarray) or names.shape != (step.n_features_in_,):
            raise ValueError("the number of feature names is not n_features_in_")
        _check_texts(_NAMES, names.tolist())
    kind.check(step, kind)


def _plain(value: Any) -> Any:
    """Convert NumPy and pandas types to Python's own; dates become text."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_plain(item) for item in value)
    if isinstance(value, datetime.date | np.datetime64):
        return marker_text(value)
    return _plain(value.tolist()) if hasattr(value, "tolist") else value


def _check_range(name: str, value: Any) -> None:
    if not (
        isinstance(value, tuple)
        and len(value) == 2
        and all(is_number(end) and math.isfinite(end) for end in value)
        and value[0] < value[1]
    ):
        raise InputError(f"{name}={value!r:.100} is not accepted: use two ascending numbers")


def _check_texts(name: str, values: Any) -> None:
    if not isinstance(values, list | tuple | np.ndarray) or not all(
        isinstance(value, str) for value in values
    ):
        raise InputError(f"{name}={values!r:.100} is not accepted: use a list of names")


def _check_missing(name: str, values: Any) -> None:
    lists = values.values() if isinstance(values, dict) else [values]
    plain = str | int | float | None
    if not all(
        isinstance(one, list | tuple | np.ndarray) and all(isinstance(v, plain) for v in one)
        for one in lists
    ) or (isinstance(values, dict) and not all(isinstance(key, str) for key in values)):
        raise InputError(f"{name}={values!r:.100} is not accepted: use strings and numbers")


def _check_norm(name: str, value: Any) -> None:
    check_choice(name, value, ("l1", "l2", "max"))


# The arrays that scalers learn, and the parameter that makes one None if it is False.
_ARRAYS = {
    "mean_": "with_mean",
    "var_": "with_std",
    "scale_": "",
    "center_": "with_centering",
    "min_": "",
    "max_abs_": "",
    "data_min_": "",
    "data_max_": "",
    "data_range_": "",
}
_SCALES = {"StandardScaler": "with_std", "RobustScaler": "with_scaling"}


def _check_scaler(step: Any, kind: Step) -> None:
    width = step.n_features_in_
    for name in _ARRAYS.keys() & set(kind.learned):
        parameter = _SCALES.get(kind.name, "") if name == "scale_" else _ARRAYS[name]
        value = getattr(step, name)
        if value is None and parameter and not getattr(step, parameter):
            continue
        _check_numbers(name, value, (width,))
        if name == "scale_" and not np.all(value):
            raise ValueError("scale_ must not be 0")
    if "n_samples_seen_" in kind.learned:
        count = step.n_samples_seen_
        if not is_number(count):
            _check_numbers("n_samples_seen_", count, (width,))
        if not np.all(np.isfinite(count)) or np.any(np.asarray(count) < 0):
            raise ValueError("n_samples_seen_ must be a finite number, at least 0")


def _check_numbers(name: str, value: Any, shape: tuple[int, ...]) -> None:
    if (
        not isinstance(value, np.ndarray)
        or value.shape != shape
        or value.dtype.kind not in "iuf"
        or not np.isfinite(value).all()
    ):
        raise ValueError(f"{name} must be an array of {shape[0]} finite numbers")


def _check_encoder(step: Any, kind: Step) -> None:
    del kind
    columns, counts = step.columns_, step.missing_counts_
    if not isinstance(columns, tuple) or len(columns) != step.n_features_in_:
        raise ValueError("columns_ must describe each column")
    for column in columns:
        _check_column(column)
    names = [column.name for column in columns]
    expected = step.feature_names_in_.tolist() if hasattr(step, _NAMES) else names
    if names != expected or len(set(names)) != len(names):
        raise ValueError("columns_ must have the names in feature_names_in_, all different")
    if not isinstance(counts, dict) or not all(
        name in names and type(n) is int for name, n in counts.items()
    ):
        raise ValueError("missing_counts_ must map names of columns to integers")
    check_flag("is_scaled_", step.is_scaled_)


def _check_column(column: Any) -> None:
    """Raise ValueError unless a column is of one of our classes and its fields have valid types."""
    if not isinstance(column, Number | Category | Words | LeftOut):
        raise ValueError(f"a column is a {type(column).__name__}")
    fields = vars(column)
    check_flag("indicates", column.indicates)
    texts: Iterable[Any] = [column.name, fields.get("reason", ""), fields.get("dates", "")]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("the name, the reason and the dates of a column must be text")
    if not _DATE_FORMAT.fullmatch(fields.get("dates", "")):
        raise ValueError("this is not a date format")
    if not all(isinstance(fields.get(key, ()), tuple) for key in ("values", "rare", "words")):
        raise ValueError("the categories and the words must be tuples")
    if isinstance(column, Words):
        _check_numbers("idf", column.idf, (len(column.words),))
        if column.idf.dtype != np.float64 or not column.words:
            raise ValueError("a text column has no words, or their weights are not float64")


def _scaler(name: str, parameters: dict[str, Check], *learned: str) -> Step:
    return Step(
        "sklearn.preprocessing",
        name,
        {"copy": check_flag, **parameters},
        (*learned, "n_features_in_", _NAMES),
        _check_scaler,
    )


STEPS = {
    step.name: step
    for step in (
        Step(
            "rosenblatt.tables.encoder",
            "TableEncoder",
            {
                "categorical": _check_texts,
                "numeric": _check_texts,
                "ignore": _check_texts,
                "text": _check_texts,
                "missing": _check_missing,
                "scale": lambda name, value: check_choice(name, value, SCALE_MODES),
                "min_count": lambda name, value: whole_number(name, value, 1),
            },
            ("columns_", "missing_counts_", "is_scaled_", "n_features_in_", _NAMES),
            _check_encoder,
        ),
        _scaler(
            "StandardScaler",
            {"with_mean": check_flag, "with_std": check_flag},
            "mean_",
            "var_",
            "scale_",
            "n_samples_seen_",
        ),
        _scaler(
            "MinMaxScaler",
            {"feature_range": _check_range, "clip": check_flag},
            "min_",
            "scale_",
            "data_min_",
            "data_max_",
            "data_range_",
            "n_samples_seen_",
        ),
        _scaler("MaxAbsScaler", {"clip": check_flag}, "max_abs_", "scale_", "n_samples_seen_"),
        _scaler(
            "RobustScaler",
            {
                "with_centering": check_flag,
                "with_scaling": check_flag,
                "quantile_range": _check_range,
                "unit_variance": check_flag,
            },
            "center_",
            "scale_",
        ),
        _scaler("Normalizer", {"norm": _check_norm}),
    )
}
"""The classes that a pipeline may have before its learner."""
