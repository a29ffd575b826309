"""The ledger: counts, sequences, and the weights rebuilt from them."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError, Perceptron
from strategies import INTEGERS, labels, matrices, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
y = [1, 1, -1]

options = st.fixed_dictionaries(
    {
        "eta0": st.sampled_from([1.0, 0.1, 3.0]),
        "order": st.sampled_from(["cyclic", "shuffle", "random"]),
        "ties": st.sampled_from(["mistake", "positive", "negative"]),
        "fit_intercept": st.booleans(),
        "max_iter": st.integers(1, 5),
        "random_state": st.integers(0, 9),
    }
)


@given(st.data(), options, st.sampled_from([2, 3, 4]))
def test_replay_reproduces_the_weights_bit_for_bit(
    data: st.DataObject, options: dict, n_classes: int
) -> None:
    X = np.clip(data.draw(samples()), -1e17, 1e17)
    y = data.draw(labels(len(X), list("abcd")[:n_classes]))
    weight = data.draw(st.lists(st.sampled_from([1.0, 0.3, 2.0]), min_size=len(X), max_size=len(X)))
    start = data.draw(st.none() | st.floats(-2, 2))
    intercept = start if options["fit_intercept"] and n_classes == 2 else None
    p = Perceptron(keep="last", record=True, **options)
    p.fit(X, y, intercept_init=intercept, sample_weight=weight)
    ledger = p.ledger_
    for storage in (X, sp.csr_matrix(X), X.tolist()):
        coef, intercept = ledger.replay(storage, y)
        assert coef.tobytes() == p.coef_.tobytes()
        assert intercept.tobytes() == p.intercept_.tobytes()
    counts = [np.bincount(sequence, minlength=len(X)) for sequence in ledger.sequences]
    assert (np.array(counts) == ledger.mistake_counts).all()
    assert ledger.n_mistakes == p.n_mistakes_ == p.history_.mistakes.sum()


@given(st.data(), st.integers(1, 6), st.sampled_from([2, 3]))
def test_integer_weights_are_the_sum_of_the_mistakes(
    data: st.DataObject, max_iter: int, n_classes: int
) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 4)))
    y = data.draw(labels(len(X), list(range(n_classes))))
    p = Perceptron(keep="last", max_iter=max_iter, eta0=0.5).fit(X, y)
    extended = np.column_stack([X, np.ones(len(X))]).astype(int)
    positives = p.classes_[1:] if len(p.classes_) == 2 else p.classes_
    for k, positive in enumerate(positives):
        signs = np.where(y == positive, 1, -1)
        total = (p.ledger_.mistake_counts[k] * signs) @ extended
        weights = [Fraction(w) for w in [*p.coef_[k], p.intercept_[k]]]
        assert weights == [Fraction(int(t), 2) for t in total]


def test_replay_requires_recorded_sequences() -> None:
    ledger = Perceptron(order="cyclic").fit(X, y).ledger_
    assert ledger.sequences is None
    assert repr(ledger) == "<Ledger of 7 mistakes, counts>"
    with pytest.raises(InputError, match="record=True"):
        ledger.replay(X, y)


@pytest.mark.parametrize(
    ("other_X", "other_y"),
    [(X[:2], y[:2]), (X, y[:2]), (X[:, :1], y), (np.column_stack([X, [1.0, 1.0, 1.0]]), y)],
    ids=["fewer rows", "fewer labels", "fewer features", "more features"],
)
def test_replay_rejects_other_data(other_X: np.ndarray, other_y: list[int]) -> None:
    ledger = Perceptron(order="cyclic", record=True).fit(X, y).ledger_
    assert repr(ledger) == "<Ledger of 7 mistakes, full sequence>"
    with pytest.raises(InputError):
        ledger.replay(other_X, other_y)
