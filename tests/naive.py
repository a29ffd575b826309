"""A slow reference perceptron in plain Python, with decisions in rational arithmetic.

It shares no code with the library. A sample's score is a Fraction; a mistake changes each weight by one
rounded product and one rounded addition. Weights are extended: the last weight is the intercept's.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np


def exact_dot(a: Iterable[float], b: Iterable[float]) -> Fraction:
    """Return the sum of products, exactly."""
    return sum(
        (Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a, b, strict=True)), Fraction(0)
    )


def extended(X: np.ndarray, constant: float) -> np.ndarray:
    """Return the rows as float64 with the constant appended."""
    return np.column_stack([np.asarray(X, dtype=np.float64), np.full(len(X), constant)])


def sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def rank(matrix: Sequence[Sequence[int | Fraction]]) -> int:
    """Return the rank of a matrix, by elimination in fractions."""
    rows = [[Fraction(entry) for entry in row] for row in matrix]
    found = 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column] != 0), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][column] / rows[found][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def learn(
    X: np.ndarray,
    signs: Sequence[int],
    order: Iterable[int],
    *,
    constant: float = 1.0,
    tie: int = 0,
    steps: Sequence[float] | None = None,
    start: Sequence[float] | None = None,
    required: float = 0.0,
) -> tuple[np.ndarray, list[int]]:
    """Visit the samples in order; return the weights and the sequence of mistaken samples.

    A mistake is a score below the ``required`` margin.
    """
    rows = extended(X, constant)
    weights = [0.0] * rows.shape[1] if start is None else [float(w) for w in start]
    mistakes = []
    for i in order:
        ahead = exact_dot(rows[i], weights) - signs[i] * Fraction(required)
        side = sign(ahead) or tie
        if signs[i] != 0 and side != signs[i]:
            step = signs[i] * (1.0 if steps is None else float(steps[i]))
            for j, value in enumerate(rows[i].tolist()):
                change = step * value
                weights[j] = weights[j] + change
            mistakes.append(int(i))
    return np.array(weights), mistakes


def learn_cyclic(
    X: np.ndarray,
    signs: Sequence[int],
    max_epochs: int = 1000,
    *,
    cycles: bool = True,
    **options: object,
) -> tuple[np.ndarray, list[list[int]]]:
    """Run epochs in natural order until one makes no mistake; return weights and mistakes per epoch.

    If ``cycles``, also stop when the weights equal those at the start, or those after the last earlier
    epoch whose number is a power of two.
    """
    start = options.pop("start", None)
    weights = np.zeros(X.shape[1] + 1) if start is None else np.array(start, dtype=np.float64)
    epochs: list[list[int]] = []
    is_back = False
    while len(epochs) < max_epochs and (not epochs or epochs[-1]) and not is_back:
        if len(epochs) in (0, *(2**k for k in range(20))):
            mark = weights.tolist()
        weights, mistakes = learn(X, signs, range(len(X)), start=weights, **options)
        epochs.append(mistakes)
        is_back = cycles and weights.tolist() == mark
    return weights, epochs


def dealt(n_samples: int, n_shards: int) -> list[list[int]]:
    """Deal blocks of samples to shards in turn: one sample at first, later 1/256 of those dealt."""
    parts: list[list[int]] = [[] for _ in range(n_shards)]
    start = block = 0
    while start < n_samples:
        size = 1
        while size < 4096 and 2 * 256 * size <= start:
            size *= 2
        parts[block % n_shards] += range(start, min(start + size, n_samples))
        start, block = start + size, block + 1
    return parts


def visited(
    blocks: Sequence[Sequence[int]], order: str, seed: int, epoch: int, shard: int
) -> list[list[int]]:
    """Return a shard's blocks of samples in the order in which an epoch visits them."""
    if order == "cyclic":
        return [list(block) for block in blocks]
    seeds = np.random.SeedSequence([seed, epoch, shard])
    draw = np.random.RandomState(np.random.MT19937(seeds))
    drawn = [blocks[k] for k in draw.permutation(len(blocks))]
    return [[block[i] for i in draw.permutation(len(block))] for block in drawn]


def learn_jointly(
    X: np.ndarray,
    own: Sequence[int],
    order: Iterable[int],
    *,
    start: np.ndarray,
    constant: float = 1.0,
    steps: Sequence[float] | None = None,
    required: float = 0.0,
) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Do the same as `learn` with one weight vector per class; mistakes are (sample, rival class)."""
    rows = extended(X, constant)
    weights = [[float(w) for w in vector] for vector in start]
    mistakes = []
    for i in order:
        step = 1.0 if steps is None else float(steps[i])
        if step == 0.0:
            continue
        scores = [exact_dot(rows[i], vector) for vector in weights]
        best = max(score for k, score in enumerate(scores) if k != own[i])
        if scores[own[i]] > best + Fraction(required):
            continue
        rival = next(k for k, score in enumerate(scores) if k != own[i] and score == best)
        for j, value in enumerate(rows[i].tolist()):
            weights[own[i]][j] += step * value
            weights[rival][j] += -step * value
        mistakes.append((int(i), rival))
    return np.array(weights), mistakes
