"""The contents of the wheel and the sdist; the installed wheel works."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from rosenblatt import __version__

ROOT = Path(__file__).parents[1]
MISSING = [name for name in ("build", "hatchling", "pip") if find_spec(name) is None]

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"building needs {', '.join(MISSING)}: pip install -e '.[test]'"
)


# No access to the sources, and no compiling: plain Python is fast enough for four samples.
ISOLATED = {"PYTHONPATH": "", "NUMBA_DISABLE_JIT": "1"}


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


def test_the_wheel_contains_only_the_package(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    sources = [path for path in (ROOT / "src" / "rosenblatt").rglob("*") if path.is_file()]
    shipped = [path for path in sources if "__pycache__" not in path.parts]
    assert found == {path.relative_to(ROOT / "src").as_posix() for path in shipped}
    assert {"rosenblatt/py.typed", "rosenblatt/io/data/loans.csv"} <= found


def test_the_sdist_contains_what_tests_and_docs_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        found = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    needed = ["README.md", "LICENSE", "CITATION.cff", "docs/conf.py", "docs/index.md"]
    needed += ["examples/text.py", "tests/test_package.py", ".github/lowest.txt", ".ci/run"]
    assert set(needed) <= found
    generated = ("docs/_build/", "docs/gallery/", "docs/reference/generated/", ".venv/")
    assert not [name for name in found if name.startswith(generated) or "__pycache__" in name]


def test_the_installed_wheel_works(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    home = tmp_path / "fresh"
    venv.create(home, with_pip=False, symlinks=sys.platform != "win32")
    paths = {"base": str(home), "platbase": str(home)}
    scripts = Path(sysconfig.get_path("scripts", "venv", paths))
    python = next(scripts.glob("python*"))
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel)
    # Dependencies come from this environment; packages of the fresh one take precedence.
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"))
    (tmp_path / "and.csv").write_text("x1,x2,both\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    where = run(python, "-I", "-c", "import rosenblatt; print(rosenblatt.__file__)")
    assert Path(where.strip()).is_relative_to(packages)
    program = next(scripts.glob("rosenblatt*"))
    assert run(program, "--version", **ISOLATED).strip() == f"rosenblatt {__version__}"
    assert "SEPARATED" in run(program, "learn", "and.csv", cwd=tmp_path, **ISOLATED)
