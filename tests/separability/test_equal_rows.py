"""Exactly the equal samples with different labels are found, in any storage."""

from itertools import combinations, permutations
from typing import Any, get_type_hints

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Separation, Separations, Verdict, separate
from rosenblatt.core.types import MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.equal_rows import equal_pairs, equal_rows
from rosenblatt.separability.results.result_text import separation_lines
from rosenblatt.separability.signed_samples import Vectors
from strategies import INTEGERS, MAGNITUDES, matrices


def _pairs(X: MatrixLike, signs: object, constant: float = 1.0) -> list[tuple[int, int]]:
    samples = Vectors(as_rows(X, constant), np.ones(X.shape[0], dtype=np.int8), X.shape[1] + 1)
    return equal_rows(samples, np.asarray(signs))


def _naive(X: np.ndarray, codes: list[int]) -> list[tuple[int, int]]:
    """Return the first of each set of equal samples, paired with the first that has another code."""
    groups: dict[tuple, list[int]] = {}
    for i, row in enumerate(X.tolist()):
        groups.setdefault(tuple(value + 0.0 for value in row), []).append(i)
    found = []
    for same in groups.values():
        others = [i for i in same if codes[i] != codes[same[0]]]
        if others:
            found.append((same[0], others[0]))
    return sorted(found)


@given(
    st.sampled_from([INTEGERS[2:5], MAGNITUDES[:3]]).flatmap(
        lambda pool: matrices(pool, st.integers(1, 12), st.integers(1, 3))
    ),
    st.lists(st.sampled_from([1, -1]), min_size=12, max_size=12),
    st.booleans(),
)
def test_exactly_the_equal_pairs_are_found(X: np.ndarray, codes: list[int], sparse: bool) -> None:
    codes = codes[: len(X)]
    assert _pairs(sp.csr_matrix(X) if sparse else X, codes) == _naive(X, codes)


@given(
    matrices(INTEGERS[2:5], st.integers(1, 12), st.integers(1, 2)),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_many_codes(X: np.ndarray, codes: list[int]) -> None:
    # For all classes jointly the vectors are the samples themselves, without signs.
    codes = codes[: len(X)]
    ones = np.ones(len(X), dtype=np.int8)
    vectors = Vectors(as_rows(X, 1.0), ones, X.shape[1] + 1)
    assert equal_rows(vectors, np.array(codes)) == _naive(X, codes)


@given(
    matrices(INTEGERS[2:5], st.integers(2, 6), st.integers(1, 2)),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.booleans(),
)
def test_pairs_by_chance(X: np.ndarray, codes: list[int], sparse: bool) -> None:
    codes = codes[: len(X)]
    equal = [(i, j) for i, j in combinations(range(len(X)), 2) if (X[i] == X[j]).all()]
    counts = [sum(own[i] != own[j] for i, j in equal) for own in permutations(codes)]
    rows = as_rows(sp.csr_matrix(X) if sparse else X, 1.0)
    samples = Vectors(rows, np.ones(len(X), dtype=np.int8), X.shape[1] + 1)
    found, expected = equal_pairs(samples, np.array(codes))
    assert found == counts[0]  # the first permutation is the identity
    assert expected == pytest.approx(sum(counts) / len(counts))


@pytest.mark.parametrize("form", [np.array, sp.csr_matrix, np.float32])
def test_separate_reports_equal_pairs(form: Any) -> None:
    X = form([[0.0], [1.0], [0.0], [1.0], [1.0], [2.0]])
    s = separate(X, ["a", "a", "b", "b", "b", "b"])
    assert s.equal_pairs == (3, pytest.approx(4 * 8 / 15))
    assert separation_lines(s)["Equal rows"] == (
        "3 pairs have different labels; labels in random order would give about 2.1"
    )
    assert separate([[0.0], [1.0], [2.0]], [1, 0, 1]).equal_pairs is None
    jointly = separate(X, ["a", "a", "b", "b", "b", "c"])
    assert jointly.equal_pairs == (3, pytest.approx(4 * 11 / 15))


def test_many_classes_have_the_attributes_of_the_joint_separation() -> None:
    X = np.array([[float(k // 2)] for k in range(14)] + [[0.0]])
    s = separate(X, [*"abababababab", *"cd", "b"])
    assert get_type_hints(separate)["return"] is Separation
    assert isinstance(s, Separations)
    assert s.conflicts == s.joint.conflicts
    assert s.conflicts[0].rows == (0, 1)
    assert s.conflicts[1].rows == (12, 13)  # of classes that no earlier conflict names
    assert s.certificate.verify(X, [*"abababababab", *"cd", "b"])
    assert (str(s), s.mistake_bound, s.margin) == (str(s.joint), None, s.joint.margin)


def test_adjacent_floats_are_not_equal() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    near = X.copy()
    near[np.arange(40), rng.integers(0, 5, 40)] *= 1 + 2.0**-52
    both = np.vstack([X, near])
    signs = np.repeat([1, -1], 40)
    assert not (near == X).all(axis=1).any()
    assert _pairs(both, signs) == []
    assert _pairs(np.vstack([X, X]), signs) == [(i, i + 40) for i in range(40)]


def test_different_samples_of_the_same_length_are_not_equal() -> None:
    X = np.array([[3.0, 4.0], [4.0, 3.0], [-3.0, 4.0], [5.0, 0.0], [0.0, 5.0]])
    assert _pairs(X, [1, -1, -1, 1, -1]) == []


def test_a_sample_and_its_negative_are_not_equal() -> None:
    # Their vectors z are equal, but with an intercept that is not a contradiction.
    X = np.array([[1.0, 2.0], [-1.0, -2.0]])
    assert _pairs(X, [1, -1]) == _pairs(X, [1, -1], constant=0.0) == []
    assert separate(X, [1, 0]).verdict is Verdict.SEPARABLE


def test_negative_zero_equals_zero() -> None:
    assert _pairs(np.array([[0.0, 1.0], [-0.0, 1.0]]), [1, -1]) == [(0, 1)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [True, False])
def test_a_few_pairs_among_thousands(dtype: type, sparse: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 12)).astype(dtype)
    signs = rng.choice([1, -1], 5000)
    expected = sorted([(17, 4000), (18, 44), (300, 4999)])
    for i, j in expected:
        X[j], signs[j] = X[i], -signs[i]
    assert _pairs(sp.csr_matrix(X) if sparse else X, signs) == expected


def test_thousands_of_copies_give_one_pair() -> None:
    X = np.tile([[1.5, 2.5]], (6000, 1))
    signs = np.ones(6000, dtype=np.int8)
    signs[4321] = -1
    assert _pairs(X, signs) == [(0, 4321)]
    s = separate(X, signs)
    assert s.conflicts[0].rows == (0, 4321)
    assert s.certificate.verify(X, signs)


def test_every_pair_is_a_separate_conflict() -> None:
    X = np.array([[1.0], [2.0], [1.0], [2.0], [3.0]])
    s = separate(X, ["a", "a", "b", "b", "b"])
    assert [conflict.rows for conflict in s.conflicts] == [(0, 2), (1, 3)]
    assert s.certificate.combination == {0: 1, 2: 1}
    assert s.support.tolist() == [0, 2]
