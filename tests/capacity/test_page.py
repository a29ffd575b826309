"""The table in docs/topics/capacity.md was printed by long runs; it is what the formula allows."""

import re
from pathlib import Path

import pytest

from rosenblatt.capacity import separable_fraction

PAGE = (Path(__file__).parents[2] / "docs" / "topics" / "capacity.md").read_text()


def test_the_table_is_consistent_with_the_formula() -> None:
    row = re.compile(r"^\| (\d+) \| (\d+) \| 0\.5 \| ([\d,]+) \| (\S+) \|$", re.MULTILINE)
    rows = row.findall(PAGE)
    assert [int(row[0]) for row in rows] == [5, 10, 25]
    for dimensions, points, separable, deviation in rows:
        assert separable_fraction(int(points), int(dimensions), exact=False) == 0.5
        count = int(separable.replace(",", ""))
        assert float(deviation.replace("−", "-")) == pytest.approx((count - 5000) / 50, abs=0.05)
