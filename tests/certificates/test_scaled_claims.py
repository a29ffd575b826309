"""Claims about samples scaled to unit length: the checker says what fractions and decimals say."""

import json
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from proofs import Vectors, dot, exact, summed, vectors
from rosenblatt import InputError
from rosenblatt.certificates import Digest, SeparatingHyperplane, from_json
from rosenblatt.certificates.combination import Combination
from rosenblatt.certificates.rounding import Weights
from strategies import labels, samples

FINE = Fraction(1, 2**110)


def row_of(key: int | tuple[int, int]) -> int:
    return key if isinstance(key, int) else key[0]


def margin_squared(z: Vectors, squares: list[Fraction], weights: Weights) -> Fraction | None:
    """The least (w·z)²/(‖w‖²·‖x‖²), or None if the weights do not separate."""
    w = exact(weights)
    scores = {key: dot(w, one) for key, one in z.items()}
    if min(scores.values()) <= 0:
        return None
    return min(s**2 / (dot(w, w) * squares[row_of(key)]) for key, s in scores.items())


def length_sum(squares: list[Fraction], counts: Combination) -> Fraction:
    """Σ count·‖x‖, to a thousand digits."""
    with localcontext(prec=1000):
        roots = [(Decimal(q.numerator) / Decimal(q.denominator)).sqrt() for q in squares]
        total = sum((n * roots[row_of(key)] for key, n in counts.items()), Decimal(0))
    return Fraction(total)


@given(samples(), st.data())
def test_the_checker_says_what_fractions_say(X: np.ndarray, data: st.DataObject) -> None:
    y = data.draw(labels(len(X), ["a", "b", "c"]))
    classes = tuple(sorted(set(y.tolist())))
    positive = data.draw(st.sampled_from([*classes, None]))
    constant = data.draw(st.integers(0, 1))
    z = vectors(X, y, positive, constant)
    squares = [sum(Fraction(v) ** 2 for v in row) + constant for row in X.tolist()]
    assume(all(squares))
    weights: Weights = np.array([float(value) for value in summed(z, dict.fromkeys(z, 1))])
    if data.draw(st.booleans()):
        pool = st.integers(-9, 9).map(float)
        weights = np.array(data.draw(st.lists(pool, min_size=len(weights), max_size=len(weights))))
    assume(np.isfinite(weights).all() and weights.any())
    if data.draw(st.booleans()):
        weights = tuple(int(Fraction(weight) * 2**60) for weight in weights.tolist())
        assume(any(weights))
    stored = data.draw(st.sampled_from([X, sp.csr_array(X)]))
    checks = {"exact": data.draw(st.booleans())}

    true = margin_squared(z, squares, weights)
    claimed = true if true is not None else Fraction(1, 10**900)
    common = Digest.of(stored, y), classes, positive, float(constant), "augmented"
    plane = SeparatingHyperplane(*common, weights, claimed, unit_length=True)
    assert plane.verify(stored, y, **checks) == (true is not None)
    assert not replace(plane, lower_squared=claimed * (1 + FINE)).verify(stored, y, **checks)
    if true is None:
        return
    counts: Combination = data.draw(
        st.dictionaries(st.sampled_from(sorted(z)), st.integers(1, 9), min_size=1, max_size=5)
    )
    total = summed(z, counts)
    upper = dot(total, total) / length_sum(squares, counts) ** 2
    both = replace(plane, combination=counts, upper_squared=upper * (1 + FINE))
    assert both.verify(stored, y, **checks)
    assert not replace(both, upper_squared=upper * (1 - FINE)).verify(stored, y, **checks)
    assert from_json(both.to_json()) == both


def proof(**changes: object) -> SeparatingHyperplane:
    common = Digest.of(X, Y), (0, 1), 1, 0.0, "augmented"
    half = Fraction(1, 2)
    plane = SeparatingHyperplane(*common, (1, 1, 0), half, {0: 1, 1: 3}, half, unit_length=True)
    return replace(plane, **changes)


X, Y = np.array([[3.0, 0.0], [0.0, -1.0]]), np.array([1, 0])


@pytest.mark.parametrize("exact", [False, True])
def test_lengths_that_are_whole_are_exact(exact: bool) -> None:
    assert proof().falsehood(X, Y, exact=exact) is None
    assert proof(upper_squared=Fraction(1, 2) - FINE, lower_squared=Fraction(1, 3)).falsehood(
        X, Y, exact=exact
    ) == ("the claimed upper bound on the margin is too low: the combination is longer")
    # Of the samples as they are, the same weights have another margin.
    plain = proof(unit_length=False)
    assert plain.falsehood(X, Y, exact=exact) is not None
    assert proof(combination={0: 1, 1: 1}).falsehood(X, Y, exact=exact) is not None


def test_a_combination_without_length_bounds_nothing() -> None:
    table = np.vstack([X, np.zeros((1, 2))])
    digest = Digest.of(table, [1, 0, 1])
    assert proof(digest=digest, combination={2: 1}).falsehood(table, [1, 0, 1]) == (
        "the combination counts only samples of length 0, which have no unit length"
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"margin": "affine", "constant": 1.0}, "no affine margin of samples of unit length"),
        ({"unit_length": 1}, "unit_length is 1, which is neither True nor False"),
        ({"unit_length": None}, "unit_length is None"),
    ],
)
def test_what_makes_no_sense_is_false(changes: dict[str, object], said: str) -> None:
    assert said in str(proof(**changes).falsehood(X, Y))


def test_documents_say_it_in_version_2() -> None:
    document = json.loads(proof().to_json())
    assert (document["version"], document["unit_length"]) == (2, True)
    plain = json.loads(proof(unit_length=False).to_json())
    assert plain["version"] == 1
    assert "unit_length" not in plain
    assert proof() != proof(unit_length=False)
    for changes, said in [
        ({"version": 1}, "the entry 'unit_length' is what tells version 2 from version 1"),
        ({"version": 3}, "version 3, but this rosenblatt reads 1 and 2"),
        ({"unit_length": False}, "unit_length of the certificate is False: true"),
        ({"unit_length": 1}, "unit_length of the certificate is 1: true"),
    ]:
        with pytest.raises(InputError, match=said):
            from_json(json.dumps({**document, **changes}))
    with pytest.raises(InputError, match="tells version 2 from version 1"):
        from_json(json.dumps({**plain, "version": 2}))
