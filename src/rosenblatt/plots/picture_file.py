"""Picture files: PNG, SVG or PDF, written atomically and with reproducible bytes."""

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

_MAX_PIXELS, _MAX_SIDE = 100_000_000, 2**16 - 1  # limits of memory and of Matplotlib

# Dates and versions are omitted, so the same picture has the same bytes. The keys are the file types.
_METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_SETTINGS = {
    "svg.fonttype": "none",  # text stays searchable and works with screen readers
    "svg.hashsalt": "rosenblatt",  # element ids are random by default
    "pdf.fonttype": 42,
}


class PictureOptions(NamedTuple):
    """Theme, size in inches (None: the display's default), and dots per inch."""

    theme: str = "light"
    width: float | None = None
    height: float | None = None
    dpi: int = 150


def check_picture(path: Path, *others: Path) -> None:
    """Raise InputError unless a picture can be written to ``path``; call it before any work is done.

    >>> check_picture(Path("plane.jpg"))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: plane.jpg: the file name must end in .png, .svg or .pdf
    """
    if _file_type(path) not in _METADATA:
        raise InputError(f"{path}: the file name must end in .png, .svg or .pdf")
    check_writable(path, "picture", *others)
    pyplot()


def check_size(
    path: Path, options: PictureOptions, width: float = 1.0, height: float = 1.0
) -> None:
    """Raise InputError if a PNG file of this size, or of the options' size, has too many pixels."""
    width, height = (options.width or width) * options.dpi, (options.height or height) * options.dpi
    if _file_type(path) != "png" or (
        width * height <= _MAX_PIXELS and max(width, height) <= _MAX_SIDE
    ):
        return
    raise InputError(
        f"{path}: {width:,.0f} × {height:,.0f} pixels are too many: use fewer inches, or fewer "
        "dots per inch"
    )


def write_picture(
    path: Path, draw: "Callable[[], Figure | SubFigure]", options: PictureOptions
) -> None:
    """Write the figure that ``draw`` returns, without opening windows or using the user's settings.

    >>> import tempfile
    >>> from rosenblatt.plots.style import figure_and_axes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "empty.svg"
    ...     write_picture(path, lambda: figure_and_axes(None)[0], PictureOptions(width=2, height=1))
    ...     'width="144pt" height="72pt"' in path.read_text()
    True
    """
    plt = pyplot()
    plt.switch_backend("agg")
    with plt.rc_context():
        plt.rcdefaults()
        plt.rcParams.update(_SETTINGS)
        with theme(options.theme):
            figure = draw()
            try:
                content = _rendered(figure, path, options)
            finally:
                plt.close(figure)
    write_atomically(path, content)


def _file_type(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()


def _rendered(figure: "Figure | SubFigure", path: Path, options: PictureOptions) -> bytes:
    from matplotlib.figure import Figure

    assert isinstance(figure, Figure)  # displays create their own figure unless given axes
    kind, (width, height) = _file_type(path), figure.get_size_inches()
    check_size(path, options, width, height)
    width, height = options.width or width, options.height or height
    figure.set_size_inches(width, height)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied", UserWarning)
        try:
            figure.savefig(file, format=kind, dpi=options.dpi, metadata=_METADATA[kind])
        except UserWarning as error:
            raise InputError(
                f"{path}: {width:g} × {height:g} inches are too small for this picture: use more"
            ) from error
    return file.getvalue()
