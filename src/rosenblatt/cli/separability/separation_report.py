"""What is said of a separation, for programs and for people; `separate` and `learn` print it."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from rosenblatt.certificates.scope import Scope
from rosenblatt.cli.report import Facts, finite_or_none
from rosenblatt.core.digits import digits_up, interval_text
from rosenblatt.separability.conflicts import Conflict
from rosenblatt.separability.result import Separation, Separations
from rosenblatt.separability.verdicts import Verdict

_MOST_CONFLICTS = 5


PlacesOf = Callable[[Sequence[int]], list[str]]
TextOf = Callable[[Conflict], str]


def separation_facts(result: Separation | Separations, places_of: PlacesOf) -> Facts:
    """Return what a program wants to know; rows are counted from 0, places are those in the file."""
    if isinstance(result, Separations):
        return {
            **separation_facts(result.joint, places_of),
            "by_class": {
                str(label): separation_facts(one, places_of)
                for label, one in result.by_class.items()
            },
        }
    squared = result.squared_margin
    return {
        "verdict": result.verdict.name,
        "sentence": result.sentence,
        "margin": {
            "kind": result.scope.margin_kind,
            "lower": result.margin.lower,
            "upper": finite_or_none(result.margin.upper),
        },
        "squared_margin": None if squared is None else fraction_text(squared),
        "radius": result.radius,
        "mistake_bound": result.mistake_bound,
        "support": result.support.tolist(),
        "conflicts": [
            {
                "rows": list(conflict.rows),
                "places": places_of(conflict.rows),
                "weights": [whole_text(weight) for weight in conflict.weights],
                "sentence": conflict.sentence,
            }
            for conflict in result.conflicts
        ],
        "rounds": len(result.history_),
    }


def separation_lines(result: Separation | Separations, text_of: TextOf) -> dict[str, str]:
    """Return what a reader wants to know; ``text_of`` says a conflict in words."""
    if isinstance(result, Separations):
        jointly = separation_lines(result.joint, text_of)
        lines = {f"Jointly, {k.lower()}": v for k, v in jointly.items()}
        for label, one in result.by_class.items():
            lines[f"{label} from the rest"] = _in_short(one, text_of)
        return lines
    lines = {"Verdict": str(result)}
    if result.verdict is Verdict.INSEPARABLE:
        lines.update(conflict_lines(result, text_of))
        return lines
    lines["Margin"] = margin_text(result)
    if result.verdict is Verdict.SEPARABLE:
        lines["Mistakes"] = (
            f"a perceptron {_kind(result.scope)} makes at most {result.mistake_bound:,}"
        )
        lines["Support"] = f"{len(result.support):,} rows decide the margin"
    return lines


def margin_text(result: Separation) -> str:
    """Return the interval on the margin in words."""
    squared, (lower, upper) = result.squared_margin, result.margin
    what = result.scope.margin_name
    if result.verdict is Verdict.UNDECIDED:
        return f"{what} is at most {digits_up(upper)}, if there is one at all"
    what = f"{what} is {interval_text(lower, upper)}"
    if squared is not None and squared.denominator.bit_length() <= 64:
        return f"{what}, and its square is exactly {squared}"
    if squared is not None:
        digits = int(squared.denominator.bit_length() * math.log10(2)) + 1
        return f"{what}, and its square is known as a fraction of about {digits:,} digits"
    return what


def _kind(scope: Scope) -> str:
    """Return of which perceptron the mistake bound speaks."""
    kind = "with an intercept" if scope.has_intercept else "without an intercept"
    return f"of all classes jointly, {kind}," if scope.is_joint else kind


def conflict_lines(result: Separation, text_of: TextOf) -> dict[str, str]:
    """Return a few conflicts, one a line."""
    lines = {}
    for k, conflict in enumerate(result.conflicts[:_MOST_CONFLICTS]):
        lines["Conflict" if k == 0 else f"Conflict {k + 1}"] = text_of(conflict)
    more = len(result.conflicts) - _MOST_CONFLICTS
    if more > 0:
        lines["More"] = f"{more:,} other such conflicts; --json lists them all"
    return lines


def whole_text(number: int) -> str:
    """Return a whole number in decimal, or, beyond some thousand digits, in hexadecimal.

    >>> whole_text(-12), whole_text(2**20000)[:6]
    ('-12', '0x1000')
    """
    return str(number) if number.bit_length() < 4000 else hex(number)


def fraction_text(fraction: Fraction) -> str:
    """Return a fraction as text.

    >>> fraction_text(Fraction(1, 17)), fraction_text(Fraction(0))
    ('1/17', '0')
    """
    if fraction.denominator == 1:
        return whole_text(fraction.numerator)
    return f"{whole_text(fraction.numerator)}/{whole_text(fraction.denominator)}"


def _in_short(one: Separation, text_of: TextOf) -> str:
    which = (
        one.verdict.name if one.scope.has_intercept else f"{one.verdict.name} through the origin"
    )
    if one.verdict is Verdict.INSEPARABLE:
        return f"{which}: {text_of(one.conflicts[0])}"
    return f"{which}: {margin_text(one)}"
