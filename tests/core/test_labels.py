"""Labels never change: in arrays, streams, lists of classes, and keys of class_weight."""

import contextlib
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Winnow,
    cross_validate,
    separate,
)
from rosenblatt.bounds import geometric_margin, margin_class
from rosenblatt.core.labels import as_labels, merged_classes, named_classes
from rosenblatt.core.types import LabelLike, LabelsLike

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

BIG = 2**60

# Two labels that no array can represent together, and the error message.
MIXED = [
    (1, "1", r"1 \(int\).*'1' \(str\)|'1' \(str\).*1\D*\(int\)"),
    (1, "a", "all text or all numbers"),
    (1, b"1", "all text or all numbers"),
    ("1", b"1", "all text or all numbers"),
    (True, "True", "all text or all numbers"),
    (0.0, "0.0", "all text or all numbers"),
    (BIG + 1, 0.5, f"{BIG + 1} .int., which would become 1.15"),
    (2**63 + 1, -1, "no number type can represent both"),
    ("a", "a\0", "ends with a NUL character"),
    (b"a", b"a\0", "ends with a NUL character"),
]

# Two labels that an array can represent together.
COMPATIBLE = [
    (False, True),
    (True, 2),
    (BIG + 1, BIG + 3),
    (2**63 + 1, 2**63 + 3),
    (-1.0, 1),
    (np.uint64(1), np.int64(2)),
    ("a", "ab"),
    ("a\0b", "a"),
    (np.str_("a"), "b"),
    (b"a", b"b"),
]

STREAMS = [Perceptron(), PassiveAggressive(), Winnow(), KernelPerceptron(kernel="linear")]
LEARNERS = [*STREAMS, MaxMargin()]

X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.5], [0.5, 0.0]])


def _name(value: object) -> str:
    return type(value).__name__ if hasattr(value, "fit") else repr(value)


def _swapped(pairs: list[tuple]) -> list[tuple]:
    return pairs + [(b, a, *rest) for a, b, *rest in pairs]


_refusals = partial(pytest.raises, InputError)


@pytest.mark.parametrize(("a", "b", "message"), MIXED, ids=_name)
def test_incompatible_labels_in_one_array_are_refused(
    a: LabelLike, b: LabelLike, message: str
) -> None:
    y = [a, b, a, b]
    for learner in LEARNERS:
        with _refusals(match=message):
            clone(learner).fit(X, y)
        with _refusals(match=message):
            clone(learner).fit(X, tuple(y))
    for function in (
        lambda: separate(X, y),
        lambda: margin_class(X, y, 0.1),
        lambda: geometric_margin(X, y, [1.0, -1.0]),
        lambda: cross_validate(Perceptron(), X, y, cv=2),
    ):
        with _refusals(match=message):
            function()


@pytest.mark.parametrize(("a", "b", "message"), _swapped(MIXED), ids=_name)
def test_incompatible_labels_in_a_stream_are_refused(
    a: LabelLike, b: LabelLike, message: str
) -> None:
    message = message if "NUL" in message else "all text or all numbers|no number type"
    for learner in STREAMS:
        for first in (clone(learner), clone(learner)):
            with _refusals(match=message):
                first.learn_one(X[0], a).learn_one(X[1], b)
            if hasattr(first, "classes_"):
                assert first.classes_.tolist() == [a]
                assert first.predict_one(X[0]) == a
        if a == 0.5:  # partial_fit refuses it as continuous
            continue
        with _refusals(match=message):
            clone(learner).partial_fit(X[:2], [a, a]).learn_one(X[1], b)
        with _refusals(match=message):
            clone(learner).partial_fit(X[:1], [a], classes=[a, b])


@pytest.mark.parametrize(("a", "b"), _swapped(COMPATIBLE), ids=_name)
def test_labels_are_kept_unchanged(a: LabelLike, b: LabelLike) -> None:
    y = [a, b, a, b]
    for learner in STREAMS if isinstance(a, bytes) else LEARNERS:  # certificates do not store bytes
        fitted = clone(learner).fit(X, y)
        assert sorted(y[:2]) == fitted.classes_.tolist()
        assert fitted.predict(X).tolist() == y
    for learner in STREAMS:
        stream = clone(learner)
        for row, label in zip(X, y, strict=True):
            stream.learn_one(row, label)
        chunks = clone(learner)
        for start in range(4):
            chunks.partial_fit(X[start : start + 1], np.array([y[start]]))
        for one in (stream, chunks):
            assert sorted(y[:2]) == one.classes_.tolist()
            assert one.predict_one(X[0]) in (a, b)


