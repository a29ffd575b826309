"""Columns that separate the classes alone: found in every kind of column, and never by chance."""

from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import TableEncoder, decide_and_learn
from rosenblatt.separability.leaks import _rules, leaks


def found(values: object, y: object) -> list[int]:
    """Return the mistakes of a column, if it is reported next to one of noise."""
    column = np.asarray(values, np.float64)
    noise = np.random.default_rng(9).standard_normal(len(column))
    reported = leaks(["noise", "alive"], lambda k: [noise, column][k], np.asarray(y))
    assert all(one.column == "alive" for one in reported)
    return [one.mistakes for one in reported]


@given(
    st.lists(
        st.tuples(st.sampled_from([*range(5), np.nan]), st.integers(0, 2)), min_size=1, max_size=9
    )
)
def test_the_fewest_mistakes(rows: list[tuple[float, int]]) -> None:
    values, codes = np.array([v for v, _ in rows]), np.array([c for _, c in rows])
    (by_sets, _), (by_intervals, _) = _rules(values, codes, 3)
    same = [codes[values == v] for v in range(5)] + [codes[np.isnan(values)]]
    assert by_sets == sum(len(own) - max(np.bincount(own, minlength=3)) for own in same)
    known, absent = ~np.isnan(values), np.isnan(values)
    lost = int(absent.sum() - np.bincount(codes[absent], minlength=3).max())
    best = min(
        int((np.array(order)[np.searchsorted(cuts, values[known])] != codes[known]).sum())
        for order in permutations(range(3))
        for cuts in combinations_with_replacement([-0.5, 0.5, 1.5, 2.5, 3.5, 4.5], 2)
    )
    assert by_intervals >= lost + best
    if best == 0:
        assert by_intervals == lost


@pytest.mark.parametrize("n_rows", [40, 400, 5000])
def test_mistakes_in_a_few_rows(n_rows: int) -> None:
    values, y = np.arange(n_rows), np.arange(n_rows) >= n_rows // 2
    most = max(1, n_rows // 200)
    for flipped in (0, most):
        own = y.copy()
        own[n_rows // 10 + 2 * np.arange(flipped)] ^= True
        assert found(values, own) == [flipped]
        assert found(np.where(values % 7, y, np.nan), y) == []  # missing in both classes
    own = y.copy()
    own[: 3 * most + 3] = np.arange(3 * most + 3) % 2
    assert found(values, own) == []


@pytest.mark.parametrize("seed", range(20))
def test_chance_is_not_reported(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.choice([4, 8, 12, 30]))
    X = rng.integers(0, rng.choice([2, 5, 1000]), (n_rows, 20)).astype(float)
    y = rng.permutation(np.arange(n_rows) % rng.choice([2, 3]))
    assert leaks([f"x{k}" for k in range(20)], lambda k: X[:, k], y) == ()
    rare = np.arange(1000) < 5  # guessing the largest class is wrong in 0.5 % of the rows
    assert leaks(["a", "b"], lambda _: rng.standard_normal(1000), rare) == ()
    names = rng.permutation(1000) // 2.0  # each value in two rows
    assert found(names, rng.integers(0, 2, 1000)) == []


def test_a_leak_of_a_rare_class() -> None:
    y = np.random.default_rng(0).permutation(100_000) < 60
    assert found(y + 0.0, y) == [0]
    assert found(np.where(np.flatnonzero(y)[:4, None] == np.arange(100_000), 0, y).min(0), y) == [4]
    assert found(np.zeros(100_000), y) == []


def test_tiny_tables_and_single_columns() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert decide_and_learn(X, [0, 0, 0, 1]).leak is None
    assert decide_and_learn(X, [0, 0, 1, 1]).leak is None
    assert decide_and_learn(np.arange(100.0)[:, None], np.arange(100) > 50).leak is None


def test_several_classes() -> None:
    values = np.random.default_rng(0).permutation(300) / 7
    low, high = np.quantile(values, [0.2, 0.6])
    y = np.where(values < low, "b", np.where(values < high, "c", "a"))
    assert found(values, y) == [0]
    one, two = np.argsort(values)[[20, 120]]
    y[one] = "d"  # misspelled
    assert found(values, y) == [1]
    y[two] = "e"
    assert found(values, y) == []
    kinds = np.arange(300) % 6
    assert found(kinds, np.array(list("abcabd"))[kinds]) == [0]  # sets of values
    assert found(np.where(kinds == 2, np.nan, kinds), np.array(list("abcabd"))[kinds]) == [0]


def test_decide_and_learn_names_the_column() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 3)), rng.integers(0, 2, 80)
    X[:, 1] = y * 3 + rng.random(80)
    sentence = "column {} alone separates the classes; if it is only known afterward, "
    report = decide_and_learn(X, y)
    assert report.leak == sentence.format("x1") + "leave x1 out of X"
    assert str(report).splitlines()[0].split(maxsplit=1) == ["Leak", report.leak]
    frame = pd.DataFrame(X, columns=["age", "alive", "fare"])
    found = decide_and_learn(frame, y).leak
    assert found == sentence.format("alive") + "use TableEncoder(ignore=['alive'])"
    encoded = TableEncoder(ignore=["alive"]).fit_transform(frame)
    assert decide_and_learn(encoded, y).leak is None
    assert decide_and_learn(sp.csr_matrix(X), y).leak is None
