"""Pictures of mistakes per epoch, and of the interval that contains the maximum margin."""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from bundled import sonar_arrays
from rosenblatt import InputError, MaxMargin, Perceptron, decide_and_learn, separate
from rosenblatt.plots import MarginDisplay, MistakesDisplay

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
A, b = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]


def test_the_curve_shows_the_history() -> None:
    p = Perceptron().fit(X, y)
    display = MistakesDisplay.from_estimator(p)
    (line,) = display.ax_.get_lines()
    assert np.array_equal(line.get_ydata(), p.history_.mistakes)
    assert np.array_equal(line.get_xdata(), np.arange(1, p.n_iter_ + 1))
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_legend() is None


def test_a_bound_is_drawn_with_the_total_of_mistakes() -> None:
    p = Perceptron().fit(X, y)
    display = MistakesDisplay.from_estimator(p, bound=36)
    _, so_far, bound = display.ax_.get_lines()
    assert so_far.get_ydata()[-1] == p.n_mistakes_
    assert set(bound.get_ydata()) == {36}
    assert bound.get_label() == "bound: at most 36 in total"
    assert len(display.ax_.get_legend().get_texts()) == 3


def test_two_million_epochs_are_drawn_quickly_with_all_peaks() -> None:
    mistakes = np.ones(2_000_000, dtype=np.int64)
    mistakes[1_234_567] = 900
    begun = time.perf_counter()
    display = MistakesDisplay(mistakes=mistakes).plot()
    display.figure_.canvas.draw()
    assert time.perf_counter() - begun < 5
    (line,) = display.ax_.get_lines()
    assert len(line.get_xdata()) <= 4000
    assert max(line.get_ydata()) == 900
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "epoch (logarithmic)"
    assert display.ax_.get_ylabel() == "mistakes (logarithmic)"


def test_displays_share_given_axes() -> None:
    ax = MistakesDisplay.from_estimator(Perceptron().fit(X, y)).ax_
    assert MistakesDisplay.from_estimator(Perceptron().fit(A, b), ax=ax).ax_ is ax
    assert len(ax.get_lines()) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MistakesDisplay.from_estimator(Perceptron()), "has no history of mistakes"),
        (lambda: MistakesDisplay.from_estimator(MaxMargin().fit(X, y)), "no history of mistakes"),
        (
            lambda: MistakesDisplay.from_estimator(Perceptron().fit(X, y), bound=-1),
            "bound=-1 is not accepted",
        ),
    ],
)
def test_input_without_mistakes_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_similar_counts_are_not_clipped_at_the_top() -> None:
    ax = MistakesDisplay(mistakes=np.array([11_600, 11_700, 11_650])).plot().ax_
    assert ax.get_ylim()[1] >= 1.03 * 11_700


def test_stairs_show_the_rounds_of_the_search() -> None:
    found = separate(*sonar_arrays())
    display = MarginDisplay.from_separation(found)
    assert (display.lower[-1], display.upper[-1]) == found.margin
    assert display.upper[:2].tolist() == [one.upper for one in found.history_[:2]]
    texts = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert texts[:2] == [f"{k}: {one.method}" for k, one in enumerate(found.history_[:2], 1)]
    _, upper, _ = display.ax_.patches
    assert upper.get_data().values.tolist() == display.upper.tolist()
    assert display.ax_.get_yscale() == "log"


def test_max_margin_shows_the_rounds_of_its_search() -> None:
    m = MaxMargin().fit(A, b)
    display = MarginDisplay.from_estimator(m)
    assert (display.lower[-1], display.upper[-1]) == m.margin_
    assert str(m.margin_) in display.ax_.get_title()


def test_the_title_states_inseparability() -> None:
    display = MarginDisplay.from_separation(separate([[0], [1], [2]], ["in", "out", "in"]))
    assert display.ax_.get_title() == "The maximum margin is 0: no hyperplane separates the samples"


def test_each_epoch_of_a_run_proves_an_upper_end() -> None:
    p = Perceptron().fit(A, b)
    display = MarginDisplay.from_estimator(p)
    largest = MaxMargin(margin="augmented").fit(A, b).margin_.upper
    assert len(display.upper) == p.n_iter_
    assert (display.upper >= largest * (1 - 1e-9)).all()
    assert display.lower[-1] == p.margin_.lower
    assert display.upper[-1] <= p.margin_.upper


def test_with_a_required_margin_all_updates_count() -> None:
    p = Perceptron(margin=3.0, keep="last").fit(A, b)
    assert p.n_updates_ > p.n_mistakes_
    display = MarginDisplay.from_estimator(p)
    largest = MaxMargin(margin="augmented").fit(A, b).margin_.upper
    assert (display.upper >= largest * (1 - 1e-9)).all()
    assert display.upper[-1] <= p.margin_.upper
    ends = p.history_.norm / np.cumsum(p.history_.updates)
    np.testing.assert_allclose(display.upper, np.minimum.accumulate(ends), rtol=1e-9)


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
def test_without_a_separator_the_interval_only_shrinks(order: str) -> None:
    random = np.random.RandomState(0)
    points, labels = random.randint(-3, 4, (40, 2)), random.randint(0, 2, 40)
    p = Perceptron(order=order, max_iter=3000, keep="last")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        p.fit([*points, [0, 0], [0, 0]], [*labels, 0, 1])
    display = MarginDisplay.from_estimator(p)
    assert (np.diff(display.upper) <= 0.0).all()
    assert (display.upper > 0.0).all()  # the true margin is 0
    _, upper, _ = display.ax_.patches
    drawn = upper.get_data().values
    assert (np.diff(drawn) <= 0.0).all()
    low, high = display.ax_.get_ylim()
    assert high / max(low, 1e-300) < 1e9 or low == 0.0
    assert display.ax_.get_title().startswith("The maximum margin (augmented) is in [0, ")


def test_samples_known_to_be_inseparable_have_no_block() -> None:
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    learner = Perceptron(order="cyclic", keep="last")
    report = decide_and_learn(*xor, learner, order="cyclic", keep="last", hold_out=False)
    display = MarginDisplay.from_estimator(report.learner)
    assert display.upper.tolist() == [0.0]
    assert display.ax_.get_title() == "The maximum margin is 0: no hyperplane separates the samples"
    display.figure_.canvas.draw()
    low, high = display.ax_.get_xlim()
    assert [one for one in display.ax_.get_xticks() if low <= one <= high] == [1.0]


def test_long_runs_are_thinned() -> None:
    upper = 1.0 / np.arange(1, 100_001)
    display = MarginDisplay(lower=np.zeros(100_000), upper=upper, step="epoch").plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_xscale() == "log"
    assert len(display.ax_.patches[1].get_data().values) <= 4000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MarginDisplay.from_estimator(Perceptron()), "has no margin_"),
        (lambda: MarginDisplay.from_separation(Perceptron()), "is a Perceptron"),
        (
            lambda: MarginDisplay.from_estimator(Perceptron().fit(A, b, coef_init=[1, 0])),
            "no interval after each epoch",
        ),
        (
            lambda: MarginDisplay.from_estimator(
                Perceptron(class_weight={1: 2.0, -1: 1.0}).fit(A, b)
            ),
            "no interval after each epoch",
        ),
        (
            lambda: MarginDisplay.from_estimator(Perceptron().fit(A, ["a", "b", "c"])),
            "has a margin for each class",
        ),
    ],
)
def test_input_without_an_interval_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
