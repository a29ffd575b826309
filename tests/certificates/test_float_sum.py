"""Floats may pass a combination only where it is truly short enough."""

from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.certificates.combination import _terms
from rosenblatt.certificates.float_check import is_clearly_short
from rosenblatt.certificates.scope import Setting
from rosenblatt.certificates.stored_samples import Samples
from strategies import samples


@given(samples(), st.data())
def test_what_floats_pass_is_true(X: np.ndarray, data: st.DataObject) -> None:
    n = len(X)
    y = np.array([0, 1] * n)[:n]
    constant = data.draw(st.sampled_from([0, 1]))
    stored = data.draw(st.sampled_from([X, sp.csr_array(X)]))
    setting = Setting(Samples.of(stored, y), 1, constant, "augmented")
    counts = data.draw(st.lists(st.integers(1, 2**60), min_size=n, max_size=n))
    combination = dict(enumerate(counts))
    total = [Fraction(0)] * (X.shape[1] + 1)
    for row, (count, label) in enumerate(zip(counts, y.tolist(), strict=True)):
        extended = [Fraction(value) for value in X[row].tolist()] + [Fraction(constant)]
        for j, value in enumerate(extended):
            total[j] += (1 if label else -1) * count * value
    true = sum((value * value for value in total), Fraction(0)) / sum(counts) ** 2
    terms = _terms(setting, combination)
    for factor in (Fraction(1, 2), 1 - Fraction(1, 10**15), Fraction(1), 1 + Fraction(1, 10**16)):
        if is_clearly_short(setting, terms, sum(counts), true * factor):
            assert factor >= 1


@given(st.integers(0, 1000))
def test_floats_pass_what_is_short_by_a_little(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 5)), np.array([0, 1] * 10)
    for stored in (X, sp.csr_array(X), X.astype(np.float32)):
        setting = Setting(Samples.of(stored, y), 1, 1, "augmented")
        terms = _terms(setting, dict.fromkeys(range(20), 3))
        signed = np.where(y == 1, 1.0, -1.0) @ np.column_stack([stored @ np.eye(5), np.ones(20)])
        square = Fraction(float(signed @ signed)) / 400
        assert is_clearly_short(setting, terms, 60, square * (1 + Fraction(1, 10**6)))
        assert not is_clearly_short(setting, terms, 60, square * (1 - Fraction(1, 10**6)))
