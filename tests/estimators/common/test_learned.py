"""The learned state validates itself and accepts new classes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.classes import Classes
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.streaming.new_classes import with_new_classes
from rosenblatt.training.deciders.average import Average

COUNTS = st.integers(0, 9)


def learned(labels: list[str], n_features: int = 2, *, is_open: bool = False) -> Learned:
    """Return a state whose numbers all differ."""
    classes = Classes(np.array(labels), is_open=is_open)
    height = classes.n_halfspaces
    numbers = np.arange(2.0 * height * (n_features + 1)).reshape(2, height, -1) + 1.0
    counts = np.arange(height) + 1
    return Learned(
        classes,
        Features(n_features),
        numbers[0],
        counts + 10,
        counts + 5,
        counts,
        np.zeros(n_features + 1),
        kept=Average(numbers[1]),
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"weights": np.zeros((2, 3))}, "weights of shape"),
        ({"weights": np.zeros((3, 3), np.float32)}, "type float32"),
        ({"weights": np.full((3, 3), np.inf)}, "weights are not finite"),
        ({"weights": np.array([[1e308] * 3] * 3)}, None),  # only their sum overflows
        ({"weights": np.array([[np.inf, -np.inf, 0.0]] * 3)}, "weights are not finite"),
        ({"origin": np.zeros(2)}, "the start of shape"),
        ({"visits": np.zeros(2, np.int64)}, "counts of visits"),
        ({"mistakes": np.zeros(3)}, "counts of mistakes"),
        ({"updates": np.zeros(3)}, "counts of updates"),
        ({"margin": -1.0}, "the margin"),
        ({"margin": 1}, "the margin"),
        ({"rate": 0.0}, "learning rate"),
        ({"rate": 1}, "learning rate"),
        ({"features": Features(3)}, "weights of shape"),
        ({"kept": Average(np.zeros((3, 2)))}, "average does not fit"),
        ({"kept": Average(np.full((3, 3), np.nan))}, "average does not fit"),
    ],
)
def test_inconsistent_state_raises(change: dict[str, Any], complaint: str | None) -> None:
    state = learned(["a", "b", "c"])
    if complaint is None:
        replace(state, **change)
    else:
        with pytest.raises(ValueError, match=complaint):
            replace(state, **change)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((np.array(["b", "a"]),), "not sorted"),
        ((np.array(["a", "a"]),), "not sorted"),
        ((np.array([]),), "not sorted"),
        ((np.array([0, 1]), 1), "is_open must be a bool"),
        ((np.array([0, 1]), False, 1), "multilabel must be a bool"),
        ((np.array([1, 2]), False, True), "columns of a matrix"),
        ((np.array([0, 1]), True, True), "columns of a matrix"),
    ],
)
def test_invalid_classes(arguments: tuple[Any, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Classes(*arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((1.5,), "whole number"),
        ((True,), "whole number"),
        ((2, np.array(["a"])), "names of the features"),
        ((1, None, {"a": 1}), "names of the features"),
        ((1, None, ["a"]), "names of the features"),
    ],
)
def test_invalid_features(arguments: tuple[Any, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Features(*arguments)


@given(st.sets(st.sampled_from("abcdef"), min_size=1), st.sets(st.sampled_from("abcdef")))
def test_new_classes_start_from_none_of_these(known: set[str], new: set[str]) -> None:
    before = learned(sorted(known), is_open=True)
    after = with_new_classes(before, np.array(sorted(new), dtype="U1"))
    if new <= known:
        assert after is before
        return
    assert after.classes.labels.tolist() == sorted(known | new)
    assert after.classes.is_open
    for k, label in enumerate([*sorted(known | new), None]):
        source = sorted(known).index(label) if label in known else len(known)
        assert after.weights[k].tolist() == before.weights[source].tolist()
        assert after.kept.drift[k].tolist() == before.kept.drift[source].tolist()
        assert after.visits[k] == before.visits[source]
        assert after.mistakes[k] == before.mistakes[source]


def test_opening_gives_each_of_two_classes_a_halfspace() -> None:
    before = learned(["a", "c"])
    after = with_new_classes(before, np.array(["b"]))
    turned = [-before.weights[0], 0.0 * before.weights[0], before.weights[0], before.origin]
    assert after.weights.tolist() == [(row + 0.0).tolist() for row in turned]
    assert after.visits.tolist() == [11, 0, 11, 0]
    assert after.deciding.shape == (3, 3)


def test_rescaling_changes_no_decision() -> None:
    before = learned(["a", "b", "c"])
    after = before.rescaled(0.25)
    assert (after.rate * after.deciding).tolist() == (before.rate * before.deciding).tolist()
    assert after.norm == before.norm
