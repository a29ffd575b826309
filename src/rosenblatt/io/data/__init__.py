"""Small data that ships with the package."""

from importlib.resources import files
from pathlib import Path


def sonar() -> Path:
    """Return the path of the sonar returns: 208 samples of 60 numbers, mines (M) or rocks (R).

    >>> sonar().name
    'sonar.csv'
    """
    return Path(str(files("rosenblatt.io.data") / "sonar.csv"))
