"""The ledger: the record of all mistakes, which is the dual form of the weights.

Every mistake adds sign·step·sample to the weights, so the weights are eta0 times the start plus the
sum of the mistakes: w = w0 + eta0·Σ c_i·y_i·step_i·x_i, where c_i counts the mistakes on sample i. On
float data that sum depends on the sequence, because of rounding; a recorded sequence reproduces the
same bits. Classes that learn jointly share one sequence: every mistake updates two weight vectors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.html import html_table
from rosenblatt.core.labels import as_labels, class_indices, positive_classes, signs_for
from rosenblatt.core.types import Counts, Floats, Labels, LabelsLike, Marks, MatrixLike, Signs
from rosenblatt.kernels.epochs.replay import replay, replay_jointly
from rosenblatt.kernels.rows import as_rows, n_rows
from rosenblatt.training.label_matrix import as_matrix

if TYPE_CHECKING:
    from rosenblatt.certificates.digest import Digest


@dataclass(frozen=True, repr=False)
class Ledger:
    """How often each halfspace was mistaken on each sample and, if recorded, in which sequence.

    Attributes
    ----------
    mistake_counts : array of shape (n_halfspaces, n_samples)
        Mistakes of each halfspace on each sample: one halfspace for two classes, else one per class or
        label. If the classes learn jointly: how often the sample was mistaken for each class.
    sequences : list of arrays, or None
        The samples of each halfspace's mistakes, first to last (with ``record=True``). If the classes
        learn jointly: two arrays, the samples and the classes they were mistaken for.
    steps : array of shape (n_halfspaces, n_samples)
        How far a mistake on the sample moves the weights, in units of eta0: 1, unless samples are
        weighted.
    start : array of shape (n_halfspaces, n_features + 1)
        The weights before the first mistake, in units of eta0, the intercept last.
    joint : bool
        Whether the classes learn jointly.
    multilabel : bool
        Whether y is a matrix with one column per label.
    order, keep : str, or None
        The run's ``order`` and ``keep``; None in older model files.
    digest : Digest, or None
        Identifies the run's samples and their sides (only for a recorded run of one halfspace).
    margin : float
        The score up to which a visit was a mistake: 0, except in runs with a required margin.
    shards : int
        The number of shards. With more than one the weights were mixed, so they are not the sum of the
        mistakes.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ledger = Perceptron(record=True, order="cyclic").fit(X, y).ledger_
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
    joint: bool = False
    multilabel: bool = False
    order: str | None = None
    keep: str | None = None
    digest: "Digest | None" = None
    margin: float = 0.0
    shards: int = 1

    def __post_init__(self) -> None:
        positives = self.classes if self.multilabel else positive_classes(self.classes)
        shape = (len(positives), np.shape(self.mistake_counts)[-1])
        fits = (
            self.mistake_counts.shape == self.steps.shape == shape
            and self.mistake_counts.dtype.kind == "i"
            and self.steps.dtype == self.start.dtype == np.float64
            and self.start.ndim == 2
            and len(self.start) == shape[0]
            and isinstance(self.eta0, float)
            and isinstance(self.margin, float)
            and type(self.shards) is int
        )
        limits = [shape[1]] * shape[0]
        if self.joint:
            limits = [shape[1], shape[0]]
            fits = fits and len({len(sequence) for sequence in self.sequences or []}) <= 1
        if self.sequences is not None:
            fits = fits and len(self.sequences) == len(limits)
            fits = fits and all(map(_is_within, self.sequences, limits))
        if not fits:
            raise InputError(
                "the counts, steps, start and sequences of a ledger do not fit together"
            )

    @property
    def n_mistakes(self) -> int:
        """The number of mistakes of all halfspaces."""
        return int(self.mistake_counts.sum())

    def replay(self, X: MatrixLike, y: LabelsLike) -> tuple[Floats, Floats]:
        """Repeat all recorded updates and return the coefficients and intercepts.

        X and y must be the data of the run, in the same order. The result equals ``coef_`` and
        ``intercept_`` bit for bit.
        """
        if self.sequences is None:
            raise InputError(
                "this ledger contains only mistake counts: fit with record=True to replay the run"
            )
        rows = as_rows(X, 1.0 if self.fit_intercept else 0.0)
        labels = as_matrix(y) if self.multilabel else np.asarray(as_labels(y))
        n_samples = self.mistake_counts.shape[1]
        if not n_rows(rows) == len(labels) == n_samples:
            raise InputError(
                f"X has {n_rows(rows)} rows and y {len(labels)} labels, "
                f"but the recorded run had {n_samples} samples"
            )
        self._check_labels(labels)
        width = self.start.shape[1] - 1
        if np.shape(X)[1] != width:
            raise InputError(f"X has {np.shape(X)[1]} features, but the recorded run had {width}")
        panel = self.start.copy()
        if self.joint:
            own, (samples, rivals) = class_indices(labels, self.classes), self.sequences
            replay_jointly(rows, own, self.steps[0], samples, rivals, panel)
        else:
            for weights, signs, steps, sequence in zip(
                panel, self._signs(labels), self.steps, self.sequences, strict=True
            ):
                replay(rows, signs, np.ascontiguousarray(steps), sequence, weights)
        return self.eta0 * panel[:, :-1], self.eta0 * panel[:, -1]

    def _check_labels(self, labels: Labels) -> None:
        """Raise InputError if the recorded run cannot have had these labels."""
        if self.multilabel:
            if labels.ndim != 2 or labels.shape[1] != len(self.classes):
                raise InputError(
                    f"y has shape {labels.shape}, but the recorded run had {len(self.classes)} labels"
                )
            return
        unknown = set(labels.tolist()) - set(self.classes.tolist())
        if unknown:
            raise InputError(f"y contains {min(unknown)!r}, which the recorded run did not have")

    def _signs(self, labels: Labels) -> Iterator[Signs]:
        """Yield the sides of all samples, halfspace by halfspace."""
        if self.multilabel:
            yield from (signs_for(column, 1) for column in labels.T)
        else:
            yield from (signs_for(labels, one) for one in positive_classes(self.classes))

    def __repr__(self) -> str:
        kind = "counts" if self.sequences is None else "full sequence"
        return f"<Ledger of {self.n_mistakes} mistakes, {kind}>"

    def _repr_html_(self) -> str:
        totals = self.mistake_counts.sum(axis=0)
        rows = np.argsort(-totals, kind="stable")[: np.count_nonzero(totals)].tolist()
        head = ["row", "mistakes"]
        if len(self.mistake_counts) > 1:
            head += map(str, self.classes.tolist())

        def cells(row: int) -> list[str]:
            by_class = self.mistake_counts[:, row].tolist() if len(head) > 2 else []
            return [f"{row:,}", *(f"{count:,}" for count in [int(totals[row]), *by_class])]

        caption = (
            f"{self.n_mistakes:,} mistakes on {len(rows):,} of {totals.size:,} samples, those with the "
            "most mistakes first"
        )
        return html_table(caption, head, rows, cells)


def _is_within(sequence: Counts, limit: int) -> bool:
    """Return whether a sequence contains only integers from 0 to below the limit."""
    if sequence.ndim != 1 or sequence.dtype != np.int64:
        return False
    return len(sequence) == 0 or bool(0 <= sequence.min() <= sequence.max() < limit)


def joined(sequence: list[Counts]) -> Counts:
    """Return the sequences of all epochs as one."""
    return np.concatenate(sequence) if sequence else np.zeros(0, dtype=np.int64)
