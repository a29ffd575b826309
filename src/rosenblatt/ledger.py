"""The record of all mistakes, which is the dual of the weights.

Every mistake adds sign·step·sample to the weights, so the weights are eta0 times the start plus the
mistakes' sum: w = w0 + eta0·Σ c_i·y_i·step_i·x_i, where c_i counts the mistakes on sample i. From
float data that sum depends on the sequence by rounding; a recorded sequence gives back the same bits.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.kernels import replay
from rosenblatt.labels import positive_classes, signs_for
from rosenblatt.rows import as_rows, n_rows
from rosenblatt.typing import Counts, Floats, Labels, Marks


@dataclass(frozen=True, repr=False)
class Ledger:
    """Who was mistaken on what, how often and, when recorded, in which sequence.

    Attributes
    ----------
    mistake_counts : array of shape (n_halfspaces, n_samples)
        Mistakes of each halfspace on each sample: one halfspace for two classes, else one a class.
    sequences : list of arrays, or None
        For each halfspace the samples of its mistakes, first to last (with ``record=True``).
    steps : array of shape (n_halfspaces, n_samples)
        How far a mistake on the sample moves the weights, in units of eta0: 1, unless samples are
        weighted or scaled to unit length.
    start : array of shape (n_halfspaces, n_features + 1)
        The weights before the first mistake, in units of eta0, the intercept last.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ledger = Perceptron(record=True).fit(X, y).ledger_
    >>> ledger.mistake_counts
    array([[2, 0, 5]], dtype=int32)
    >>> ledger.sequences
    [array([0, 2, 2, 2, 0, 2, 2])]
    >>> ledger.replay(X, y)
    (array([[1., 1.]]), array([-3.]))
    """

    classes: Labels
    mistake_counts: Counts | Marks
    sequences: list[Counts] | None
    steps: Floats
    start: Floats
    eta0: float
    fit_intercept: bool

    def __post_init__(self) -> None:
        shape = (len(positive_classes(self.classes)), np.shape(self.mistake_counts)[-1])
        fits = (
            self.mistake_counts.shape == self.steps.shape == shape
            and self.mistake_counts.dtype.kind == "i"
            and self.steps.dtype == self.start.dtype == np.float64
            and self.start.ndim == 2
            and len(self.start) == shape[0]
        )
        for sequence in self.sequences or []:
            inside = len(sequence) == 0 or 0 <= sequence.min() <= sequence.max() < shape[1]
            fits = fits and sequence.ndim == 1 and sequence.dtype == np.int64 and bool(inside)
        if not fits:
            raise InputError(
                "the counts, steps, start and sequences of a ledger do not fit together"
            )

    @property
    def n_mistakes(self) -> int:
        """The number of mistakes, all halfspaces together."""
        return int(self.mistake_counts.sum())

    def replay(self, X: Any, y: Any) -> tuple[Floats, Floats]:
        """Make all recorded updates again and return the coefficients and intercepts.

        X and y must be the data of the run, in the same order; the result has the same bits as
        ``coef_`` and ``intercept_``.
        """
        if self.sequences is None:
            raise InputError(
                "this ledger holds mistake counts only: fit with record=True to replay the run"
            )
        rows = as_rows(X, 1.0 if self.fit_intercept else 0.0)
        labels = np.asarray(y)
        n_samples = self.mistake_counts.shape[1]
        if not n_rows(rows) == len(labels) == n_samples:
            raise InputError(
                f"X has {n_rows(rows)} rows and y {len(labels)} labels, "
                f"but the recorded run had {n_samples} samples"
            )
        strangers = set(labels.tolist()) - set(self.classes.tolist())
        if strangers:
            raise InputError(f"y contains {min(strangers)!r}, which the recorded run did not have")
        width = self.start.shape[1] - 1
        if np.shape(X)[1] != width:
            raise InputError(f"X has {np.shape(X)[1]} features, but the recorded run had {width}")
        panel = self.start.copy()
        for weights, positive, steps, sequence in zip(
            panel, positive_classes(self.classes), self.steps, self.sequences, strict=True
        ):
            replay(rows, signs_for(labels, positive), steps, sequence, weights)
        return self.eta0 * panel[:, :-1], self.eta0 * panel[:, -1]

    def __repr__(self) -> str:
        kind = "counts" if self.sequences is None else "full sequence"
        return f"<Ledger of {self.n_mistakes} mistakes, {kind}>"


def joined(sequence: list[Counts]) -> Counts:
    """Return the epochs' sequences of mistakes as one."""
    return np.concatenate(sequence) if sequence else np.zeros(0, dtype=np.int64)
