"""Networks of threshold units as diagrams: layers of units, and the lines between them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from rosenblatt.circuits.network import Network
from rosenblatt.circuits.unit import ThresholdUnit
from rosenblatt.core.checks import as_float
from rosenblatt.core.errors import InputError
from rosenblatt.plots.lectures.unit_display import Strand, input_names, written
from rosenblatt.plots.style import background, figure_and_axes, ink, shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Up to this many lines between two layers have their weights written.
_MOST_WRITTEN = 6

# Lines are this much thinner than those of a single unit.
_THINNER = 0.6

# Up to this many units stand in a layer.
_MOST_UNITS = 40


class NetworkDisplay:
    """A network of threshold units as a diagram: the inputs on the left, then a column for each layer.

    A unit gives its upper output when the sum of what it reads, times the weights on the lines, reaches
    the threshold that is written in it. Lines are drawn as those of a `UnitDisplay`.

    Parameters
    ----------
    network : Network
        The network.
    names : list of str
        The names of the inputs.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt.circuits import Network, and_gate, or_gate, ThresholdUnit
    >>> from rosenblatt.plots import NetworkDisplay
    >>> xor = Network([[or_gate(2), and_gate(2)], [ThresholdUnit([1, -1], 1)]])
    >>> display = NetworkDisplay.from_network(xor)
    >>> len(display.ax_.get_lines())
    6
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, network: Network, names: list[str]) -> None:
        if not isinstance(network, Network):
            raise InputError(
                f"network is a {type(network).__name__}: give a Network, or call UnitDisplay"
            )
        largest = max([network.n_inputs, *map(len, network.layers)])
        if largest > _MOST_UNITS:
            raise InputError(
                f"there are {largest} units or inputs in a column: up to {_MOST_UNITS} can be drawn"
            )
        self.network = network
        self.names = input_names(names, network.n_inputs)

    @classmethod
    def from_network(
        cls,
        network: Network,
        *,
        names: Sequence[str] | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a network.

        Parameters
        ----------
        network : Network
            The network.
        names : names of the inputs, default=None
            None: x1, x2, …
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the lines of the weights.
        """
        n_inputs = getattr(network, "n_inputs", 0)
        return cls(network=network, names=input_names(names, n_inputs)).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        layers = self.network.layers
        highest = max([len(self.names), *map(len, layers)])
        size = (2.1 * (len(layers) + 1) + 0.8, max(2.6, 0.8 * highest + 0.8))
        self.figure_, self.ax_ = figure_and_axes(ax, size=size)
        ax = self.ax_
        before = _heights(len(self.names))
        circle: dict[str, Any] = {
            "facecolors": [background(ax)],
            "edgecolors": [ink(ax)],
            "zorder": 3,
        }
        ax.scatter([0.0] * len(before), before, s=110, **circle)
        beside: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
        for name, height in zip(self.names, before, strict=True):
            ax.annotate(shown_name(name), (0.0, height), xytext=(-9, 0), ha="right", **beside)
        for column, layer in enumerate(layers, start=1):
            own = _heights(len(layer))
            self._draw_lines(column, layer, before, own, **kwargs)
            ax.scatter([float(column)] * len(own), own, s=900, **circle)
            for unit, height in zip(layer, own, strict=True):
                text = f"≥ {written(unit.threshold)}"
                ax.text(column, height, text, ha="center", va="center", fontsize="small", zorder=4)
            before = own
        for unit, height in zip(layers[-1], before, strict=True):
            low, high = map(written, unit.outputs)
            words = f"{high} or {low}"
            arrow: dict[str, Any] = {"arrowstyle": "<|-", "color": ink(ax), "shrinkB": 15}
            place = (float(len(layers)), height)
            ax.annotate(
                words, place, xytext=(48, 0), ha="left", arrowprops=arrow, zorder=1, **beside
            )
        half = max(highest / 2, 1.0)
        ax.set(xlim=(-0.5, len(layers) + 0.75), ylim=(-half, half))
        ax.axis("off")
        if not ax.get_title():
            ax.set_title("Threshold units in layers" if len(layers) > 1 else "Threshold units")
        return self

    def _draw_lines(
        self,
        column: int,
        layer: tuple[ThresholdUnit, ...],
        before: list[float],
        own: list[float],
        **kwargs: Any,
    ) -> None:
        """Draw the lines to a layer from what stands before it."""
        ax = self.ax_
        largest = max(abs(as_float(weight)) for unit in layer for weight in unit.weights) or 1.0
        is_written = len(before) * len(own) <= _MOST_WRITTEN
        paper = {"facecolor": background(ax), "edgecolor": "none", "pad": 0.8}
        for k, (unit, end) in enumerate(zip(layer, own, strict=True)):
            # Lines cross: the weights of neighbours are written at different parts of their lines.
            part = 0.25 + 0.13 * (k % 3)
            for weight, start in zip(unit.weights, before, strict=True):
                strand = Strand.of(ax, as_float(weight), largest)
                style = {
                    "color": strand.color,
                    "linestyle": strand.dashes,
                    "linewidth": strand.width,
                }
                ax.plot([column - 1, column], [start, end], zorder=1, **{**style, **kwargs})
                if is_written and weight:
                    x, y = column - 1 + part, (1 - part) * start + part * end
                    text = written(weight)
                    own_color: dict[str, Any] = {"color": strand.color, "bbox": paper, "zorder": 2}
                    ax.text(x, y, text, ha="center", va="center", fontsize="small", **own_color)


def _heights(n_nodes: int) -> list[float]:
    """Return where the nodes of a column stand, the first one on top, around 0."""
    return [(n_nodes - 1) / 2 - k for k in range(n_nodes)]
