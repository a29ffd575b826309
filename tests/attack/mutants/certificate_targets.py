"""Certificates: they are read as written, and verified only if they are true."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from attack import claims
from attack.data import Json, Label, Table
from attack.mutants.target import Mutant, Seeds, Target, is_sentence

Case = tuple[Table, list[Label], dict[str, Any]]

CASES: list[Case] = [
    ([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], ["no", "no", "yes"], {}),
    ([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0, 0, 1], {"exact": True, "margin": "affine"}),
    ([[0.5], [0.1], [0.3]], [-1.5, -1.5, 7.25], {"fit_intercept": False}),
    ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [False, False, True, True], {}),
    ([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "é"], {}),
    ([[0.1], [0.7], [0.3]], [0, 1, 2], {"exact": True}),
    ([[3.0, 1.0], [1.0, -0.5]], [1, 1], {"fit_intercept": False}),
]


@cache
def seeds() -> Seeds:
    import numpy as np

    from rosenblatt import separate

    found = [separate(np.array(X), np.array(y), **options) for X, y, options in CASES]
    certificates = [
        one.joint.certificate if hasattr(one, "joint") else one.certificate for one in found
    ]
    return [certificate.to_json().encode() for certificate in certificates]


def unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def read(path: Path, mutant: Mutant) -> tuple[str, bool]:
    """Return a certificate written again, and whether the library verifies it."""
    import numpy as np

    from rosenblatt.certificates import from_json
    from rosenblatt.core.files import read_text

    certificate = from_json(read_text(path, 1 << 20))
    X, y, _ = CASES[mutant.seed]
    repr(certificate)
    return certificate.to_json(), certificate.verify(np.array(X), np.array(y))


def wrong(mutant: Mutant, found: tuple[str, bool]) -> str:
    text, says = found
    try:
        document = json.loads(
            mutant.content, object_pairs_hook=unique_keys, parse_constant=no_constant
        )
    except ValueError as error:
        return f"this is not JSON: {error}"
    if json.dumps(document, sort_keys=True) != json.dumps(json.loads(text), sort_keys=True):
        return f"it was read as {text}"
    X, y, _ = CASES[mutant.seed]
    try:
        truth = claims.is_true(document, X, y)
    except claims.UnreadableError:
        truth = False
    return "" if truth == says else f"the library says {says}, but it is {truth}"


def wrong_refusal(_: Mutant, sentence: str, __: Path) -> str:
    """Check that an error is one sentence; there is no file name to check."""
    return "" if is_sentence(sentence) else "the error is not one sentence"


CERTIFICATES = Target("certificates", 40, seeds, read, wrong, wrong_refusal)
