"""From the user's labels to signs: which halfspace sees a sample on which side.

Convention: two classes make one halfspace, positive for the greater class; more classes make one
halfspace each, that class against the rest. Where a sample may have any number of labels at once, y is a
matrix with a column for each label, 1 where the sample has it and 0 elsewhere, and every column makes a
halfspace, even if there are two.

A label stays what it was. NumPy gives values of several types one type in silence: 1 beside "a" becomes
"1", 2**60 + 1 beside 0.5 becomes 2**60, and text loses a NUL at its end. So labels are all numbers
(truth values are: True is 1), all text or all bytes, and where no common type holds one of them it is
refused: in one array (`as_labels`), and where new classes meet known ones (`merged_classes`).
"""

import numbers

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelLike, Labels, LabelsLike, Signs

_FEW = 1000

_MISSING = {"NoneType", "NAType", "NaTType"}
_ACCEPTED = "labels must be all text or all numbers"


def as_labels(y: LabelsLike, place: str = "y") -> LabelsLike:
    """Return labels as an array that holds each as it is; raise if no array can.

    What cannot be a list of labels is returned unchanged: later checks refuse it.

    >>> as_labels(["rock", "mine"])
    array(['rock', 'mine'], dtype='<U4')
    >>> as_labels([1, "rock"])
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: y contains 1 (int) and 'rock' (str): labels must be ...
    """
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
        _check_ends(items, place)
    if not isinstance(y, list | tuple):
        return y  # which holds the objects themselves
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        _check_kept([_plain(item) for item in items], labels.tolist(), place)
    return labels


def named_classes(classes: LabelsLike, least: int = 1) -> Labels:
    """Return the classes that were named for a stream, sorted; raise if they are none.

    >>> named_classes(["b", "a"])
    array(['a', 'b'], dtype='<U1')
    """
    if any(is_missing(label) or label != label for label in np.asarray(classes, dtype=object).flat):
        raise InputError(f"classes={classes!r} contains NaN or None: name labels that can be equal")
    named = np.asarray(as_labels(classes, "classes"))
    if named.ndim != 1:
        raise InputError(f"classes={classes!r} is not accepted: give a list of all labels")
    if len(named) == 0:
        raise InputError("classes is empty: name all classes, or leave it out")
    known = np.unique(named)
    if len(known) < least:
        raise InputError(f"classes={classes!r} is not accepted: name {least} or more classes")
    return known


def merged_classes(known: Labels, y: Labels, place: str = "y") -> Labels:
    """Return the known classes and those in y, sorted; the known ones themselves if there are no others.

    >>> merged_classes(np.array([1, 3]), np.array([2.0, 3.0]))
    array([1, 2, 3])
    >>> merged_classes(np.array([2**60 + 1]), np.array([0.5]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: y contains 0.5 (float) beside 1152921504606846977 (int), which ...
    """
    found = distinct(y)
    if found.dtype != known.dtype:
        found = _beside(known, found, place)
    new = found[~np.isin(found, known)]
    return np.union1d(known, new) if len(new) else known


def _beside(known: Labels, found: Labels, place: str) -> Labels:
    """Return labels in the type of the known classes where that holds them; raise if none holds both."""
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
    for labels, neighbour in ((known, other), (found, one)):
        _check_kept(labels.tolist(), labels.astype(both).tolist(), place, neighbour)
    return found


def check_keys(
    class_weight: dict[LabelLike, float], classes: Labels, *, complete: bool = True
) -> None:
    """Raise if a weight is given for a label that is not one of the classes.

    If these are not ``complete``, as in a stream, it may be one that is yet to come, of the same kind.

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
                f"({type(one).__name__}): give the labels themselves as keys"
            )
        if complete and key not in every:
            raise InputError(
                f"class_weight has the key {key!r}, but the classes are {known!r}: use these as keys, "
                "or some of them"
            )


def _kind(label: type) -> str | None:
    """Return the kind of a label of some type, or None if that is no label.

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


