"""Pictures of the convergence proof along a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.convergence import Convergence
from rosenblatt.plots.counting_axes import thinned_indices, use_integer_ticks
from rosenblatt.plots.style import faint, figure_and_panels, legend, line_style, set_labels, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

PANELS = ("norms", "cosines", "mistakes")

# If there are more mistakes than this, the run is drawn as a line without dots.
_MAX_DOTS = 200

_CURVE_POINTS = 400
"""Points of a smooth curve."""

_RUN, _CEILING, _FLOOR = range(3)
"""Indices of the curves' line styles."""


@dataclass(kw_only=True, eq=False, repr=False)
class ConvergenceDisplay:
    """The convergence theorem, shown in three panels for one run.

    After k mistakes, ‖w‖² is at least k²·γ² and at most k·R², with γ the margin of a separator w* and R
    the length of the longest sample. These curves intersect at k = (R/γ)², which bounds the number
    of mistakes. The cosine of the angle between w and w* is at least √k·γ/R and at most 1. If a run does
    not start at zero, the bounds include ‖w₀‖² and w₀·w*.

    The axes are linear and reach the intersection; the dots of the run end at its last mistake.

    Parameters
    ----------
    proof : Convergence
        The result of `rosenblatt.convergence` for the run.
    panels : sequence of "norms", "cosines" and "mistakes", default=all of them
        The panels to draw, side by side.

    Attributes
    ----------
    axes_, figure_
        Matplotlib's axes, one per panel, and figure; ``ax_`` is the first axes.

    Examples
    --------
    >>> from rosenblatt import convergence, trace
    >>> from rosenblatt.lectures.pictures import ConvergenceDisplay
    >>> run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = ConvergenceDisplay.from_convergence(convergence(run))
    >>> [ax.get_title() for ax in display.axes_]
    ['‖w‖² between its two bounds', 'cos θ above its lower bound', 'Mistakes below their bound']
    >>> display.proof.mistakes, display.proof.mistake_bound
    (7, 117)
    """

    proof: Convergence
    panels: Sequence[str] = PANELS

    @classmethod
    def from_convergence(
        cls,
        proof: Convergence,
        *,
        panels: Sequence[str] = PANELS,
        ax: "Axes | Sequence[Axes] | None" = None,
    ) -> Self:
        """Draw the proof on a new figure, or on the given axes, one per panel."""
        if not isinstance(proof, Convergence):
            raise InputError(
                f"proof is a {type(proof).__name__}: give the result of rosenblatt.convergence"
            )
        if not panels:
            raise InputError("panels is empty: give at least one of 'norms', 'cosines', 'mistakes'")
        for panel in panels:
            check_choice("panels", panel, PANELS)
        return cls(proof=proof, panels=panels).plot(ax)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        n_panels = len(self.panels)
        size = None if n_panels == 1 else (5.2 * n_panels, 4.6)
        self.figure_: Figure | SubFigure
        self.figure_, self.axes_ = figure_and_panels(ax, n_panels, size=size)
        self.ax_ = self.axes_[0]
        draw = {"norms": self._norms, "cosines": self._cosines, "mistakes": self._mistakes}
        for axes, panel in zip(self.axes_, self.panels, strict=True):
            draw[panel](axes)
            legend(axes, loc="upper left")
        return self

    def _norms(self, ax: "Axes") -> None:
        ceiling, floor, _ = self._formulas()
        count = self._count()
        low, high = np.maximum(self._floor(count), 0.0) ** 2, self._ceiling(count)
        inside = low <= high
        gray = tint(ax, faint(ax), 0.8)
        ax.fill_between(count[inside], low[inside], high[inside], color=gray, linewidth=0, zorder=0)
        self._draw_bound(ax, _CEILING, high, f"at most {ceiling}")
        self._draw_bound(ax, _FLOOR, low, f"at least {floor}")
        self._draw_run(ax, self.proof.squared_norms, "‖w‖² of the run")
        self._mark_intersection(ax)
        ax.set_ylim(0.0, 1.3 * float(high[-1]))  # the legend goes above the curves
        set_labels(ax, "mistakes so far, k", "‖w‖²", "‖w‖² between its two bounds")

    def _cosines(self, ax: "Axes") -> None:
        proof, count = self.proof, self._count()
        ax.axhline(1.0, color=faint(ax), linewidth=1, label="at most 1")
        floor = self._floor(count)
        with np.errstate(invalid="ignore"):  # w may be 0 at the start
            rising = np.where(floor < 0.0, -1.0, floor / np.sqrt(self._ceiling(count)))
        self._draw_bound(ax, _FLOOR, rising, f"at least {self._formulas()[2]}")
        self._draw_run(ax, proof.cosines, "cos θ between w and w*")
        self._mark_intersection(ax)
        both = np.concatenate([proof.cosines, proof.cosines_floor])
        lowest = float(np.nan_to_num(both).min())
        bottom = min(0.0, 1.05 * lowest)
        # The legend goes above 1: no curve can be there.
        ax.set_ylim(bottom, 1.0 + 0.5 * (1.0 - bottom))
        ax.set_yticks([tick for tick in ax.get_yticks() if lowest <= tick <= 1.0])
        set_labels(ax, "mistakes so far, k", "cos θ", "cos θ above its lower bound")

    def _mistakes(self, ax: "Axes") -> None:
        proof, bound = self.proof, self.proof.mistake_bound
        so_far, xlabel = np.arange(proof.mistakes + 1), "mistakes so far, k"
        if proof.epochs is not None:
            n_epochs = max(1, proof.visits // max(1, proof.n_samples))
            so_far, xlabel = np.cumsum(np.bincount(proof.epochs, minlength=n_epochs + 1)), "epoch"
        indices = thinned_indices(so_far)
        run, ceiling = line_style(ax, _RUN), line_style(ax, _CEILING)
        steps: dict[str, Any] = {"color": run.color, "linewidth": 2, "drawstyle": "steps-post"}
        ax.plot(indices, so_far[indices], label="mistakes of the run", **steps)
        is_plain = not (proof.start_norm or proof.required)
        formula = " = (R/γ)², rounded down" if is_plain else ""
        label = f"bound: at most {bound:,}{formula}"
        ax.axhline(bound, color=ceiling.color, linestyle=ceiling.dashes, label=label)
        ax.plot([], [], " ", label=self._ending)
        ax.set_ylim(0, 1.35 * max(bound, 1))
        use_integer_ticks(ax, "y")
        use_integer_ticks(ax, "x")
        set_labels(ax, xlabel, "mistakes so far", "Mistakes below their bound")

    def _formulas(self) -> tuple[str, str, str]:
        """Return the upper and lower bound of ‖w‖², and the lower bound of the cosine."""
        proof = self.proof
        rate, square = ("η·", "η²·") if proof.start_norm or proof.eta0 != 1.0 else ("", "")
        length = f"({square}R² + 2·{rate}m)" if proof.required else f"{square}R²"
        if proof.start_norm:
            product, longest = f"w₀·w* + k·{rate}γ", f"‖w₀‖² + k·{length}"
            return longest, f"({product})²", f"({product}) / √({longest})"
        cosine = f"k·{rate}γ / √(k·{length})" if proof.required else "√k·γ/R"
        return f"k·{length}", f"k²·{square}γ²", cosine

    @property
    def _ending(self) -> str:
        n = self.proof.mistakes
        mistakes = "1 mistake" if n == 1 else f"{n:,} mistakes"
        if self.proof.is_complete:
            return f"the run ends after {mistakes}"
        return f"the run was cut short after {mistakes}"

    def _count(self) -> Floats:
        """Return values of k from the start to just beyond the intersection of the bounds."""
        return np.linspace(0.0, 1.08 * max(self.proof.mistake_bound, 1), _CURVE_POINTS)

    def _floor(self, count: Floats) -> Floats:
        proof = self.proof
        return np.asarray(proof.products_floor[0] + count * proof.eta0 * proof.margin)

    def _ceiling(self, count: Floats) -> Floats:
        proof = self.proof
        first, last = proof.squared_norms_ceiling[[0, -1]].tolist()
        rise = (
            (last - first) / proof.mistakes if proof.mistakes else (proof.eta0 * proof.radius) ** 2
        )
        return np.asarray(first + count * rise)

    def _draw_bound(self, ax: "Axes", k: int, values: Floats, label: str) -> None:
        color, dashes = line_style(ax, k)
        ax.plot(self._count(), values, color=color, linestyle=dashes, linewidth=1.5, label=label)

    def _draw_run(self, ax: "Axes", values: Floats, label: str) -> None:
        color, _ = line_style(ax, _RUN)
        indices = thinned_indices(values)
        dots: dict[str, Any] = {
            "marker": "o" if len(values) <= _MAX_DOTS else None,
            "markersize": 3.5,
        }
        ax.plot(indices, values[indices], color=color, linewidth=1.5, label=label, **dots)
        end: dict[str, Any] = {"marker": "o" if self.proof.is_complete else "X", "markersize": 7}
        last = [len(values) - 1], [values[-1]]
        ax.plot(*last, color=color, linestyle="none", label=self._ending, **end)

    def _mark_intersection(self, ax: "Axes") -> None:
        bound, color = self.proof.mistake_bound, faint(ax, 0.2)
        ax.axvline(bound, color=color, linestyle=":", linewidth=1.2)
        ax.set_xlim(0.0, 1.14 * max(bound, 1))
        use_integer_ticks(ax, "x")
        position: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (4, 0)}
        position |= {"textcoords": "offset points", "ha": "left", "va": "bottom", "rotation": 90}
        text = f"at most {bound:,} mistakes"
        ax.annotate(text, (bound, 0.03), fontsize="small", color=color, **position)
