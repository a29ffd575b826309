"""The pictures of the convergence proof."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import InputError, Perceptron, convergence, trace
from rosenblatt.lectures.pictures import ConvergenceDisplay
from rosenblatt.lectures.trace import Trace, worked_example

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


def _drawn(run: Trace, separator: Any = None, **options: Any) -> ConvergenceDisplay:
    return ConvergenceDisplay.from_convergence(convergence(run, separator), **options)


def _curves(ax: object) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def _at(ax: object, label: str, count: np.ndarray) -> np.ndarray:
    """Return a curve's values at numbers of mistakes."""
    (line,) = (line for line in ax.get_lines() if line.get_label() == label)
    return np.interp(count, line.get_xdata(), line.get_ydata())


def test_curves_show_the_quantities_of_the_proof() -> None:
    proof = convergence(trace(X, y))
    display = ConvergenceDisplay.from_convergence(proof)
    norms, cosines, mistakes = display.axes_
    count = np.arange(proof.mistakes + 1)
    curves = _curves(norms)
    assert np.array_equal(curves["‖w‖² of the run"], proof.squared_norms)
    np.testing.assert_allclose(_at(norms, "at most k·R²", count), proof.squared_norms_ceiling)
    floor = _at(norms, "at least k²·γ²", count)
    np.testing.assert_allclose(floor, proof.squared_norms_floor, atol=1e-2)
    curves = _curves(cosines)
    assert np.array_equal(curves["cos θ between w and w*"], proof.cosines, equal_nan=True)
    rising = _at(cosines, "at least √k·γ/R", count[1:])
    np.testing.assert_allclose(rising, proof.cosines_floor[1:], atol=1e-2)
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
        (floor,) = (label for label in curves if label.startswith("at least"))
        (run_label,) = (label for label in curves if label[0] in "‖c")
        drawn = curves[run_label]
        # Between two points of a bound, its curve is a straight line.
        lowest = _at(ax, floor, np.arange(len(drawn)))
        slack = 1e-2 * max(1.0, np.nanmax(np.abs(curves[floor])))
        assert (np.nan_to_num(drawn) >= np.nan_to_num(lowest) - slack).all()
    norms = display.axes_[0]
    (ceiling,) = (label for label in _curves(norms) if label.startswith("at most"))
    squared = display.proof.squared_norms
    highest = _at(norms, ceiling, np.arange(len(squared)))
    assert (squared <= highest * (1 + 1e-9) + 1e-9).all()


def test_formulas_include_a_start_and_a_rate() -> None:
    display = _drawn(worked_example(), panels=["norms"])
    labels = set(_curves(display.ax_))
    assert "at most ‖w₀‖² + k·η²·R²" in labels
    assert "at least (w₀·w* + k·η·γ)²" in labels
    display = _drawn(trace(X, y, eta0=0.5), panels=("norms",))
    assert "at least k²·η²·γ²" in _curves(display.ax_)


def test_formulas_include_a_required_margin() -> None:
    run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1], margin=2.0, eta0=0.5, max_iter=1000)
    display = _drawn(run)
    proof, norms = display.proof, display.ax_
    curves = _curves(norms)
    assert {"at most k·(η²·R² + 2·η·m)", "at least k²·η²·γ²"} <= set(curves)
    assert curves["at most k·(η²·R² + 2·η·m)"][-1] == pytest.approx(
        1.08 * proof.mistake_bound * proof.squared_norms_ceiling[1]
    )
    assert f"bound: at most {proof.mistake_bound:,}" in _curves(display.axes_[2])


@pytest.mark.parametrize(
    "samples",
    [
        (X, y),
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1]),  # 7 of at most 117 mistakes
        ([[100.0, 1.0], [100.0, -1.0], [99.0, -1.0]], [1, -1, -1]),
    ],
)
def test_axes_are_linear_and_reach_the_crossing_of_the_bounds(samples: tuple[Any, Any]) -> None:
    display = _drawn(trace(*samples, max_iter=100_000))
    bound, mistakes = display.proof.mistake_bound, display.proof.mistakes
    for ax in display.axes_[:2]:
        assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
        assert ax.get_xlim()[1] > bound
        assert f"at most {bound:,} mistakes" in [text.get_text() for text in ax.texts]
        run = next(line for line in ax.get_lines() if line.get_label()[0] in "‖c")
        assert max(run.get_xdata()) == mistakes
    norms = display.ax_
    count = np.linspace(0.0, norms.get_xlim()[1], 10_000)
    floor, ceiling = _at(norms, "at least k²·γ²", count), _at(norms, "at most k·R²", count)
    crossed = count[(floor > ceiling) & (count > 1)]
    assert bound * 0.98 <= crossed.min() <= bound * 1.01 + 1
    assert norms.get_ylim()[1] > ceiling[count <= bound].max()
    assert display.axes_[2].get_yscale() == "linear"
    assert display.axes_[2].get_ylim()[1] > bound


def test_a_run_that_was_cut_short_says_so() -> None:
    whole = _drawn(trace(X, y))
    cut = _drawn(trace(X, y, max_iter=2))
    p = Perceptron(record=True, order="cyclic", max_iter=2, keep="last")
    with pytest.warns(ConvergenceWarning):
        p.fit(X, y)
    fitted = ConvergenceDisplay.from_convergence(convergence(p, X=X, y=y))
    for display in (cut, fitted):
        n = display.proof.mistakes
        for ax in display.axes_:
            assert f"the run was cut short after {n} mistakes" in _curves(ax)
    for ax in whole.axes_:
        assert f"the run ends after {whole.proof.mistakes} mistakes" in _curves(ax)
    assert whole.proof.is_complete
    assert not cut.proof.is_complete
    assert not fitted.proof.is_complete


def test_long_runs_are_drawn_without_dots() -> None:
    rng = np.random.default_rng(0)
    A = rng.uniform(-1, 1, (300, 2))
    b = np.where(A @ [1.0, 1.5] > 0.1, 1, -1)
    kept = np.abs(A @ [1.0, 1.5] - 0.1) > 0.005
    p = Perceptron(record=True, keep="last", order="cyclic").fit(A[kept], b[kept])
    assert p.n_mistakes_ > 200
    display = ConvergenceDisplay.from_convergence(convergence(p, X=A[kept], y=b[kept]))
    run = next(one for one in display.ax_.get_lines() if one.get_label() == "‖w‖² of the run")
    assert run.get_marker() == "None"
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


@pytest.mark.parametrize("start", [(0, 0), (-4, -4)])
def test_the_legend_of_the_cosines_covers_no_curve(start: tuple[int, int]) -> None:
    display = _drawn(trace(X, y, coef_init=start, eta0=0.5, max_iter=1000))
    display.figure_.canvas.draw()
    ax = display.axes_[1]
    box = ax.get_legend().get_window_extent().transformed(ax.transData.inverted())
    assert box.y0 > 1.0
