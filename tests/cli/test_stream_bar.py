"""The bar of streams: on a terminal only, and never in what is printed."""

import io
import sys

import pytest

from rosenblatt.cli.stream_bar import StreamBar


class Terminal(io.StringIO):
    """A terminal that keeps what is shown."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


class Half:
    """A stream of which half is read."""

    n_bytes = 3_000_000
    n_read = 1_500_000


@pytest.mark.parametrize("terminal", [Terminal(), io.StringIO()])
@pytest.mark.parametrize("is_shown", [True, False])
def test_a_terminal_shows_what_is_read(
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
