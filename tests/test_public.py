"""The public names, and what importing them loads."""

import subprocess
import sys

import pytest

import rosenblatt


def test_every_public_name_exists() -> None:
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    assert set(dir(rosenblatt)) == set(rosenblatt.__all__)


def test_every_public_name_of_the_lectures_exists() -> None:
    for name in rosenblatt.lectures.__all__:
        assert getattr(rosenblatt.lectures, name) is not None
    assert set(dir(rosenblatt.lectures)) == set(rosenblatt.lectures.__all__)
    with pytest.raises(AttributeError, match="no attribute 'homework'"):
        _ = rosenblatt.lectures.homework


def test_learning_does_not_load_the_lectures() -> None:
    program = (
        "import sys\n"
        "from rosenblatt import Perceptron, bounds, cluster, plots, separate\n"
        "from rosenblatt.cli import app\n"
        "sys.exit(', '.join(name for name in sys.modules if '.lectures' in name) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Multilayer'"):
        _ = rosenblatt.Multilayer


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["learn", "--help"],
        ["lecture", "capacity", "--help"],
        ["lecture", "mark1", "--help"],
        ["convert", "--help"],
        ["warmup", "--help"],
        ["plot", "--help"],
    ],
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from rosenblatt.cli import run\n"
        f"code = run({arguments!r})\n"
        "heavy = {'numba', 'scipy', 'sklearn', 'numpy', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(code or ', '.join(sorted(heavy)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "rosenblatt" in done.stdout
