"""Validation of the samples, labels, weights and parameters of every learner."""

import math
import numbers
import os
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from rosenblatt.core.checks import as_float, check_unmasked, is_number
from rosenblatt.core.classes import Classes
from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, check_keys, class_indices, distinct, is_missing
from rosenblatt.core.types import (
    ClassWeights,
    Counts,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Seed,
    WeightsLike,
    is_sparse,
)
from rosenblatt.estimators.common.learned import Features
from rosenblatt.kernels.finite import check_finite
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.separability.checked_input import check_no_text, check_unrounded
from rosenblatt.training.label_matrix import as_matrix, is_matrix


def check_weights(weights: Floats, eta0: float) -> None:
    """Raise InputError unless the weights, in units of eta0, can be squared in float64."""
    if not (np.abs(weights) < LARGEST).all():
        raise InputError(
            f"the start weights are not all below {LARGEST:g} times eta0={eta0!r}: "
            "use smaller weights or a larger eta0"
        )


class Samples(NamedTuple):
    """Validated samples and labels, and their features."""

    X: Any
    y: Labels
    features: Features


def validated_samples(estimator: Any, X: MatrixLike, y: LabelsLike, **options: Any) -> Samples:
    """Validate samples and labels as scikit-learn does; y may be a matrix of 0 and 1.

    >>> from rosenblatt import Perceptron
    >>> validated_samples(Perceptron(), [[1.0], [2.0]], [[0, 1], [1, 1]]).y.tolist()
    [[0, 1], [1, 1]]
    """
    y = as_csr(y, "y") if is_sparse(y) else y
    if not is_matrix(y):
        return labeled_samples(estimator, X, y, **options)
    samples = _validated(estimator, X, y, multi_output=True, **options)
    return samples._replace(y=as_matrix(samples.y))


def labeled_samples(estimator: Any, X: MatrixLike, y: LabelsLike, **options: Any) -> Samples:
    """Validate samples and one label per sample as scikit-learn does; labels are not changed."""
    samples = _validated(estimator, X, as_labels(y), **options)
    check_targets(samples.y)
    return samples


def _validated(
    estimator: Any,
    X: MatrixLike,
    y: LabelsLike,
    *,
    reset: bool = True,
    exact: bool = False,
    **options: Any,
) -> Samples:
    """Validate as scikit-learn does; if ``exact``, also raise if a number would be rounded."""
    if not reset:
        X, y = validated(estimator, X, y, **options)
        return Samples(X, y, estimator._state.features)
    stand_in = _stand_in(estimator)
    converted_X, y = validated(stand_in, X, y, reset=True, **options)
    if exact:
        check_unrounded(X, converted_X)
    return Samples(converted_X, y, _features_of(stand_in))


def _stand_in(estimator: Any) -> Any:
    """Return an object with the estimator's tags, on which scikit-learn sets the features it finds.

    On the estimator itself it would set them even if learning fails later.
    """
    name = type(estimator).__name__
    return type(name, (), {"__sklearn_tags__": lambda _self: estimator.__sklearn_tags__()})()


def _features_of(stand_in: Any) -> Features:
    return Features(int(stand_in.n_features_in_), getattr(stand_in, "feature_names_in_", None))


def validated(
    estimator: Any, X: MatrixLike, y: LabelsLike = "no_validation", **options: Any
) -> Any:
    """Validate samples and optional labels as scikit-learn does; sparse samples become CSR."""
    options = {"accept_sparse": "csr", "dtype": "numeric", "reset": False, **options}
    checks_finite = options.pop("ensure_all_finite", True)
    X = converted(X, options["dtype"])
    try:
        found = validate_data(estimator, X, y, ensure_all_finite=checks_finite, **options)
        table = found[0] if isinstance(found, tuple) else found
        if table.dtype.kind == "O":  # scikit-learn does not convert categories
            check_no_text(X)
        return found
    except (TypeError, ValueError):
        check_no_text(X)
        if checks_finite:  # scikit-learn's error does not name the row and column
            plain = {"accept_sparse": options["accept_sparse"], "dtype": options["dtype"]}
            check_finite(validate_data(_stand_in(estimator), X, ensure_all_finite=False, **plain))
        raise


def converted(X: MatrixLike, dtype: Any = "numeric") -> Any:
    """Return X, which may be anything, with sparse matrices converted to CSR.

    `as_rows` or `as_csr` checks the indices of a matrix that needs no conversion. A conversion of the
    format or the number type would follow bad indices, so here they are checked before it.
    """
    if not is_sparse(X):
        check_unmasked(X, "X")
        return X
    stays = X.format == "csr" and X.ndim == 2 and isinstance(dtype, str)
    return X if stays else as_csr(X)


