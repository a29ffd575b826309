"""Epochs of the perceptron rule for one halfspace, compiled: decisions are exact (see ``signs``).

A visit with y·w·x ≤ ``required`` is an update. With a required margin above 0, an update adds at most
‖step·x‖² + 2·step·required to ‖w‖².

This is one flat loop. A visit uses only local variables and arrays that are read in order; a call, a
counted reference or a cache miss would cost as much as the arithmetic of a short sample. Memory is not
prefetched: that gains on one kind of processor and loses on another.
"""

import math

from numba.extending import register_jitable

from rosenblatt.core.constants import SMALL_NORM, SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.epochs.panel_layout import (
    LARGE,
    TWO_SINGLE_ROUNDOFFS,
    VANISHING,
    copy_to_shadow,
)
from rosenblatt.kernels.epochs.panel_types import (
    DOUBT,
    ENERGY,
    EXACT,
    MASS,
    MISTAKES,
    SQUARES,
    UPDATES,
    Memory,
    Record,
    Samples,
    Task,
)
from rosenblatt.kernels.row_operations import axpy, dot, first_look, move
from rosenblatt.kernels.signs import (
    OVERFLOW,
    SUMMED,
    decided,
    falls_short,
    plain_side,
    sign_beyond,
    was_wrong,
)


@register_jitable
def squared_length(weights: Floats) -> float:
    """Return the sum of squares, in four lanes and always in the same order."""
    a = b = c = d = 0.0
    last = weights.shape[0] - weights.shape[0] % 4
    for j in range(0, last, 4):
        a += weights[j] * weights[j]
        b += weights[j + 1] * weights[j + 1]
        c += weights[j + 2] * weights[j + 2]
        d += weights[j + 3] * weights[j + 3]
    for j in range(last, weights.shape[0]):
        a += weights[j] * weights[j]
    return (a + b) + (c + d)


@register_jitable
def is_back(weights: Floats, mark: Floats) -> bool:
    """Return whether the weights equal the mark, which has one vector or is empty."""
    j = 0
    while j < mark.size and weights[j] == mark[0, j]:
        j += 1
    return 0 < mark.size == j


@compiled(nogil=True, counts=False)
def learn_halfspace(
    samples: Samples,
    task: Task,
    order: Counts,
    k: int,
    memory: Memory,
    record: Record,
    digits: Counts,
) -> tuple[int, int, int]:
    """Visit the samples in order and, on each update, add ``sign · step · sample`` to the weights.

    Epochs are repeated until one makes no update or ends with the weights of the memory's mark, at most
    once per tally of the record: with few samples there are very many epochs, each too short to start in
    Python.

    The memory has one vector, that of halfspace k. Changed in place: unknown lengths of samples, the
    memory and the record; an update adds itself, times the visits before it, to the drift. Return the
    number of epochs, the number of updates in the last one, and -1 or the sample whose score was not
    finite, where the pass stops.

    F. Rosenblatt, Principles of Neurodynamics (1962); A. Novikoff, On convergence proofs on
    perceptrons (1962). With a required margin: W. Krauth and M. Mézard, Learning algorithms with optimal
    stability in neural networks (1987).
    """
    rows, norms = samples
    signs, steps, factors, tie, _, _, required = task
    visits, counts, events, tallies = record
    weights, shadow = memory.weights[0], memory.shadow[0]
    n_visits, n_terms = order.shape[0], weights.shape[0]
    # If all samples have the same step, a single number avoids cache misses.
    by_sample = int(steps.shape[0] > 1)
    is_single, writes = shadow.itemsize == 4, int(events.shape[0] > 1)
    unit = (n_terms + 8) * (TWO_SINGLE_ROUNDOFFS if is_single else TWO_ROUNDOFFS)
    least = (n_terms + 8) * VANISHING if is_single else SMALL_PRODUCT
    large = LARGE if is_single else math.inf
    copy_to_shadow(memory.weights, memory.shadow)
    squares = squared_length(weights)
    n_epochs = n_updates = 0
    stuck_at = -1
    for epoch in range(tallies.shape[0]):
        energy = mass = 0.0
        n_updates = n_mistakes = n_doubts = n_exact = n_unseen = 0
        reach = math.sqrt(squares) + SMALL_NORM
        visit = 0
        while visit < n_visits and stuck_at < 0:
            i, now = order[visit], visit
            visit += 1
            sign, norm = signs[i, 0], norms[i]
            if norm < 0.0:
                score, norm = first_look(rows, i, shadow)
                norms[i] = norm
            else:
                score = dot(rows, i, shadow)
            n_unseen += sign == 0
            band = unit * reach * norm + least if norm < large and reach < large else math.inf
            ahead = sign * score - required
            if (sign == 0 and norm >= 0.0) or ahead > band:
                continue
            excess = sign_beyond(ahead, band)
            if excess == 0:
                n_doubts += 1
                excess = decided(rows, i, weights, reach * norm, sign, required, digits)
                n_exact += excess >= SUMMED - 1
                excess = plain_side(excess)
                stuck_at = i if excess == OVERFLOW else stuck_at
            if not falls_short(excess, sign, tie) or stuck_at >= 0:
                continue
            n_mistakes += was_wrong(rows, i, weights, score, band, sign, tie, required, digits)
            step = steps[i * by_sample] * factors[k, int(sign > 0)]
            if is_single:
                move(rows, i, sign * step, weights, shadow)
            else:
                axpy(rows, i, sign * step, weights)
            if memory.drift.size:
                late = step * (visits[k] + now - n_unseen)
                axpy(rows, i, sign * late, memory.drift[0])
            mass += step
            energy += (step * norm) ** 2 + 2.0 * step * required
            reach = math.sqrt(squares + energy) + SMALL_NORM
            counts[k, i] += 1
            events[n_updates * writes] = now * counts.shape[0] + k
            n_updates += 1
        squares = squared_length(weights)
        visits[k] += n_visits - n_unseen
        tallies[epoch, UPDATES, 0] = n_updates
        tallies[epoch, MISTAKES, 0] = n_mistakes
        tallies[epoch, MASS, 0] = mass
        tallies[epoch, ENERGY, 0] = energy
        tallies[epoch, DOUBT, 0] = n_doubts
        tallies[epoch, EXACT, 0] = n_exact
        tallies[epoch, SQUARES, 0] = squares
        n_epochs += 1
        if n_updates == 0 or stuck_at >= 0 or is_back(weights, memory.mark):
            break
    return n_epochs, n_updates, stuck_at
