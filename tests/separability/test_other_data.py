"""A certificate verifies only on its own data, and only if its claim is true."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import Verdict, separate
from rosenblatt.certificates import Digest
from rosenblatt.certificates.certificate import Certificate
from separation_checks import ALSO_EXACT, BETWEEN, SETTINGS, Options, X, y


def _tampered(X: np.ndarray, y: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    flipped, changed = y.copy(), X.copy()
    flipped[0] = 1 - flipped[0]
    changed[0, 0] = np.nextafter(changed[0, 0], np.inf)
    order = np.roll(np.arange(len(y)), 1)
    return {
        "a flipped label": (X, flipped),
        "rows permuted, with their labels": (X[order], y[order]),
        "rows permuted alone": (X[order], y),
        "one value changed in its last bit": (changed, y),
        "a missing row": (X[:-1], y[:-1]),
        "an extra row": (np.vstack([X, X[:1]]), np.append(y, y[0])),
        "other data": (X + 1.0, y),
        "a missing column": (X[:, :-1], y),
        "columns exchanged": (X[:, ::-1], y),
        "all labels swapped": (X, 1 - y),
    }


@pytest.mark.parametrize("options", ALSO_EXACT, ids=str)
@pytest.mark.parametrize("separable", [True, False])
def test_a_certificate_is_rejected_on_any_other_data(options: Options, separable: bool) -> None:
    rng = np.random.default_rng(9)
    data = rng.normal(size=(12, 3)) + 0.3
    classes = (data[:, 0] > 0.3).astype(int) if separable else np.arange(12) % 2
    if not separable:
        data[3] = (data[0] + data[2]) / 2
    s = separate(data, classes, **options)
    if separable:
        assert s.certificate.verify(data, classes) or options.get("fit_intercept") is False
    for name, (other, marks) in _tampered(data, classes).items():
        assert not s.certificate.verify(other, marks), name
        assert not s.certificate.verify(other, marks, exact=True), name


@pytest.mark.parametrize("options", ALSO_EXACT, ids=str)
def test_forged_digest_does_not_verify(options: Options) -> None:
    def forged(certificate: Certificate, other: np.ndarray, marks: np.ndarray) -> Certificate:
        return dataclasses.replace(certificate, digest=Digest.of(other, marks))

    s = separate(X - 2.5, y, **options)
    assert s.verdict is Verdict.SEPARABLE
    row = int(s.support[0])
    flipped, moved = y.copy(), X - 2.5
    flipped[row] = 1 - flipped[row]
    moved[row] *= -1.0
    for other, marks in ((X - 2.5, flipped), (moved, y)):
        assert not forged(s.certificate, other, marks).verify(other, marks)
    t = separate(np.vstack([X, BETWEEN]) - 2.5, [*y, 0], **options)
    if t.verdict is Verdict.INSEPARABLE:
        changed = np.vstack([X, BETWEEN]) - 2.5
        changed[int(t.support[0]), 1] += 2.0**-40
        marks = np.append(y, 0)
        assert not forged(t.certificate, changed, marks).verify(changed, marks)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_slightly_too_strong_claim_is_rejected(options: Options) -> None:
    data = X - 2.5
    s = separate(data, y, exact=True, **options)
    little = Fraction(1, 10**40)
    for change in (
        {"lower_squared": s.squared_margin + little, "upper_squared": s.squared_margin + little},
        {"lower_squared": s.squared_margin / 2, "upper_squared": s.squared_margin - little},
    ):
        assert not dataclasses.replace(s.certificate, **change).verify(data, y)
