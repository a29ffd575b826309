"""One epoch of the joint rule for many classes, compiled: a sample's own class against its best rival.

Every class has one weight vector, and a sample is correct if its own class alone has the highest score.
A visit with a lead of at most the required margin over the best wrong class, the first in case of a tie,
is an update: the sample is added to its own class and subtracted from that one. With all vectors
concatenated, this is the perceptron on the vectors of Kesler's construction (N. Nilsson, Learning
Machines, 1965, section 5.2): x_i in the block of its class, -x_i in that of the rival. They are at most
√2 times as long as the samples, so with joint margin γ, radius R and required margin b there are at most
2·(R² + b)/γ² updates, and Novikoff's inequality bounds all weights together.

As in ``one_vs_rest``, scores that are in doubt do not decide: two classes are then compared exactly.
"""

import math

from numba.extending import register_jitable

from rosenblatt.core.constants import SMALL_NORM
from rosenblatt.core.types import Counts, Data, Floats
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.epochs.one_halfspace import squared_length
from rosenblatt.kernels.epochs.one_vs_rest import MOVE, is_measured
from rosenblatt.kernels.epochs.panel_layout import (
    NEAR,
    add_to_panel,
    copy_to_shadow,
    score_band,
    score_panel,
    trusted,
    update_panel,
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
    Workspace,
)
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import OVERFLOW, exact_lead

NO_RIVAL = -1
"""Returned instead of a rival if the sample is far enough ahead of it."""

NOT_FINITE = -2
"""Returned instead of a rival if a score is not finite."""


@register_jitable
def _best_rival(
    rows: Rows, i: int, own: int, scores: Data, band: float, vectors: Floats, digits: Counts
) -> tuple[int, int]:
    """Return the wrong class with the highest exact score, the first in case of a tie, or `NOT_FINITE`.

    Also return whether it needed an exact sum.
    """
    highest, n_sums = -math.inf, 0
    for k in range(vectors.shape[0]):
        if k != own:
            highest = max(highest, scores[k])
    best = -1
    for k in range(vectors.shape[0]):
        if k == own or scores[k] < highest - 4.0 * band:
            continue
        if best >= 0:
            lead, summed = exact_lead(rows, i, vectors[k], vectors[best], 0.0, digits)
            n_sums |= summed
            if lead == OVERFLOW:
                return NOT_FINITE, n_sums
            if lead <= 0:
                continue
        best = k
    return best, n_sums


@register_jitable
def find_rival(
    rows: Rows,
    i: int,
    own: int,
    scores: Data,
    band: float,
    vectors: Floats,
    required: float,
    digits: Counts,
) -> tuple[int, int]:
    """Return the rival that sample i does not lead by more than ``required``, if any.

    Otherwise return `NO_RIVAL` or `NOT_FINITE`. Also return whether it needed an exact sum.
    """
    rival, n_sums = _best_rival(rows, i, own, scores, band, vectors, digits)
    if rival == NOT_FINITE:
        return NOT_FINITE, n_sums
    if scores[own] - scores[rival] - required < -4.0 * band:
        return rival, n_sums
    lead, summed = exact_lead(rows, i, vectors[own], vectors[rival], required, digits)
    n_sums |= summed
    if lead == OVERFLOW:
        return NOT_FINITE, n_sums
    return (NO_RIVAL if lead > 0 else rival), n_sums


@register_jitable(forceinline=True)
def _is_right(own: int, scores: Data, band: float, n_classes: int, required: float) -> bool:
    """Return whether the sample's own class leads by more than ``required`` beyond doubt."""
    least = scores[own] - required - 4.0 * band
    right = True
    for k in range(n_classes):
        right &= k == own or scores[k] < least
    return right


@register_jitable
def _is_behind(
    rows: Rows,
    i: int,
    own: int,
    rival: int,
    scores: Data,
    band: float,
    vectors: Floats,
    digits: Counts,
) -> bool:
    """Return whether sample i's own class does not lead the rival."""
    lead = scores[own] - scores[rival]
    if abs(lead) > 4.0 * band:
        return bool(lead < 0.0)
    return exact_lead(rows, i, vectors[own], vectors[rival], 0.0, digits)[0] <= 0


