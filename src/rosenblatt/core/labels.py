"""Conversion of the user's labels to the signs (-1 and +1) of each halfspace.

Convention: two classes share one halfspace, positive for the greater class; three or more classes have
one halfspace each, that class against the rest. If a sample may have any number of labels, y is a matrix
with a column for each label, 1 if the sample has it and 0 if not, and every column has its own
halfspace, even if there are only two.

Labels never change. NumPy silently converts mixed types: 1 with "a" becomes "1", 2**60 + 1 with 0.5
becomes 2**60, and text loses a trailing NUL. So labels must be all numbers (bools count: True is 1), all
text or all bytes, and a label that the common type cannot represent is refused: within one array
(`as_labels`), and when new classes join known ones (`merged_classes`).
"""

import numbers

import numpy as np

from rosenblatt.core.checks import check_unmasked
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelLike, Labels, LabelsLike, Signs

_FEW = 1000

_MISSING = {"NoneType", "NAType", "NaTType"}
_ACCEPTED = "labels must be all text or all numbers"


def as_labels(y: LabelsLike, place: str = "y") -> LabelsLike:
    """Return labels as an array that leaves each unchanged; raise if no array can.

    An object that cannot be a list of labels is returned unchanged: later checks refuse it.

    >>> as_labels(["rock", "mine"])
    array(['rock', 'mine'], dtype='<U4')
    >>> as_labels([1, "rock"])
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: y contains 1 (int) and 'rock' (str): labels must be ...
    """
    check_unmasked(y, place)
    if isinstance(y, list | tuple):
        items = list(y)
    elif getattr(y, "ndim", 0) == 1 and getattr(getattr(y, "dtype", None), "kind", "") == "O":
        items = np.asarray(y).tolist()
    else:
        return y
    first = {_kind(type(item)): item for item in {type(item): item for item in items}.values()}
    _check_present(items, place)
    if None in first or not first:
        return y
    if len(first) > 1:
        one, other, *_ = first.values()
        raise InputError(f"{place} contains {_shown(one)} and {_shown(other)}: {_ACCEPTED}")
    if "number" not in first:
        _check_no_final_nul(items, place)
    if not isinstance(y, list | tuple):
        return y  # an array of objects
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        _check_unchanged([_plain(item) for item in items], labels.tolist(), place)
    return labels


def named_classes(classes: LabelsLike) -> Labels:
    """Return the classes given for a stream, sorted; raise if they are not labels.

    >>> named_classes(["b", "a"])
    array(['a', 'b'], dtype='<U1')
    """
    if any(is_missing(label) or label != label for label in np.asarray(classes, dtype=object).flat):
        raise InputError(f"classes={classes!r} contains NaN or None, which cannot be labels")
    named = np.asarray(as_labels(classes, "classes"))
    if named.ndim != 1:
        raise InputError(f"classes={classes!r} is not accepted: give a list of all labels")
    if len(named) == 0:
        raise InputError("classes is empty: list all classes or omit it")
    known: Labels = np.unique(named)
    return known


def merged_classes(known: Labels, y: Labels, place: str = "y") -> Labels:
    """Return the known classes and those in y, sorted; ``known`` itself if y has no new class.

    >>> merged_classes(np.array([1, 3]), np.array([2.0, 3.0]))
    array([1, 2, 3])
    >>> merged_classes(np.array([2**60 + 1]), np.array([0.5]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: y contains 0.5 (float) and 1152921504606846977 (int), which ...
    """
    found = distinct(y)
    if found.dtype != known.dtype:
        found = _converted(known, found, place)
    new = found[~np.isin(found, known)]
    return np.union1d(known, new) if len(new) else known


def _converted(known: Labels, found: Labels, place: str) -> Labels:
    """Return labels in the known classes' type if it can represent them; raise if no type can."""
    one, other = known.tolist()[0], found.tolist()[0]
    if _kind(type(one)) != _kind(type(other)):
        raise InputError(
            f"{place} contains {_shown(other)}, but the classes are {known.tolist()!r} "
            f"({type(one).__name__}): {_ACCEPTED}"
        )
    if known.dtype.kind not in "biuf" or found.dtype.kind not in "biuf":
        return found
    with np.errstate(all="ignore"):
        same = found.astype(known.dtype)
    if same.tolist() == found.tolist():
        return same
    both = np.result_type(known, found)
    for labels, partner in ((known, other), (found, one)):
        _check_unchanged(labels.tolist(), labels.astype(both).tolist(), place, partner)
    return found


def check_keys(
    class_weight: dict[LabelLike, float], classes: Labels, *, complete: bool = True
) -> None:
    """Raise if a weight is given for a label that is not one of the classes.

    Unless the classes are ``complete``, the label may be of a future class, if it has the same kind.

    >>> check_keys({"1": 2.0}, np.array([1, 2]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: class_weight has the key '1' (str), but the classes are [1, 2] ...
    """
    known = classes.tolist()
    one, every = known[0], set(known)
    for key in class_weight:
        if _kind(type(key)) != _kind(type(one)):
            raise InputError(
                f"class_weight has the key {_shown(key)}, but the classes are {known!r} "
                f"({type(one).__name__}): use the labels themselves as keys"
            )
        if complete and key not in every:
            raise InputError(
                f"class_weight has the key {key!r}, but the classes are {known!r}: use only classes as "
                "keys"
            )


