"""What the README shows is what the program prints."""

import doctest
import re
from pathlib import Path

import pytest

from consoles import check_console, consoles

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("block", consoles(README))
def test_console(
    block: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    check_console(block, capsys)


def test_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestParser().get_doctest(README, {}, "README", "README.md", 0)
    assert len(found.examples) > 5
    report: list[str] = []
    assert doctest.DocTestRunner().run(found, out=report.append).failed == 0, "".join(report)


def test_ci_runs_the_readmes_test_command() -> None:
    commands = re.findall(r"```\n(python3 -m venv [^\n]*)\n```", README)
    assert len(commands) == 2
    assert commands[1] in (ROOT / ".ci" / "run").read_text()
    assert commands[1] in (ROOT / "CONTRIBUTING.md").read_text()


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / name).read_text()):
            assert (ROOT / link).exists(), f"{name}: {link}"
