"""True certificates verify, and certificates with one changed part do not."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from proofs import margin_squared, upper_squared, vectors
from rosenblatt.certificates import Digest, HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.certificate import Certificate
from rosenblatt.core.types import LabelsLike, MatrixLike

SIGNS = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])

# name: samples, labels, weights, counts, the square of the maximum margin
SEPARABLE: dict[str, object] = {
    "AND of signs": (SIGNS, [0, 0, 0, 1], (1, 1, -1), {1: 1, 2: 1, 3: 1}, (1, 3)),
    "OR of signs": (SIGNS, [0, 1, 1, 1], (1, 1, 1), {0: 1, 1: 1, 2: 1}, (1, 3)),
    "NAND of signs": (SIGNS, [1, 1, 1, 0], (-1, -1, 1), {1: 1, 2: 1, 3: 1}, (1, 3)),
    "AND of bits": (BITS, [0, 0, 0, 1], (2, 2, -3), {1: 5, 2: 5, 3: 7}, (1, 17)),
    "OR of bits": (BITS, [0, 1, 1, 1], (2, 2, -1), {0: 5, 1: 2, 2: 2}, (1, 9)),
    "NAND of bits": (BITS, [1, 1, 1, 0], (-2, -2, 3), {1: 5, 2: 5, 3: 7}, (1, 17)),
    "Li Hang": ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], (1, 1, -4), {0: 5, 2: 13}, (2, 9)),
}


def _separable(
    name: str, *, floats: bool = False
) -> tuple[SeparatingHyperplane, MatrixLike, LabelsLike]:
    X, y, weights, counts, square = SEPARABLE[name]
    X, y = np.array(X, dtype=float), np.array(y)
    classes = tuple(sorted(set(y.tolist())))
    certificate = SeparatingHyperplane(
        digest=Digest.of(X, y),
        classes=classes,
        positive=classes[-1],
        constant=1.0,
        margin="augmented",
        weights=np.array(weights, dtype=float) if floats else weights,
        lower_squared=Fraction(*square),
        combination=counts,
        upper_squared=Fraction(*square),
    )
    return certificate, X, y


def _xor(X: np.ndarray) -> tuple[HullIntersection, np.ndarray, np.ndarray]:
    y = np.array(["even", "odd", "odd", "even"])
    counts = {0: 1, 1: 1, 2: 1, 3: 1}
    return (
        HullIntersection(Digest.of(X, y), ("even", "odd"), "odd", 1.0, "augmented", counts),
        X,
        y,
    )


def _assert_false(certificate: Certificate, X: MatrixLike, y: LabelsLike, sentence: str) -> None:
    for exact in (False, True):
        false = certificate.falsehood(X, y, exact=exact)
        assert false is not None
        assert sentence in false
        assert not certificate.verify(X, y, exact=exact)


STORAGES = [
    np.asarray,
    np.asfortranarray,
    lambda X: X.astype(np.float32),
    lambda X: X.astype(np.int8),
    lambda X: X.tolist(),
    sp.csr_array,
    sp.csc_matrix,
    lambda X: sp.coo_array(X.astype(np.int64)),
]


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("store", STORAGES)
@pytest.mark.parametrize("exact", [False, True])
def test_worked_examples(
    name: str, floats: bool, store: Callable[[np.ndarray], MatrixLike], exact: bool
) -> None:
    certificate, X, y = _separable(name, floats=floats)
    assert certificate.falsehood(store(X), y, exact=exact) is None
    stored = replace(certificate, digest=Digest.of(store(X), y))
    assert stored.falsehood(X, y.tolist(), exact=exact) is None
    assert certificate.lower <= certificate.upper
    assert (
        (np.asarray(X) @ certificate.coef.T + certificate.intercept > 0)[:, 0] == (y == 1)
    ).all()


@pytest.mark.parametrize("X", [SIGNS, BITS])
@pytest.mark.parametrize("store", STORAGES)
def test_nothing_separates_xor(X: np.ndarray, store: Callable[[np.ndarray], MatrixLike]) -> None:
    certificate, X, y = _xor(X)
    assert certificate.rows == [0, 1, 2, 3]
    assert certificate.verify(store(X), y)
    assert replace(certificate, positive="even").verify(store(X), y, exact=True)


def test_orthonormal_samples_attain_the_bound() -> None:
    X, y = np.eye(5), np.ones(5)
    bound = Fraction(1, 5)
    certificate = SeparatingHyperplane(
        Digest.of(X, y),
        (1,),
        1,
        0.0,
        "augmented",
        (1,) * 5 + (0,),
        bound,
        dict.fromkeys(range(5), 1),
        bound,
    )
    assert certificate.verify(X, y)
    assert certificate.verify(sp.csr_array(X), y, exact=True)


def test_the_affine_margin_is_half_the_distance_of_the_hulls() -> None:
    X, y = np.array([[0.0, 0.0], [0.0, 4.0], [3.0, 2.0]]), np.array(["l", "l", "r"])
    bound = Fraction(9, 4)
    certificate = SeparatingHyperplane(
        Digest.of(X, y),
        ("l", "r"),
        "r",
        1.0,
        "affine",
        (2, 0, -3),
        bound,
        {0: 1, 1: 1, 2: 2},
        bound,
    )
    assert certificate.verify(X, y)
    assert certificate.verify(X, y, exact=True)
    assert (certificate.lower, certificate.upper) == (1.5, 1.5)
    unbalanced = replace(certificate, combination={0: 1, 1: 1, 2: 1}, upper_squared=Fraction(99))
    _assert_false(unbalanced, X, y, "different total counts")
    _assert_false(replace(certificate, constant=0.0), X, y, "no affine margin")
    _assert_false(replace(certificate, positive=None), X, y, "no affine margin")
    _assert_false(replace(certificate, weights=(0, 0, 1)), X, y, "the weights are all zero")
    _assert_false(replace(certificate, margin="augmented"), X, y, "too high")


TAMPERED: list[tuple[dict[str, object], str]] = [
    ({"weights": (1, 1, 0)}, "row 1 is on the hyperplane"),
    ({"weights": (-1, -1, 1)}, "row 0 is on the wrong side"),
    ({"weights": (0, 0, 0)}, "the weights are all zero"),
    ({"weights": (1, 1)}, "there are 2 weights, but the data needs 3"),
    ({"weights": (1, 1, -1, 0)}, "there are 4 weights"),
    ({"weights": (1, 1.0, -1)}, "not all of them are integers"),
    ({"weights": (1, True, -1)}, "not all of them are integers"),
    ({"weights": np.array([1.0, np.nan, -1.0])}, "NaN or infinity"),
    ({"weights": np.array([1.0, np.inf, -1.0])}, "NaN or infinity"),
    ({"weights": np.array([1, 1, -1])}, "neither a one-dimensional float64 array"),
    ({"weights": np.array([[1.0, 1.0, -1.0]])}, "neither a one-dimensional float64 array"),
    ({"weights": [1.0, 1.0, -1.0]}, "neither a one-dimensional float64 array"),
    ({"weights": None}, "neither a one-dimensional float64 array"),
    ({"weights": np.array([1.0, 1.0, np.nextafter(-1.0, 0.0)])}, "too high: row 1 is nearer"),
    ({"weights": np.array([1.0, np.nextafter(1.0, 2.0), -1.0])}, "too high: row 1 is nearer"),
    ({"lower_squared": Fraction(10**40 + 1, 3 * 10**40)}, "below the claimed lower bound"),
    ({"lower_squared": Fraction(0)}, "not a rational number above 0"),
    ({"lower_squared": Fraction(-1, 3)}, "not a rational number above 0"),
    ({"lower_squared": 0.3}, "not a rational number above 0"),
    ({"lower_squared": None}, "not a rational number above 0"),
    ({"upper_squared": Fraction(1, 4)}, "below the claimed lower bound"),
    ({"upper_squared": 0.34}, "not a rational number"),
    ({"upper_squared": None}, "needs a combination of rows"),
    ({"combination": None}, "needs a combination of rows"),
    ({"combination": {}}, "is empty"),
    ({"combination": [1, 2]}, "is empty"),
    ({"combination": {1: 1, 2: 1, 3: -1}}, "not a positive integer"),
    ({"combination": {1: 1, 2: 1, 3: 0}}, "not a positive integer"),
    ({"combination": {1: 1, 2: 1, 3: 1.0}}, "not a positive integer"),
    ({"combination": {1: 1, 2: 1, 3: True}}, "not a positive integer"),
    ({"combination": {1: 1, 2: 1, 4: 1}}, "names row 4, but the data has rows 0 to 3"),
    ({"combination": {1: 1, 2: 1, -1: 1}}, "names row -1"),
    ({"combination": {1: 1, 2: 1, "3": 1}}, "names row '3'"),
    ({"combination": {(1, 0): 1}}, "names row (1, 0)"),
    ({"combination": {1: 1, 2: 1, 3: 2}}, "too low"),
    ({"combination": {0: 1}}, "too low"),
    ({"constant": 0.0}, "row 1 is on the hyperplane"),
    ({"constant": 2.0}, "the constant is 2.0"),
    ({"constant": np.nan}, "the constant is nan"),
    ({"constant": None}, "the constant is None"),
    ({"margin": "largest"}, "the margin is 'largest'"),
    ({"margin": None}, "the margin is None"),
    ({"classes": (0, 2)}, "the classes"),
    ({"classes": (1, 0)}, "the classes"),
    ({"classes": ("0", "1")}, "the classes"),
    ({"classes": (0, 1, 2)}, "the classes"),
    ({"classes": [0, 1]}, "the classes"),
    ({"classes": (0, object())}, "the classes"),
    ({"classes": None}, "the classes"),
    ({"positive": 0}, "row 0 is on the wrong side"),
    ({"positive": 7}, "no class 7"),
    ({"positive": "1"}, "no class '1'"),
    ({"positive": None}, "there are 3 weights, but the data needs 6"),
    ({"digest": None}, "the digests differ"),
]


@pytest.mark.parametrize(("changes", "sentence"), TAMPERED)
def test_changed_certificate_does_not_verify(changes: dict[str, object], sentence: str) -> None:
    certificate, X, y = _separable("AND of signs")
    if "constant" in changes or "positive" in changes:
        certificate = replace(certificate, combination=None, upper_squared=None)
    _assert_false(replace(certificate, **changes), X, y, sentence)


def test_lower_bound_that_is_too_high_does_not_verify() -> None:
    certificate, X, y = _separable("AND of signs")
    without_upper = replace(certificate, combination=None, upper_squared=None)
    assert without_upper.verify(X, y)
    assert without_upper.upper == np.inf
    above = replace(without_upper, lower_squared=Fraction(10**400 + 1, 3 * 10**400))
    _assert_false(above, X, y, "too high: row 1 is nearer")


def test_upper_bound_that_is_too_low_does_not_verify() -> None:
    certificate, X, y = _separable("AND of signs")
    lower = Fraction(10**400 - 1, 3 * 10**400)
    loose = replace(certificate, lower_squared=lower)
    assert loose.verify(X, y)
    _assert_false(replace(loose, upper_squared=lower), X, y, "upper bound on the margin is too low")


def test_other_data_does_not_verify() -> None:
    certificate, X, y = _separable("AND of signs")
    ulp, nan = X.copy(), X.copy()
    ulp[2, 1] = np.nextafter(-1.0, 0.0)
    nan[2, 1] = np.nan
    for other, wrong in (
        (X, [0, 0, 1, 1]),
        (X, ["0", "0", "0", "1"]),
        (X[[1, 0, 2, 3]], y[[1, 0, 2, 3]]),
        (X[::-1], y[::-1]),
        (ulp, y),
        (nan, y),
        (X[:3], y[:3]),
        (np.c_[X, X], y),
        (sp.csr_array(ulp), y),
    ):
        _assert_false(certificate, other, wrong, "the digests differ")
        fields = {**vars(certificate.digest), "sha256": "0" * 64}
        _assert_false(replace(certificate, digest=Digest(**fields)), X, y, "the digests differ")
    for other, wrong in ((X, y[:3]), (X[0], y), ("X", y), (X, None), ([[1], [2, 3]], y)):
        _assert_false(certificate, other, wrong, "the data cannot be read")


def test_rows_with_nan_or_infinity_do_not_verify() -> None:
    X = np.array([[1.0, 0.0], [np.nan, 0.0], [-1.0, 0.0], [-2.0, np.inf]])
    y = np.array([1, 1, 0, 0])
    for store in (np.asarray, sp.csr_array):
        certificate = SeparatingHyperplane(
            Digest.of(store(X), y), (0, 1), 1, 0.0, "augmented", (1, 0, 0), Fraction(1, 9)
        )
        _assert_false(certificate, store(X), y, "row 1 contains NaN or infinity")
        crossing = HullIntersection(
            Digest.of(store(X), y), (0, 1), 1, 0.0, "augmented", {0: 1, 2: 1, 3: 1}
        )
        _assert_false(crossing, store(X), y, "row 3 contains NaN or infinity")


def test_hull_intersection_of_separable_data_does_not_verify() -> None:
    certificate, X, y = _separable("AND of signs")
    digest, classes = certificate.digest, certificate.classes
    for counts in ({1: 1, 2: 1, 3: 2}, {0: 1}, {0: 10**50, 3: 1}):
        claim = HullIntersection(digest, classes, 1, 1.0, "augmented", counts)
        _assert_false(claim, X, y, "does not sum to zero in column 0")
    claim = HullIntersection(digest, classes, 1, 1.0, "augmented", {1: 1, 2: 1})
    _assert_false(
        claim, X, y, "the combination of rows 1 and 2 does not sum to zero in the constant"
    )
    assert HullIntersection(digest, classes, 1, 0.0, "augmented", {1: 1, 2: 1}).verify(X, y)
    for counts in ({}, {0: 0}, {0: -1}, {4: 1}, {True: 1}, None):
        assert not HullIntersection(digest, classes, 1, 1.0, "augmented", counts).verify(X, y)
    xor, X, y = _xor(SIGNS)
    _assert_false(replace(xor, combination={0: 1, 1: 1, 2: 1, 3: 2}), X, y, "in column 0")


def test_all_classes_jointly() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array(["a", "b", "c"])
    weights = np.array([2.0, -1.0, 0.0, -1.0, 2.0, 0.0, -1.0, -1.0, 0.0])
    z = vectors(X, y, None, 1)
    counts = dict.fromkeys(z, 1)
    lower, upper = margin_squared(z, weights, "augmented"), upper_squared(z, counts)
    assert lower is not None
    certificate = SeparatingHyperplane(
        Digest.of(X, y), ("a", "b", "c"), None, 1.0, "augmented", weights, lower, counts, upper
    )
    for store in (np.asarray, sp.csr_array):
        assert certificate.verify(store(X), y)
        assert certificate.verify(store(X), y, exact=True)
    assert certificate.coef.shape == (3, 2)
    assert certificate.intercept.tolist() == [0.0, 0.0, 0.0]
    more = replace(certificate, lower_squared=lower * Fraction(10**30 + 1, 10**30))
    _assert_false(more, X, y, "too high: row 0 is nearer to class 'b'")
    less = replace(certificate, upper_squared=upper * Fraction(10**30 - 1, 10**30))
    _assert_false(less, X, y, "too low")
    _assert_false(
        replace(certificate, weights=-weights), X, y, "row 0 does not score its own class 'a'"
    )
    for key in ((0, 0), (0, 3), (3, 0), (0, -1), 0, (0, "b"), (0,), (0, 1.0)):
        _assert_false(replace(certificate, combination={key: 1}), X, y, "the combination names")


def test_equal_samples_of_two_classes_are_inseparable() -> None:
    X, y = np.array([[1.0], [2.0], [2.0]]), np.array([0, 1, 2])
    claim = HullIntersection(
        Digest.of(X, y), (0, 1, 2), None, 1.0, "augmented", {(1, 2): 3, (2, 1): 3}
    )
    assert claim.verify(X, y)
    assert claim.rows == [1, 2]
    wrong = replace(claim, combination={(0, 1): 1, (1, 0): 1})
    _assert_false(wrong, X, y, "does not sum to zero in column 0 of class 0")
    alone = HullIntersection(Digest.of(X, y * 0), (0,), None, 1.0, "augmented", {(0, 1): 1})
    _assert_false(alone, X, y * 0, "fewer than two classes")


def test_certificate_copies_its_weights() -> None:
    certificate, X, y = _separable("AND of signs", floats=True)
    weights = np.array([1.0, 1.0, -1.0])
    copied = replace(certificate, weights=weights)
    weights[0] = 9.0
    assert copied.verify(X, y)
    with pytest.raises(ValueError, match="read-only"):
        copied.weights[0] = 9.0


def test_representations_and_equality() -> None:
    certificate, _, _ = _separable("AND of signs")
    assert repr(certificate) == (
        "<SeparatingHyperplane of 4 samples with 2 features: the maximum margin (augmented) is in "
        "[0.57735, 0.577351]>"
    )
    xor, _, _ = _xor(SIGNS)
    assert repr(xor) == (
        "<HullIntersection of 4 vectors, of 4 samples with 2 features: no hyperplane strictly separates "
        "'odd' from all other samples>"
    )
    assert xor == _xor(SIGNS)[0]
    assert xor != certificate
    assert xor != "xor"
    assert len({xor, _xor(SIGNS)[0], certificate}) == 2
