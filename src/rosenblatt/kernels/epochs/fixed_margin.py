"""Epochs of the perceptron with a fixed margin for one halfspace, compiled: decisions are exact.

A visit is a mistake if y·w·x ≤ ``required`` > 0, so a mistake adds at most ‖step·x‖² + 2·step·required
to ‖w‖²: that is the energy of an update here. Otherwise this is ``one_halfspace`` without the float32
shadow.
"""

import math

from numba.extending import register_jitable

from rosenblatt.core.constants import SMALL_NORM, SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.epochs.one_halfspace import is_back, squared_length
from rosenblatt.kernels.epochs.panel_types import (
    DOUBT,
    ENERGY,
    EXACT,
    MASS,
    MISTAKES,
    SQUARES,
    Memory,
    Record,
    Samples,
    Task,
)
from rosenblatt.kernels.exact_sum import add_product, clear, new_digits, sign_of
from rosenblatt.kernels.row_operations import accumulate, axpy, dot, first_look, fits, size
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import OVERFLOW, error_band, sign_beyond


@register_jitable
def exact_excess(
    rows: Rows, i: int, weights: Floats, sign: int, required: float, digits: Counts
) -> int:
    """Return the exact sign of ``sign`` · score - ``required``, or `OVERFLOW`."""
    if not (fits(rows, i, weights) and size(rows, i, weights) < math.inf):
        return OVERFLOW
    clear(digits)
    accumulate(rows, i, weights, float(sign), digits)
    add_product(digits, required, -1.0)
    return sign_of(digits)


@compiled(nogil=True, counts=False)
def learn_with_margin(
    samples: Samples,
    task: Task,
    order: Counts,
    k: int,
    memory: Memory,
    record: Record,
    digits: Counts,
    required: float,
) -> tuple[int, int, int]:
    """Do what `one_halfspace.learn_halfspace` does, where a mistake means y·w·x ≤ ``required``.

    If they are equal, a visit is correct if the sample's sign is the ``tie``. The memory's shadow must
    be its weights.

    W. Krauth and M. Mézard, Learning algorithms with optimal stability in neural networks (1987).
    """
    rows, norms = samples
    signs, steps, factors, tie, _, _ = task
    visits, counts, events, tallies = record
    weights = memory.weights[0]
    n_visits, n_terms = order.shape[0], weights.shape[0]
    by_sample = int(steps.shape[0] > 1)
    writes = int(events.shape[0] > 1)
    unit = (n_terms + 8) * TWO_ROUNDOFFS
    squares = squared_length(weights)
    n_epochs = n_mistakes = 0
    stuck_at = -1
    for epoch in range(tallies.shape[0]):
        energy = mass = 0.0
        n_mistakes = n_exact = n_unseen = 0
        reach = math.sqrt(squares) + SMALL_NORM
        visit = 0
        while visit < n_visits and stuck_at < 0:
            i, now = order[visit], visit
            visit += 1
            sign, norm = signs[i, 0], norms[i]
            if norm < 0.0:
                score, norm = first_look(rows, i, weights)
                norms[i] = norm
            else:
                score = dot(rows, i, weights)
            n_unseen += sign == 0
            if sign == 0 and norm >= 0.0:
                continue
            # The difference is rounded, too; the band is twice as wide as necessary, which covers that.
            side = sign_beyond(sign * score - required, unit * reach * norm + SMALL_PRODUCT)
            if side == 0:
                n_exact += 1
                side = exact_excess(rows, i, weights, sign, required, digits)
                stuck_at = i if side == OVERFLOW else stuck_at
            if side == 1 or (side == 0 and tie == sign) or stuck_at >= 0:
                continue
            step = steps[i * by_sample] * factors[k, int(sign > 0)]
            axpy(rows, i, sign * step, weights)
            if memory.drift.size:
                late = step * (visits[k] + now - n_unseen)
                axpy(rows, i, sign * late, memory.drift[0])
            mass += step
            energy += (step * norm) ** 2 + 2.0 * step * required
            reach = math.sqrt(squares + energy) + SMALL_NORM
            counts[k, i] += 1
            events[n_mistakes * writes] = now * counts.shape[0] + k
            n_mistakes += 1
        squares = squared_length(weights)
        visits[k] += n_visits - n_unseen
        tallies[epoch, MISTAKES, 0] = n_mistakes
        tallies[epoch, MASS, 0] = mass
        tallies[epoch, ENERGY, 0] = energy
        tallies[epoch, DOUBT, 0] = n_exact
        tallies[epoch, EXACT, 0] = n_exact
        tallies[epoch, SQUARES, 0] = squares
        n_epochs += 1
        if n_mistakes == 0 or stuck_at >= 0 or is_back(weights, memory.mark):
            break
    return n_epochs, n_mistakes, stuck_at


@compiled(nogil=True)
def count_within(rows: Rows, signs: Signs, tie: int, weights: Floats, required: float) -> int:
    """Return for how many samples y·w·x is at most ``required``; equality counts as in learning."""
    digits = new_digits()
    n_mistakes = 0
    for i in range(signs.shape[0]):
        sign = signs[i]
        if sign == 0:
            continue
        band = error_band(size(rows, i, weights), weights.shape[0])
        side = sign_beyond(sign * dot(rows, i, weights) - required, band)
        if side == 0:
            side = exact_excess(rows, i, weights, sign, required, digits)
        n_mistakes += not (side == 1 or (side == 0 and tie == sign))
    return n_mistakes
