"""How hard Hypothesis tries, and which of scikit-learn's checks are left to the slow sweep."""

import os
import signal
from importlib.util import find_spec

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


# These take longest: begun last, they would leave one of two processes waiting for the other.
LONGEST = ("test_site.py", "test_style.py", "test_panel.py", "test_scikit_learn.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; leave scikit-learn's checks of most variants to the slow sweep.

    Tests marked `extra` name the packages they need, and are skipped without them.

    The first variant of each learner is checked by default; the others, whose fits and streams have
    tests of their own, in the sweep.
    """
    items.sort(key=lambda item: item.path.name not in LONGEST)
    first: dict[str, str] = {"test_pocket.py": "", "test_vote.py": ""}
    for item in items:
        needed = {name for mark in item.iter_markers("extra") for name in mark.args}
        if missing := sorted(name for name in needed if find_spec(name) is None):
            reason = f"{', '.join(missing)} not installed: pip install -e '.[all]'"
            item.add_marker(pytest.mark.skip(reason))
        name, _, case = item.name.partition("[")
        if name == "test_estimator_checks":
            variant = case.rpartition("-check_")[0]
            if first.setdefault(item.path.name, variant) != variant:
                item.add_marker(pytest.mark.slow)
