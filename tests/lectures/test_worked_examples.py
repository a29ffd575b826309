"""Worked examples with known mistakes, epochs, weights and maximum margins (THEORY.md 3.2)."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from margin import max_margin_squared
from rosenblatt import Outcome, Perceptron

TABLE = np.array(list(product([0, 1], repeat=2)), dtype=float)
GATES = {"AND": [0, 0, 0, 1], "OR": [0, 1, 1, 1], "NAND": [1, 1, 1, 0]}
WORKED = [
    # gate, coding, γ*², mistakes, epochs, weights and intercept
    ("AND", "±1", Fraction(1, 3), 1, 2, [1, 1, -1]),
    ("OR", "±1", Fraction(1, 3), 3, 2, [1, 1, 1]),
    ("NAND", "±1", Fraction(1, 3), 1, 2, [-1, -1, 1]),
    ("AND", "0/1", Fraction(1, 17), 18, 9, [3, 2, -4]),
    ("OR", "0/1", Fraction(1, 9), 9, 6, [2, 2, -1]),
    ("NAND", "0/1", Fraction(1, 17), 18, 9, [-3, -2, 4]),
]


def _proves(p: Perceptron, squared: Fraction) -> bool:
    return Fraction(p.margin_.lower) ** 2 <= squared <= Fraction(p.margin_.upper) ** 2


@pytest.mark.parametrize(("gate", "coding", "squared", "mistakes", "epochs", "weights"), WORKED)
def test_truth_tables(
    gate: str, coding: str, squared: Fraction, mistakes: int, epochs: int, weights: list[int]
) -> None:
    X = TABLE if coding == "0/1" else 2 * TABLE - 1
    y = GATES[gate]
    p = Perceptron(order="cyclic").fit(X, y)
    assert p.outcome_ is Outcome.SEPARATED
    assert (p.n_mistakes_, p.n_iter_) == (mistakes, epochs)
    assert [*p.coef_[0], *p.intercept_] == weights
    assert p.predict(X).tolist() == y
    assert _proves(p, squared)
    extended = np.column_stack([X, np.ones(4)]) * np.where(y, 1, -1)[:, None]
    assert max_margin_squared(extended) == squared


def test_the_example_of_li_hang() -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    p = Perceptron(order="cyclic", record=True).fit(X, y)
    assert p.ledger_.sequences[0].tolist() == [0, 2, 2, 2, 0, 2, 2]
    assert p.history_.mistakes.tolist() == [2, 1, 1, 2, 1, 0]
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[1.0, 1.0]], [-3.0])
    assert max_margin_squared([[3, 3, 1], [4, 3, 1], [-1, -1, -1]]) == Fraction(2, 9)
    assert _proves(p, Fraction(2, 9))


@pytest.mark.parametrize("n", [2, 3, 5, 16])
def test_orthonormal_rows_reach_the_bound(n: int) -> None:
    signs = np.array([1, -1] * n)[:n]
    p = Perceptron(order="cyclic", fit_intercept=False).fit(np.eye(n) * signs[:, None], signs)
    assert p.n_mistakes_ == n  # R²/γ*² with R = 1 and γ* = 1/√n
    assert p.coef_.tolist() == [[1.0] * n]
    assert p.ledger_.mistake_counts.tolist() == [[1] * n]
    assert _proves(p, Fraction(1, n))
    assert p.margin_.upper - p.margin_.lower < 1e-13


@pytest.mark.parametrize("e", [0.5, 1e-3, 1e-9, 1e-100])
def test_the_bound_may_be_far_above_the_mistakes(e: float) -> None:
    # z = (1, e) and (-1, e): two mistakes, although R²/γ*² is about 1/e².
    p = Perceptron(order="cyclic", fit_intercept=False).fit([[1.0, e], [1.0, -e]], [1, 0])
    assert p.n_mistakes_ == 2
    assert p.coef_.tolist() == [[0.0, 2 * e]]
    assert _proves(p, Fraction(e) ** 2)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_majority(n: int) -> None:
    X = np.array(list(product([-1.0, 1.0], repeat=n)))
    y = (X.sum(axis=1) > 0).astype(int)
    p = Perceptron(order="cyclic", fit_intercept=False).fit(X, y)
    assert p.outcome_ is Outcome.SEPARATED
    assert p.n_mistakes_ <= n**2
    assert p.predict(X).tolist() == y.tolist()
    assert _proves(p, Fraction(1, n))


@pytest.mark.parametrize("coding", ["±1", "0/1"])
def test_xor_returns_to_zero_after_every_epoch(coding: str) -> None:
    X = TABLE if coding == "0/1" else 2 * TABLE - 1
    with pytest.warns(ConvergenceWarning, match="epoch 1 ends with the weights of the start"):
        p = Perceptron(keep="last", order="cyclic", max_iter=25).fit(X, [0, 1, 1, 0])
    assert p.outcome_ is Outcome.CYCLING
    assert p.history_.mistakes.tolist() == [4]
    assert p.coef_.tolist() == [[0.0, 0.0]]
    assert p.ledger_.mistake_counts.tolist() == [[1] * 4]
    assert p.margin_.lower == 0.0
    assert p.margin_.upper < 1e-13
    assert p.certificate_.combination == {0: 1, 1: 1, 2: 1, 3: 1}
    assert p.certificate_.verify(X, [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("ties", "mistakes", "weights"),
    [("mistake", 2, [1.0, -1.0]), ("positive", 1, [0.0, -1.0]), ("negative", 1, [1.0, 0.0])],
)
def test_each_setting_of_ties(ties: str, mistakes: int, weights: list[float]) -> None:
    p = Perceptron(order="cyclic", ties=ties, fit_intercept=False).fit(np.eye(2), [1, 0])
    assert p.n_mistakes_ == mistakes
    assert p.coef_.tolist() == [weights]
    assert p.predict(np.eye(2)).tolist() == [1, 0]
    assert p.outcome_ is Outcome.SEPARATED
    assert (p.margin_.lower > 0) == (ties == "mistake")