def check_targets(y: Labels) -> None:
    """Raise InputError unless y can be labels: whole numbers and text always can, others are checked."""
    if y.dtype.kind in "mM":  # predict_one would return them as whole numbers or dates
        raise InputError(f"y has labels of type {y.dtype}: give text, or numbers, as labels")
    if y.dtype.kind not in "biuUS":
        try:
            check_classification_targets(y)
        except ValueError as error:  # scikit-learn's estimator checks require these first words
            raise InputError(
                f"Unknown label type: y has labels of type {y.dtype} that are neither whole numbers "
                "nor text; give integers, booleans or text as labels"
            ) from error


def check_class_weight(class_weight: object) -> None:
    """Raise InputError unless the parameter is None, "balanced" or a dict of labels to weights."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, dict) or not all(
        isinstance(weight, bool) or 0 <= as_float(weight) < LARGEST
        for weight in class_weight.values()
    ):
        raise InputError(
            f"class_weight={class_weight!r} is not accepted: use None, 'balanced' or a dict of labels "
            f"to numbers of at least 0, below {LARGEST:g}"
        )


def generator(random_state: Seed) -> np.random.RandomState:
    """Return the random generator for the parameter ``random_state``."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        raise InputError(
            f"random_state={random_state!r} is not accepted: "
            "use None, a whole number from 0 to 4294967295 or a numpy.random.RandomState"
        ) from error


def seed_from(rng: np.random.RandomState) -> int:
    """Draw a seed for generators that are created later, and again when learning resumes."""
    return int(rng.randint(2**32, dtype=np.int64))


def as_label(y: LabelsLike) -> Labels:
    """Return one label as an array of length 1."""
    labels: Labels = np.asarray([y] if is_missing(y) else as_labels([y]))
    is_number = labels.dtype.kind == "f" and labels.ndim == 1
    if (
        is_missing(y)
        or labels.ndim != 1
        or labels.dtype.kind in "mM"
        or (is_number and not np.isfinite(labels[0]))
    ):
        raise InputError(f"the label {y!r} is not accepted: give one number or one string")
    return labels


def classes_of_all(y: Labels, *, one_without_intercept: bool | None = None) -> Classes:
    """Return the classes of all labels, or the columns of a matrix of labels.

    Raise InputError if there is only one class, unless ``one_without_intercept`` is true; None means
    that the learner never accepts one class.
    """
    if y.ndim == 2:
        return Classes(np.arange(y.shape[1]), multilabel=True)
    classes = distinct(y)
    if len(classes) < 2 and not one_without_intercept:
        text = f"y has only one class, {classes.tolist()[0]!r}: learning needs at least two classes"
        if one_without_intercept is not None:
            text += ", or one without an intercept, fit_intercept=False"
        raise InputError(text)
    return Classes(classes)


def is_label_row(y: LabelsLike) -> bool:
    """Return whether y is a vector or a sparse row with one entry for each of several labels."""
    shape = np.shape(y)
    return len(shape) in (1, 2) and shape[-1] > 1


def as_label_row(y: LabelsLike, n_labels: int) -> Labels:
    """Return the labels of one sample as a matrix of one row of 0 and 1."""
    row = as_csr(y, "y", vector=True) if is_sparse(y) else np.asarray(y)
    if row.shape not in ((n_labels,), (1, n_labels)):
        raise InputError(
            f"the label {y!r} is not accepted: give a vector of 0 and 1 for the {n_labels} labels"
        )
    return as_matrix(row.reshape((1, -1)))


def check_rule_of_labels(multiclass: str) -> None:
    """Raise InputError unless this rule for many classes can learn a matrix of labels."""
    if multiclass == "joint":
        raise InputError(
            "multiclass='joint' needs one class per sample, but y is a matrix of labels: use "
            "multiclass='one-vs-rest', which learns each label separately"
        )


def check_labels(y: Labels, n_labels: int) -> None:
    """Raise InputError unless y is a matrix with one column per label."""
    if y.ndim != 2 or y.shape[1] != n_labels:
        raise InputError(
            f"y has shape {y.shape}, but the labels so far had {n_labels} columns of 0 and 1: give a "
            "matrix with the same columns"
        )


