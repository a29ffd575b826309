"""The ledger, as a picture."""

import numpy as np
import pytest

from rosenblatt import CriterionDescent, InputError, Perceptron
from rosenblatt.plots import LedgerDisplay

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


def test_bars_are_the_counts_and_dots_the_sequence() -> None:
    p = Perceptron(record=True).fit(X, y)
    display = LedgerDisplay.from_estimator(p)
    counts, dots = display.axes_
    assert [bar.get_width() for bar in counts.patches] == p.ledger_.mistake_counts[0].tolist()
    (points,) = dots.collections
    assert points.get_offsets()[:, 1].tolist() == p.ledger_.sequences[0].tolist()
    assert points.get_offsets()[:, 0].tolist() == list(range(1, p.n_mistakes_ + 1))


def test_without_a_record_there_are_counts_only() -> None:
    display = LedgerDisplay.from_estimator(Perceptron().fit(X, y))
    assert len(display.axes_) == 1
    assert display.sequence is None


def test_many_samples_are_sorted_and_many_mistakes_counted_in_cells() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 200, 100)
    sequence = rng.permutation(np.repeat(np.arange(100), counts))
    display = LedgerDisplay(mistake_counts=counts, sequence=sequence).plot()
    ranks, grid = display.axes_
    assert ranks.get_lines()[0].get_ydata().tolist() == sorted(counts, reverse=True)
    (mesh,) = grid.collections
    assert mesh.get_array().sum() == len(sequence) == counts.sum()
    display.figure_.canvas.draw()


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
def test_one_of_several_classes_is_named(multiclass: str) -> None:
    p = Perceptron(record=True, multiclass=multiclass)
    p.fit([[0, 0], [0, 5], [5, 0]], ["a", "b", "c"])
    every = LedgerDisplay.from_estimator(p)
    assert every.mistake_counts.sum() == p.ledger_.n_mistakes
    for k, label in enumerate("abc"):
        one = LedgerDisplay.from_estimator(p, label=label)
        assert one.mistake_counts.tolist() == p.ledger_.mistake_counts[k].tolist()
        assert np.bincount(one.sequence, minlength=3).tolist() == one.mistake_counts.tolist()
    with pytest.raises(InputError, match="label='d' is not accepted"):
        LedgerDisplay.from_estimator(p, label="d")


def test_what_has_no_ledger_is_refused() -> None:
    with pytest.raises(InputError, match="this CriterionDescent has no ledger"):
        LedgerDisplay.from_estimator(CriterionDescent().fit(X, y))
    with pytest.raises(InputError, match="this Perceptron has no ledger"):
        LedgerDisplay.from_estimator(Perceptron())
    with pytest.raises(InputError, match="give a count for each sample"):
        LedgerDisplay(mistake_counts=[])
