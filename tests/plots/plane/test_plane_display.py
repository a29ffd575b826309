"""`PlaneDisplay` draws what was learned, predicted or proved."""

import time
from fractions import Fraction
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    Perceptron,
    TableEncoder,
    separate,
)
from rosenblatt.plots import PlaneDisplay

X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0], [0.0, 2.0]])
y = np.array(["right", "right", "left", "left"])
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


def _legend_texts(display: PlaneDisplay) -> list[str]:
    return [text.get_text() for text in display.legend_.get_texts()]


def _table_of(kind: str) -> Any:
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame(X, schema=["height", "weight"])
    return {
        "list": X.tolist(),
        "float32": X.astype(np.float32),
        "csr": sp.csr_array(X),
        "csc": sp.csc_matrix(X),
        "pandas": pd.DataFrame(X, columns=["height", "weight"]),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "list",
        "float32",
        "csr",
        "csc",
        "pandas",
        pytest.param("polars", marks=pytest.mark.extra("polars")),
    ],
)
def test_separator_and_margin_match_the_weights(kind: str) -> None:
    table = _table_of(kind)
    machine = MaxMargin().fit(table, y)
    display = PlaneDisplay.from_estimator(machine, table, y)
    coef, intercept = machine.coef_[0], machine.intercept_[0]
    on_line = display.separator_.get_xydata() @ coef + intercept
    np.testing.assert_allclose(on_line, 0.0, atol=1e-9)
    length = np.linalg.norm(coef)
    nearest = np.abs(X @ coef + intercept).min() / length
    assert display.margin == pytest.approx(nearest)
    sides = sorted(float((edge.get_xydata() @ coef + intercept).mean()) for edge in display.band_)
    np.testing.assert_allclose(np.array(sides) / length, [-nearest, nearest], atol=1e-9)
    np.testing.assert_allclose(display.support_.get_offsets(), X[machine.support_])
    named = kind in ("pandas", "polars")
    assert display.ax_.get_xlabel() == ("height" if named else "x1")
    assert display.ax_.get_ylabel() == ("weight" if named else "x2")
    assert _legend_texts(display)[:3] == ["left", "right", "separator"]
    assert display.ax_.get_aspect() == 1.0
    for code, samples in enumerate(display.samples_):
        np.testing.assert_allclose(samples.get_offsets(), X[(y == ["left", "right"][code])])


def test_regions_match_the_predictions() -> None:
    machine = Perceptron().fit(X, y)
    display = PlaneDisplay.from_estimator(machine, X, y)
    for code, region in enumerate(display.regions_):
        inside = region.get_xy().mean(axis=0)
        assert machine.predict([inside]) == [machine.classes_[code]]


def test_each_of_many_classes_has_a_region() -> None:
    centers = np.array([[0, 4], [4, 0], [-4, 0], [0, -4]])
    codes = np.arange(40) % 4
    samples = centers[codes] + np.random.RandomState(0).standard_normal((40, 2)) * 0.3
    machine = Perceptron(multiclass="joint").fit(samples, codes)
    display = PlaneDisplay.from_estimator(machine, samples, codes)
    assert len(display.regions_) == 4
    assert display.separator_ is None
    for code, region in enumerate(display.regions_):
        assert machine.predict([region.get_xy()[:-1].mean(axis=0)]) == [code]


@pytest.mark.parametrize(("n_classes", "is_noted"), [(3, False), (4, True)])
def test_inexact_projections_have_a_note(n_classes: int, is_noted: bool) -> None:
    samples, codes = np.eye(n_classes), np.arange(n_classes)
    display = PlaneDisplay.from_estimator(Perceptron().fit(samples, codes), samples, codes)
    note = display.legend_.get_title().get_text()
    assert ("regions of the plane through the mean" in note) == is_noted


