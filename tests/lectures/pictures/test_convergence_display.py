"""The pictures of the convergence proof."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError, Perceptron, convergence, trace
from rosenblatt.lectures.pictures import ConvergenceDisplay
from rosenblatt.lectures.trace import Trace, worked_example

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


def _drawn(run: Trace, separator: Any = None, **options: Any) -> ConvergenceDisplay:
    return ConvergenceDisplay.from_convergence(convergence(run, separator), **options)


def _curves(ax: object) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def test_curves_show_the_quantities_of_the_proof() -> None:
    proof = convergence(trace(X, y))
    display = ConvergenceDisplay.from_convergence(proof)
    norms, cosines, mistakes = display.axes_
    curves = _curves(norms)
    assert np.array_equal(curves["‖w‖² of the run"], proof.squared_norms)
    assert np.array_equal(curves["at most k·R²"], proof.squared_norms_ceiling)
    assert np.array_equal(curves["at least k²·γ²"], proof.squared_norms_floor)
    curves = _curves(cosines)
    assert np.array_equal(curves["cos θ between w and w*"], proof.cosines, equal_nan=True)
    assert np.array_equal(curves["at least √k·γ/R"], proof.cosines_floor, equal_nan=True)
    curves = _curves(mistakes)
    assert curves["mistakes of the run"][-1] == proof.mistakes
    bound = proof.mistake_bound
    assert set(curves[f"bound: at most {bound:,} = (R/γ)², rounded down"]) == {bound}
    assert display.ax_ is norms


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=8),
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3)),
    st.sampled_from([0.25, 1.0, 2.0]),
)
def test_curves_are_between_their_bounds(
    points: list[tuple[int, int]], start: tuple[int, int, int], eta0: float
) -> None:
    labels = [1 if 2 * a - b + 0.5 > 0 else -1 for a, b in points]
    if len(set(labels)) < 2:
        return
    run = trace(points, labels, coef_init=start[:2], intercept_init=start[2], eta0=eta0)
    display = _drawn(run, ([2.0, -1.0], 0.5), panels=("norms", "cosines"))
    for ax in display.axes_:
        curves = _curves(ax)
        (floor,) = (values for label, values in curves.items() if label.startswith("at least"))
        (run_label,) = (label for label in curves if label[0] in "‖c")
        assert (np.nan_to_num(curves[run_label]) >= np.nan_to_num(floor) - 1e-9).all()
    (ceiling,) = (
        values for label, values in _curves(display.axes_[0]).items() if label.startswith("at most")
    )
    assert (display.proof.squared_norms <= ceiling * (1 + 1e-9) + 1e-9).all()


def test_formulas_include_a_start_and_a_rate() -> None:
    display = _drawn(worked_example(), panels=["norms"])
    labels = set(_curves(display.ax_))
    assert "at most ‖w₀‖² + k·η²·R²" in labels
    assert "at least (w₀·w* + k·η·γ)²" in labels
    display = _drawn(trace(X, y, eta0=0.5), panels=("norms",))
    assert "at least k²·η²·γ²" in _curves(display.ax_)


def test_bounds_are_drawn_up_to_a_near_intersection() -> None:
    display = _drawn(trace(X, y), panels=("norms",))
    bound = display.proof.mistake_bound
    assert display.ax_.texts[0].get_text() == f"at most {bound} mistakes"
    *_, ceiling, floor, mark = display.ax_.get_lines()
    assert set(mark.get_xdata()) == {bound}
    counts = ceiling.get_xdata()
    # They intersect between the bound and the next whole number.
    crossed = floor.get_ydata() > ceiling.get_ydata()
    assert bound <= counts[crossed].min() <= bound + 1 + 0.1 * bound


def test_long_runs_have_logarithmic_axes() -> None:
    rng = np.random.default_rng(0)
    A = rng.uniform(-1, 1, (300, 2))
    b = np.where(A @ [1.0, 1.5] > 0.1, 1, -1)
    kept = np.abs(A @ [1.0, 1.5] - 0.1) > 0.005
    p = Perceptron(record=True).fit(A[kept], b[kept])
    assert p.n_mistakes_ > 200
    display = ConvergenceDisplay.from_convergence(convergence(p, X=A[kept], y=b[kept]))
    assert display.axes_[0].get_yscale() == "log"
    display.figure_.canvas.draw()


def test_each_panel_needs_an_axes() -> None:
    with pytest.raises(InputError, match="give None or 3 axes"):
        _drawn(trace(X, y), ax=_drawn(trace(X, y)).axes_[:2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ConvergenceDisplay.from_convergence(7), "is a int"),
        (lambda: _drawn(trace(X, y), panels=()), "panels is empty"),
        (lambda: _drawn(trace(X, y), panels=("angles",)), "'angles'"),
    ],
)
def test_invalid_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_the_legend_of_the_cosines_covers_no_curve() -> None:
    display = _drawn(trace(X, y))
    display.figure_.canvas.draw()
    ax = display.axes_[1]
    box = ax.get_legend().get_window_extent().transformed(ax.transData.inverted())
    assert box.y0 > 1.0
