"""Why learning stopped, in words."""

import pickle

import pytest

from rosenblatt import Outcome


@pytest.mark.parametrize("outcome", Outcome)
def test_each_outcome_carries_one_sentence(outcome: Outcome) -> None:
    assert str(outcome) == f"{outcome.name}: {outcome.sentence}"
    assert len(outcome.sentence.split()) > 5
    assert pickle.loads(pickle.dumps(outcome)) is outcome


def test_the_outcomes() -> None:
    assert [o.name for o in Outcome] == [
        "SEPARATED",
        "AVERAGED",
        "VOTED",
        "BUDGET",
        "MIXED",
        "MIXED_BUDGET",
        "INSEPARABLE",
        "MAXIMUM",
        "STATIONARY",
        "STOPPED",
        "STREAM",
    ]
    assert len({o.sentence for o in Outcome}) == 11
