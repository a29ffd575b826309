"""The picture of Cover's theorem."""

import numpy as np
import pytest

from rosenblatt import InputError
from rosenblatt.lectures.counting import separable_fraction
from rosenblatt.lectures.pictures import CapacityDisplay


def test_curves_show_the_exact_shares() -> None:
    display = CapacityDisplay.from_dimensions([1, 5, 100])
    for n, line in zip([1, 5, 100], display.ax_.get_lines(), strict=False):
        assert line.get_label() == f"N = {n}"
        for ratio, share in zip(line.get_xdata()[::7], line.get_ydata()[::7], strict=True):
            assert share == pytest.approx(float(separable_fraction(round(ratio * n), n)))
        at = {
            round(ratio * n): share
            for ratio, share in zip(line.get_xdata(), line.get_ydata(), strict=True)
        }
        assert at[n] == 1.0
        assert at[2 * n] == 0.5
        assert (np.diff(line.get_ydata()) <= 0).all()
    assert display.ax_.texts[0].get_text() == "P = 2N: exactly half"


def test_curves_for_large_dimensions_are_thinned() -> None:
    display = CapacityDisplay.from_dimensions([2000])
    assert len(display.ratios[0]) < 300


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CapacityDisplay.from_dimensions([]), "give at least one number"),
        (lambda: CapacityDisplay.from_dimensions([0]), "dimensions=0"),
    ],
)
def test_invalid_dimensions_are_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
