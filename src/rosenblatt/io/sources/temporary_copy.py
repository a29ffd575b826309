"""Temporary files for copies of remote sources and of sources that can be read only once."""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import IO


def temporary_file() -> Path:
    """Return the path of a new file in a temporary folder that is deleted when Python exits."""
    folder = Path(tempfile.mkdtemp(prefix="rosenblatt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / "copy"


def nameless_file() -> IO[bytes]:
    """Return a file that disappears when it is closed, or when the process ends in any way."""
    return tempfile.TemporaryFile(prefix="rosenblatt-")
