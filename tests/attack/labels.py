"""Labels of streams: each label stays the same, or the call that would change it is refused.

Two labels are the same if they are equal without rounding: 1, 1.0 and True are the same, but "1" and
b"1" differ, and so do 2⁶⁰+1 and the nearest float.
"""

import random

import numpy as np

from attack.data import Label
from attack.report import Report

POOLS: list[list[Label]] = [
    [2**60 + 1, 2**60 + 3, 0.5, 2.0**60, 7],
    [1, "1", b"1", 1.0, True, 2],
    ["a", "b", "a\0", "long name", ""],
    [0, 1, -1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63)],
    [0.1, 0.2, np.float32(0.1), 0.30000000000000004, 0.3],
    [b"x", b"x\0", "x", b"y", "y"],
]


def attack_labels(seed: int, count: int) -> Report:
    """Learn streams of labels that are easily rounded or turned into text."""
    report = Report("stream labels", "each label stays the same, or is refused")
    rng = random.Random(seed)
    for _ in range(count):
        pool = rng.choice(POOLS)
        labels = [rng.choice(pool) for _ in range(6)]
        chunks = rng.random() < 0.4
        report.count("streams")
        wrong = learned(report, labels, chunks=chunks)
        report.check(
            not wrong, f"{wrong}: {'partial_fit' if chunks else 'learn_one'} of {labels!r}"
        )
    return report


def learned(report: Report, labels: list[Label], *, chunks: bool) -> str:
    """Learn a stream of labels; return how they changed, or an empty string."""
    from rosenblatt import Perceptron

    model = Perceptron()
    kept: list[Label] = []
    for k, label in enumerate(labels):
        x = [float(k), 1.0]
        try:
            if chunks:
                model.partial_fit([x], np.array([label]))
            else:
                model.learn_one(x, label)
        except ValueError:
            report.count("labels refused")
            continue
        except Exception as error:
            return f"{label!r}: {type(error).__name__}: {error}"
        report.count("labels learned")
        given = np.array([label]).tolist()[0] if chunks else label
        if not any(is_same(given, other) for other in kept):
            kept.append(given)
        classes = model.classes_.tolist()
        if len(classes) != len(kept) or not all(any(is_same(a, b) for b in classes) for a in kept):
            return f"the labels {kept!r} became the classes {classes!r}"
    return ""


def is_same(a: Label, b: Label) -> bool:
    """Return whether two labels are the same; Python compares int with float exactly."""
    texts = (str, bytes, np.str_, np.bytes_)
    if isinstance(a, texts) or isinstance(b, texts):
        return isinstance(a, bytes) == isinstance(b, bytes) and isinstance(b, texts) and a == b
    return plain(a) == plain(b)


def plain(label: Label) -> Label:
    return label.item() if isinstance(label, np.generic) else label
