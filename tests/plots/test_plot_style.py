"""The style of pictures: colors that follow the background, axes given or made, lazy imports."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb

from rosenblatt import InputError, Perceptron, lectures, plots
from rosenblatt.plots import style


def test_importing_the_room_imports_no_matplotlib() -> None:
    program = "import sys; from rosenblatt import plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_every_public_name_is_there() -> None:
    for name in plots.__all__:
        assert getattr(plots, name) is not None
    assert set(dir(plots)) == set(plots.__all__)
    with pytest.raises(AttributeError, match="no attribute 'SurfaceDisplay'"):
        _ = plots.SurfaceDisplay


def test_without_matplotlib_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"pip install 'rosenblatt\[plot\]'"):
        style.figure_and_axes(None)


def _contrast(one: style.Color, other: style.Color) -> float:
    """Return the contrast of two colors as the web's guidelines for accessibility define it."""

    def luminance(color: style.Color) -> float:
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in color]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("paper", ["light", "dark", "dark_background", "default", "ggplot"])
def test_ink_and_classes_can_be_read_on_any_paper(paper: str) -> None:
    with plots.theme(paper) if paper in style.THEMES else plt.style.context(paper):
        _, ax = plt.subplots()
    assert style.is_dark(ax) == ("dark" in paper)
    assert _contrast(style.ink(ax), style.background(ax)) > 7
    first, second = (style.class_style(ax, k) for k in range(2))
    assert first.marker != second.marker
    # The two classes differ in gray as well.
    assert _contrast(first.color, second.color) > 1.5
    for k in range(2):
        area = style.tint(ax, style.class_style(ax, k).color)
        assert _contrast(style.ink(ax), area) > 5


def test_classes_and_lines_do_not_repeat_early() -> None:
    _, ax = plt.subplots()
    assert len({style.class_style(ax, k) for k in range(77)}) == 77
    assert len({str(style.line_style(ax, k)) for k in range(30)}) == 30


def test_transparent_axes_have_the_color_of_their_figure() -> None:
    _, ax = plt.subplots(facecolor="black")
    ax.set_facecolor("none")
    assert style.background(ax) == to_rgb("black")


@pytest.mark.parametrize("ax", ["ax", 3, object()])
def test_what_is_no_axes_is_refused(ax: object) -> None:
    with pytest.raises(InputError, match="give Matplotlib axes, or None"):
        style.figure_and_panels(ax, 1)


def test_an_unknown_theme_is_refused() -> None:
    with (
        pytest.raises(InputError, match="theme='sepia' is not accepted: use 'light' or 'dark'"),
        plots.theme("sepia"),
    ):
        pass


def test_labels_of_the_user_stay() -> None:
    _, ax = plt.subplots()
    ax.set_xlabel("mine")
    style.set_labels(ax, "x", "y", "title")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("mine", "y", "title")
    assert style.legend(ax) is None


@pytest.mark.parametrize("name", [r"$\no_formula$", "_hidden", "long " * 40, "two\nlines"])
def test_a_name_is_words_whatever_is_in_it(name: str) -> None:
    X, y = [[3, 3], [4, 3], [1, 1], [0, 1]], [name, name, "other", "other"]
    learner = Perceptron().fit(X, y)
    plane = plots.PlaneDisplay.from_estimator(learner, X, y)
    drawn = [text.get_text() for text in plane.ax_.get_legend().get_texts()]
    assert style.shown_name(name) in drawn
    others = (
        lectures.pictures.UnitDisplay.from_estimator(learner, names=[name, "x2"]),
        plots.WeightsDisplay.from_estimator(learner, shape=(1, 2)),
    )
    for display in (plane, *others):
        display.figure_.canvas.draw()  # raises where a name is read as a formula
        plt.close(display.figure_)
