"""Where copies are kept of what can be read only once, or is on another machine."""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import IO


def temporary_file() -> Path:
    """Return a name for a file, in a folder of its own that is there until Python exits."""
    folder = Path(tempfile.mkdtemp(prefix="rosenblatt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / "copy"


def nameless_file() -> IO[bytes]:
    """Return a file that is gone when it is closed, or when this process ends, however it does."""
    return tempfile.TemporaryFile(prefix="rosenblatt-")
