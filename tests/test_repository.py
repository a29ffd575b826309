"""The files about the repository agree with `pyproject.toml`."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from rosenblatt import __version__

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCUMENTS = [
    *(
        ".github/workflows/tests.yml",
        ".pre-commit-config.yaml",
        ".readthedocs.yaml",
        "CITATION.cff",
    ),
]


def document(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_valid_yaml(name: str) -> None:
    assert isinstance(document(name), dict)


def test_versions_agree() -> None:
    assert __version__ == PROJECT["version"] == document("CITATION.cff")["version"]


def test_the_workflow_runs_all_supported_pythons() -> None:
    jobs = document(".github/workflows/tests.yml")["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    supported = SpecifierSet(PROJECT["requires-python"])
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == named
    assert {one["python"] for one in matrix["include"]} == {named[0], named[-1]}
    assert named[0] in supported
    assert f"3.{int(named[0].partition('.')[2]) - 1}" not in supported
    systems = {*matrix["system"], *(one["system"] for one in matrix["include"])}
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}
    for folder in jobs["tests"]["env"]["PORTABLE"].split():
        assert (ROOT / folder).is_dir()


def test_lowest_versions_match_the_project() -> None:
    lines = (ROOT / ".github" / "lowest.txt").read_text().splitlines()
    pins = [Requirement(line.partition("#")[0]) for line in lines if not line.startswith("#")]
    lowest = {pin.name: next(iter(pin.specifier)).version for pin in pins}
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["plot"], *extras["ray"]]
    for requirement in map(Requirement, lines):
        bound = next(iter(requirement.specifier)).version
        assert Version(bound) == Version(lowest[requirement.name]), requirement.name


def test_the_hooks_run_the_same_tools_as_the_tests() -> None:
    (local,) = document(".pre-commit-config.yaml")["repos"]
    style = (ROOT / "tests" / "test_style.py").read_text()
    for hook in local["hooks"]:
        for word in hook["entry"].split(" -")[0].split():
            assert f'"{word}"' in style
