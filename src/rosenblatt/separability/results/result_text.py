"""Results of `separate` as lines of text, for notebooks and the command line."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rosenblatt.certificates.scope import Scope
from rosenblatt.core.digits import digits_up, interval_text
from rosenblatt.separability.results.conflicts import Conflict
from rosenblatt.separability.results.verdicts import Verdict

if TYPE_CHECKING:
    from rosenblatt.separability.results.result import Separation, Separations

_MAX_CONFLICTS = 5
_MAX_CLASSES = 20

TextOf = Callable[[Conflict], str]


def separation_lines(
    result: "Separation", text_of: TextOf = str, where: str = "conflicts"
) -> dict[str, str]:
    """Return the verdict and its details; ``text_of`` describes a conflict.

    If there are more conflicts than fit, ``where`` is the name of what lists them all.
    """
    lines = {"Verdict": str(result)}
    if result.verdict is Verdict.INSEPARABLE:
        lines.update(conflict_lines(result, text_of, where))
        return lines
    lines["Margin"] = margin_text(result)
    if result.verdict is Verdict.SEPARABLE:
        lines["Mistake bound"] = (
            f"a perceptron {_kind(result.scope)} makes at most {result.mistake_bound:,} mistakes"
        )
        n_rows = len(result.support)
        decide = "1 row determines" if n_rows == 1 else f"{n_rows:,} rows determine"
        lines["Support"] = f"{decide} the margin"
    return lines


def joint_lines(
    results: "Separations",
    text_of: TextOf = str,
    where: str = "conflicts",
    *,
    margins: bool = True,
) -> dict[str, str]:
    """Return the lines about all classes jointly, and one per class, with its margin if asked for."""
    jointly = separation_lines(results.joint, text_of, where)
    lines = {f"Jointly, {k.lower()}": v for k, v in jointly.items()}
    for label, one in results.by_class.items():
        lines[f"{label} vs not {label}"] = _in_short(one, text_of, margins=margins)
    return lines


def margin_text(result: "Separation") -> str:
    """Return the interval of the margin as a sentence."""
    squared, (lower, upper) = result.squared_margin, result.margin
    what = result.scope.margin_name
    if result.verdict is Verdict.UNDECIDED:
        separator = (
            "separating weights exist"
            if result.scope.is_joint
            else f"a separating {result.scope.planes} exists"
        )
        return f"if {separator}, {what} is at most {digits_up(upper)}"
    what = f"{what} is {interval_text(lower, upper)}"
    if squared is not None and squared.denominator.bit_length() <= 64:
        return f"{what}, and its square is exactly {squared}"
    if squared is not None:
        digits = int(squared.denominator.bit_length() * math.log10(2)) + 1
        return f"{what}, and its square is known as a fraction of about {digits:,} digits"
    return what


def _kind(scope: Scope) -> str:
    """Return the kind of perceptron that the mistake bound is about."""
    kind = "with an intercept" if scope.has_intercept else "without an intercept"
    return f"of all classes jointly, {kind}," if scope.is_joint else kind


def conflict_lines(result: "Separation", text_of: TextOf, where: str) -> dict[str, str]:
    """Return a few conflicts, one per line: jointly, enough to show each class that has one."""
    lines, most = {}, _MAX_CONFLICTS
    if result.scope.is_joint and result.certificate is not None:
        most = min(max(most, len(result.certificate.classes)), _MAX_CLASSES)
    for k, conflict in enumerate(result.conflicts[:most]):
        lines["Conflict" if k == 0 else f"Conflict {k + 1}"] = text_of(conflict)
    more = len(result.conflicts) - most
    if more > 0:
        lines["More"] = f"{more:,} more conflicts; {where} lists them all"
    return lines | equal_pairs_line(result)


def class_conflict_lines(
    by_class: Sequence[tuple[object, "Separation"]], text_of: TextOf, where: str
) -> dict[str, str]:
    """Return one conflict of each class that cannot be separated from the others."""
    found = [(label, one) for label, one in by_class if one.conflicts]
    lines = {f"Conflict of {label}": text_of(one.conflicts[0]) for label, one in found}
    lines = dict(list(lines.items())[:_MAX_CLASSES])
    if len(found) > _MAX_CLASSES:
        lines["More"] = f"{len(found) - _MAX_CLASSES:,} more classes; {where} lists them all"
    return lines | (equal_pairs_line(found[0][1]) if found else {})


def equal_pairs_line(result: "Separation") -> dict[str, str]:
    """Return how many pairs of equal rows have different labels, and how many to expect by chance."""
    if result.equal_pairs is None:
        return {}
    found, expected = result.equal_pairs
    pairs = f"{found:,} pairs have" if found > 1 else "1 pair has"
    chance = f"{expected:,.0f}" if expected >= 10 else f"{expected:.2g}"
    return {
        "Equal rows": f"{pairs} different labels; labels in random order would give about {chance}"
    }


def _in_short(one: "Separation", text_of: TextOf, *, margins: bool) -> str:
    which = (
        one.verdict.name if one.scope.has_intercept else f"{one.verdict.name} through the origin"
    )
    if one.verdict is Verdict.INSEPARABLE:
        return f"{which}: {text_of(one.conflicts[0])}"
    return f"{which}: {margin_text(one)}" if margins else which
