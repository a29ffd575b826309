"""What docs/capacity.md shows is what the program prints."""

import doctest
import re
from pathlib import Path

import pytest

from rosenblatt.capacity import separable_fraction
from rosenblatt.cli import run

PAGE = (Path(__file__).parents[2] / "docs" / "capacity.md").read_text()


def test_python() -> None:
    found = doctest.DocTestParser().get_doctest(PAGE, {}, "capacity", "capacity.md", 0)
    assert len(found.examples) > 10
    report: list[str] = []
    assert doctest.DocTestRunner().run(found, out=report.append).failed == 0, "".join(report)


@pytest.mark.slow
def test_console(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```console\n\$ rosenblatt (.*?)```", PAGE, re.DOTALL)
    command, output = block.split("\n", 1)
    assert run(command.split()) == 0
    printed = capsys.readouterr().out
    assert re.sub("Time: .*", "", printed) == re.sub("Time: .*", "", output)


def test_the_table_is_consistent_with_the_formula() -> None:
    row = re.compile(r"^\| (\d+) \| (\d+) \| 0\.5 \| ([\d,]+) \| (\S+) \|$", re.MULTILINE)
    rows = row.findall(PAGE)
    assert [int(row[0]) for row in rows] == [5, 10, 25]
    for dimensions, points, separable, deviation in rows:
        assert separable_fraction(int(points), int(dimensions), exact=False) == 0.5
        count = int(separable.replace(",", ""))
        assert float(deviation.replace("−", "-")) == pytest.approx((count - 5000) / 50, abs=0.05)
