"""The progress bar of streams: on a terminal only, never in the output."""

import io
import sys

import pytest

from rosenblatt.cli.stream_bar import StreamBar


class Terminal(io.StringIO):
    """A terminal that records its output."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


class Half:
    """A stream that is half read."""

    n_bytes = 3_000_000
    n_read = 1_500_000


@pytest.mark.parametrize("terminal", [Terminal(), io.StringIO()])
@pytest.mark.parametrize("is_shown", [True, False])
def test_the_bar_is_shown_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: io.StringIO, is_shown: bool
) -> None:
    printed = io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", printed)
    monkeypatch.setenv("COLUMNS", "160")
    terminal.truncate(0)
    with StreamBar("predicting", is_shown=is_shown) as bar:
        bar.show(Half(), 12_345)
        print("a prediction")
    shown = terminal.getvalue()
    assert printed.getvalue() == "a prediction\n"
    if is_shown and terminal.isatty():
        assert "predicting" in shown
        assert "12,345 samples, 1.5 MB of 3.0 MB, " in shown
        assert " samples/s" in shown
    else:
        assert shown == ""
