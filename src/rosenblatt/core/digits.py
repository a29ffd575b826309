"""Numbers as text: with six digits, rounded up or down, or with their share."""

import decimal
import math


def interval_text(lower: float, upper: float) -> str:
    """Describe an interval with six digits, rounded outward.

    >>> interval_text(0.2425356250, 0.2425356251), interval_text(0.1, 0.3), interval_text(0.5, math.inf)
    ('0.242536, to six digits', 'between 0.1 and 0.3', 'at least 0.5')
    >>> interval_text(1 / 6, 2 / 3)
    'between 0.166666 and 0.666667'
    """
    if upper == math.inf:
        return f"at least {digits_down(lower)}"
    if f"{lower:.6g}" == f"{upper:.6g}":
        return f"{upper:.6g}, to six digits"
    return f"between {digits_down(lower)} and {digits_up(upper)}"


def digits_down(value: float) -> str:
    """Return a value with six digits, rounded down.

    >>> digits_down(2 / 3), digits_down(0.1), digits_down(math.inf)
    ('0.666666', '0.1', 'inf')
    """
    near = f"{value:.6g}"
    return near if float(near) <= value else _digits(value, decimal.ROUND_FLOOR)


def digits_up(value: float) -> str:
    """Return a value with six digits, rounded up.

    >>> digits_up(1 / 3), digits_up(0.1), digits_up(1e300)
    ('0.333334', '0.1', '1e+300')
    """
    near = f"{value:.6g}"
    return near if float(near) >= value else _digits(value, decimal.ROUND_CEILING)


def errors_text(n_errors: int, n_samples: int) -> str:
    """Return a number of errors with its share.

    >>> errors_text(25, 333)
    '25 of 333 (7.5 %)'
    """
    return f"{n_errors:,} of {n_samples:,} ({100 * n_errors / n_samples:.1f} %)"


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "error"), counted(2000, "error")
    ('1 error', '2,000 errors')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _digits(value: float, rounding: str) -> str:
    number = decimal.Context(prec=6, rounding=rounding).create_decimal_from_float(value)
    return f"{float(number):.6g}"
