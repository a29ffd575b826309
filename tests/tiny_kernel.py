"""A copy of the compiled part of the package, with a tiny kernel that compiles quickly."""

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
from rosenblatt.core.compiling import n_compiled
from rosenblatt.kernels.cache.code_files import folders_used
print(json.dumps([answer, n_compiled(), [str(path) for path in folders_used()]]))
"""


class Answer(NamedTuple):
    """The output of a process: the kernel's result, compiled functions, and cache folders."""

    result: float
    n_compiled: int
    folders: list[Path]


class TinyPackage:
    """The package in a folder, next to a home folder and a temporary folder."""

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
        """Edit the helper that the kernel calls."""
        (self.package / "kernels" / "tiny_helper.py").write_text(_HELPER.format(factor))

    @property
    def own(self) -> Path:
        """The package's own folder for compiled code."""
        return self.package / "__pycache__" / "compiled"

    def environment(self, **others: str) -> dict[str, str]:
        """Return an environment with no packages but this one."""
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
        """Call the kernel in a new process, which must print no warnings."""
        return answer(self.start(*prefix, **others))

    def files(self, folder: Path) -> list[Path]:
        """Return all files in a folder of compiled code."""
        return sorted(path for path in folder.rglob("*") if path.is_file())


def answer(process: "subprocess.Popen[str]") -> Answer:
    """Return the output of a process, which must succeed."""
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, ""), err
    result, n_compiled, folders = json.loads(out)
    return Answer(result, n_compiled, [Path(folder) for folder in folders])
