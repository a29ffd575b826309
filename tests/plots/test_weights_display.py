"""`WeightsDisplay` draws weights as images."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

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
        (None, "6 weights do not fill a square image"),
        ((2, 4), "has 8 pixels, but there are 6 weights"),
        ((2,), "give \\(height, width\\)"),
        ((2.0, 3), "shape=2.0 is not accepted"),
    ],
)
def test_features_that_do_not_fill_the_image_are_refused(shape: object, message: str) -> None:
    p = Perceptron(max_iter=5).fit([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]], [0, 1])
    with pytest.raises(InputError, match=message):
        WeightsDisplay.from_estimator(p, shape=shape)


def test_unfitted_learners_are_refused() -> None:
    with pytest.raises(InputError, match="has not learned anything yet"):
        WeightsDisplay.from_estimator(Perceptron())
