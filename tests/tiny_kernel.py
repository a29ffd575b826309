"""A copy of the compiled part of the package with a kernel of its own, which compiles in a moment."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = Path(__file__).resolve().parents[1] / "src" / "rosenblatt"

_HELPER = """
from numba.extending import register_jitable

@register_jitable
def factor():
    return {}
"""
_KERNEL = """
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.tiny_helper import factor

@compiled()
def scaled(x):
    return factor() * x
"""
_PROGRAM = """
import json
{before}
from rosenblatt.kernels.tiny import scaled
{between}
answer = scaled(21.0)
from rosenblatt.core.compiling import n_compiled, seconds_compiling
from rosenblatt.kernels.cache.code_files import folders_used
print(json.dumps([answer, n_compiled(), [str(path) for path in folders_used()]]))
"""


class Answer(NamedTuple):
    """What a process found: the kernel's result, how much it compiled, and where code was."""

    result: float
    n_compiled: int
    folders: list[Path]


class TinyPackage:
    """The package in a folder, with a home and a folder for temporary files beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "site" / "rosenblatt"
        self.home = folder / "home"
        self.temporary = folder / "tmp"
        for part in ("core", "kernels", "separability/solvers"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(SOURCES / part, self.package / part, ignore=ignored)
        for part in ("", "separability"):
            shutil.copy(SOURCES / part / "__init__.py", self.package / part)
        (self.package / "kernels" / "tiny.py").write_text(_KERNEL)
        self.home.mkdir()
        self.temporary.mkdir()
        self.set_factor(2.0)

    def set_factor(self, factor: float) -> None:
        """Edit the helper that the kernel is made of."""
        (self.package / "kernels" / "tiny_helper.py").write_text(_HELPER.format(factor))

    @property
    def own(self) -> Path:
        """The package's own folder for compiled code."""
        return self.package / "__pycache__" / "compiled"

    def environment(self, **others: str) -> dict[str, str]:
        """Return an environment in which nothing is known but this package."""
        kept = {name: text for name, text in os.environ.items() if name in ("PATH", "LANG")}
        return {
            **kept,
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            **others,
        }

    def start(
        self, *prefix: str, before: str = "", between: str = "", **others: str
    ) -> "subprocess.Popen[str]":
        """Start a process that calls the kernel."""
        program = _PROGRAM.format(before=before, between=between)
        return subprocess.Popen(
            [*prefix, sys.executable, "-W", "error", "-c", program],
            env=self.environment(**others),
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *prefix: str, **others: Any) -> Answer:
        """Call the kernel in a process of its own, which must not complain."""
        return answer(self.start(*prefix, **others))

    def files(self, place: Path) -> list[Path]:
        """Return the files of compiled code in a place, and whatever else lies there."""
        return sorted(path for path in place.rglob("*") if path.is_file())


def answer(process: "subprocess.Popen[str]") -> Answer:
    """Return what a process has found."""
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, ""), err
    result, n_compiled, folders = json.loads(out)
    return Answer(result, n_compiled, [Path(folder) for folder in folders])