@pytest.mark.parametrize(
    "machine",
    [
        KernelPerceptron(kernel="poly", degree=2),
        make_pipeline(StandardScaler(), KernelPerceptron(kernel="rbf")),
        DecisionTreeClassifier(random_state=0),
    ],
    ids=lambda machine: type(machine).__name__,
)
def test_estimators_without_weights_are_evaluated_on_a_grid(machine: Any) -> None:
    machine.fit(XOR, [0, 1, 1, 0])
    display = PlaneDisplay.from_estimator(machine, XOR, [0, 1, 1, 0])
    assert display.view.coef is None
    assert display.margin is None
    assert len(display.regions_) == 2
    for part in display.separator_.get_paths():
        step = np.array([0.02, 0.0])
        right = machine.predict(part.vertices[::10] + step)
        left = machine.predict(part.vertices[::10] - step)
        assert (right != left).mean() > 0.4


def test_a_vote_is_drawn_by_its_score_not_its_last_weights() -> None:
    votes = Perceptron(keep="vote", max_iter=5).fit(X, y)
    display = PlaneDisplay.from_estimator(votes, X, y)
    assert display.view.coef is None
    grid = display.response
    np.testing.assert_allclose(
        grid.values[0, 0], votes.decision_function([[grid.xx0[0, 0], grid.xx1[0, 0]]])[0]
    )


def test_a_table_with_text_is_drawn_in_encoded_features() -> None:
    frame = pd.DataFrame({"color": ["red", "green"] * 5, "size": np.arange(10.0) - 4.5})
    labels = np.where(frame["size"] > 0, "big", "small")
    machine = make_pipeline(TableEncoder(), MaxMargin()).fit(frame, labels)
    display = PlaneDisplay.from_estimator(machine, frame, labels)
    scores = machine.decision_function(frame) / np.linalg.norm(machine[-1].coef_)
    np.testing.assert_allclose(
        display.view.points @ display.view.coef[0] + display.view.intercept[0],
        machine.decision_function(frame),
        atol=1e-9,
    )
    assert display.margin == pytest.approx(np.abs(scores).min())


def test_misclassified_samples_are_circled() -> None:
    labels = np.array(["right", "left", "left", "left"])
    machine = LogisticRegression().fit(X, y)
    display = PlaneDisplay.from_estimator(machine, X, labels)
    np.testing.assert_allclose(display.mistakes_.get_offsets(), X[[1]])
    assert display.margin is None
    assert display.ax_.get_title() == "LogisticRegression: 1 of 4 samples misclassified"


def test_support_rows_of_a_separation_are_circled() -> None:
    found = separate(X, y, margin="affine")
    display = PlaneDisplay.from_separation(found, X, y)
    assert display.margin == pytest.approx(found.margin.lower, rel=1e-5)
    np.testing.assert_allclose(display.support_.get_offsets(), X[found.support])
    assert display.ax_.get_title() == "separable: maximum margin 1.41421 (affine)"


def test_hulls_intersect_in_the_point_of_the_certificate() -> None:
    random = np.random.RandomState(3)
    samples = random.standard_normal((30, 2)).round(2)
    labels = random.randint(0, 2, 30)
    found = separate(samples, labels)
    display = PlaneDisplay.from_separation(found, samples, labels)
    counts = found.certificate.combination
    for code in (0, 1):
        of_class = {row: Fraction(n) for row, n in counts.items() if labels[row] == code}
        total = sum(of_class.values())
        point = sum(float(n / total) * samples[row] for row, n in of_class.items())
        np.testing.assert_allclose(display.crossing_.get_offsets()[0], point, atol=1e-12)
        path = display.hulls_[code].get_path()
        assert path.contains_points(samples[labels == code], radius=1e-9).all() or (
            path.contains_points(samples[labels == code], radius=-1e-9).all()
        )
    np.testing.assert_allclose(display.support_.get_offsets(), samples[found.certificate.rows])
    assert display.separator_ is None
    assert display.ax_.get_title() == f"inseparable: {len(found.support)} rows prove it"


