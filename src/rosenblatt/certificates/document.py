"""Reading certificates from JSON; nothing in the document is trusted."""

from rosenblatt.certificates.certificate import HullIntersection, SeparatingHyperplane, Subject
from rosenblatt.certificates.json_values import (
    decode_combination,
    decode_digest,
    decode_float,
    decode_fraction,
    decode_label,
    decode_labels,
    decode_weights,
    malformed,
    read,
)
from rosenblatt.certificates.scope import MARGINS
from rosenblatt.core.errors import InputError

_COMMON = {"claim", "digest", "classes", "positive", "constant", "margin", "combination"}
_ENTRIES = {
    "separating hyperplane": _COMMON | {"weights", "lower_squared", "upper_squared"},
    "hull intersection": _COMMON,
}


def from_json(text: str) -> SeparatingHyperplane | HullIntersection:
    """Return the certificate that `to_json` wrote.

    Only the form is checked here: ``verify`` checks whether the claims are true.

    >>> from rosenblatt.certificates import Digest, HullIntersection, from_json
    >>> X, y = [[1.0], [1.0]], ["left", "right"]
    >>> twins = HullIntersection(
    ...     Digest.of(X, y), ("left", "right"), "right", 1.0, "augmented", {0: 1, 1: 1})
    >>> from_json(twins.to_json()) == twins
    True
    >>> from_json("{}")
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: this is not a certificate: expected the format \
'rosenblatt-certificate', found None
    """
    entries = read(text)
    claim = entries.get("claim")
    if not isinstance(claim, str) or claim not in _ENTRIES:
        raise malformed("the claim", claim, "'separating hyperplane' or 'hull intersection'")
    expected = _ENTRIES[claim]
    if set(entries) != expected:
        name = min(set(entries) ^ expected)
        raise InputError(f"the certificate is missing {name!r:.40}, or has unexpected entries")
    subject = _subject(entries)
    joint = subject["positive"] is None
    combination = entries["combination"]
    if claim == "hull intersection":
        counts = decode_combination("the combination", combination, joint=joint)
        return HullIntersection(**subject, combination=counts)
    upper = entries["upper_squared"]
    return SeparatingHyperplane(
        **subject,
        weights=decode_weights("a weight", entries["weights"]),
        lower_squared=decode_fraction("lower_squared", entries["lower_squared"]),
        combination=None
        if combination is None
        else decode_combination("the combination", combination, joint=joint),
        upper_squared=None if upper is None else decode_fraction("upper_squared", upper),
    )


def _subject(entries: dict[str, object]) -> Subject:
    positive, margin = entries["positive"], entries["margin"]
    if not isinstance(margin, str) or margin not in MARGINS:
        raise malformed("the margin", margin, "'augmented' or 'affine'")
    return {
        "digest": decode_digest("the digest", entries["digest"]),
        "classes": decode_labels("a class", entries["classes"]),
        "positive": None if positive is None else decode_label("positive", positive),
        "constant": decode_float("the constant", entries["constant"]),
        "margin": margin,
    }
