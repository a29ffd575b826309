"""The linear threshold unit as a diagram: inputs, weights, sum, step and output."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rosenblatt.core.checks import as_float, whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelLike
from rosenblatt.inspection.model_parts import Weights, parts_of, weights_of
from rosenblatt.lectures.units import ThresholdUnit
from rosenblatt.plots.style import (
    Color,
    background,
    color,
    faint,
    figure_and_axes,
    ink,
    shown_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Where the inputs, the sum, the step and the output stand, and the words behind it.
_INPUT, _SUM, _STEP, _OUTPUT, _WORDS = 0.0, 1.0, 1.45, 1.8, 1.84

# Lines are from the first to the second of these widths.
_THINNEST, _THICKEST = 0.9, 4.5

# How far from its input a weight is written, as a part of its line.
_WRITTEN_AT = 0.3

# Whole numbers and fractions of more characters than this are rounded.
_MOST_DIGITS = 9


class Strand(NamedTuple):
    """How the line of a weight is drawn: its sign by colour and dashes, its size by width."""

    color: Color
    dashes: Any
    width: float

    @classmethod
    def of(cls, ax: "Axes", weight: float, largest: float) -> "Strand":
        """Return the line of a weight, where the largest one has the thickest line."""
        if not weight:
            return cls(faint(ax), (0, (1, 3)), _THINNEST)
        share = 1.0 if abs(weight) == largest else abs(weight) / largest  # both may be infinite
        width = _THINNEST + (_THICKEST - _THINNEST) * share
        if weight > 0:
            return cls(color(ax, "blue"), "solid", width)
        return cls(color(ax, "vermilion"), (0, (4, 1.5)), width)


class UnitDisplay:
    """A linear threshold unit as a diagram, as it stands on the board.

    Each input has a line to the sum, with its weight: blue and solid above 0, orange and dashed below,
    and the wider, the larger. The step compares the sum with the threshold.

    Parameters
    ----------
    names : list of str
        The names of the inputs that are drawn; that of the bias, if there is one, is "1", and last.
    weights : array of shape (n_inputs,)
        Their weights.
    condition : str
        When the unit gives its upper output, in words.
    outputs : (str, str)
        What it gives otherwise, and then.
    texts : list of str, default=None
        The weights as they are written; None: to three digits.
    n_more : int, default=0
        How many inputs of smaller weights are not drawn.
    title : str, default=""
        What stands above.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt.lectures.units import ThresholdUnit
    >>> from rosenblatt.plots import UnitDisplay
    >>> display = UnitDisplay.from_unit(ThresholdUnit([1, 1, -2], 1))
    >>> display.names, display.condition
    (['x1', 'x2', 'x3'], 'sum ≥ 1')
    >>> display.ax_.get_title()
    'x1 + x2 - 2·x3 ≥ 1'
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self,
        *,
        names: list[str],
        weights: Any,
        condition: str,
        outputs: tuple[str, str],
        texts: list[str] | None = None,
        n_more: int = 0,
        title: str = "",
    ) -> None:
        self.names = names
        self.weights: Floats = np.asarray(weights, dtype=np.float64)
        if self.weights.shape != (len(names),) or not names:
            raise InputError(
                f"weights has shape {self.weights.shape}, and there are {len(names)} names: give one "
                "weight for each, at least one"
            )
        self.condition, self.outputs, self.title = condition, outputs, title
        self.texts = [written(weight) for weight in self.weights] if texts is None else texts
        self.n_more = n_more

    @classmethod
    def from_unit(
        cls,
        unit: ThresholdUnit,
        *,
        names: Sequence[str] | None = None,
        most: int = 12,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a threshold unit.

        Parameters
        ----------
        unit : ThresholdUnit
            The unit.
        names : names of the inputs, default=None
            None: x1, x2, …
        most : int, default=12
            How many inputs to draw: those with the largest weights, if there are more.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the lines of the weights.
        """
        if not isinstance(unit, ThresholdUnit):
            raise InputError(
                f"unit is a {type(unit).__name__}: give a ThresholdUnit, or call from_estimator"
            )
        listed = input_names(names, unit.n_inputs)
        places, n_more = _largest(np.array([as_float(w) for w in unit.weights]), most)
        # The unit writes its own inputs as x1, x2, …
        title = str(unit).replace(">=", "≥") if names is None else ""
        return cls(
            names=[listed[k] for k in places],
            weights=[as_float(unit.weights[k]) for k in places],
            texts=[written(unit.weights[k]) for k in places],
            condition=f"sum ≥ {written(unit.threshold)}",
            outputs=(written(unit.outputs[0]), written(unit.outputs[1])),
            n_more=n_more,
            title=title if len(title) <= 60 else "",
        ).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        label: LabelLike = None,
        names: Sequence[str] | None = None,
        most: int = 10,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what a fitted linear learner has learned, or a pipeline that ends with one.

        Parameters
        ----------
        estimator : Perceptron, or another linear learner
            The fitted learner.
        label : a class, default=None
            Whose unit to draw, if there are more than two classes.
        names, most, ax, **kwargs
            As for `from_unit`. Names that the learner knows are used if none are given.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
        >>> display = UnitDisplay.from_estimator(p)
        >>> display.names, display.weights.tolist(), display.outputs
        (['x1', 'x2', '1'], [2.0, 2.0, -3.0], ('no', 'yes'))
        """
        parts = parts_of(estimator)
        unnamed = [f"x{k}" for k in range(1, int(parts.learner.n_features_in_) + 1)]
        weights = weights_of(parts, unnamed)
        k, outputs = _halfspace(weights, parts.learner.classes_, label)
        listed = weights.features if names is None else input_names(names, len(weights.features))
        places, n_more = _largest(weights.coef[k], most)
        shown, own = [listed[j] for j in places], weights.coef[k, places].tolist()
        if parts.learner.fit_intercept:
            shown, own = [*shown, "1"], [*own, float(weights.intercept[k])]
        relation = ">" if parts.learner.ties == "negative" else "≥"
        return cls(
            names=shown,
            weights=own,
            condition=f"sum {relation} 0",
            outputs=outputs,
            n_more=n_more,
            title=f"What the {type(parts.learner).__name__} has learned",
        ).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        n_rows = len(self.names) + (self.n_more > 0)
        self.figure_, self.ax_ = figure_and_axes(ax, size=(7.5, max(2.6, 0.52 * n_rows + 0.9)))
        ax = self.ax_
        heights = (n_rows - 1) / 2 - np.arange(n_rows)
        largest = float(np.abs(self.weights).max()) or 1.0
        inputs = zip(self.names, self.weights.tolist(), self.texts, heights.tolist(), strict=False)
        for name, weight, text, height in inputs:
            self._draw_input(name, height)
            self._draw_line(Strand.of(ax, weight, largest), text, height, **kwargs)
        if self.n_more:
            words = f"… {self.n_more:,} more, of smaller weights"
            ax.text(_INPUT, heights[-1], words, ha="left", va="center", color=faint(ax, 0.35))
        self._draw_step()
        half = max(1.0, n_rows / 2)
        ax.set(xlim=(-0.45, 2.75), ylim=(-half - 0.1, half + 0.1))
        ax.axis("off")
        if self.title and not ax.get_title():
            ax.set_title(self.title)
        return self

    def _draw_input(self, name: str, height: float) -> None:
        ax = self.ax_
        circle: dict[str, Any] = {
            "s": 110,
            "facecolors": [background(ax)],
            "edgecolors": [ink(ax)],
            "zorder": 3,
        }
        ax.scatter([_INPUT], [height], **circle)
        short = name if len(name) <= 18 else f"{name[:17]}…"
        ax.annotate(
            shown_name(short),
            (_INPUT, height),
            xytext=(-9, 0),
            textcoords="offset points",
            ha="right",
            va="center",
        )

    def _draw_line(self, strand: Strand, text: str, height: float, **kwargs: Any) -> None:
        ax, own = self.ax_, strand.color
        settings = {"color": own, "linestyle": strand.dashes, "linewidth": strand.width, **kwargs}
        ax.plot([_INPUT, _SUM], [height, 0.0], zorder=1, **settings)
        x, y = _INPUT + _WRITTEN_AT * (_SUM - _INPUT), height * (1 - _WRITTEN_AT)
        paper = {"facecolor": background(ax), "edgecolor": "none", "pad": 1.2}
        ax.text(x, y, text, ha="center", va="center", color=own, bbox=paper, zorder=2)

    def _draw_step(self) -> None:
        """Draw the sum, the step, the arrow to the output, and what the output is when."""
        ax, line = self.ax_, ink(self.ax_)
        for start, end in ((_SUM, _STEP), (_STEP, _OUTPUT)):
            arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": line, "linewidth": 1.4}
            ax.annotate("", (end, 0.0), xytext=(start, 0.0), arrowprops=arrow, zorder=1)
        node: dict[str, Any] = {"facecolors": [background(ax)], "edgecolors": [line], "zorder": 3}
        ax.scatter([_SUM], [0.0], s=720, **node)
        ax.text(_SUM, 0.0, "Σ", ha="center", va="center", fontsize="x-large", zorder=4)
        ax.scatter([_STEP], [0.0], s=720, marker="s", **node)
        rise: dict[str, Any] = {"marker": [(-1.0, -0.7), (0.0, -0.7), (0.0, 0.7), (1.0, 0.7)]}
        ax.scatter([_STEP], [0.0], s=340, facecolors="none", edgecolors=[line], zorder=4, **rise)
        below: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top"}
        ax.annotate("step", (_STEP, 0.0), xytext=(0, -17), color=faint(ax, 0.35), **below)
        ax.annotate("sum", (_SUM, 0.0), xytext=(0, -17), color=faint(ax, 0.35), **below)
        low, high = map(shown_name, self.outputs)
        words = f"{high} if {self.condition}\n{low} otherwise"
        ax.text(_WORDS, 0.0, words, ha="left", va="center", linespacing=1.5)


def written(weight: object) -> str:
    """Return a weight as it is written: whole numbers and fractions in full, long ones to three digits.

    >>> written(-2), written(0.123456), written(10**40)
    ('−2', '0.123', '1.00e+40')
    """
    text = f"{weight:.3g}" if isinstance(weight, float) else str(weight)
    if isinstance(weight, int | Fraction) and len(text) > _MOST_DIGITS:
        ratio = Decimal(weight.numerator) / Decimal(weight.denominator)
        text = f"{ratio:.3g}"
    return text.replace("-", "−")


def input_names(names: Sequence[str] | None, n_inputs: int) -> list[str]:
    """Return the names of the inputs, x1, x2, … for None; raise unless there is one for each.

    >>> input_names(None, 3)
    ['x1', 'x2', 'x3']
    """
    if names is None:
        return [f"x{k}" for k in range(1, n_inputs + 1)]
    listed = [str(name) for name in names]
    if len(listed) != n_inputs:
        raise InputError(f"names has {len(listed)} names, but there are {n_inputs} inputs")
    return listed


def _largest(weights: Floats, most: int) -> tuple[list[int], int]:
    """Return the places of the largest weights, in order, and how many are left out."""
    if len(weights) <= whole("most", most, 1):
        return list(range(len(weights))), 0
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    return sorted(order.tolist()), len(weights) - most


def _halfspace(weights: Weights, classes: Any, label: LabelLike) -> tuple[int, tuple[str, str]]:
    """Return the number of the halfspace to draw, and what it gives below 0 and above."""
    positives = weights.positives.tolist()
    if len(positives) == 1:
        if label is not None:
            raise InputError(
                f"label={label!r} is not accepted: two classes have one unit, use None"
            )
        others = [str(one) for one in classes.tolist() if one != positives[0]]
        return 0, (others[0] if others else f"not {positives[0]}", str(positives[0]))
    if label not in positives:
        raise InputError(
            f"label={label!r} is not accepted: there is a unit for each class, give one of {positives!r}"
        )
    return positives.index(label), (f"not {label}", str(label))