def as_sample(x: SampleLike) -> Any:
    """Return one sample, a vector or a sparse row, as a matrix of one row."""
    check_unmasked(x, "the sample")
    x = as_csr(x, "the sample", vector=True) if is_sparse(x) else np.asarray(x)
    if not (x.ndim == 1 or (x.ndim == 2 and x.shape[0] == 1)) or x.shape[-1] == 0:
        raise InputError(f"the sample has shape {x.shape}: give one vector, or one row")
    if x.dtype.kind not in "biuf":
        raise InputError(f"the sample has values of type {x.dtype}: give real numbers")
    return x.reshape((1, -1))


def is_named(x: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether a sample is a dict of names to values, not SciPy's sparse dict of keys."""
    return isinstance(x, Mapping) and not is_sparse(x)


def check_features(x: Mapping[Any, Any]) -> None:
    """Raise InputError for the first feature of a dict whose value is not a finite number."""
    for name, value in x.items():
        if not _is_finite(value):
            raise InputError(
                f"the feature {name!r} of the sample is {value!r}: give a finite real number"
            )


def _is_finite(value: Any) -> bool:
    try:
        return not isinstance(value, str | bytes) and math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False


def weights_of_samples(sample_weight: WeightsLike, n_samples: int) -> Floats:
    """Return one weight per sample, 1 by default."""
    if sample_weight is None:
        return np.ones(n_samples)
    check_unmasked(sample_weight, "sample_weight")
    weight = np.array(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.shape != (n_samples,):
        raise InputError(
            f"sample_weight has shape {weight.shape}, but X has {n_samples} rows: "
            "give one weight per row"
        )
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("sample_weight must be finite and at least 0 everywhere")
    return weight


def weights_of_classes(class_weight: ClassWeights, y: Labels, classes: Classes) -> Floats:
    """Return one weight per class, 1 by default; "balanced" counts the labels of y."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, dict):
        check_keys(class_weight, classes.labels, complete=not classes.is_open)
        named = [class_weight.get(label, 1.0) for label in classes.labels.tolist()]
        return np.array(named, dtype=np.float64)
    if y.ndim == 2:
        raise InputError(
            f"class_weight={class_weight!r} needs one class per sample, but y is a matrix of labels: "
            "give a dict of columns to weights"
        )
    numbers = class_indices(y, classes.labels)
    return balanced_weights(np.bincount(numbers, minlength=len(classes)))


def balanced_weights(counts: Counts) -> Floats:
    """Return weights that balance classes of these sizes, as in scikit-learn.

    Every class must have a sample.

    >>> balanced_weights(np.array([1, 3]))
    array([2.        , 0.66666667])
    """
    sizes = counts.astype(np.float64)
    return np.asarray(sizes.sum() / (len(sizes) * sizes))


def start_weights(
    coef_init: WeightsLike,
    intercept_init: WeightsLike,
    shape: tuple[int, ...],
    *,
    intercept: bool,
    eta0: float,
) -> Floats:
    """Return the start weights in units of eta0, one row per halfspace, the intercept last."""
    weights = np.zeros(shape)
    n_halfspaces, n_features = shape[0], shape[1] - 1
    if coef_init is not None:
        coef = np.asarray(coef_init, dtype=np.float64)
        if coef.size != n_halfspaces * n_features:
            raise InputError(
                f"coef_init has shape {coef.shape}, but this data needs "
                f"({n_halfspaces}, {n_features})"
            )
        weights[:, :-1] = coef.reshape(n_halfspaces, n_features)
    if intercept_init is not None:
        if not intercept:
            raise InputError("intercept_init is given, but fit_intercept=False learns no intercept")
        offset = np.asarray(intercept_init, dtype=np.float64)
        if offset.size != n_halfspaces:
            raise InputError(
                f"intercept_init has shape {offset.shape}, but this data needs ({n_halfspaces},)"
            )
        weights[:, -1] = offset.reshape(n_halfspaces)
    if not np.isfinite(weights).all():
        raise InputError("coef_init and intercept_init must be finite everywhere")
    weights = weights / eta0 + 0.0  # -0.0 becomes 0.0, as in dense updates
    check_weights(weights, eta0)
    return weights


def n_threads(n_jobs: object) -> int:
    """Return the number of threads: None is 1, -1 all processors, -2 all but one, and so on.

    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not is_number(n_jobs) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InputError(
            f"n_jobs={n_jobs!r} is not accepted: use None, a number of threads, or -1 for all processors"
        )
    count = int(n_jobs)
    return count if count > 0 else max(1, (os.cpu_count() or 1) + 1 + count)
