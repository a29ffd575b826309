"""All sources that a kernel can depend on are in the folders that the stamp covers."""

import ast
from pathlib import Path

from rosenblatt.kernels.cache.sources import FOLDERS, is_covered, sources_digest, stamp

SOURCES = Path(__file__).resolve().parents[3] / "src"


def imported(path: Path) -> set[str]:
    """Return every module that a file imports from, and each name that it imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def all_imports() -> dict[Path, set[str]]:
    return {path: imported(path) for path in SOURCES.rglob("*.py")}


def paths_of(name: str) -> list[Path]:
    stem = SOURCES.joinpath(*name.split("."))
    return [path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()]


def declares_kernels(names: set[str]) -> bool:
    return "rosenblatt.kernels.compiled" in names or any(
        name.partition(".")[0] == "numba" for name in names
    )


def test_imports_of_kernels_are_covered() -> None:
    imports = all_imports()
    left = [path for path, names in imports.items() if declares_kernels(names)]
    found: set[Path] = set()
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += [other for name in imports[path] for other in paths_of(name)]
    assert len(found) > 20
    modules = [".".join(path.relative_to(SOURCES).with_suffix("").parts) for path in found]
    assert [module for module in modules if not is_covered(module)] == []


def test_every_kernel_is_covered() -> None:
    for path, names in all_imports().items():
        if declares_kernels(names):
            inside = path.relative_to(SOURCES / "rosenblatt").as_posix()
            assert inside.startswith(tuple(f"{folder}/" for folder in FOLDERS))


def test_stamp_depends_on_processor_and_sources() -> None:
    assert sources_digest() == sources_digest() != b""
    one, other = stamp(("x86_64", "skylake", "+avx2")), stamp(("x86_64", "skylake", ""))
    assert one is not None
    assert len(one) == 16
    assert one != other


def test_all_kernels_use_the_same_decorator() -> None:
    users = [path.name for path, names in all_imports().items() if "numba.njit" in names]
    assert users == ["compiled.py"]
