"""Both sides of a contest do the same work."""

import warnings

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.cli.bench.bench_data import Source
from rosenblatt.cli.bench.contests import (
    averaged,
    cross_validating,
    fitting,
    perceptron,
    predicting,
)
from rosenblatt.cli.bench.row import measure
from rosenblatt.cli.bench.works import WORKS

SOURCE = Source(None, 100)


@pytest.fixture(autouse=True)
def _one_epoch_is_not_enough() -> None:
    warnings.simplefilter("ignore")


def test_names_are_unique() -> None:
    assert len({work.name for work in WORKS}) == len(WORKS)


@pytest.mark.parametrize(("peer", "keep"), [(perceptron, "last"), (averaged, "average")])
def test_the_peer_learns_the_same_weights(peer: object, keep: str) -> None:
    contest = fitting(SOURCE.shirts(), peer, jobs=[1], epochs=2, keep=keep)
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


def test_a_row_knows_whether_it_reached_what_was_asked() -> None:
    (work,) = [work for work in WORKS if work.name == "dense-binary"]
    row = measure(work, SOURCE, 1)
    assert row.seconds("ours") == row.times["ours"].median
    assert row._replace(work=work._replace(asked=0.0, asked_limit=None)).reached
    assert not row._replace(work=work._replace(asked=0.0, asked_limit=0.0)).reached
    assert not row._replace(work=work._replace(asked=1e9)).reached
    model = Perceptron(max_iter=1).fit(*SOURCE.shirts()[1:])
    assert row.exactness is not None
    assert row.exactness[:3] == (1, model.n_mistakes_, model.n_exact_)
