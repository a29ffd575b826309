"""All attacks and their default counts: a few minutes on two processors."""

from collections.abc import Callable
from typing import NamedTuple

from attack import (
    certificates,
    csr,
    fits,
    kills,
    labels,
    limits,
    models,
    outcomes,
    tables,
    threads,
    verdicts,
)
from attack.mutants.all_mutants import attack_mutants
from attack.report import Report

SEED = 1958


class Attack(NamedTuple):
    """An attack and its default count."""

    run: Callable[[int, int], Report]
    count: int

    @property
    def name(self) -> str:
        """The name of the attack."""
        return self.run.__name__.removeprefix("attack_").replace("_", " ")


ANSWERS = [
    Attack(fits.attack_fits, 4000),
    Attack(outcomes.attack_outcomes, 1500),
    Attack(limits.attack_limits, 1500),
    Attack(verdicts.attack_verdicts, 400),
    Attack(verdicts.attack_threshold_functions, 400),
    Attack(certificates.attack_certificates, 12_000),
]
"""Attacks that check whether answers are true."""

DAMAGE = [
    Attack(models.attack_models, 8000),
    Attack(tables.attack_csv, 4000),
    Attack(tables.attack_libsvm, 4000),
    Attack(attack_mutants, 1_000_000),
    Attack(csr.attack_csr, 4000),
    Attack(labels.attack_labels, 2000),
    Attack(threads.attack_threads, 60),
    Attack(kills.attack_saves, 100),
    Attack(kills.attack_interrupts, 10),
]
"""Attacks that check whether damage is detected."""
