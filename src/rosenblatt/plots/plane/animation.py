"""A run in the plane as an animated GIF or MP4: the line moves with every update."""

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.core.checks import positive
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, write_whole, written_whole
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots import style
from rosenblatt.plots.ffmpeg import check_ffmpeg
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.geometry import Line, box_around, is_comparable
from rosenblatt.plots.plane.trace_views import (
    checked_trace,
    places_of,
    samples_of,
    separator_of,
    title_of_run,
    updates_of,
)

if TYPE_CHECKING:
    from matplotlib.patches import Polygon

FRAMES = 150
"""The most updates that are shown: of a longer run, so many, evenly spaced."""

_INCHES, _DPI = (6.0, 4.5), 100  # as pixels even numbers, which MP4 needs
_LAST = 4
"""How many times as long as the others the last frame is shown."""


def animate(trace: Trace, path: str | os.PathLike[str], *, frames_per_second: float = 2.0) -> Path:
    """Write a run in the plane as an animation, one frame for each update.

    Every frame has the separator after an update, the one before it, faintly, and a ring around the
    sample that was mistaken; its title counts the mistakes so far. Of more than 150 updates 150 are
    shown, evenly spaced, and the title says so. `theme` applies.

    Parameters
    ----------
    trace : Trace
        What `rosenblatt.trace` returned, for samples of two features.
    path : str or path
        A file that ends in .gif, which Pillow writes, or in .mp4, for which ffmpeg must be installed.
    frames_per_second : float, default=2.0
        How fast it is shown; the last frame stays for four times as long.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rosenblatt import trace
    >>> from rosenblatt.plots import animate
    >>> run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> with TemporaryDirectory() as folder:
    ...     animate(run, Path(folder) / "run.gif").name
    'run.gif'
    """
    run, target = checked_trace(trace), Path(path)
    pace = positive("frames_per_second", frames_per_second)
    writers = {".gif": _write_gif, ".mp4": _write_mp4}
    writer = writers.get(target.suffix.lower())
    if writer is None:
        raise InputError(f"{target}: an animation is written to a file that ends in .gif or .mp4")
    n_features = len(run.weights) - run.has_intercept
    if n_features != 2:
        features = "1 feature" if n_features == 1 else f"{n_features} features"
        raise InputError(f"the trace is of {features}: a run is animated in two")
    check_writable(target, "animation")
    writer(Scene(run), target, pace)
    return target


class Scene:
    """The run on a figure of its own, which each frame changes.

    >>> from rosenblatt import trace
    >>> scene = Scene(trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1]))
    >>> list(scene.frames())
    [0, 1, 2, 3, 4, 5, 6, 7]
    >>> scene.title.get_text()
    '7 updates in 6 epochs: separated'
    """

    def __init__(self, run: Trace) -> None:
        style.pyplot()  # or the error that says how to install it
        from matplotlib.figure import Figure

        self.run = run
        self.updates = updates_of(run)
        self.samples, self.places = samples_of(run), places_of(run)
        n_updates = len(self.updates)
        spaced = np.linspace(0, n_updates, min(n_updates, FRAMES) + 1)
        self.shown = np.unique(spaced.round()).astype(np.int64).tolist()
        # Not pyplot's: no window opens, and nobody has to close it.
        self.figure = Figure(figsize=_INCHES, dpi=_DPI, layout="constrained")
        self.ax = self.figure.add_subplot()
        self._draw_samples()
        ax, faint = self.ax, style.faint(self.ax)
        self.before = ax.plot([], [], color=faint, linestyle="--", label="before the update")[0]
        self.now = ax.plot([], [], color=style.ink(ax), linewidth=2.0, label="separator")[0]
        vermilion = [style.color(ax, "vermilion")]
        self.ring = style.ring(ax, np.empty((0, 2)), "mistake", edgecolors=vermilion)
        self.title = ax.set_title(" ", fontsize="medium")
        style.set_labels(ax, *self.samples.names)
        style.legend(ax, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False)

    def _draw_samples(self) -> None:
        points, equal = self.samples.table, is_comparable(self.samples.table)
        self.box = box_around(points, equal=equal)
        artists.draw_samples(self.ax, points, self.samples.codes, self.samples.classes)
        artists.frame(self.ax, self.box, equal=equal)

    def frames(self) -> Iterator[int]:
        """Draw one frame after the other; yield how many updates each has seen."""
        regions: list[Polygon | None] = []
        for n_updates in self.shown:
            for region in filter(None, regions):
                region.remove()
            regions = self._show(n_updates)
            yield n_updates

    def _show(self, n_updates: int) -> "list[Polygon | None]":
        """Draw what is so after some updates; return the regions."""
        run = self.run
        visit = self.updates[n_updates - 1] if n_updates else run.visits[0]
        weights = visit.weights_after if n_updates else visit.weights_before
        separator = Line(*separator_of(weights, has_intercept=run.has_intercept))
        before = Line(*separator_of(visit.weights_before, has_intercept=run.has_intercept))
        for line, drawn, is_shown in (
            (separator, self.now, True),
            (before, self.before, n_updates > 0),
        ):
            ends = line.within(self.box) if is_shown else None
            drawn.set_data(([], []) if ends is None else (ends[:, 0], ends[:, 1]))
        place = [self.places[visit.row]] if n_updates else []
        self.ring.set_offsets(self.samples.table[place])
        self.title.set_text(self._caption(n_updates, visit.epoch))
        if separator.length == 0.0:
            return []
        coef, intercept = separator.coef[None, :], np.array([separator.intercept])
        return artists.draw_regions(self.ax, coef, intercept, self.box)

    def _caption(self, n_updates: int, epoch: int) -> str:
        mistakes = "1 mistake" if n_updates == 1 else f"{n_updates} mistakes"
        text = f"{mistakes} so far, epoch {epoch}"
        if n_updates == len(self.updates):
            text = title_of_run(self.run)
        if len(self.shown) <= len(self.updates):
            text += f" ({len(self.shown) - 1} of {len(self.updates):,} updates are shown)"
        return text


def _write_gif(scene: Scene, path: Path, pace: float) -> None:
    try:
        from PIL import Image
    except ImportError as error:
        raise InputError(
            "a GIF is written by Pillow, which is not installed: pip install 'rosenblatt[plot]'"
        ) from error
    images = []
    for _ in scene.frames():
        picture = BytesIO()
        scene.figure.savefig(picture, format="png", dpi=_DPI)
        # A palette of each frame's own colours makes a small file.
        image = Image.open(picture).convert("RGB")
        images.append(image.quantize(64, dither=Image.Dither.NONE))
    times = [round(1000 / pace)] * len(images)
    times[-1] *= _LAST
    with written_whole(path) as file:
        images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0)


def _write_mp4(scene: Scene, path: Path, pace: float) -> None:
    check_ffmpeg(path)
    from matplotlib.animation import FFMpegWriter

    rate: Any = pace  # ffmpeg takes fractions, Matplotlib's types do not know it
    writer = FFMpegWriter(fps=rate)
    with TemporaryDirectory() as folder:
        part = Path(folder) / "run.mp4"
        with writer.saving(scene.figure, str(part), _DPI):
            for n_updates in scene.frames():
                last = n_updates == scene.shown[-1]
                for _ in range(_LAST if last else 1):
                    writer.grab_frame()
        write_whole(path, part.read_bytes())
