"""Where samples are in their files, by their numbers among all samples."""

from bisect import bisect_right
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from rosenblatt.cluster.files.plan import Plan
from rosenblatt.io.blocks.block_reader import BlockReader


def sample_places(plan: Plan, rows: Sequence[int]) -> list[str]:
    """Return the line or row of each sample in its file, which is named if there are several.

    The blocks that have them are read again, here.
    """
    firsts, blocks = plan.first_rows, plan.agreement.blocks
    numbers = [bisect_right(firsts, row) - 1 for row in rows]
    found: dict[int, str] = {}
    with closing(BlockReader(plan.places, plan.agreement.form)) as reader:
        for number in sorted(set(numbers)):
            own = [row for row, one in zip(rows, numbers, strict=True) if one == number]
            ((table, _),) = reader.tables([blocks[number]])
            places = table.places_of(np.array(own) - firsts[number])
            found.update(zip(own, places, strict=True))
    return [found[row] for row in rows]
