"""`WeightsDisplay` draws weights as bars or images."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from sklearn.datasets import load_digits, load_iris

from rosenblatt import InputError, Perceptron
from rosenblatt.plots import WeightsDisplay


def test_each_class_has_an_image_and_all_share_one_color_scale() -> None:
    X, y = load_digits(return_X_y=True)
    p = Perceptron(keep="average", max_iter=2).fit(X[:300], y[:300])
    display = WeightsDisplay.from_estimator(p)
    assert len(display.axes_) == 10
    limits = set()
    for k, ax in enumerate(display.axes_):
        (image,) = ax.get_images()
        assert np.array_equal(image.get_array(), p.coef_[k].reshape(8, 8))
        limits.add(image.get_clim())
        assert ax.get_title() == str(k)
    ((low, high),) = limits
    assert -low == high == np.abs(p.coef_).max()
    # Ten images and one color bar.
    assert len(display.figure_.axes) == 11


def test_zero_has_the_background_color_and_negative_weights_have_a_minus() -> None:
    p = Perceptron(max_iter=5).fit([[1, 0, 0, -1], [-1, 0, 0, 1]], ["a", "b"])
    display = WeightsDisplay.from_estimator(p, shape=(1, 4))
    (image,) = display.ax_.get_images()
    assert np.allclose(image.cmap(image.norm(0.0))[:3], display.ax_.get_facecolor()[:3], atol=0.02)
    (minuses,) = display.ax_.collections
    below = np.argwhere(display.images[0] < 0)[:, ::-1]
    assert minuses.get_offsets().tolist() == below.tolist()
    assert display.ax_.get_title() == "for b, against a"


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 4), "has 8 pixels, but there are 6 weights"),
        ((2,), "give \\(height, width\\)"),
        ((2.0, 3), "shape=2.0 is not accepted"),
    ],
)
def test_features_that_do_not_fill_the_image_are_refused(shape: object, message: str) -> None:
    p = Perceptron(max_iter=5).fit([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]], [0, 1])
    with pytest.raises(InputError, match=message):
        WeightsDisplay.from_estimator(p, shape=shape)


@pytest.mark.parametrize("n_features", [1, 9, 17, 60, 63])
def test_bars_are_drawn_unless_the_data_are_images(n_features: int) -> None:
    X = np.random.default_rng(0).normal(size=(30, n_features))
    p = Perceptron(max_iter=50, keep="average").fit(X, X[:, 0] > 0)
    display = WeightsDisplay.from_estimator(p)
    assert display.features is not None
    bars = {
        name: bar.get_width() for name, bar in zip(display.features, _bars(display), strict=True)
    }
    assert len(bars) == min(15, n_features)
    for name, width in bars.items():
        assert width == p.coef_[0][int(name[1:]) - 1]
    smallest = min(map(abs, bars.values()))
    hidden = [one for k, one in enumerate(p.coef_[0], 1) if f"x{k}" not in bars]
    assert all(abs(one) <= smallest for one in hidden)
    note = f"features with smaller weights: {len(hidden)}" if hidden else ""
    assert display.ax_.get_ylabel() == note
    assert len(display.figure_.axes) == 1  # no color bar


def test_bars_have_the_names_of_columns_and_one_panel_per_class() -> None:
    frame = load_iris(as_frame=True)
    p = Perceptron(max_iter=50, keep="average").fit(frame.data, frame.target)
    display = WeightsDisplay.from_estimator(p)
    assert display.features == list(frame.data.columns)
    assert [ax.get_title() for ax in display.axes_] == ["0", "1", "2"]
    assert len({ax.get_xlim() for ax in display.axes_}) == 1
    images = WeightsDisplay.from_estimator(p, shape=(2, 2))
    assert images.features is None
    # 64 named columns are not pixels.
    X, y = load_digits(return_X_y=True)
    q = Perceptron(keep="average", max_iter=2).fit(X[:100], y[:100] == 1)
    assert WeightsDisplay.from_estimator(q).features is None
    named = WeightsDisplay.from_estimator(q, features=[f"word {k}" for k in range(64)])
    assert len(named.features or []) == 15
    with pytest.raises(InputError, match="features has 1 names, but there are 64 weights"):
        WeightsDisplay.from_estimator(q, features=["a"])


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_the_label_of_the_color_bar_is_inside_the_picture(n_classes: int) -> None:
    X, y = load_digits(return_X_y=True)
    p = Perceptron(keep="average", max_iter=2).fit(X[y < n_classes], y[y < n_classes])
    figure = WeightsDisplay.from_estimator(p).figure_
    figure.canvas.draw()
    whole = figure.bbox
    label = figure.axes[-1].xaxis.label.get_window_extent()
    titles = [ax.title.get_window_extent() for ax in figure.axes[:-1]]
    for box in (label, *titles):
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1


def _bars(display: WeightsDisplay) -> list[Rectangle]:
    return [patch for patch in display.ax_.patches if isinstance(patch, Rectangle)]


def test_unfitted_learners_are_refused() -> None:
    with pytest.raises(InputError, match="has not learned anything yet"):
        WeightsDisplay.from_estimator(Perceptron())