def _kind(label: type) -> str | None:
    """Return the kind of a label type, or None if its values cannot be labels.

    >>> _kind(bool), _kind(np.uint8), _kind(np.str_), _kind(tuple)
    ('number', 'number', 'text', None)
    """
    if issubclass(label, numbers.Real | np.bool_):
        return "number"
    return "text" if issubclass(label, str) else "bytes" if issubclass(label, bytes) else None


def _plain(label: LabelLike) -> LabelLike:
    return label.item() if isinstance(label, np.generic) else label


def _shown(label: LabelLike) -> str:
    return f"{_plain(label)!r} ({type(label).__name__})"


def _check_unchanged(
    before: list[LabelLike], after: list[LabelLike], place: str, partner: LabelLike = None
) -> None:
    """Raise if converting a number changed it."""
    for label, converted in zip(before, after, strict=True):
        if label != converted and label == label:
            if partner is None:
                partner = next(item for item in before if item != label)
            raise InputError(
                f"{place} contains {_shown(partner)} and {_shown(label)}, which would become "
                f"{converted!r}: no number type can represent both; give all labels as text"
            )


def is_missing(label: object) -> bool:
    """Return whether a label is missing: None or one of pandas' missing values.

    >>> is_missing(None), is_missing("None")
    (True, False)
    """
    return type(label).__name__ in _MISSING


def _check_present(labels: list[LabelLike], place: str) -> None:
    if _MISSING.isdisjoint(kind.__name__ for kind in set(map(type, labels))):
        return
    row = next(row for row, label in enumerate(labels) if is_missing(label))
    raise InputError(
        f"{place} contains {labels[row]} in row {row}, which is not a label: give each sample a text "
        "or a number, or remove unlabeled samples"
    )


def _check_no_final_nul(labels: list[LabelLike], place: str) -> None:
    """Raise if a text ends with NUL, which NumPy drops in arrays of text and in comparisons."""
    for label in set(labels):
        if label[-1:] in ("\0", b"\0"):
            raise InputError(
                f"{place} contains {label!r}, which ends with a NUL character; NumPy would drop it, so "
                "remove it"
            )


def distinct(y: Labels) -> Labels:
    """Return the labels that occur, sorted.

    >>> distinct(np.array([1, -1, 1]))
    array([-1,  1])
    """
    if y.dtype.kind in "iu" and y.size:
        both = np.array([y.min(), y.max()])
        if ((y == both[0]) | (y == both[1])).all():
            return both if both[0] < both[1] else both[:1]
    coded = _codes(y)
    if coded is None:
        return np.unique(y)
    codes, labels = coded  # counting small whole numbers is faster than sorting
    return labels[np.bincount(codes) > 0]


def _codes(y: Labels) -> tuple[Counts, Labels] | None:
    """Return codes from 0 on for labels in a small range of whole numbers, and each code's label."""
    if y.dtype.kind not in "iu" or not y.size:
        return None
    least, greatest = int(y.min()), int(y.max())
    if greatest - least >= max(_FEW, y.size) or greatest >= 2**62:
        return None
    return y.astype(np.int64) - least, np.arange(least, greatest + 1).astype(y.dtype)


def positive_classes(classes: Labels) -> Labels:
    """Return the positive class of each halfspace.

    >>> positive_classes(np.array(["mine", "rock"]))
    array(['rock'], dtype='<U4')
    """
    return classes[1:] if len(classes) == 2 else classes


def class_indices(y: Labels, classes: Labels) -> Counts:
    """Return the index of each sample's class; all labels in y must be among the classes.

    >>> class_indices(np.array(["rock", "mine"]), np.array(["mine", "rock"]))
    array([1, 0])
    """
    return np.searchsorted(classes, y).astype(np.int64)


def signs_for(y: Labels, positive: LabelLike) -> Signs:
    """Return +1 for samples of the positive class and -1 for others.

    >>> signs_for(np.array(["rock", "mine"]), "rock")
    array([ 1, -1], dtype=int8)
    """
    signs = np.asarray(y == positive, dtype=np.int8)
    signs *= 2
    signs -= 1
    return signs


def sign_table(y: Labels, positives: Labels, n_columns: int) -> Signs:
    """Return `signs_for` each positive class as a column; extra columns are -1.

    >>> sign_table(np.array([3, 5, 4]), np.array([3, 4]), 3)
    array([[ 1, -1, -1],
           [-1, -1, -1],
           [-1,  1, -1]], dtype=int8)
    """
    coded = _codes(y) if n_columns > 1 else None
    if coded is not None and len(coded[1]) <= len(y):
        codes, labels = coded  # compare each distinct label once, not each sample's
        return _compared(labels, positives, n_columns).take(codes, axis=0)
    return _compared(y, positives, n_columns)


def _compared(y: Labels, positives: Labels, n_columns: int) -> Signs:
    """Compare along the shorter side: there may be more classes than samples."""
    table = np.full((len(y), n_columns), -1, dtype=np.int8)
    if len(y) < len(positives):
        for i, label in enumerate(y):
            table[i, : len(positives)] = signs_for(positives, label)
    else:
        for k, positive in enumerate(positives):
            table[:, k] = signs_for(y, positive)
    return table
