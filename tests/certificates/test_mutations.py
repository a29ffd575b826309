"""Certificates with mutated JSON are rejected, found false, or true.

Fractions decide what is true, not the checker: a mutant may be a weaker certificate that is still true,
such as one with a reduced lower bound, and then it must be true of the data.
"""

import json
import random
import re
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from proofs import margin_squared, summed, upper_squared, vectors
from rosenblatt import separate
from rosenblatt.certificates import SeparatingHyperplane, from_json
from rosenblatt.certificates.certificate import Certificate
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike
from rosenblatt.separability.question import ask
from rosenblatt.separability.separate import separate_class

SCATTER = np.random.default_rng(1).normal(size=(9, 3)).round(2)
LINE = np.array([[0.0], [1.0], [2.0], [4.0]])
HALVES = np.where(SCATTER[:, 0] > 0, "yes", "no")
THIRDS = np.array(list("abc"))[np.argmax(SCATTER, axis=1)]


def _certificates() -> dict[str, tuple[Certificate, MatrixLike, LabelsLike]]:
    """Return real certificates: floats, integers, augmented, affine, no intercept, joint, hull."""
    crossing = np.array(["n", "p", "n", "p"])
    return {
        "floats": (separate(SCATTER, HALVES).certificate, SCATTER, HALVES),
        "exact": (separate(SCATTER, HALVES, exact=True).certificate, SCATTER, HALVES),
        "affine": (
            separate(SCATTER, HALVES, margin="affine", exact=True).certificate,
            SCATTER,
            HALVES,
        ),
        "origin": (separate(SCATTER, HALVES, fit_intercept=False).certificate, SCATTER, HALVES),
        "joint": (separate(SCATTER, THIRDS).joint.certificate, SCATTER, THIRDS),
        "class": (separate_class(ask(SCATTER, THIRDS), "b").certificate, SCATTER, THIRDS),
        "hull": (separate(LINE, crossing).certificate, LINE, crossing),
        "joint hull": (
            separate(LINE[1:], list("abc"), fit_intercept=False).joint.certificate,
            LINE[1:],
            np.array(list("abc")),
        ),
        "sparse": (separate(sp.csr_array(SCATTER), HALVES).certificate, SCATTER, HALVES),
    }


CERTIFICATES = _certificates()

FRACTION = re.compile(
    r"-?(0x[0-9a-f]{1,2000}|[0-9]{1,20})/(0x[1-9a-f][0-9a-f]{0,2000}|[1-9][0-9]{0,20})"
)
FLOAT = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-][0-9]{1,3}")
SCALARS: list[object] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**53, 2**53 + 1, 2**63, -(2**70), 10**4000, 0.5, -0.0,
    1e308, "", "0", "1", "-1", "0x1", "0x20000000000001", "-0x20000000000001", "0x" + "f" * 5000, "9"
    * 5000, "1/3", "1/1", "0/1", "-1/3", "1/0x20000000000001", "0x" + "f" * 400 + "/0x1" + "0" * 400,
    "1e400", "nan", "inf", "0x1p+5000000", "0x1.0000000000000p+0", "0x0.0p+0", "-0x0.0p+0",
    "-0x1.8000000000000p+1", "a", "b", "yes", "\ud800", "\ud83d\ude00", "x" * 100_000, "dense",
    "sparse", "float32", "float64", "augmented", "affine", "0" * 64, [], {}, [[]], [[0, 1]], [[0, 1],
    [1, 1]], [[0, 1, 1]], {"floats": []}, {"integers": [1, 1]}, {"int": "0x20000000000001"}, {"float":
    "0x1.8000000000000p+1"}, ["a"], ["no", "yes"],
]  # fmt: skip


