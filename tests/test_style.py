"""Checks by tools: format, lint, types, layers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "format", "--check", "."],
        ["ruff", "check", "."],
        ["mypy"],
        ["lint-imports"],
    ],
    ids=lambda command: " ".join(command),
)
def test_tool_reports_nothing(command: list[str]) -> None:
    tool = shutil.which(command[0], path=str(BIN)) or shutil.which(command[0])
    assert tool, f"{command[0]} is not installed: pip install -e '.[test]'"
    done = subprocess.run([tool, *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_no_waivers() -> None:
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py")]:
        text = path.read_text()
        if path != Path(__file__):
            assert "type: ignore" not in text, path
            assert "noqa" not in text, path
    configuration = (ROOT / "pyproject.toml").read_text()
    assert "ignore_imports" not in configuration
    assert "[[tool.mypy.overrides]]" not in configuration
