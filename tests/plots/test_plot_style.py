"""The style of pictures: colors that match the background, given or new axes, lazy imports."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb

from rosenblatt import InputError, Perceptron, lectures, plots
from rosenblatt.plots import style


def test_importing_plots_does_not_import_matplotlib() -> None:
    program = "import sys; from rosenblatt import plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_every_public_name_is_available() -> None:
    for name in plots.__all__:
        assert getattr(plots, name) is not None
    assert set(dir(plots)) == set(plots.__all__)
    with pytest.raises(AttributeError, match="no attribute 'SurfaceDisplay'"):
        _ = plots.SurfaceDisplay


def test_a_missing_matplotlib_is_reported_with_the_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"pip install 'rosenblatt\[plot\]'"):
        style.figure_and_axes(None)


def _contrast(one: style.Color, other: style.Color) -> float:
    """Return the contrast of two colors as the Web Content Accessibility Guidelines define it."""

    def luminance(color: style.Color) -> float:
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in color]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark", "dark_background", "default", "ggplot"])
def test_text_and_classes_are_readable_on_any_background(name: str) -> None:
    with plots.theme(name) if name in style.THEMES else plt.style.context(name):
        _, ax = plt.subplots()
    assert style.is_dark(ax) == ("dark" in name)
    assert _contrast(style.ink(ax), style.background(ax)) > 7
    first, second = (style.class_style(ax, k) for k in range(2))
    assert first.marker != second.marker
    # The first two classes must differ in grayscale, too.
    assert _contrast(first.color, second.color) > 1.5
    for k in range(2):
        area = style.tint(ax, style.class_style(ax, k).color)
        assert _contrast(style.ink(ax), area) > 5


def test_class_and_line_styles_are_distinct() -> None:
    _, ax = plt.subplots()
    assert len({style.class_style(ax, k) for k in range(77)}) == 77
    assert len({str(style.line_style(ax, k)) for k in range(30)}) == 30


def test_transparent_axes_have_the_background_of_their_figure() -> None:
    _, ax = plt.subplots(facecolor="black")
    ax.set_facecolor("none")
    assert style.background(ax) == to_rgb("black")


@pytest.mark.parametrize("ax", ["ax", 3, object()])
def test_objects_that_are_not_axes_are_refused(ax: object) -> None:
    with pytest.raises(InputError, match="give Matplotlib axes, or None"):
        style.figure_and_panels(ax, 1)


def test_an_unknown_theme_is_refused() -> None:
    with (
        pytest.raises(InputError, match="theme='sepia' is not accepted: use 'light' or 'dark'"),
        plots.theme("sepia"),
    ):
        pass


def test_user_labels_are_kept() -> None:
    _, ax = plt.subplots()
    ax.set_xlabel("mine")
    style.set_labels(ax, "x", "y", "title")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("mine", "y", "title")
    assert style.legend(ax) is None


@pytest.mark.parametrize("name", [r"$\no_formula$", "_hidden", "long " * 40, "two\nlines"])
def test_names_with_special_characters_are_drawn_as_text(name: str) -> None:
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
        display.figure_.canvas.draw()  # raises if a name is parsed as a formula
        plt.close(display.figure_)
