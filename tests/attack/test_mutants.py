"""A few mutants of every target, as a fast check of the readers."""

import warnings

import pytest

from attack.mutants.all_mutants import counts
from attack.mutants.batches import run_batch
from attack.plan import SEED

FEW = counts(2000)


@pytest.mark.parametrize("name", FEW)
def test_few_mutants_of_each_target(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = run_batch(SEED, name, 0, FEW[name])
    assert batch.counts.total() == FEW[name]
    assert batch.counts["refused"] > 0
    assert batch.counts["accepted"] > 0
    assert not batch.failures, "\n".join(batch.failures)
