"""Shows the counts of all attacks at the end, from whichever process."""

from typing import Any

import pytest


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print one line for each attack."""
    lines = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for key, value in report.user_properties
        if key == "attack"
    ]
    if lines:
        terminalreporter.section("attacks")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def shown(record_property: Any) -> Any:
    """Return a function that adds a line to the summary."""
    return lambda line: record_property("attack", line)