@register_jitable
def _correct(
    rows: Rows,
    i: int,
    own: int,
    rival: int,
    step: float,
    before: int,
    moves: Floats,
    memory: Memory,
) -> None:
    """Add sample i to its own class, subtract it from the rival; ``moves`` is zero before and after."""
    moves[own], moves[rival] = step, -step
    update_panel(rows, i, moves, memory.weights, memory.shadow)
    late = step * before
    moves[own], moves[rival] = late, -late
    add_to_panel(rows, i, moves, memory.drift)
    moves[own] = moves[rival] = 0.0


@compiled(nogil=True, counts=False)
def learn_jointly(
    samples: Samples,
    task: Task,
    own: Counts,
    order: Counts,
    memory: Memory,
    record: Record,
    workspace: Workspace,
) -> tuple[int, int, int]:
    """Visit the samples once in order, and on each update move the weights of two classes.

    ``own[i]`` is the class of sample i, or -1 if it is not seen. The arguments are those of
    `one_vs_rest.learn_panel`, with one halfspace per class, but an update is counted only for the rival:
    ``counts[r, i]`` is how often sample i did not lead class r, and its energy is that of both
    vectors. An exact sum is counted for the sample's own class, and an update has the factor of that
    class, ``factors[own, 1]``.
    """
    rows, norms = samples
    steps, factors, required = task.steps, task.factors, task.required
    visits, counts, events, tallies = record
    vectors, scores, floats, digits, _, _ = workspace
    far, n_classes, tally = rows.values.size > NEAR, visits.shape[0], tallies[0]
    copy_to_shadow(memory.weights, memory.shadow)
    squares = 0.0
    for k in range(n_classes):
        squares += squared_length(vectors[k])
    total = seen = 0
    stuck_at = -1
    for visit in range(order.shape[0]):
        i = order[visit]
        own_class = own[i]
        if not is_measured(rows, i, norms, vectors[0]):
            stuck_at = i
            break
        if own_class < 0:
            continue
        next_row = order[visit + 1] if far and visit + 1 < order.shape[0] else i
        score_panel(rows, i, next_row, memory.shadow, scores)
        seen += 1
        unit, least = score_band(rows, i, norms[i], scores)
        band = unit * trusted(math.sqrt(squares) + SMALL_NORM, scores) + least
        if _is_right(own_class, scores, band, n_classes, required):
            continue
        rival, summed = find_rival(rows, i, own_class, scores, band, vectors, required, digits)
        tally[EXACT, own_class] += summed
        ahead = scores[own_class] - scores[max(rival, 0)] - required
        tally[DOUBT, own_class] += rival < 0 or ahead >= -4.0 * band
        if rival == NOT_FINITE:
            stuck_at = i
            break
        if rival != NO_RIVAL:
            step = steps[i if steps.shape[0] > 1 else 0] * factors[own_class, 1]
            before, is_wrong = visits[0] + seen - 1, True
            if required > 0.0:
                is_wrong = _is_behind(rows, i, own_class, rival, scores, band, vectors, digits)
            _correct(rows, i, own_class, rival, step, before, floats[MOVE], memory)
            energy = 2.0 * (step * norms[i]) ** 2 + 2.0 * step * required
            squares += energy
            tally[ENERGY, rival] += energy
            tally[MASS, rival] += step
            tally[UPDATES, rival] += 1.0
            tally[MISTAKES, rival] += is_wrong
            counts[rival, i] += 1
            events[total * int(events.shape[0] > 1)] = visit * n_classes + rival
            total += 1
    for k in range(n_classes):
        visits[k] += seen
        tally[SQUARES, k] = squared_length(vectors[k])
    return 1, total, stuck_at


@compiled(nogil=True)
def count_mistaken(rows: Rows, own: Counts, vectors: Floats, required: float) -> int:
    """Return for how many samples another class scores at least their own score − ``required``.

    ``vectors`` has one weight vector per class.
    """
    digits = new_digits()
    n_mistakes = 0
    for i in range(own.shape[0]):
        beaten = False
        for k in range(vectors.shape[0]):
            if own[i] >= 0 and k != own[i] and not beaten:
                beaten = exact_lead(rows, i, vectors[own[i]], vectors[k], required, digits)[0] != 1
        n_mistakes += beaten
    return n_mistakes
