"""The user's labels as sorted classes and codes, the same however the labels are stored.

A label is text, a whole number, a finite float or a truth value. Its text is its JSON, whole numbers
written as such: 1, 1.0 and True are one label, "1" is another.
"""

import json
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.display import shown
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike

Label = str | int | float
"""A class's name; truth values are whole numbers."""

Codes = NDArray[np.int32]
"""For each sample the index of its class among the sorted classes."""


def label_text(label: object) -> str:
    """Return what identifies a label.

    >>> label_text(1.0), label_text(True), label_text("1"), label_text(0.5)
    ('1', '1', '"1"', '0.5')
    """
    if isinstance(label, bool) or (isinstance(label, float) and label.is_integer()):
        label = int(label)
    if isinstance(label, float) and not math.isfinite(label):
        raise InputError(f"a label is {label!r}: use finite numbers or text")
    if not isinstance(label, str | int | float):
        raise InputError(f"a label is a {type(label).__name__}: use numbers or text")
    if isinstance(label, int) and label.bit_length() > 1024:
        raise InputError("a label is a whole number beyond float64: use smaller numbers or text")
    text = json.dumps(label)
    # Two surrogates and the sign that they stand for are different text, but the same JSON.
    if isinstance(label, str) and json.loads(text) != label:
        raise InputError(f"a label is {shown(label)}: use text without pairs of surrogates")
    return text


def class_texts(classes: Sequence[object]) -> list[str]:
    """Return the texts of the classes, in their order.

    >>> class_texts(["mine", "rock"])
    ['"mine"', '"rock"']
    """
    return [label_text(label) for label in classes]


def coded(y: LabelsLike) -> tuple[tuple[Label, ...], Codes]:
    """Return the distinct labels, sorted, and the code of each sample.

    >>> classes, codes = coded(["rock", "mine", "rock"])
    >>> classes, codes.tolist()
    (('mine', 'rock'), [1, 0, 1])
    """
    if np.ma.is_masked(y):
        raise InputError("y has masked labels: one label for each sample is accepted")
    try:
        # Kept as they came: NumPy would make one type of them, and one label of 1 and "1".
        labels = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=np.object_)
    except (TypeError, ValueError) as error:
        raise InputError(f"y is no array of labels ({error})") from error
    if labels.ndim != 1:
        raise InputError(f"y has {labels.ndim} dimensions: one label for each sample is accepted")
    # Of several types NumPy makes one, in silence: 1 beside "a" would be "1".
    mixed = isinstance(y, list | tuple) and len(set(map(type, y))) > 1
    if mixed:
        classes, codes = _coded_objects(list(y))
    elif labels.dtype.kind in "biufU":
        distinct = np.unique(labels)
        classes = tuple(distinct.tolist())
        codes = np.searchsorted(distinct, labels).astype(np.int32)
    else:
        classes, codes = _coded_objects(labels.tolist())
    class_texts(classes)
    return classes, codes


def _coded_objects(labels: list[Label]) -> tuple[tuple[Label, ...], Codes]:
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    try:
        classes = tuple(sorted(set(plain)))
    except TypeError as error:
        raise InputError(f"the labels of y cannot be sorted ({error}): use one type") from error
    place = {label: code for code, label in enumerate(classes)}
    return classes, np.array([place[label] for label in plain], dtype=np.int32)
