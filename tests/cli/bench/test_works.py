"""Both sides of a contest do the same work."""

import warnings
from functools import partial

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.cli.bench.bench_data import Source
from rosenblatt.cli.bench.works import (
    WORKS,
    averaged,
    cross_validating,
    fitting,
    perceptron,
    predicting,
)

SOURCE = Source(None, 100)


@pytest.fixture(autouse=True)
def _one_epoch_is_not_enough() -> None:
    warnings.simplefilter("ignore")


def test_names_are_unique() -> None:
    assert len({work.name for work in WORKS}) == len(WORKS)


@pytest.mark.parametrize(("peer", "keep"), [(perceptron, "last"), (averaged, "average")])
def test_the_peer_learns_the_same_weights(peer: object, keep: str) -> None:
    contest = fitting(SOURCE.shirts(), partial(Perceptron, keep=keep), peer, jobs=[1], epochs=2)
    ours, theirs = contest.ours(), contest.peers["n_jobs=1"]()
    assert theirs.n_iter_ == ours.n_iter_ == 2
    np.testing.assert_allclose(theirs.coef_, ours.coef_, rtol=1e-4, atol=0.1)


def test_both_sides_predict() -> None:
    contest = predicting(SOURCE.images())
    ours, theirs = contest.ours(), contest.peers[""]()
    assert (ours == theirs).mean() > 0.9
    assert [array.shape for array in contest.arrays()] == [(600, 784)]


def test_both_sides_cross_validate() -> None:
    contest = cross_validating(SOURCE.shirts(), folds=3, epochs=2)
    scores = contest.peers["n_jobs=1"]()
    np.testing.assert_allclose(contest.ours()["test_score"], scores, atol=0.05)
    assert set(contest.peers) == set(contest.shuffled)
