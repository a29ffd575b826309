"""Several separators of the same samples, each with its margin."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from rosenblatt import InputError, Perceptron, separate
from rosenblatt.plots import SeparatorsDisplay

RANDOM = np.random.RandomState(4)
y = np.where(np.arange(30) % 2, "b", "a")
X = RANDOM.standard_normal((30, 2)) + np.where(y == "b", 2.5, -2.5)[:, None]


@pytest.mark.parametrize("form", ["array", "float32", "csr", "frame"])
def test_lines_and_margins_match_the_weights(form: str) -> None:
    table = {
        "array": X,
        "float32": X.astype(np.float32),
        "csr": sp.csr_array(X),
        "frame": pd.DataFrame(X, columns=["u", "v"]),
    }[form]
    display = SeparatorsDisplay.from_samples(table, y)
    assert list(display.lines_) == ["last", "average", "pocket", "maximum margin"]
    signs = np.where(y == "b", 1.0, -1.0)
    for name, line in display.lines_.items():
        coef, intercept = display.separators[name]
        np.testing.assert_allclose(line.get_xydata() @ coef + intercept, 0.0, atol=1e-9)
        margin = (signs * (X @ coef + intercept)).min() / np.linalg.norm(coef)
        assert display.margins_[name] == pytest.approx(margin, rel=1e-4)
    assert display.margins_["maximum margin"] == max(display.margins_.values())
    assert display.vote_ is not None
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts[:2] == ["a", "b"]
    assert texts[-1] == "vote: 0 misclassified"
    assert f"average: margin {display.margins_['average']:.4g}" in texts
    assert display.ax_.get_xlabel() == ("u" if form == "frame" else "x1")


def test_the_maximum_margin_is_affine() -> None:
    display = SeparatorsDisplay.from_samples(X, y)
    found = separate(X, y, margin="affine")
    assert display.margins_["maximum margin"] == pytest.approx(found.margin.lower, rel=1e-5)


def test_misclassified_samples_are_counted() -> None:
    labels = y.copy()
    labels[:4] = ["b", "a", "b", "a"]
    display = SeparatorsDisplay.from_samples(X, labels, max_iter=20)
    assert "maximum margin" not in display.lines_
    pocket = Perceptron(keep="pocket", max_iter=20, order="cyclic")
    wrong = int((pocket.fit(X, labels).predict(X) != labels).sum())
    assert display.mistakes["pocket"] == wrong > 0
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert f"pocket: {wrong} misclassified" in texts


def test_more_features_or_classes_than_two_are_refused() -> None:
    with pytest.raises(
        InputError, match="X has 3 features and y 2 classes: this picture needs two"
    ):
        SeparatorsDisplay.from_samples(np.eye(3), [0, 1, 1])
    with pytest.raises(
        InputError, match="X has 2 features and y 3 classes: this picture needs two"
    ):
        SeparatorsDisplay.from_samples(X[:3], [0, 1, 2])
