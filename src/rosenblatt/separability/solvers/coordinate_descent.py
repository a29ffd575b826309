"""Dual coordinate descent for the hard margin: one compiled pass, for any kind of rows.

The dual of "find the shortest w with w·z_i ≥ 1 for every i" is to minimize ½‖Σ a_i·z_i‖² - Σ a_i over
a ≥ 0, and w = Σ a_i·z_i. One step solves it for one a_i, at the cost of one row; if the vectors are not
separable, the a_i grow forever and ‖w‖/Σ a_i falls to 0. Most rows soon have a_i = 0 permanently, so a
pass over all rows is followed by passes over the few with a_i > 0.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. Keerthi and S. Sundararajan, A dual coordinate descent method
for large-scale linear SVM (2008).
"""

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.row_operations import axpy, dot
from rosenblatt.kernels.rows import Rows


@compiled()
def descend(
    rows: Rows,
    signs: Signs,
    squares: Floats,
    order: Counts,
    multipliers: Floats,
    weights: Floats,
) -> float:
    """Visit the rows in order; change ``multipliers`` and ``weights = Σ a_i·z_i`` in place.

    ``squares`` has the squared lengths of the rows. Return the largest violation: |w·z_i - 1| if a_i >
    0, otherwise 1 - w·z_i.
    """
    worst = 0.0
    for t in range(order.shape[0]):
        i = order[t]
        if squares[i] <= 0.0:
            continue
        ahead = signs[i] * dot(rows, i, weights) - 1.0
        before = multipliers[i]
        if ahead < 0.0 or before > 0.0:
            worst = max(worst, abs(ahead) if before > 0.0 else -ahead)
            after = max(0.0, before - ahead / squares[i])
            if after != before:
                multipliers[i] = after
                axpy(rows, i, signs[i] * (after - before), weights)
    return worst
