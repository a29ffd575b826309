"""The compile notice on a terminal; reported times exclude compiling."""

import io
import sys

import pytest

from commands import document, on_terminal
from rosenblatt.cli.progress import compile_notice, fixed_line
from rosenblatt.core import compiling
from rosenblatt.core.compiling import (
    Stopwatch,
    compiling_begins,
    compiling_ends,
    n_compiled,
)

# Nothing is stored, so everything is compiled.
NOTHING_STORED = """
from rosenblatt.kernels.cache import code_files
code_files.cache_folders = lambda: ()
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def new_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace standard error by a terminal that records its output."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


@pytest.fixture(autouse=True)
def _own_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_tally", compiling._Tally())


def compile_something(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate that compiling a function, and one that it calls, takes some seconds."""
    now = compiling.time.perf_counter()
    compiling_begins()
    compiling_begins()
    compiling_ends()
    with monkeypatch.context() as patched:
        patched.setattr(compiling.time, "perf_counter", lambda: now + seconds)
        compiling_ends()


def test_the_compile_notice_is_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = new_terminal(monkeypatch)
    with compile_notice():
        compile_something(1.0, monkeypatch)
        compile_something(1.0, monkeypatch)
    compile_something(1.0, monkeypatch)
    assert terminal.getvalue() == "compiling (only the first time)\n"


def test_a_fixed_line_is_printed_again_below_the_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = new_terminal(monkeypatch)
    with compile_notice(), fixed_line("1 of 2"):
        compile_something(1.0, monkeypatch)
    wiped = "\r      \r"
    assert terminal.getvalue() == f"1 of 2{wiped}compiling (only the first time)\n1 of 2{wiped}"


def test_no_compile_notice_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    for stream in (pipe, None):
        monkeypatch.setattr(sys, "stderr", stream)
        with compile_notice():
            compile_something(1.0, monkeypatch)
    assert pipe.getvalue() == ""


def test_compiling_is_counted_and_timed_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Stopwatch()
    compile_something(100.0, monkeypatch)
    assert n_compiled() == 2
    assert watch.compile_seconds() == pytest.approx(100.0, abs=0.1)
    assert watch.seconds() == 0.0  # compiling took longer than the watch ran


def test_json_reports_have_compile_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["separate"], ["lecture", "capacity", "--dimensions", "2", "--trials", "1"]):
        facts = document(command, capsys)
        assert facts["compile_seconds"] >= 0.0
        assert facts["seconds"] > 0.0


@pytest.mark.slow
def test_the_compile_notice_on_a_terminal() -> None:
    child = on_terminal("predict", "nothing", "nothing")
    child.expect("nothing: there is no such file")
    child = on_terminal(
        "lecture", "capacity", "--dimensions", "2", "--trials", "1", before=NOTHING_STORED
    )
    child.expect("compiling .only the first time")
    child.expect("to compile .only the first time")
