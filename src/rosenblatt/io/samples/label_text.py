"""Labels as text, and how the labels of a file are matched with a model's classes."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.core.types import Labels
from rosenblatt.tables.cells import as_decimals

_SHOWN = 3  # labels in a message
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_CODE = re.compile(r"[+-]?0[0-9]")


def label_texts(labels: Labels) -> Labels:
    """Return labels as text, whole floats without the ".0".

    >>> label_texts(np.array([1.0, 2.5])).tolist()
    ['1', '2.5']
    """
    return np.array([_text(label) for label in labels.tolist()])


def _text(label: object) -> str:
    return str(label).removesuffix(".0") if isinstance(label, float) else str(label)


def match_labels(
    path: Path | str, counts: Mapping[str, int], classes: Labels
) -> tuple[dict[str, str], dict[str, int]]:
    """Return the class of each label of a file, by its text, and the counts of unknown labels.

    A period after every label is ignored if the labels match without it. Raise InputError if all labels
    are unknown, because then this is probably the wrong column.
    """
    texts = _sorted(counts)
    found = _classes_of(texts, classes)
    if not any(found) and all(text.endswith(".") for text in texts):  # as in UCI's Adult test set
        found = _classes_of([text.removesuffix(".") for text in texts], classes)
    unknown = {
        text: counts[text] for text, known in zip(texts, found, strict=True) if known is None
    }
    if len(unknown) == len(texts):
        raise InputError(
            f"{path}: no label in the file ({some_labels(texts)}) is one of the model's classes "
            f"({some_labels(map(_text, classes.tolist()))}); choose another label column"
        )
    matched = {text: known or text for text, known in zip(texts, found, strict=True)}
    return matched, unknown


def _sorted(texts: Iterable[str]) -> list[str]:
    """Sort labels, as numbers if all are whole numbers.

    >>> _sorted(["10", "9"]), _sorted(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    listed = list(texts)
    are_whole = all(_WHOLE.fullmatch(text) for text in listed)
    return sorted(listed, key=int) if are_whole else sorted(listed)


def _classes_of(texts: list[str], classes: Labels) -> list[str | None]:
    """Return the class of each label text, or None.

    Decimals match however many zeros they end with, and if the classes are numbers, 1e1 and +10 match
    10; codes such as 007 match only themselves.
    """
    listed = classes.tolist()
    by_text = {_text(label): _text(label) for label in listed}
    by_decimal = dict(zip(_decimals([*by_text]), by_text, strict=True))
    by_number = {label: _text(label) for label in listed} if classes.dtype.kind in "biuf" else {}

    def class_of(text: str, decimal: str) -> str | None:
        known = by_text.get(text) or by_decimal.get(decimal)
        if known is not None or not by_number or _CODE.match(text) or number_fault(text):
            return known
        try:
            return by_number.get(Decimal(text))  # exact, also beyond 2**53
        except InvalidOperation:  # the exponent is too large for Decimal
            return None

    return list(map(class_of, texts, _decimals(texts)))


def _decimals(texts: list[str]) -> list[str]:
    return list(as_decimals(pa.array(texts, pa.string())).to_pylist())


def some_labels(labels: Iterable[str]) -> str:
    """Return the first few labels, for a message.

    >>> some_labels("abcd")
    "'a', 'b', 'c', …"
    """
    first = [quoted(label) for label in islice(labels, _SHOWN + 1)]
    return ", ".join([*first[:_SHOWN], "…"] if len(first) > _SHOWN else first)
