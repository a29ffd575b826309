"""The convergence theorem's proof, drawn from a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike
from rosenblatt.lectures.convergence import Convergence, convergence
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots.counting_axes import count_on, kept_points
from rosenblatt.plots.style import (
    faint,
    figure_and_panels,
    legend,
    line_style,
    set_labels,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

PANELS = ("norms", "cosines", "mistakes")

# Beyond this many mistakes axes are logarithmic.
_MANY = 200

# The bounds are drawn on to where they meet, if that is at most this many times as far as the run.
_FAR = 6

# A bound beyond this many times the mistakes has a logarithmic axis.
_WIDE = 20


class _Formulas(NamedTuple):
    """The bounds after k mistakes, as they read for this start and learning rate."""

    ceiling: str
    floor: str
    cosine: str

    @classmethod
    def of(cls, proof: Convergence) -> "_Formulas":
        if proof.start_norm:
            product, square = "w₀·w* + k·η·γ", "‖w₀‖² + k·η²·R²"
            return cls(square, f"({product})²", f"({product}) / √({square})")
        if proof.eta0 != 1.0:
            return cls("k·η²·R²", "k²·η²·γ²", "√k·γ/R")
        return cls("k·R²", "k²·γ²", "√k·γ/R")


class ConvergenceDisplay:
    """The three pictures of the convergence theorem, drawn from a run.

    After k mistakes ‖w‖² is at least k²·γ² and at most k·R², where γ is the margin of a separator w* and
    R the length of the longest sample: two curves that meet at k = (R/γ)², so that there are no more
    mistakes. The cosine of the angle between w and w* is at least √k·γ/R, and at most 1. A run that does
    not start from zero has the same curves with ‖w₀‖² and w₀·w* in them.

    Parameters
    ----------
    proof : Convergence
        What `rosenblatt.convergence` returns for the run.
    panels : tuple of "norms", "cosines", "mistakes", default=all of them
        Which pictures to draw, in a row.

    Attributes
    ----------
    axes_, figure_
        Matplotlib's axes, one for each panel, and figure, once it is drawn.
    ax_
        The first of the axes.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> from rosenblatt.plots import ConvergenceDisplay
    >>> run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = ConvergenceDisplay.from_trace(run)
    >>> [ax.get_title() for ax in display.axes_]
    ['‖w‖² between its two bounds', 'cos θ over its lower bound', 'Mistakes under their bound']
    >>> display.proof.mistakes, display.proof.mistake_bound
    (7, 117)
    """

    axes_: "list[Axes]"
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, proof: Convergence, panels: Sequence[str] = PANELS) -> None:
        if not isinstance(proof, Convergence):
            raise InputError(
                f"proof is a {type(proof).__name__}: give what rosenblatt.convergence returns"
            )
        self.proof = proof
        self.panels = (panels,) if isinstance(panels, str) else tuple(panels)
        if not self.panels:
            raise InputError(
                "panels is empty: give one of 'norms', 'cosines' and 'mistakes', or more"
            )
        for panel in self.panels:
            check_choice("panels", panel, PANELS)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        separator: Any = None,
        *,
        panels: Sequence[str] = PANELS,
        ax: "Axes | Sequence[Axes] | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the proof for a traced run.

        Parameters
        ----------
        trace : Trace
            The run.
        separator : hyperplane, default=None
            The w* of the proof, as `rosenblatt.convergence` takes it; None is that of maximum margin.
        panels : tuple of "norms", "cosines", "mistakes", default=all of them
            Which pictures to draw, in a row.
        ax : Matplotlib axes, one for each panel, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the curves of the run.
        """
        return cls.from_convergence(convergence(trace, separator), panels=panels, ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: LabelsLike,
        separator: Any = None,
        *,
        panels: Sequence[str] = PANELS,
        ax: "Axes | Sequence[Axes] | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the proof for a `Perceptron` of two classes, fitted with ``record=True``.

        Parameters
        ----------
        estimator : Perceptron
            The fitted learner.
        X, y
            The samples that it was fitted on.
        separator, panels, ax, **kwargs
            As for `from_trace`.

        >>> from rosenblatt import Perceptron
        >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
        >>> p = Perceptron(record=True).fit(X, y)
        >>> display = ConvergenceDisplay.from_estimator(p, X, y, panels=("norms",))
        >>> display.ax_.get_xlabel()
        'mistakes so far, k'
        """
        proof = convergence(estimator, separator, X, y)
        return cls.from_convergence(proof, panels=panels, ax=ax, **kwargs)

    @classmethod
    def from_convergence(
        cls,
        proof: Convergence,
        *,
        panels: Sequence[str] = PANELS,
        ax: "Axes | Sequence[Axes] | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a proof that `rosenblatt.convergence` has followed; see `from_trace` for the rest."""
        return cls(proof=proof, panels=panels).plot(ax, **kwargs)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        n_panels = len(self.panels)
        size = None if n_panels == 1 else (5.2 * n_panels, 4.6)
        self.figure_, self.axes_ = figure_and_panels(ax, n_panels, size=size)
        self.ax_ = self.axes_[0]
        draw = {"norms": self._norms, "cosines": self._cosines, "mistakes": self._mistakes}
        for own, panel in zip(self.axes_, self.panels, strict=True):
            draw[panel](own, **kwargs)
        return self

    def _norms(self, ax: "Axes", **kwargs: Any) -> None:
        proof, formulas = self.proof, _Formulas.of(self.proof)
        count, ahead = np.arange(proof.mistakes + 1), self._ahead()
        floor, ceiling = proof.squared_norms_floor, proof.squared_norms_ceiling
        area = tint(ax, faint(ax), 0.8)
        places = kept_points(count, log=self._is_long)
        ax.fill_between(places, floor[places], ceiling[places], color=area, linewidth=0, zorder=0)
        long = self._is_long
        _curve(ax, 1, count, ceiling, f"at most {formulas.ceiling}", log=long)
        own = {"linewidth": 2, **kwargs}
        self._run(ax, proof.squared_norms, "‖w‖² of the run", **own)
        _curve(ax, 2, count, floor, f"at least {formulas.floor}", log=long)
        if len(ahead):
            _curve(ax, 1, ahead, self._ceiling(ahead), None, linewidth=1)
            _curve(ax, 2, ahead, np.maximum(self._floor(ahead), 0.0) ** 2, None, linewidth=1)
            self._mark_bound(ax, 0.03)
        if long:
            ax.set_yscale("log")
        self._count(ax)
        set_labels(ax, "mistakes so far, k", "‖w‖²", "‖w‖² between its two bounds")
        legend(ax, loc="upper left")

    def _cosines(self, ax: "Axes", **kwargs: Any) -> None:
        proof, formulas = self.proof, _Formulas.of(self.proof)
        count, ahead = np.arange(proof.mistakes + 1), self._ahead()
        ax.axhline(1.0, color=faint(ax), linewidth=1, label="at most 1")
        self._run(ax, proof.cosines, "cos θ between w and w*", **{"linewidth": 2, **kwargs})
        text = f"at least {formulas.cosine}"
        _curve(ax, 2, count, proof.cosines_floor, text, log=self._is_long)
        if len(ahead):
            rising = self._floor(ahead) / np.sqrt(np.maximum(self._ceiling(ahead), 1e-300))
            _curve(ax, 2, ahead, rising, None, linewidth=1)
            self._mark_bound(ax, 0.03)
        self._count(ax)
        lowest = min(
            float(np.nan_to_num(one).min()) for one in (proof.cosines, proof.cosines_floor)
        )
        # The legend has a room of its own, above 1, where no curve goes.
        ax.set_ylim(min(0.0, 1.05 * lowest), 1.4)
        ax.set_yticks([tick for tick in ax.get_yticks() if lowest <= tick <= 1.0])
        set_labels(ax, "mistakes so far, k", "cos θ", "cos θ over its lower bound")
        legend(ax, loc="upper left")

    def _mistakes(self, ax: "Axes", **kwargs: Any) -> None:
        proof, label = self.proof, "mistakes of the run"
        if proof.epochs is None:
            numbers, so_far = np.arange(proof.mistakes + 1), np.arange(proof.mistakes + 1)
            name = "mistakes so far, k"
        else:
            n_epochs = max(1, proof.visits // max(1, proof.n_samples))
            per_epoch = np.bincount(proof.epochs, minlength=n_epochs + 1)
            numbers, so_far = np.arange(len(per_epoch)), np.cumsum(per_epoch)
            name = "epochs"
        places = kept_points(so_far)
        style = line_style(ax, 0)
        settings = {"color": style.color, "linewidth": 2, "drawstyle": "steps-post", "label": label}
        ax.plot(numbers[places], so_far[places], **{**settings, **kwargs})
        own, bound = line_style(ax, 1), proof.mistake_bound
        text = f"at most {bound:,}" + ("" if proof.start_norm else " = (R/γ)², rounded down")
        ax.axhline(bound, color=own.color, linestyle=own.dashes, label=text)
        if bound > _WIDE * max(1, proof.mistakes):
            ax.set_yscale("symlog", linthresh=1)
        else:
            count_on(ax, "y")
        ax.set_ylim(bottom=0, top=1.35 * bound if ax.get_yscale() == "linear" else 100 * bound)
        count_on(ax, "x")
        set_labels(ax, name, "mistakes so far", "Mistakes under their bound")
        legend(ax, loc="upper left")

    @property
    def _is_long(self) -> bool:
        return self.proof.mistakes > _MANY

    def _ahead(self) -> Floats:
        """Return numbers of mistakes from the run's own to where its bounds meet, if that is near."""
        last, bound = self.proof.mistakes, self.proof.mistake_bound
        most = bound if self._is_long else _FAR * last
        if not last < bound <= most:
            return np.zeros(0)
        return np.linspace(last, 1.08 * bound, 200)

    def _floor(self, count: Floats) -> Floats:
        proof = self.proof
        return np.asarray(proof.products_floor[0] + count * proof.eta0 * proof.margin)

    def _ceiling(self, count: Floats) -> Floats:
        proof = self.proof
        return np.asarray(proof.start_norm**2 + count * (proof.eta0 * proof.radius) ** 2)

    def _run(self, ax: "Axes", values: Floats, label: str, **kwargs: Any) -> None:
        _curve(ax, 0, np.arange(len(values)), values, label, log=self._is_long, **kwargs)

    def _count(self, ax: "Axes") -> None:
        if self._is_long:
            ax.set_xscale("log")
            ax.set_xlim(left=1)
        else:
            count_on(ax, "x")

    def _mark_bound(self, ax: "Axes", height: float) -> None:
        """Say where the bounds meet, beside a line, from a height in parts of the panel's."""
        bound, own = self.proof.mistake_bound, faint(ax, 0.2)
        ax.axvline(bound, color=own, linestyle=":", linewidth=1.2)
        ax.set_xlim(right=bound * (4 if self._is_long else 1.14))
        text = f"no more than {bound:,} mistakes"
        place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (4, 0)}
        place |= {"textcoords": "offset points", "ha": "left", "va": "bottom", "rotation": 90}
        ax.annotate(text, (bound, height), fontsize="small", color=own, **place)


def _curve(
    ax: "Axes",
    k: int,
    count: Any,
    values: Floats,
    label: str | None,
    *,
    log: bool = False,
    **kwargs: Any,
) -> None:
    """Draw one of the curves, the run's own or one of its bounds."""
    style, places = line_style(ax, k), kept_points(values, log=log)
    settings = {"color": style.color, "linestyle": style.dashes, "label": label, **kwargs}
    ax.plot(count[places], values[places], **settings)
