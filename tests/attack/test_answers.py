"""The library's answers, compared with oracles that share no code with it."""

from typing import Any

import pytest

from attack.plan import ANSWERS, SEED, Attack


@pytest.mark.slow
@pytest.mark.parametrize("attack", ANSWERS, ids=lambda attack: attack.name)
def test_attack_finds_no_failure(attack: Attack, shown: Any) -> None:
    report = attack.run(SEED, attack.count)
    print(report.sentence())
    shown(report.sentence())
    assert report.n_failures == 0, report.verdict()
