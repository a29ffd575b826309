"""A diagram of a linear threshold unit: inputs, weights, sum, step and output."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import as_float
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelLike
from rosenblatt.inspection.model_parts import Weights, parts_of, weights_of
from rosenblatt.lectures.units import ThresholdUnit
from rosenblatt.plots.style import background, color, faint, figure_and_axes, ink, shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# The horizontal positions of the inputs, the sum, the step, the output and its text.
_INPUT, _SUM, _STEP, _OUTPUT, _TEXT = 0.0, 1.0, 1.45, 1.8, 1.84

# The line widths of the smallest and largest weight.
_THINNEST, _THICKEST = 0.9, 4.5

_MAX_DRAWN = 12
"""If there are more inputs than this, those with the largest weights are drawn."""

_MAX_DIGITS = 9
"""Longer integers and fractions are rounded."""


@dataclass(kw_only=True, eq=False, repr=False)
class UnitDisplay:
    """A linear threshold unit as a diagram.

    A line connects each input to the sum and shows its weight: blue and solid if positive, orange and
    dashed if negative, and wider for larger weights. The step compares the sum with the threshold.

    Parameters
    ----------
    names : list of str
        The names of the inputs drawn; the last one is "1" if there is an intercept.
    weights : array of shape (n_inputs,)
        Their weights.
    texts : list of str
        The weights as text.
    condition : str
        The condition for the upper output, as text.
    outputs : (str, str)
        The lower and the upper output.
    n_more : int, default=0
        The number of inputs with smaller weights that are not drawn.
    title : str, default=""

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure.

    Examples
    --------
    >>> from rosenblatt.lectures.units import ThresholdUnit
    >>> from rosenblatt.lectures.pictures import UnitDisplay
    >>> display = UnitDisplay.from_unit(ThresholdUnit([1, 1, -2], 1))
    >>> display.names, display.condition
    (['x1', 'x2', 'x3'], 'sum ≥ 1')
    >>> display.ax_.get_title()
    'x1 + x2 - 2·x3 ≥ 1'
    """

    names: list[str]
    weights: Floats
    texts: list[str]
    condition: str
    outputs: tuple[str, str]
    n_more: int = 0
    title: str = ""

    @classmethod
    def from_unit(
        cls, unit: ThresholdUnit, *, names: Sequence[str] | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw a threshold unit; inputs are called x1, x2, … unless names are given."""
        if not isinstance(unit, ThresholdUnit):
            raise InputError(
                f"unit is a {type(unit).__name__}: give a ThresholdUnit, or call from_estimator"
            )
        listed = _input_names(names, [f"x{k + 1}" for k in range(unit.n_inputs)])
        weights = np.array([as_float(weight) for weight in unit.weights])
        indices = _largest(weights)
        # str(unit) calls its inputs x1, x2, …
        title = str(unit).replace(">=", "≥") if names is None else ""
        return cls(
            names=[listed[k] for k in indices],
            weights=weights[indices],
            texts=[_number_text(unit.weights[k]) for k in indices],
            condition=f"sum ≥ {_number_text(unit.threshold)}",
            outputs=(_number_text(unit.outputs[0]), _number_text(unit.outputs[1])),
            n_more=len(weights) - len(indices),
            title=title if len(title) <= 60 else "",
        ).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        label: LabelLike = None,
        names: Sequence[str] | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the unit that a linear learner, or a pipeline that ends with one, has learned.

        With more than two classes, ``label`` selects one. By default, inputs are named after the
        learner's features.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
        >>> display = UnitDisplay.from_estimator(p)
        >>> display.names, display.weights.tolist(), display.outputs
        (['x1', 'x2', '1'], [2.0, 2.0, -3.0], ('no', 'yes'))
        """
        parts = parts_of(estimator)
        learner = parts.learner
        known = weights_of(parts, [f"x{k + 1}" for k in range(int(learner.n_features_in_))])
        k, outputs = _halfspace(known, learner.classes_, label)
        listed = _input_names(names, known.features)
        indices = _largest(known.coef[k])
        shown, weights = [listed[j] for j in indices], known.coef[k, indices]
        if learner.fit_intercept:
            shown, weights = [*shown, "1"], np.append(weights, known.intercept[k])
        return cls(
            names=shown,
            weights=weights,
            texts=[_number_text(weight) for weight in weights.tolist()],
            condition=f"sum {'>' if learner.ties == 'negative' else '≥'} 0",
            outputs=outputs,
            n_more=known.coef.shape[1] - len(indices),
            title=f"Weights learned by {type(learner).__name__}",
        ).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        n_rows = len(self.names) + (self.n_more > 0)
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = figure_and_axes(ax, size=(7.5, max(2.6, 0.52 * n_rows + 0.9)))
        ax = self.ax_
        top = (n_rows - 1) / 2
        for k in range(len(self.names)):
            self._draw_input(k, top - k)
        if self.n_more:
            note = f"… {self.n_more:,} more with smaller weights"
            ax.text(_INPUT, -top, note, ha="left", va="center", color=faint(ax, 0.35))
        self._draw_step()
        half = max(1.0, n_rows / 2) + 0.1
        ax.set(xlim=(-0.45, 2.75), ylim=(-half, half))
        ax.axis("off")
        if self.title and not ax.get_title():
            ax.set_title(self.title)
        return self

    def _draw_input(self, k: int, height: float) -> None:
        ax, weight = self.ax_, float(self.weights[k])
        largest = float(np.abs(self.weights).max()) or 1.0
        share = 1.0 if abs(weight) == largest else abs(weight) / largest  # both may be infinite
        look: dict[str, Any] = {"color": color(ax, "blue" if weight > 0 else "vermilion")}
        look["linestyle"] = "solid" if weight > 0 else (0, (4, 1.5))
        if not weight:
            look = {"color": faint(ax), "linestyle": (0, (1, 3))}
        width = _THINNEST + (_THICKEST - _THINNEST) * share
        ax.plot([_INPUT, _SUM], [height, 0.0], zorder=1, linewidth=width, **look)
        box = {"facecolor": background(ax), "edgecolor": "none", "pad": 1.2}
        middle: dict[str, Any] = {"ha": "center", "va": "center", "color": look["color"]}
        ax.text(0.3 * _SUM, 0.7 * height, self.texts[k], bbox=box, zorder=2, **middle)
        node: dict[str, Any] = {"facecolors": [background(ax)], "edgecolors": [ink(ax)]}
        ax.scatter([_INPUT], [height], s=110, zorder=3, **node)
        name = self.names[k]
        short = shown_name(name if len(name) <= 18 else f"{name[:17]}…")
        ax.text(_INPUT - 0.08, height, short, ha="right", va="center")

    def _draw_step(self) -> None:
        """Draw the sum, the step, the arrow to the output, and the text of the output."""
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
        for word, position in (("sum", _SUM), ("step", _STEP)):
            ax.annotate(word, (position, 0.0), xytext=(0, -17), color=faint(ax, 0.35), **below)
        low, high = map(shown_name, self.outputs)
        text = f"{high} if {self.condition}\n{low} otherwise"
        ax.text(_TEXT, 0.0, text, ha="left", va="center", linespacing=1.5)


def _number_text(weight: object) -> str:
    """Format a number: exactly if it is a short integer or fraction, else with three digits."""
    text = f"{weight:.3g}" if isinstance(weight, float) else str(weight)
    if isinstance(weight, int | Fraction) and len(text) > _MAX_DIGITS:
        ratio = Decimal(weight.numerator) / Decimal(weight.denominator)
        text = f"{ratio:.3g}"
    return text.replace("-", "−")


def _input_names(names: Sequence[str] | None, known: list[str]) -> list[str]:
    """Return the names of the inputs; raise InputError unless there is one for each."""
    listed = known if names is None else [str(name) for name in names]
    if len(listed) != len(known):
        raise InputError(f"names has {len(listed)} names, but there are {len(known)} inputs")
    return listed


def _largest(weights: Floats) -> list[int]:
    """Return the indices of the largest weights, ascending."""
    order: Any = np.argsort(-np.abs(weights), kind="stable")[:_MAX_DRAWN]
    return sorted(order.tolist())


def _halfspace(weights: Weights, classes: Any, label: LabelLike) -> tuple[int, tuple[str, str]]:
    """Return the index of the halfspace to draw, and its lower and upper output."""
    positives = weights.positives.tolist()
    if len(positives) == 1:
        if label is not None:
            raise InputError(
                f"label={label!r} is not accepted: two classes share one unit, use None"
            )
        others = [str(one) for one in classes.tolist() if one != positives[0]]
        return 0, (others[0] if others else f"not {positives[0]}", str(positives[0]))
    if label not in positives:
        raise InputError(
            f"label={label!r} is not accepted: each class has its own unit, use one of {positives!r}"
        )
    return positives.index(label), (f"not {label}", str(label))
