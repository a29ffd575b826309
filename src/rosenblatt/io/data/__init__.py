"""Small data sets that ship with the package."""

from importlib.resources import files
from pathlib import Path


def loans() -> Path:
    """Return the path of a synthetic table of 300 loans with three planted contradictions.

    >>> loans().name
    'loans.csv'
    """
    return _bundled("loans.csv")


def sonar() -> Path:
    """Return the path of the sonar data: 208 samples of 60 numbers, mines (M) or rocks (R).

    >>> sonar().name
    'sonar.csv'
    """
    return _bundled("sonar.csv")


def _bundled(name: str) -> Path:
    return Path(str(files("rosenblatt.io.data") / name))
