"""Whether ffmpeg, which writes MP4 files, is there."""

from pathlib import Path

from rosenblatt.core.errors import InputError


def check_ffmpeg(path: Path) -> None:
    """Raise unless an MP4 file can be written."""
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        raise InputError(
            f"{path}: an MP4 is written by ffmpeg, which is not installed: install it, or write a .gif"
        )
