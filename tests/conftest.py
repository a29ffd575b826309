"""Hypothesis profiles, markers, and the order of tests."""

import os
import signal
from importlib.util import find_spec

import pytest
from hypothesis import settings


def _restore_interrupts() -> None:
    """Stop ignoring Ctrl-C if this run was started that way: child processes would inherit it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_restore_interrupts()

settings.register_profile("dev", deadline=None, max_examples=15)
settings.register_profile("ci", deadline=None, max_examples=15, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: the same properties, on many more examples")


# The slowest files run first: started last, they would leave the other worker idle.
LONGEST = ("test_site.py", "test_style.py", "test_panel.py", "test_scikit_learn.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest files first, and mark scikit-learn's checks of most variants as slow.

    Tests marked `extra` name the packages they need, and are skipped without them. Only the first
    variant of each learner is checked by default; the fits and streams of the others have their own
    tests.
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
