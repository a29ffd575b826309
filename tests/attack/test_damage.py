"""Damage, forgery, interrupts and races are detected and do no harm."""

from typing import Any

import pytest

from attack.plan import DAMAGE, SEED, Attack


@pytest.mark.slow
@pytest.mark.parametrize("attack", DAMAGE, ids=lambda attack: attack.name)
def test_attack_finds_no_failure(attack: Attack, shown: Any) -> None:
    report = attack.run(SEED, attack.count)
    print(report.sentence())
    shown(report.sentence())
    assert report.n_failures == 0, report.verdict()
