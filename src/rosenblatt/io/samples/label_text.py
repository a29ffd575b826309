"""Labels as text: as people write them, and how a label in a file is matched with a model's classes."""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path

import numpy as np

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.core.types import Labels

_SHOWN = 3  # labels in a message
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def label_texts(labels: Labels) -> Labels:
    """Return labels as people write them.

    >>> label_texts(np.array([1.0, 2.5])).tolist()
    ['1', '2.5']
    """
    return np.array([_text(label) for label in labels.tolist()])


def _text(label: object) -> str:
    return str(label).removesuffix(".0") if isinstance(label, float) else str(label)


def match_labels(
    path: Path | str, counts: Mapping[str, int], classes: Labels
) -> tuple[dict[str, str], dict[str, int]]:
    """Return the class that each label of a file is, by its text, and how often unknown ones occur.

    A full stop after every label is overlooked, if without it they are the model's.
    Raise if all are unknown: they then say nothing about the model, but are not the labels meant.
    """
    texts = _in_order(counts)
    class_of = _class_finder(classes)
    found = [class_of(text) for text in texts]
    if not any(found) and all(text.endswith(".") for text in texts):  # as in UCI's file of adults
        found = [class_of(text.removesuffix(".")) for text in texts]
    unknown = {
        text: counts[text] for text, known in zip(texts, found, strict=True) if known is None
    }
    if len(unknown) == len(texts):
        raise InputError(
            f"{path}: no label in the file ({some_labels(texts)}) is one of the model's "
            f"({some_labels(map(_text, classes.tolist()))}); say with --label where its labels are"
        )
    matched = {text: known or text for text, known in zip(texts, found, strict=True)}
    return matched, unknown


def _in_order(texts: Iterable[str]) -> list[str]:
    """Return labels sorted: by their size, if all are whole numbers.

    >>> _in_order(["10", "9"]), _in_order(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    listed = list(texts)
    are_whole = all(_WHOLE.fullmatch(text) for text in listed)
    return sorted(listed, key=int) if are_whole else sorted(listed)


def _class_finder(classes: Labels) -> Callable[[str], str | None]:
    """Return a function from a text to the class it names; a number may be written in any way."""
    listed = classes.tolist()
    by_text = {_text(label): _text(label) for label in listed}
    by_number = {label: _text(label) for label in listed} if classes.dtype.kind in "biuf" else {}

    def class_of(text: str) -> str | None:
        if text in by_text or not by_number or number_fault(text):
            return by_text.get(text)
        try:
            return by_number.get(Decimal(text))  # exactly: whole numbers beyond 2**53 differ too
        except InvalidOperation:  # an exponent that is beyond decimals
            return None

    return class_of


def some_labels(labels: Iterable[str]) -> str:
    """Return the first few labels, for a message.

    >>> some_labels("abcd")
    "'a', 'b', 'c', …"
    """
    first = [quoted(label) for label in islice(labels, _SHOWN + 1)]
    return ", ".join([*first[:_SHOWN], "…"] if len(first) > _SHOWN else first)