@given(
    st.lists(st.integers(-(2**63), 2**64 - 1), min_size=2, max_size=5, unique=True),
    st.sampled_from([np.int64, np.uint64, np.float64, object]),
)
def test_merged_classes_keep_every_number_exactly(values: list[int], kind: type) -> None:
    def as_array(value: int) -> np.ndarray:
        try:
            array = np.array([value], dtype=kind)
        except OverflowError:
            array = np.array([value])
        return array if array.tolist() == [value] else np.array([value])

    known = as_array(values[0])
    seen = {values[0]}
    for _, value in pairwise(values):
        with contextlib.suppress(InputError):
            known = merged_classes(known, as_array(value))
            seen.add(value)
        assert known.tolist() == sorted(seen)


def test_equal_numbers_of_different_types_are_one_class() -> None:
    p = Perceptron().partial_fit(X[:2], [0, 1])
    p.learn_one(X[2], 1.0).learn_one(X[3], True).partial_fit(X, np.array([0.0, 1.0, 2.0, 1.0]))
    assert p.classes_.tolist() == [0, 1, 2]
    assert p.classes_.dtype == np.int64


@pytest.mark.parametrize("learner", LEARNERS, ids=_name)
def test_dates_are_refused(learner: BaseEstimator) -> None:
    dates = np.array(["2020-01-01", "2021-01-01"] * 2, dtype="datetime64[ns]")
    with _refusals(match="y has labels of type datetime64"):
        clone(learner).fit(X, dates)


@pytest.mark.parametrize(
    "label", [np.datetime64("2020"), np.timedelta64(1), np.inf, np.nan, None, pd.NA]
)
def test_learn_one_refuses_values_that_are_not_labels(label: LabelLike) -> None:
    for learner in STREAMS:
        with _refusals(match="the label .* is not accepted: give one number or one string"):
            clone(learner).learn_one(X[0], label)


@pytest.mark.parametrize("learner", LEARNERS, ids=_name)
@pytest.mark.parametrize(
    "y",
    [
        [1, 2, None, 1],
        np.array(["a", "b", None, "a"], dtype=object),
        pd.Series(["a", "b", pd.NA, "b"], dtype="string"),
        pd.Series(["a", "b", pd.NaT, "b"], dtype=object),
    ],
    ids=["list", "objects", "string", "NaT"],
)
def test_a_missing_label_is_reported_with_its_row(learner: BaseEstimator, y: LabelsLike) -> None:
    with _refusals(match="y contains (None|<NA>|NaT|nan) in row 2, which is not a label"):
        clone(learner).fit(X, y)


def test_keys_of_class_weight_must_be_labels() -> None:
    learner = Perceptron()
    for weights, y in (({"1": 9.0}, [1, 2, 1, 2]), ({1: 9.0, 2: 1.0}, ["1", "2", "1", "2"])):
        with _refusals(match=r"class_weight has the key '?1'? \(\w+\), but the classes are"):
            clone(learner).set_params(class_weight=weights).fit(X, y)
    with _refusals(match=r"class_weight has the key 7, but the classes are \[1, 2\]"):
        clone(learner).set_params(class_weight={1: 9.0, 7: 2.0}).fit(X, [1, 2, 1, 2])
    clone(learner).set_params(class_weight={1: 9.0}).fit(X, [1.0, 2.0, 1.0, 2.0])


def test_two_integer_types_are_merged_if_one_can_represent_both() -> None:
    p = Perceptron().learn_one(X[0], np.uint64(BIG + 1)).learn_one(X[1], np.int64(BIG + 3))
    assert p.learn_one(X[2], 2.0).classes_.tolist() == [2, BIG + 1, BIG + 3]
    with _refusals(match="no number type can represent both"):
        Perceptron().fit(X, [np.uint64(BIG + 1), np.int64(BIG + 3)] * 2)


def test_a_final_nul_in_an_object_array_is_refused() -> None:
    # NumPy drops it in comparisons.
    with _refusals(match="ends with a NUL character"):
        Perceptron().fit(X, np.array(["a", "a\0", "a", "a\0"], dtype=object))


def test_as_labels_returns_other_objects_unchanged() -> None:
    for y in (None, 3, "ab", [[1, 0], [0, 1]], np.eye(2), [(1, 2), "a"], []):
        assert as_labels(y) is y
    series = pd.Series(["a", "b"], dtype=object)
    assert as_labels(series) is series
    with _refusals(match=r"y contains 1 \(int\) and 'a' \(str\)"):
        as_labels(pd.Series([1, "a"]))
    assert as_labels([Fraction(1, 2), 1]).tolist() == [Fraction(1, 2), 1]
    with _refusals(match=r"classes contains 1 \(int\) and 'a' \(str\)"):
        named_classes([1, "a"])
