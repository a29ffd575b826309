"""The ledger: which samples were mistaken, how often, and when."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelLike
from rosenblatt.plots.counting_axes import count_on, kept_points
from rosenblatt.plots.style import color, figure_and_panels, set_labels
from rosenblatt.training.ledger import Ledger

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Up to this many samples each has a bar; beyond, the samples are sorted by their mistakes.
_MOST_BARS = 60

# Up to this many mistakes each has a dot; beyond, cells of a grid show how many fall into them.
_MOST_DOTS = 5000
_CELLS = 120


class LedgerDisplay:
    """How often each sample was mistaken and, of a recorded run, when.

    The left panel counts: each sample has a bar or, if there are many, the samples are sorted, the most
    mistaken ones first. The right panel, of a run with ``record=True``, has a dot for each mistake or,
    if there are many, a grid whose cells show how many there are.

    Parameters
    ----------
    mistake_counts : array of shape (n_samples,)
        The mistakes on each sample.
    sequence : array of shape (n_mistakes,), or None, default=None
        The samples of the mistakes, first to last.

    Attributes
    ----------
    axes_, figure_
        Matplotlib's axes, two for a recorded run, else one, and figure, once it is drawn.
    ax_
        The first of the axes.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import LedgerDisplay
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> display = LedgerDisplay.from_estimator(Perceptron(record=True, order="cyclic").fit(X, y))
    >>> display.mistake_counts.tolist(), display.sequence.tolist()
    ([2, 0, 5], [0, 2, 2, 2, 0, 2, 2])
    >>> len(display.axes_)
    2
    """

    axes_: "list[Axes]"
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, mistake_counts: Any, sequence: Any = None) -> None:
        self.mistake_counts: Counts = np.asarray(mistake_counts)
        if self.mistake_counts.ndim != 1 or not len(self.mistake_counts):
            raise InputError(
                f"mistake_counts has shape {self.mistake_counts.shape}: give a count for each sample"
            )
        self.sequence: Counts | None = None if sequence is None else np.asarray(sequence)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        label: LabelLike = None,
        ax: "Axes | Sequence[Axes] | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the ledger of a fitted learner.

        Parameters
        ----------
        estimator : Perceptron, or another learner with a ``ledger_``
            The fitted learner.
        label : a class, default=None
            Whose halfspace to draw the mistakes of, if there are several; None: all mistakes are counted
            together, without a sequence.
        ax : Matplotlib axes, two for a recorded run, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `barh`, or for `plot` where there are many samples.
        """
        ledger = getattr(estimator, "ledger_", None)
        if not isinstance(ledger, Ledger):
            raise InputError(
                f"this {type(estimator).__name__} has no ledger: give a Perceptron that is fitted, "
                "without a decay, and that no stream has moved on since"
            )
        counts, sequence = _of_halfspace(ledger, label)
        return cls(mistake_counts=counts, sequence=sequence).plot(ax, **kwargs)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        n_panels = 1 if self.sequence is None else 2
        size = None if n_panels == 1 else (10.0, 4.8)
        self.figure_, self.axes_ = figure_and_panels(ax, n_panels, size=size)
        self.ax_ = self.axes_[0]
        if len(self.mistake_counts) <= _MOST_BARS:
            self._draw_bars(self.ax_, **kwargs)
        else:
            self._draw_sorted(self.ax_, **kwargs)
        if self.sequence is not None:
            self._draw_sequence(self.axes_[1], self.sequence)
        return self

    def _draw_bars(self, ax: "Axes", **kwargs: Any) -> None:
        counts = self.mistake_counts
        ax.barh(np.arange(len(counts)), counts, **{"color": color(ax, "blue"), **kwargs})
        self._rows_on(ax)
        count_on(ax, "x")
        set_labels(ax, "mistakes", "sample (row of X)", self._title)

    def _draw_sorted(self, ax: "Axes", **kwargs: Any) -> None:
        counts = np.sort(self.mistake_counts)[::-1]
        places = kept_points(counts)
        settings = {"color": color(ax, "blue"), "drawstyle": "steps-mid", **kwargs}
        ax.plot(places + 1, counts[places], **settings)
        if counts[0] > 20 * max(1.0, float(np.median(counts))):
            ax.set_yscale("symlog", linthresh=1)
        else:
            count_on(ax, "y")
        ax.set_ylim(bottom=0)
        count_on(ax, "x")
        set_labels(ax, "samples, the most mistaken ones first", "mistakes", self._title)

    def _draw_sequence(self, ax: "Axes", sequence: Counts) -> None:
        numbers = np.arange(1, len(sequence) + 1)
        if len(sequence) <= _MOST_DOTS:
            size = float(np.clip(2000 / max(1, len(sequence)), 3, 36))
            ax.scatter(numbers, sequence, s=size, color=color(ax, "vermilion"), linewidths=0)
            set_labels(ax, "mistake", "sample (row of X)", "When each sample was mistaken")
        else:
            self._draw_grid(ax, numbers, sequence)
        self._rows_on(ax)
        count_on(ax, "x")

    def _draw_grid(self, ax: "Axes", numbers: Counts, sequence: Counts) -> None:
        """Draw how many mistakes fall into each cell of a grid of time and samples."""
        from matplotlib.colors import LinearSegmentedColormap

        n_samples = len(self.mistake_counts)
        edges = (
            np.linspace(0.5, len(sequence) + 0.5, _CELLS + 1),
            np.linspace(-0.5, n_samples - 0.5, min(_CELLS, n_samples) + 1),
        )
        counts, _, _ = np.histogram2d(numbers, sequence, bins=edges)
        paper, full = ax.get_facecolor(), color(ax, "vermilion")
        shades = LinearSegmentedColormap.from_list("mistakes", [paper, full])
        mesh = ax.pcolormesh(*edges, counts.T, cmap=shades, vmin=0, rasterized=True)
        ax.figure.colorbar(mesh, ax=ax, label="mistakes in a cell")
        set_labels(ax, "mistake", "sample (row of X)", "When samples were mistaken")

    def _rows_on(self, ax: "Axes") -> None:
        """Have the first row on top, as in a table."""
        count_on(ax, "y")
        ax.set_ylim(len(self.mistake_counts) - 0.5, -0.5)

    @property
    def _title(self) -> str:
        mistaken = int((self.mistake_counts > 0).sum())
        return (
            f"{int(self.mistake_counts.sum()):,} mistakes, "
            f"on {mistaken:,} of {len(self.mistake_counts):,} samples"
        )


def _of_halfspace(ledger: Ledger, label: LabelLike) -> tuple[Counts, Counts | None]:
    """Return the counts and the sequence of one halfspace, or the counts of all of them."""
    counts, sequences = np.asarray(ledger.mistake_counts), ledger.sequences
    if label is None:
        if ledger.joint and sequences is not None:
            return counts.sum(axis=0), sequences[0]
        alone = sequences[0] if sequences is not None and len(counts) == 1 else None
        return counts.sum(axis=0), alone
    (places,) = np.nonzero(ledger.classes == label)
    if len(places) != 1 or len(counts) == 1:
        accepted = "None" if len(counts) == 1 else f"one of {ledger.classes.tolist()!r}"
        raise InputError(f"label={label!r} is not accepted: give {accepted}")
    k = int(places[0])
    if sequences is None:
        return counts[k], None
    if ledger.joint:
        samples, rivals = sequences
        return counts[k], samples[rivals == k]
    return counts[k], sequences[k]