def test_without_intercept_the_hull_of_signed_samples_contains_the_origin() -> None:
    samples, labels = [[1, 1], [2, 2], [0, 1]], [1, 0, 1]
    found = separate(samples, labels, fit_intercept=False)
    display = PlaneDisplay.from_separation(found, samples, labels)
    assert display.crossing.point.tolist() == [0, 0]
    assert display.view.points.tolist() == [[1, 1], [-2, -2], [0, 1]]
    assert _legend_texts(display)[:2] == ["0, negated", "1"]


def test_a_single_label_is_on_the_positive_side() -> None:
    samples = [[1, 2], [2, 1], [-1, 3]]
    machine = Perceptron(fit_intercept=False).fit(samples, ["a"] * 3)
    for display in (
        PlaneDisplay.from_estimator(machine, samples, ["a"] * 3),
        PlaneDisplay.from_separation(
            separate(samples, ["a"] * 3, fit_intercept=False), samples, ["a"] * 3
        ),
    ):
        assert display.margin > 0.0
        assert _legend_texts(display)[0] == "a"
        assert len(display.samples_[1].get_offsets()) == 3


def test_one_of_several_classes_is_drawn_against_the_rest() -> None:
    samples, labels = [[0.0, 0], [1, 0], [2, 0], [1, 2]], ["a", "b", "c", "d"]
    found = separate(samples, labels)
    against_rest = PlaneDisplay.from_separation(found.by_class["d"], samples, labels)
    assert against_rest.classes == ["not d", "d"]
    assert against_rest.margin > 0.0
    joint = PlaneDisplay.from_separation(found, samples, labels)
    assert len(joint.regions_) == 4


def test_one_feature_is_drawn_as_a_strip() -> None:
    display = PlaneDisplay.from_separation(
        separate([[0], [1], [3]], ["a", "a", "b"], margin="affine"),
        [[0], [1], [3]],
        ["a", "a", "b"],
    )
    assert display.view.points.tolist() == [[0, 0], [1, 0], [3, 1]]
    np.testing.assert_allclose(display.separator_.get_xdata(), [2, 2], atol=1e-5)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["a", "b"]
    inseparable = separate([[0], [2], [1]], ["a", "a", "b"])
    display = PlaneDisplay.from_separation(inseparable, [[0], [2], [1]], ["a", "a", "b"])
    assert display.crossing.point[0] == 1.0


def test_a_projection_shows_distances_to_the_separator() -> None:
    random = np.random.RandomState(0)
    samples = random.standard_normal((60, 7))
    labels = np.where(samples @ random.standard_normal(7) > 0.2, "in", "out")
    machine = MaxMargin().fit(samples, labels)
    distances = (samples @ machine.coef_[0] + machine.intercept_[0]) / np.linalg.norm(machine.coef_)
    for table in (samples, sp.csr_array(samples)):
        display = PlaneDisplay.from_estimator(machine, table, labels)
        np.testing.assert_allclose(display.view.points[:, 0], distances, atol=1e-9)
        np.testing.assert_allclose(display.separator_.get_xdata(), 0.0, atol=1e-12)
        edges = sorted(edge.get_xdata()[0] for edge in display.band_)
        nearest = np.abs(distances).min()
        np.testing.assert_allclose(edges, [-nearest, nearest])
        assert display.ax_.get_xlabel() == "signed distance to the separator"


def test_a_kernel_machine_with_many_features_is_drawn_by_its_score() -> None:
    random = np.random.RandomState(0)
    samples = random.standard_normal((40, 5))
    labels = (np.linalg.norm(samples, axis=1) > 2).astype(int)
    machine = KernelPerceptron(kernel="rbf").fit(samples, labels)
    display = PlaneDisplay.from_estimator(machine, samples, labels)
    np.testing.assert_allclose(display.view.points[:, 0], machine.decision_function(samples))
    assert display.ax_.get_xlabel() == "score"


