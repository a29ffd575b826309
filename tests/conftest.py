"""How hard Hypothesis tries, and which of scikit-learn's checks are left to the slow sweep."""

import os
import signal

import pytest
from hypothesis import settings


def _take_interrupts() -> None:
    """Let children be interrupted, however this run was started: ignored signals would be inherited."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_take_interrupts()

settings.register_profile("dev", deadline=None, max_examples=15)
settings.register_profile("ci", deadline=None, max_examples=15, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: the same properties, on many more examples")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave scikit-learn's checks of all but the first variant of each learner to the slow sweep."""
    first: dict[str, str] = {}
    for item in items:
        name, _, case = item.name.partition("[")
        if name == "test_estimator_checks":
            variant = case.rpartition("-check_")[0]
            if first.setdefault(f"{item.path}", variant) != variant and "joint" not in variant:
                item.add_marker(pytest.mark.slow)
