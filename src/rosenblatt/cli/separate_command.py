"""`rosenblatt separate` and `rosenblatt verify`: decide separability, and check a certificate."""

import math
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from rosenblatt.certificates import from_json
from rosenblatt.certificates.json_values import most_bytes
from rosenblatt.certificates.scope import Scope
from rosenblatt.cli.app import Source
from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import finite_or_none, print_facts, print_json, seconds_text
from rosenblatt.core.digits import digits_up, interval_text
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, read_text, write_whole
from rosenblatt.separability.result import Separation, Separations
from rosenblatt.separability.separate import separate
from rosenblatt.separability.verdicts import Verdict

_MOST_CONFLICTS = 5


def separate_file(
    data: Path | None,
    certificate: Path | None,
    parameters: dict[str, Any],
    *,
    source: Source,
    as_json: bool,
) -> None:
    """Decide whether the classes in a file are separable, and print what proves it."""
    if parameters["margin"] == "affine" and not parameters["fit_intercept"]:
        raise InputError("--margin affine has a free bias: leave --no-intercept out")
    samples = Samples(data)
    if certificate is not None:
        check_writable(certificate, "certificate", samples.path)
    samples.read(source)
    started = time.perf_counter()
    with samples.named_in_errors(), spinning("deciding"):
        result = separate(samples.table.X, samples.y, **parameters)
    seconds = time.perf_counter() - started
    facts = separation_facts(result)
    facts["data"] = samples.facts()
    facts["parameters"] = parameters
    facts["seconds"] = seconds
    proof = (result.joint if isinstance(result, Separations) else result).certificate
    if certificate is not None:
        if proof is None:
            raise InputError(f"{certificate}: nothing was written, for the verdict is {result}")
        write_whole(certificate, proof.to_json().encode())
    facts["certificate"] = None if certificate is None else str(certificate)
    if as_json:
        print_json(facts)
        return
    lines = {"Data": samples.text(), **separation_lines(result)}
    lines["Time"] = seconds_text(seconds)
    if certificate is not None:
        lines["Certificate"] = str(certificate)
    print_facts(lines)


def verify_file(
    certificate: Path, data: Path | None, *, exact: bool, source: Source, as_json: bool
) -> bool:
    """Check a certificate against a file; print and return whether it is true."""
    samples = Samples(data)
    samples.read(source)
    limit = most_bytes(len(samples.y), samples.table.n_features, samples.classes.tolist())
    text = read_text(certificate, limit)
    try:
        proof = from_json(text)
    except InputError as error:
        raise InputError(f"{certificate}: {error}") from error
    with spinning("checking"):
        falsehood = proof.falsehood(samples.table.X, samples.y, exact=exact)
    if as_json:
        print_json(
            {
                "certificate": str(certificate),
                "claim": proof.claim,
                "file": str(samples.path),
                "exact": exact,
                "true": falsehood is None,
                "falsehood": falsehood,
            }
        )
    elif falsehood is None:
        print(f"TRUE: {proof.claim}")
    else:
        print(f"FALSE: {falsehood}")
    return falsehood is None


def separation_facts(result: Separation | Separations) -> dict[str, Any]:
    """Return what a program wants to know."""
    if isinstance(result, Separations):
        return {
            **separation_facts(result.joint),
            "by_class": {
                str(label): separation_facts(one) for label, one in result.by_class.items()
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
                "weights": [whole_text(weight) for weight in conflict.weights],
                "sentence": conflict.sentence,
            }
            for conflict in result.conflicts
        ],
        "rounds": len(result.history_),
    }


def separation_lines(result: Separation | Separations) -> dict[str, str]:
    """Return what a reader wants to know."""
    if isinstance(result, Separations):
        lines = {f"Jointly, {k.lower()}": v for k, v in separation_lines(result.joint).items()}
        for label, one in result.by_class.items():
            lines[f"{label} from the rest"] = _in_short(one)
        return lines
    lines = {"Verdict": str(result)}
    if result.verdict is Verdict.INSEPARABLE:
        lines.update(conflict_lines(result))
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


def conflict_lines(result: Separation) -> dict[str, str]:
    """Return a few conflicts, one a line; rows are counted from 0."""
    lines = {}
    for k, conflict in enumerate(result.conflicts[:_MOST_CONFLICTS]):
        lines["Conflict" if k == 0 else f"Conflict {k + 1}"] = f"{conflict} (counting from 0)"
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


def _in_short(one: Separation) -> str:
    which = (
        one.verdict.name if one.scope.has_intercept else f"{one.verdict.name} through the origin"
    )
    if one.verdict is Verdict.INSEPARABLE:
        return f"{which}: {one.conflicts[0]} (counting from 0)"
    return f"{which}: {margin_text(one)}"
