"""The digest in parts is the digest of the whole, wherever the samples are cut."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.certificates import Digest, digest
from rosenblatt.certificates.digest_parts import (
    Chunks,
    StretchFacts,
    joined_digest,
    planned,
    stretch_facts,
    stretch_hashes,
)
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike
from strategies import INTEGERS, matrices


def in_parts(X: MatrixLike, y: np.ndarray, stretches: list[list[tuple[int, int]]]) -> Digest:
    """The digest by workers, each of which sees its own chunks only, twice."""

    def chunks(cuts: list[tuple[int, int]]) -> Chunks:
        return ((X[start:stop], y[start:stop]) for start, stop in cuts)

    plan = pickle.loads(pickle.dumps(planned([stretch_facts(chunks(own)) for own in stretches])))
    parts = [stretch_hashes(chunks(own), plan, i) for i, own in enumerate(stretches)]
    return joined_digest(plan, pickle.loads(pickle.dumps(parts)))


def cut(cuts: list[int], n: int) -> list[tuple[int, int]]:
    return list(pairwise([0, *sorted(cuts), n]))


@pytest.mark.parametrize("block_bytes", [1, 24, 64, 1 << 22])
def test_any_cutting_gives_the_digest_of_the_whole(
    block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "_BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(digest, "_CACHE_BYTES", 16)

    @given(matrices(INTEGERS, st.integers(0, 12), st.integers(0, 4)), st.data())
    def check(X: np.ndarray, data: st.DataObject) -> None:
        n = len(X)
        X = X.astype(data.draw(st.sampled_from([np.float64, np.float32, np.int8])))
        # Classes in order, so that most stretches lack some.
        names = data.draw(st.sampled_from([["a", "b", "c"], [0, 1, 2]]))
        y = np.array(sorted(data.draw(st.lists(st.sampled_from(names), min_size=n, max_size=n))))
        chunks = cut(data.draw(st.lists(st.integers(0, n), max_size=8)), n)
        ends = data.draw(st.lists(st.integers(0, len(chunks)), max_size=4))
        stretches = [chunks[first:last] for first, last in cut(ends, len(chunks))]
        matrix = X if data.draw(st.booleans()) else sp.csr_array(X)
        assert in_parts(matrix, y, stretches) == Digest.of(matrix, y)

    check()


def test_blocks_of_megabytes() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60_000, 30)).astype(np.float64)
    y = np.array(["no", "yes"])[(np.arange(len(X)) > 50_000).astype(int)]
    stretches = [[(0, 1)], [(1, 15_000), (15_000, 37_001)], [(37_001, 60_000)]]
    for matrix in (X, sp.csr_array(X)):
        assert in_parts(matrix, y, stretches) == Digest.of(matrix, y)


def test_stored_zeros_and_unsorted_columns_are_read_as_ever() -> None:
    X = sp.csr_array(([1.0, 0.0, 2.0, 1.0, 1.0], [2, 0, 1, 0, 0], [0, 3, 5]), shape=(2, 3))
    y = np.array([0, 1])
    facts = stretch_facts([(X[:1], y[:1]), (X[1:], y[1:])])
    assert facts.n_stored == 3
    assert in_parts(X, y, [[(0, 1)], [(1, 2)]]) == Digest.of(X, y)


def test_a_wider_type_elsewhere_is_the_type_of_all() -> None:
    whole, half = np.array([[1, 2]], dtype=np.int8), np.array([[0.5, 1e300]])
    chunks: list[tuple[MatrixLike, LabelsLike]] = [(whole, ["a"]), (half, ["b"])]
    plan = planned([stretch_facts([chunk]) for chunk in chunks])
    parts = [stretch_hashes([chunk], plan, i) for i, chunk in enumerate(chunks)]
    assert joined_digest(plan, parts) == Digest.of(np.vstack([whole, half]), ["a", "b"])


def test_samples_that_do_not_belong_together_are_refused() -> None:
    one: Chunks = [([[1.0]], ["a"])]
    for other, words in (
        ([([[1.0, 2.0]], ["a"])], "1 features here and 2 there"),
        ([(sp.csr_array([[1.0]]), ["a"])], "sparse here and dense there"),
        ([([[1.0]], [1])], "cannot be sorted"),
    ):
        with pytest.raises(InputError, match=words):
            planned([stretch_facts(one), stretch_facts(other)])
    with pytest.raises(InputError, match="no samples"):
        planned([StretchFacts()])


@pytest.mark.parametrize(
    "now",
    [
        [([[1.0], [2.0], [3.0]], [0, 1, 1])],
        [([[1.0]], [0])],
        [([[1.0, 0.0], [2.0, 0.0]], [0, 1])],
        [(sp.csr_array([[1.0], [2.0]]), [0, 1])],
        [],
    ],
)
def test_samples_that_have_changed_between_the_passes_are_refused(now: Chunks) -> None:
    plan = planned([stretch_facts([([[1.0], [2.0]], [0, 1])])])
    with pytest.raises(InputError, match="other samples than when they were counted"):
        stretch_hashes(now, plan, 0)


def test_a_label_that_has_turned_up_since_is_refused() -> None:
    plan = planned([stretch_facts([([[1.0], [2.0]], [0, 1])])])
    with pytest.raises(InputError, match="the label 7 of y is none of the 2 classes"):
        stretch_hashes([([[1.0], [2.0]], [0, 7])], plan, 0)
