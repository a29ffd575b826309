"""What the attacks count is shown at the end, whichever process has counted it."""

from typing import Any

import pytest


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print one line for each attack that was run."""
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
    """Return what hands a line over to the summary."""
    return lambda line: record_property("attack", line)
