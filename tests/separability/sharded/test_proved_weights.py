"""Weights over shards: what is counted is exact, what is proved is true of all samples."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from margin import dot
from proofs import Weights, exact, margin_squared, vectors
from rosenblatt import Digest, Perceptron, SeparatingHyperplane, Verdict, separate
from rosenblatt.certificates import from_json
from rosenblatt.core.errors import InputError
from rosenblatt.separability.sharded.claims import (
    Asked,
    Chunk,
    Claim,
    halfspace_claims,
    joint_claim,
)
from rosenblatt.separability.sharded.measured import Measured, joined, measured
from rosenblatt.separability.sharded.proved_weights import prove_measured
from shards_in_memory import Shard, dealt
from strategies import INTEGERS, MAGNITUDES, TENTHS, labels, matrices, samples


def over(shards: list[Shard], asked: Asked, claim: Claim) -> Measured:
    return joined(measured(asked, claim, chunks) for chunks in shards)


def drawn_weights(data: st.DataObject, size: int) -> Weights:
    if data.draw(st.booleans()):
        whole = st.integers(-3, 3) | st.integers(-(2**80), 2**80)
        found = tuple(data.draw(st.lists(whole, min_size=size, max_size=size)))
        return found if any(found) else (1,) * size
    pool = st.sampled_from([0.0, *INTEGERS, *TENTHS, *MAGNITUDES])
    row = np.array(data.draw(st.lists(pool, min_size=size, max_size=size)))
    return row if row.any() else np.ones(size)


@given(samples(), st.sampled_from([0.0, 1.0]), st.booleans(), st.data())
def test_mistakes_are_exact_and_the_least_margin_is_proved(
    X: np.ndarray, constant: float, joint: bool, data: st.DataObject
) -> None:
    y = data.draw(labels(len(X), [0, 1, 2] if joint else [0, 1]))
    classes = np.unique(y)
    weights = drawn_weights(data, (X.shape[1] + 1) * (len(classes) if joint else 1))
    positive = None if joint else 1
    matrix = sp.csr_array(X) if data.draw(st.booleans()) else X
    shards = data.draw(dealt(matrix, y))
    asked, claim = Asked(classes, constant), Claim(positive, weights)
    found = over(shards, asked, claim)
    # The slow twin: every vector written out, every number a fraction.
    true = vectors(X, y, None if joint else 1, int(constant))
    scores = {key: dot(exact(weights), z) for key, z in true.items()}
    wrong = {key[0] if joint else key for key, score in scores.items() if score <= 0}
    assert found.n_samples == len(X)
    assert found.n_mistakes == len(wrong)
    certificate = prove_measured(asked, claim, found, Digest.of(matrix, y))
    if wrong:
        assert certificate is None
        return
    assert 0 < found.least <= min(scores.values())
    assert certificate.verify(X, y)
    assert certificate.verify(X, y, exact=True)
    assert from_json(certificate.to_json()) == certificate
    true_squared = margin_squared(true, weights, "augmented")
    if true_squared > Fraction(1e-200):
        assert float(certificate.lower_squared / true_squared) >= 1 - 1e-6 or _cancels(X, weights)


def _cancels(X: np.ndarray, weights: Weights) -> bool:
    """Whether terms of very different sizes are added, so that floats lose digits."""
    sizes = [abs(float(value)) for value in [*X.ravel(), *weights] if value]
    return bool(sizes) and max(sizes) > 1e4 * min(sizes)


@given(st.sampled_from([INTEGERS, TENTHS]), st.data())
def test_the_cutting_changes_nothing(pool: list[float], data: st.DataObject) -> None:
    X = data.draw(matrices(pool, st.integers(2, 9), st.integers(1, 4)))
    y = data.draw(labels(len(X), ["a", "b"]))
    asked = Asked(np.unique(y), 1.0, unit_length=data.draw(st.booleans()))
    claim = Claim(1, drawn_weights(data, X.shape[1] + 1), Fraction(1, 7))
    whole = measured(asked, claim, [Chunk(X, np.unique(y, return_inverse=True)[1], np.arange(9))])
    assert over(data.draw(dealt(X, y)), asked, claim) == whole


@given(st.sampled_from([{}, {"margin": "affine"}, {"fit_intercept": False}, {"unit_length": True}]),
       st.booleans(), st.data())  # fmt: skip
def test_what_one_machine_proves_is_proved_of_the_shards(
    options: dict[str, object], wants_exact: bool, data: st.DataObject
) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 3)))
    y = data.draw(labels(len(X), [0, 1]))
    unit_length = bool(options.get("unit_length"))
    s = separate(X, y, exact=wants_exact and not unit_length, **options)
    if s.verdict is not Verdict.SEPARABLE:
        return
    one = s.certificate
    asked = Asked(np.array([0, 1]), one.constant, one.margin, unit_length)
    claim = Claim(1, one.weights, one.lower_squared)
    found = over(data.draw(dealt(X, y)), asked, claim)
    if isinstance(one.weights, tuple):
        assert found.n_short == 0  # whole numbers leave no doubt
    certificate = prove_measured(asked, claim, found, Digest.of(X, y))
    assert certificate.verify(X, y, exact=True)
    assert certificate.lower >= one.lower * (1 - 1e-9)
    too_much = Claim(1, one.weights, one.upper_squared * Fraction(1001, 1000))
    assert over(data.draw(dealt(X, y)), asked, too_much).n_short > 0


@pytest.mark.parametrize("joint", [False, True])
def test_the_weights_of_a_run_on_three_classes(joint: bool) -> None:
    X = np.array([[0.0, 9.0], [1.0, 8.0], [9.0, 0.0], [8.0, -1.0], [-7.0, -9.0], [-8.0, -7.0]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    model = Perceptron(multiclass="joint" if joint else "one-vs-rest").fit(X, y)
    weights = np.column_stack([model.coef_, model.intercept_])
    claims = [joint_claim(weights)] if joint else halfspace_claims(model.classes_, weights)
    codes = np.unique(y, return_inverse=True)[1]
    shards = [[Chunk(X[k::2], codes[k::2], np.arange(6)[k::2])] for k in range(2)]
    asked, digest = Asked(model.classes_, 1.0), Digest.of(X, y)
    proofs = [prove_measured(asked, claim, over(shards, asked, claim), digest) for claim in claims]
    assert [type(proof) for proof in proofs] == [SeparatingHyperplane] * (1 if joint else 3)
    assert all(proof.verify(X, y) for proof in proofs)


def test_no_weights_prove_nothing() -> None:
    asked, digest = Asked(np.array([0, 1]), 1.0), Digest.of([[1.0]], [1])
    empty = Chunk(np.zeros((0, 1)), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    claim = Claim(1, np.zeros(2))
    assert prove_measured(asked, claim, measured(asked, claim, [empty]), digest) is None
    chunk = Chunk(np.ones((1, 1)), np.array([1]), np.array([0]))
    assert prove_measured(asked, claim, measured(asked, claim, [chunk]), digest) is None


def test_a_value_that_is_no_number_is_named_by_its_row() -> None:
    chunk = Chunk(np.array([[1.0], [np.nan]]), np.array([0, 1]), np.array([5, 77]))
    with pytest.raises(InputError, match="row 77 of X contains NaN"):
        measured(Asked(np.array([0, 1]), 1.0), Claim(1, np.ones(2)), [chunk])
