"""The user's labels as sorted classes and integer codes, independent of how the labels are stored.

A label is text, an integer, a finite float or a boolean. It is identified by its JSON, with integral
floats and booleans written as integers: 1, 1.0 and True are one label, "1" is another.
"""

import json
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.display import short_repr
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike

Label = str | int | float
"""The name of a class; booleans are integers."""

Codes = NDArray[np.int32]
"""The index of each sample's class among the sorted classes."""


def label_text(label: object) -> str:
    """Return the text that identifies a label.

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
        raise InputError("a label is an integer beyond float64: use smaller numbers or text")
    text = json.dumps(label)
    # A pair of surrogates and the character that it encodes are different text, but the same JSON.
    if isinstance(label, str) and json.loads(text) != label:
        raise InputError(f"a label is {short_repr(label)}: use text without surrogate pairs")
    return text


def class_texts(classes: Sequence[object]) -> list[str]:
    """Return the identifying text of each class.

    >>> class_texts(["mine", "rock"])
    ['"mine"', '"rock"']
    """
    return [label_text(label) for label in classes]


def classes_and_codes(y: LabelsLike) -> tuple[tuple[Label, ...], Codes]:
    """Return the distinct labels, sorted, and each sample's code.

    >>> classes, codes = classes_and_codes(["rock", "mine", "rock"])
    >>> classes, codes.tolist()
    (('mine', 'rock'), [1, 0, 1])
    """
    if np.ma.is_masked(y):
        raise InputError("y has masked labels: give one label per sample")
    try:
        # As objects: NumPy would convert all labels to one type, and 1 and "1" to one label.
        labels = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=np.object_)
    except (TypeError, ValueError) as error:
        raise InputError(f"y is not an array of labels ({error})") from error
    if labels.ndim != 1:
        raise InputError(f"y has {labels.ndim} dimensions: give one label per sample")
    # NumPy silently converts a mixture to one type: in [1, "a"] the 1 would become "1".
    mixed = isinstance(y, list | tuple) and len(set(map(type, y))) > 1
    if mixed:
        classes, codes = _encode_objects(list(y))
    elif labels.dtype.kind in "biufU":
        distinct = np.unique(labels)
        classes = tuple(distinct.tolist())
        codes = np.searchsorted(distinct, labels).astype(np.int32)
    else:
        classes, codes = _encode_objects(labels.tolist())
    class_texts(classes)  # raises for labels that are not accepted
    return classes, codes


def _encode_objects(labels: list[Label]) -> tuple[tuple[Label, ...], Codes]:
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    try:
        classes = tuple(sorted(set(plain)))
    except TypeError as error:
        raise InputError(f"the labels in y cannot be sorted ({error}): use one type") from error
    code_of = {label: code for code, label in enumerate(classes)}
    return classes, np.array([code_of[label] for label in plain], dtype=np.int32)