def test_projections_show_the_proof_of_inseparability() -> None:
    samples = np.random.RandomState(0).standard_normal((50, 3))
    labels = np.arange(50) % 2
    found = separate(samples, labels)
    display = PlaneDisplay.from_separation(found, samples, labels)
    assert len(display.support_.get_offsets()) == len(found.support)
    counts = found.certificate.combination
    for code in (0, 1):
        of_class = {row: n for row, n in counts.items() if labels[row] == code}
        shares = np.array([n / sum(of_class.values()) for n in of_class.values()])
        np.testing.assert_allclose(
            display.crossing.point, shares @ display.view.points[list(of_class)], atol=1e-9
        )


def test_a_hundred_thousand_rows_are_drawn_quickly() -> None:
    random = np.random.RandomState(0)
    samples = random.standard_normal((100_000, 30)).astype(np.float32)
    labels = (samples[:, 0] + 0.1 * samples[:, 1] > 0).astype(int)
    machine = Perceptron(keep="average", max_iter=1).fit(samples[:1000], labels[:1000])
    machine.predict(samples[:10])
    begun = time.process_time()
    display = PlaneDisplay.from_estimator(machine, samples, labels)
    display.figure_.canvas.draw()
    assert time.process_time() - begun < 8
    drawn = sum(len(one.get_offsets()) for one in display.samples_)
    assert 5_000 <= drawn <= 5_200
    assert display.legend_.get_title().get_text() == f"{drawn:,} of 100,000 samples shown"
    assert all(one.get_rasterized() for one in display.samples_)


def test_it_is_drawn_on_the_given_axes_and_again_on_others() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    display = PlaneDisplay.from_separation(separate(X, y), X, y, ax=left, s=99)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert display.samples_[0].get_sizes() == [99]
    assert display.plot(right) is display
    assert display.ax_ is right


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PlaneDisplay.from_estimator(Perceptron(), X, y), "this Perceptron has no classes"),
        (
            lambda: PlaneDisplay.from_estimator(StandardScaler(), X, y),
            "does not predict",
        ),
        (
            lambda: PlaneDisplay.from_estimator(LinearRegression().fit(X, [0, 1, 2, 3]), X, y),
            "this LinearRegression has no classes",
        ),
        (
            lambda: PlaneDisplay.from_estimator(Perceptron().fit(X, y), X, y[:2]),
            r"X has 4 rows, but y has shape \(2,\)",
        ),
        (
            lambda: PlaneDisplay.from_estimator(Perceptron().fit(X, y), X, [[0, 1]] * 4),
            "y has 2 dimensions",
        ),
        (
            lambda: PlaneDisplay.from_estimator(
                Perceptron().fit(X, [[0, 1], [1, 1], [1, 0], [0, 0]]), X, y
            ),
            "predicts several labels per sample",
        ),
        (
            lambda: PlaneDisplay.from_estimator(
                Perceptron().fit(X, y), X, ["a", "b", "right", "left"]
            ),
            "y has the label 'a', which this Perceptron has not learned",
        ),
        (lambda: PlaneDisplay.from_separation(separate(X, y), X[:2], y[:2]), "have shape"),
        (lambda: PlaneDisplay.from_separation(separate(X, y), X, [1, 2, 1, 2]), "no label 'right'"),
        (lambda: PlaneDisplay.from_separation("a", X, y), "give the result of rosenblatt.separate"),
        (
            lambda: PlaneDisplay.from_estimator(
                KernelPerceptron().fit(np.eye(3), [0, 1, 2]), np.eye(3), [0, 1, 2]
            ),
            "its regions cannot be drawn",
        ),
        (lambda: PlaneDisplay.from_separation(separate(X, y), X, y, ax="here"), "ax='here'"),
    ],
)
def test_input_that_cannot_be_drawn_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_scores_of_zero_everywhere_have_no_regions() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    model = Perceptron(keep="vote", max_iter=1).fit(X, [0, 1])
    model.decision_function = lambda samples: np.zeros(len(samples))
    model.predict = lambda samples: np.ones(len(samples), dtype=np.int64)
    display = PlaneDisplay.from_estimator(model, X, [0, 1])
    assert display.regions_ == []
    assert display.separator_ is None
