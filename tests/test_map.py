"""The table of packages in CONTRIBUTING is what the code imports."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rosenblatt"
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def imports() -> dict[str, set[str]]:
    """Return the packages that the files of each package import, inside functions too."""
    found: dict[str, set[str]] = {name: set() for name in PACKAGES}
    for name in PACKAGES:
        for path in (PACKAGE / name).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                modules = (
                    [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                )
                if isinstance(node, ast.ImportFrom) and node.module:
                    modules = [f"{node.module}.{alias.name}" for alias in node.names]
                parts = [module.split(".") for module in modules]
                used = {part[1] for part in parts if part[0] == "rosenblatt" and len(part) > 1}
                found[name] |= used & set(PACKAGES) - {name}
    return found


def described() -> dict[str, set[str]]:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", TEXT, re.MULTILINE)
    return {name: set(re.findall(r"\w+", cell)) for name, cell in rows}


def test_the_table_is_what_the_code_imports() -> None:
    assert described() == imports()


def test_the_diagram_names_packages_of_the_table() -> None:
    diagram = TEXT.partition("## How data flows")[2].split("```")[1]
    missing = {"core", "kernels", "inspection"}  # used by all, or by the faces only
    assert set(PACKAGES) - missing <= set(re.findall(r"\w+", diagram))


def test_named_files_exist() -> None:
    for name in re.findall(
        r"`((?:src|tests|docs|benchmarks|examples|\w+)/[\w/]+\.(?:py|md))`", TEXT
    ):
        name = name.replace("NAME", "trace")
        assert any((home / name).exists() for home in (ROOT, ROOT / "src", PACKAGE)), name