def _check_kept(
    before: list[LabelLike], after: list[LabelLike], place: str, neighbour: LabelLike = None
) -> None:
    """Raise if a number changed when its type did."""
    for label, kept in zip(before, after, strict=True):
        if label != kept and label == label:
            if neighbour is None:
                neighbour = next(item for item in before if item != label)
            raise InputError(
                f"{place} contains {_shown(neighbour)} beside {_shown(label)}, which would become "
                f"{kept!r}: no type of number holds both; give all labels as text"
            )


def is_missing(label: object) -> bool:
    """Say whether a label is None, or what pandas puts in its place.

    >>> is_missing(None), is_missing("None")
    (True, False)
    """
    return type(label).__name__ in _MISSING


def _check_present(labels: list[LabelLike], place: str) -> None:
    if _MISSING.isdisjoint(kind.__name__ for kind in set(map(type, labels))):
        return
    row = next(row for row, label in enumerate(labels) if is_missing(label))
    raise InputError(
        f"{place} contains {labels[row]} in row {row}, which is no label: give text or a number for "
        "each sample, or leave out samples without a label"
    )


def _check_ends(labels: list[LabelLike], place: str) -> None:
    """Raise if a text ends with a NUL, which NumPy drops: in arrays of text, and where it compares."""
    for label in set(labels):
        if label[-1:] in ("\0", b"\0"):
            raise InputError(
                f"{place} contains {label!r}, which ends with the character NUL, which NumPy does not "
                "keep: give labels without it"
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
    codes, labels = coded  # small whole numbers are counted, not sorted
    return labels[np.bincount(codes) > 0]


def _codes(y: Labels) -> tuple[Counts, Labels] | None:
    """Return whole numbers from 0 on for labels that are small ones, and what each stands for."""
    if y.dtype.kind not in "iu" or not y.size:
        return None
    least, greatest = int(y.min()), int(y.max())
    if greatest - least >= max(_FEW, y.size) or greatest >= 2**62:
        return None
    return y.astype(np.int64) - least, np.arange(least, greatest + 1).astype(y.dtype)


def positive_classes(classes: Labels) -> Labels:
    """Return the class that each halfspace is positive for.

    >>> positive_classes(np.array(["mine", "rock"]))
    array(['rock'], dtype='<U4')
    """
    return classes[1:] if len(classes) == 2 else classes


def numbers_of(y: Labels, classes: Labels) -> Counts:
    """Return the number of each sample's class; all labels in y must be among the classes.

    >>> numbers_of(np.array(["rock", "mine"]), np.array(["mine", "rock"]))
    array([1, 0])
    """
    return np.searchsorted(classes, y).astype(np.int64)


def signs_for(y: Labels, positive: LabelLike) -> Signs:
    """Return +1 where y is the positive class and -1 elsewhere.

    >>> signs_for(np.array(["rock", "mine"]), "rock")
    array([ 1, -1], dtype=int8)
    """
    signs = np.asarray(y == positive, dtype=np.int8)
    signs *= 2
    signs -= 1
    return signs


def sign_table(y: Labels, positives: Labels, n_columns: int) -> Signs:
    """Return `signs_for` each of the positive classes, side by side, and -1 in columns beyond them.

    >>> sign_table(np.array([3, 5, 4]), np.array([3, 4]), 3)
    array([[ 1, -1, -1],
           [-1, -1, -1],
           [-1,  1, -1]], dtype=int8)
    """
    coded = _codes(y) if n_columns > 1 else None
    if coded is not None:  # one look at each label serves all columns
        codes, labels = coded
        return _column_by_column(labels, positives, n_columns).take(codes, axis=0)
    return _column_by_column(y, positives, n_columns)


def _column_by_column(y: Labels, positives: Labels, n_columns: int) -> Signs:
    table = np.full((len(y), n_columns), -1, dtype=np.int8)
    for k, positive in enumerate(positives):
        table[:, k] = signs_for(y, positive)
    return table
