"""What is damaged, forged, interrupted or shared between threads is noticed, and harms nothing."""

from typing import Any

import pytest

from attack.plan import DAMAGE, SEED, Attack


@pytest.mark.slow
@pytest.mark.parametrize("attack", DAMAGE, ids=lambda attack: attack.name)
def test_nothing_falls(attack: Attack, shown: Any) -> None:
    report = attack.run(SEED, attack.count)
    print(report.sentence())
    shown(report.sentence())
    assert report.n_failures == 0, report.verdict()
