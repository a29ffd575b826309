"""The perceptron criterion and its gradient, in one compiled pass; ``criterion_rule`` defines both."""

from rosenblatt.core.types import Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import axpy, dot, fits
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import OVERFLOW, exact_side, is_mistake, sized_side


@compiled(nogil=True)
def measure_criterion(
    rows: Rows, signs: Signs, steps: Floats, tie: int, weights: Floats, gradient: Floats
) -> tuple[float, int, int]:
    """Find out E(w), its gradient and how many samples are mistaken; samples with sign 0 are not seen.

    Changed in place: ``gradient``. Returned: the criterion; the number of mistaken samples; and the
    sample at which a score was not finite, where the pass stops, or -1.
    """
    gradient[:] = 0.0
    criterion = 0.0
    n_mistakes = 0
    for i in range(signs.shape[0]):
        if signs[i] == 0:
            continue
        if not fits(rows, i, weights):
            return criterion, n_mistakes, i
        score = dot(rows, i, weights)
        side = sized_side(rows, i, weights, score)
        if side == 0:
            side = exact_side(rows, i, weights, new_digits())
            if side == OVERFLOW:
                return criterion, n_mistakes, i
        if is_mistake(side, signs[i], tie):
            axpy(rows, i, -signs[i] * steps[i], gradient)
            if side != 0:
                criterion += steps[i] * abs(score)
            n_mistakes += 1
    return criterion, n_mistakes, -1
