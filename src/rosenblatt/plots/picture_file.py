"""Pictures in files: written whole or not at all, with the same bytes each time."""

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, write_atomically
from rosenblatt.plots.style import pyplot, theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_MOST_DOTS = 100_000_000
_MOST_IN_A_ROW = 2**16 - 1

# Without dates and versions, the same picture has the same bytes. The keys are the accepted endings.
_NO_DATES = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_SETTINGS = {
    "svg.fonttype": "none",  # words can be searched and read aloud
    "svg.hashsalt": "rosenblatt",  # names of parts would be random
    "pdf.fonttype": 42,
}


class Paper(NamedTuple):
    """A theme, inches (None: the display's own), and dots per inch."""

    theme: str = "light"
    width: float | None = None
    height: float | None = None
    dpi: int = 150


def check_picture(path: Path, *others: Path) -> None:
    """Raise, before any work is done, unless a picture can be drawn and written there.

    >>> check_picture(Path("plane.jpg"))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: plane.jpg: a picture ends in .png, .svg or .pdf: give such a name
    """
    if _ending(path) not in _NO_DATES:
        raise InputError(f"{path}: a picture ends in .png, .svg or .pdf: give such a name")
    check_writable(path, "picture", *others)
    pyplot()


def write_picture(path: Path, draw: "Callable[[], Figure | SubFigure]", paper: Paper) -> None:
    """Write the figure that ``draw`` returns, drawn without windows or the user's own settings.

    >>> import tempfile
    >>> from rosenblatt.plots.style import figure_and_axes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "empty.svg"
    ...     write_picture(path, lambda: figure_and_axes(None)[0], Paper(width=2, height=1))
    ...     'width="144pt" height="72pt"' in path.read_text()
    True
    """
    plt = pyplot()
    plt.switch_backend("agg")
    with plt.rc_context():
        plt.rcdefaults()
        plt.rcParams.update(_SETTINGS)
        with theme(paper.theme):
            figure = draw()
            try:
                content = _bytes(figure, path, paper)
            finally:
                plt.close(figure)
    write_atomically(path, content)


def _ending(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()


def _bytes(figure: "Figure | SubFigure", path: Path, paper: Paper) -> bytes:
    from matplotlib.figure import Figure

    assert isinstance(figure, Figure)  # a display makes its own, unless it is given axes
    kind, (width, height) = _ending(path), figure.get_size_inches()
    width, height = paper.width or width, paper.height or height
    if kind == "png":
        _check_dots(path, width * paper.dpi, height * paper.dpi)
    figure.set_size_inches(width, height)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied", UserWarning)
        try:
            figure.savefig(file, format=kind, dpi=paper.dpi, metadata=_NO_DATES[kind])
        except UserWarning as error:
            raise InputError(
                f"{path}: {width:g} × {height:g} inches are too small for this picture: use more"
            ) from error
    return file.getvalue()


def _check_dots(path: Path, width: float, height: float) -> None:
    """Raise if there are too many dots for Matplotlib or for memory."""
    if width * height > _MOST_DOTS or max(width, height) > _MOST_IN_A_ROW:
        raise InputError(
            f"{path}: {width:,.0f} × {height:,.0f} dots are too many: use fewer inches, or fewer "
            "dots per inch"
        )
