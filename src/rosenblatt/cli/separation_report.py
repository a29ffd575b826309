"""Results of `separate` as JSON, which `learn` prints, too."""

from fractions import Fraction

from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.report import Facts, finite_or_none
from rosenblatt.separability.results.conflicts import row_names
from rosenblatt.separability.results.result import Separation, Separations


def separation_facts(result: Separation, samples: Samples) -> Facts:
    """Return the JSON of a result: rows are counted from 0, places are lines or rows of the file."""
    if isinstance(result, Separations):
        return {
            **separation_facts(result.joint, samples),
            "by_class": {
                str(label): separation_facts(one, samples) for label, one in result.by_class.items()
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
                "places": samples.places(conflict.rows),
                "weights": [whole_text(weight) for weight in conflict.weights],
                "sentence": samples.text_of(conflict, row_names),
            }
            for conflict in result.conflicts
        ],
        "equal_pairs": None if result.equal_pairs is None else result.equal_pairs._asdict(),
        "rounds": len(result.history_),
    }


def whole_text(number: int) -> str:
    """Return an integer in decimal, or in hexadecimal beyond about 1,200 digits.

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