def _paths(node: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    found = [path]
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, inner in items:
        found += _paths(inner, (*path, key))
    return found


def _at(node: object, path: tuple[object, ...]) -> object:
    for key in path:
        node = node[key]
    return node


def _nudged(value: object, rng: random.Random) -> object:
    """Return a slightly different value, as a forger would try."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 2, -value, value])
    if isinstance(value, str) and FRACTION.fullmatch(value):
        over, under = (int(part, 16 if "x" in part else 10) for part in value.split("/"))
        factor = Fraction(rng.choice([1, 2, 999, 1001, 10**20 - 1]), rng.choice([1, 1000]))
        nudged = Fraction(over, under) * factor
        over, under = nudged.numerator, nudged.denominator
        return "/".join(hex(part) if part > 2**53 else str(part) for part in (over, under))
    if isinstance(value, str) and FLOAT.fullmatch(value):
        number = float.fromhex(value)
        near = [-number, 2 * number, float(np.nextafter(number, 9)), number / 3, 0.0]
        return rng.choice(near).hex()
    if isinstance(value, str) and value:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice("0123456789abcdefx/-p+. ") + value[at + 1 :]
    if isinstance(value, list) and value:
        return rng.choice([value[::-1], value[1:], [*value, value[-1]], value * 2])
    return [value]


def _mutant(document: object, rng: random.Random) -> str:
    copy = json.loads(json.dumps(document))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice(_paths(copy)[1:])
        parent, key = _at(copy, path[:-1]), path[-1]
        action = rng.randrange(5)
        if action == 0:
            del parent[key]
        elif action == 1:
            parent[key] = rng.choice(SCALARS)
        elif action == 2:
            parent[key] = json.loads(json.dumps(_at(copy, rng.choice(_paths(copy)))))
        elif action == 3 and isinstance(parent, dict):
            parent[rng.choice(["", "claim", "extra", "int", str(key) + "x"])] = parent.pop(key)
        else:
            parent[key] = _nudged(parent[key], rng)
        if len(_paths(copy)) < 2:
            break
    text = json.dumps(copy) if rng.random() < 0.9 else json.dumps(copy, ensure_ascii=False)
    if rng.random() < 0.1:  # tokens that Python's json module never writes
        old, new = rng.choice(
            [(":", ": -"), ("[", "[["), ("]", ",]"), ("1", "1e5"), ("1", "-0"), ("{", '{"margin": 1, '),
             ('"', "'"), (",", ""), ("1", "NaN"), ("0", "1e400"), ("1", "1" * 5000), ("[", "[" * 5000)]
        )  # fmt: skip
        text = text.replace(old, new, 1) if rng.random() < 0.5 else new.join(text.rsplit(old, 1))
    return text


def _is_true(certificate: Certificate, X: np.ndarray, y: np.ndarray) -> bool:
    """Return whether the certificate's claims are true of its data, computed in fractions."""
    z = vectors(X, y, certificate.positive, int(certificate.constant))
    if certificate.combination is not None and any(
        n <= 0 for n in certificate.combination.values()
    ):
        return False
    if isinstance(certificate, SeparatingHyperplane):
        own = margin_squared(z, certificate.weights, certificate.margin)
        if own is None or not 0 < certificate.lower_squared <= own:
            return False
        if certificate.combination is None:
            return True
        if certificate.margin == "affine" and summed(z, certificate.combination)[-1] != 0:
            return False
        return upper_squared(z, certificate.combination) <= certificate.upper_squared
    return not any(summed(z, certificate.combination))


def _sweep(name: str, count: int, seed: int) -> dict[str, int]:
    certificate, X, y = CERTIFICATES[name]
    document, rng = json.loads(certificate.to_json()), random.Random(f"{name} {seed}")
    counts = {"refused": 0, "false": 0, "true": 0}
    for _ in range(count):
        text = _mutant(document, rng)
        started = time.perf_counter()
        try:
            mutant = from_json(text)
            falsehood = mutant.falsehood(X, y)
            assert (mutant.falsehood(X, y, exact=True) is None) == (falsehood is None), text
            message = f"{mutant.claim} {mutant!r} {falsehood}"
        except InputError as error:
            message, outcome = str(error), "refused"
        else:
            outcome = "true" if falsehood is None else "false"
        counts[outcome] += 1
        assert time.perf_counter() - started < 1.0, text[:1000]
        assert len(message) < 1500, message
        message.encode()
        if outcome == "true":
            assert _is_true(mutant, X, y), text
            assert mutant.digest == certificate.digest or mutant.digest.matches(X, y)
            restricted = mutant.constant == 0
            assert ("origin" in mutant.claim or "no intercept" in mutant.claim) == restricted
    return counts


@pytest.mark.parametrize("name", CERTIFICATES)
def test_mutants_are_rejected_or_false_or_true(name: str) -> None:
    certificate, X, y = CERTIFICATES[name]
    assert certificate.verify(X, y)
    assert _is_true(certificate, X, y)
    counts = _sweep(name, 150, 0)
    assert min(counts["refused"], counts["false"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", CERTIFICATES)
def test_many_mutants_are_rejected_or_false_or_true(name: str) -> None:
    print(name, _sweep(name, 10_000, 1))
