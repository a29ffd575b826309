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

# If there are more mistakes than this, axes are logarithmic.
_MANY = 200

# The bounds are extended to their intersection, if that is at most this many times as far as the run.
_MAX_EXTENSION = 6

# If the bound is more than this many times the mistakes, its axis is logarithmic.
_WIDE_RANGE = 20

_RUN, _CEILING, _FLOOR = range(3)
"""Indices of the curves' line styles."""


@dataclass(kw_only=True, eq=False, repr=False)
class ConvergenceDisplay:
    """The convergence theorem, shown in three panels for one run.

    After k mistakes, ‖w‖² is at least k²·γ² and at most k·R², with γ the margin of a separator w* and R
    the length of the longest sample. These curves intersect at k = (R/γ)², which bounds the number
    of mistakes. The cosine of the angle between w and w* is at least √k·γ/R and at most 1. If a run does
    not start at zero, the bounds include ‖w₀‖² and w₀·w*.

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
        proof, ahead = self.proof, self._ahead()
        ceiling, floor, _ = self._formulas()
        indices = thinned_indices(proof.squared_norms, log=self._is_long)
        low, high = proof.squared_norms_floor[indices], proof.squared_norms_ceiling[indices]
        ax.fill_between(indices, low, high, color=tint(ax, faint(ax), 0.8), linewidth=0, zorder=0)
        self._draw_curve(ax, _CEILING, proof.squared_norms_ceiling, f"at most {ceiling}")
        self._draw_curve(ax, _RUN, proof.squared_norms, "‖w‖² of the run")
        self._draw_curve(ax, _FLOOR, proof.squared_norms_floor, f"at least {floor}")
        if len(ahead):
            _draw_bound_beyond_run(ax, _CEILING, ahead, self._ceiling(ahead))
            _draw_bound_beyond_run(ax, _FLOOR, ahead, np.maximum(self._floor(ahead), 0.0) ** 2)
            self._mark_intersection(ax)
        if self._is_long:
            ax.set_yscale("log")
        self._scale_x(ax)
        set_labels(ax, "mistakes so far, k", "‖w‖²", "‖w‖² between its two bounds")

    def _cosines(self, ax: "Axes") -> None:
        proof, ahead = self.proof, self._ahead()
        ax.axhline(1.0, color=faint(ax), linewidth=1, label="at most 1")
        self._draw_curve(ax, _RUN, proof.cosines, "cos θ between w and w*")
        self._draw_curve(ax, _FLOOR, proof.cosines_floor, f"at least {self._formulas()[2]}")
        if len(ahead):
            rising = self._floor(ahead) / np.sqrt(np.maximum(self._ceiling(ahead), 1e-300))
            _draw_bound_beyond_run(ax, _FLOOR, ahead, rising)
            self._mark_intersection(ax)
        self._scale_x(ax)
        both = np.concatenate([proof.cosines, proof.cosines_floor])
        lowest = float(np.nan_to_num(both).min())
        # The legend goes above 1: no curve can be there.
        ax.set_ylim(min(0.0, 1.05 * lowest), 1.4)
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
        formula = "" if proof.start_norm else " = (R/γ)², rounded down"
        label = f"bound: at most {bound:,}{formula}"
        ax.axhline(bound, color=ceiling.color, linestyle=ceiling.dashes, label=label)
        if bound > _WIDE_RANGE * max(1, proof.mistakes):
            ax.set_yscale("symlog", linthresh=1)
            ax.set_ylim(0, 100 * bound)
        else:
            use_integer_ticks(ax, "y")
            ax.set_ylim(0, 1.35 * bound)
        use_integer_ticks(ax, "x")
        set_labels(ax, xlabel, "mistakes so far", "Mistakes below their bound")

    def _formulas(self) -> tuple[str, str, str]:
        """Return the upper and lower bound of ‖w‖², and the lower bound of the cosine."""
        if self.proof.start_norm:
            product, square = "w₀·w* + k·η·γ", "‖w₀‖² + k·η²·R²"
            return square, f"({product})²", f"({product}) / √({square})"
        if self.proof.eta0 != 1.0:
            return "k·η²·R²", "k²·η²·γ²", "√k·γ/R"
        return "k·R²", "k²·γ²", "√k·γ/R"

    @property
    def _is_long(self) -> bool:
        return self.proof.mistakes > _MANY

    def _ahead(self) -> Floats:
        """Return values of k from the end of the run to where its bounds meet, if that is near."""
        last, bound = self.proof.mistakes, self.proof.mistake_bound
        limit = bound if self._is_long else _MAX_EXTENSION * last
        if not last < bound <= limit:
            return np.zeros(0)
        return np.linspace(last, 1.08 * bound, 200)

    def _floor(self, count: Floats) -> Floats:
        proof = self.proof
        return np.asarray(proof.products_floor[0] + count * proof.eta0 * proof.margin)

    def _ceiling(self, count: Floats) -> Floats:
        proof = self.proof
        return np.asarray(proof.start_norm**2 + count * (proof.eta0 * proof.radius) ** 2)

    def _draw_curve(self, ax: "Axes", k: int, values: Floats, label: str) -> None:
        color, dashes = line_style(ax, k)
        indices = thinned_indices(values, log=self._is_long)
        width = 2.0 if k == _RUN else 1.5
        ax.plot(
            indices, values[indices], color=color, linestyle=dashes, linewidth=width, label=label
        )

    def _scale_x(self, ax: "Axes") -> None:
        if self._is_long:
            ax.set_xscale("log")
            ax.set_xlim(left=1)
        else:
            use_integer_ticks(ax, "x")

    def _mark_intersection(self, ax: "Axes") -> None:
        bound, color = self.proof.mistake_bound, faint(ax, 0.2)
        ax.axvline(bound, color=color, linestyle=":", linewidth=1.2)
        ax.set_xlim(right=bound * (4 if self._is_long else 1.14))
        position: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (4, 0)}
        position |= {"textcoords": "offset points", "ha": "left", "va": "bottom", "rotation": 90}
        text = f"at most {bound:,} mistakes"
        ax.annotate(text, (bound, 0.03), fontsize="small", color=color, **position)


def _draw_bound_beyond_run(ax: "Axes", k: int, count: Floats, values: Floats) -> None:
    color, dashes = line_style(ax, k)
    ax.plot(count, values, color=color, linestyle=dashes, linewidth=1)
