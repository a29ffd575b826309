"""Checks of console blocks in pages: their commands must print the output shown."""

import re

import pytest

from rosenblatt.cli import run


def without_times(text: str) -> str:
    return re.sub(r"^(Time +).*$", r"\1some", text, flags=re.MULTILINE)


def consoles(page: str) -> list[str]:
    return re.findall(r"```console\n(.*?)```", page, re.DOTALL)


def check_console(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    for part in block.split("$ rosenblatt ")[1:]:
        command, output = part.split("\n", 1)
        assert run(command.split()) == 0
        found, shown = capsys.readouterr().out.rstrip("\n"), output.rstrip("\n")
        assert without_times(found) == without_times(shown), f"{command} printed\n{found}"
