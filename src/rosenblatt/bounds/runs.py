"""Risk bounds for a fitted run, with an error if a bound does not apply to it.

A run is a fitted learner with ``ledger_``, ``history_``, ``outcome_``, ``order`` and ``keep``, such as
`rosenblatt.Perceptron`. The bounds use the order and ``keep`` of the fit, not the current parameters. If
the run itself does not show that a bound applies (sample weights, a given start), the bound raises an
error; if you know that it applies, use the bounds in ``risk``.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.bounds.risk import (
    azuma_risk_bound,
    compression_risk_bound,
    expected_risk,
    kl_risk_bound,
)
from rosenblatt.bounds.tail_probabilities import kl_inverse, level_of, tail_inverse
from rosenblatt.core.checks import between, check_choice
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import positive_classes, signs_for
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.kernels.epochs.replay import replay
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.training.history import History
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.outcomes import Outcome

_FORMS = {"kl": kl_risk_bound, "azuma": azuma_risk_bound}


class Run(Protocol):
    """The attributes of a fitted learner that a bound reads."""

    order: str
    keep: str
    ledger_: Ledger
    history_: History
    outcome_: Outcome


class Selection(NamedTuple):
    """One hypothesis of a pass, the samples it had seen, and a bound on its risk."""

    n_seen: int
    risk: float
    coef: Floats
    intercept: float


def estimated_risk(run: Run, *, vote: bool = False) -> float:
    """Return M/n for a run of one epoch, or 2·M/n: an estimate, not a bound; see `expected_risk`.

    Assumes: the same as `online_risk`.
    Promises: without ``vote``, on average over the samples, the mean risk of the hypotheses before
    each visit; with it, on average at least the mean risk of their majority vote.

    >>> import warnings
    >>> from rosenblatt import Perceptron
    >>> with warnings.catch_warnings(action="ignore"):  # one epoch is not enough to separate
    ...     run = Perceptron(max_iter=1, order="cyclic").fit([[1], [2], [3], [-1]], [1, 1, 1, 0])
    >>> run.n_mistakes_, estimated_risk(run)
    (2, 0.5)
    """
    return expected_risk(*_one_pass(run), vote=vote)


def online_risk(run: Run, delta: float, *, form: str = "kl", vote: bool = False) -> float:
    """Return a bound on the mean risk of the hypotheses of a run of one epoch.

    ``form`` is "kl" (`kl_risk_bound`) or "azuma" (`azuma_risk_bound`); choose it beforehand.

    Assumes: independent samples from one distribution, two classes, visited once each in an order that
    does not depend on them. Promises: with probability at least 1 - ``delta``, the mean risk of the
    hypotheses before each visit is at most the result; with ``vote``, the risk of their majority vote.
    It promises nothing about the weights that `predict` uses, such as the last ones: for a single
    hypothesis see `select_hypothesis`. If shards were mixed, the hypotheses are those of the shards,
    which have seen the earlier samples of their shard. Rejects: several epochs, visits with repetition,
    more than two classes, streams, a start other than zero (it might come from these samples) and steps
    other than 1 (weights may depend on all samples, as "balanced" ones do).

    >>> import warnings
    >>> from rosenblatt import Perceptron
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> with warnings.catch_warnings(action="ignore"):  # one epoch is not enough to separate
    ...     run = Perceptron(max_iter=1, order="cyclic").fit(X, X[:, 0] > 0)
    >>> run.n_mistakes_, round(online_risk(run, delta=0.05), 4)
    (58, 0.0968)
    """
    check_choice("form", form, list(_FORMS))
    n_mistakes, n_samples = _one_pass(run)
    mean = _FORMS[form](n_mistakes, n_samples, delta)
    return min(1.0, 2.0 * mean) if vote else mean


def compression_risk(run: Run, delta: float) -> float:
    """Return `compression_risk_bound` for a run that ended without mistakes.

    Assumes: independent samples from one distribution, two classes, in an order that does not depend
    on them. The number of epochs does not matter.
    Promises: with probability at least 1 - ``delta``, the risk of the last weights, which `predict`
    uses, is at most the result.
    Rejects: runs that keep anything but the last weights (an average, a vote and a pocket depend on how
    many visits weights survived, and so on samples without a mistake), a run that did not end with an
    epoch without a mistake, weights that were mixed from shards, orders other than "cyclic" (a run on
    only the samples with mistakes has to repeat it), more than two classes, streams, a start other than
    zero and steps other than 1.

    >>> from rosenblatt import Perceptron
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> run = Perceptron(fit_intercept=False, order="cyclic").fit(X, X[:, 0] > 0)
    >>> int(np.count_nonzero(run.ledger_.mistake_counts)), round(compression_risk(run, 0.05), 4)
    (85, 0.2777)
    """
    counts = _plain_counts(run)
    keep, order = run.ledger_.keep or run.keep, _order(run)
    if keep not in ("auto", "last"):  # "auto" keeps the last weights of separated samples
        raise InputError(
            f"the run has keep={keep!r}: such weights also depend on samples without a mistake, and "
            "this bound is for weights that follow from the samples with mistakes; fit with "
            "keep='last', which makes the same mistakes"
        )
    if run.ledger_.shards > 1:
        raise InputError(
            f"the run has shards={run.ledger_.shards}: a run on only the samples with mistakes has "
            "other shards, and ends with other weights; fit with shards=1"
        )
    if run.outcome_ is not Outcome.SEPARATED:
        raise InputError(
            f"the run ended as {run.outcome_.name}, not SEPARATED: if you fixed the number of epochs "
            "beforehand, count the errors on the samples without a mistake and give them to "
            "compression_risk_bound"
        )
    if order != "cyclic":
        raise InputError(
            f"the run has order={order!r}: this bound is for order='cyclic', which a run on only the "
            "samples with mistakes repeats"
        )
    return compression_risk_bound(int(np.count_nonzero(counts)), len(counts), delta)


def select_hypothesis(run: Run, X: MatrixLike, y: LabelsLike, delta: float) -> Selection:
    """Return the hypothesis of a run of one epoch whose risk has the smallest bound, and that bound.

    Every hypothesis t, which has seen t of the n samples, is tested on the following n - t samples;
    those with equal weights need only one test, so this costs one pass per mistake. The run must have
    been fitted with ``record=True``; X and y are its data.

    Assumes: the same as `online_risk`.
    Promises: with probability at least 1 - ``delta``, the risk of the returned weights is at most the
    returned ``risk``.
    Rejects: the same as `online_risk`, orders other than "cyclic", runs without a recorded sequence, and
    data with another digest than the run's (the same numbers and labels in any storage match).
    Reference: N. Cesa-Bianchi, A. Conconi and C. Gentile, On the generalization ability of on-line
    learning algorithms (2004), section 3. Their penalty √(ln(n·(n + 1)/δ)/(2(n - t))) bounds the
    risk from both sides; the upper side alone is the binomial tail at δ/n for each of n hypotheses.

    >>> import warnings
    >>> from rosenblatt import Perceptron
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> with warnings.catch_warnings(action="ignore"):  # one epoch is not enough to separate
    ...     run = Perceptron(max_iter=1, record=True, order="cyclic").fit(X, X[:, 0] > 0)
    >>> best = select_hypothesis(run, X, X[:, 0] > 0, delta=0.05)
    >>> best.n_seen, round(best.risk, 4)
    (405, 0.0424)
    """
    level = level_of(between("delta", delta, 0, 1), _one_pass(run)[1])
    order = _order(run)
    if order != "cyclic":
        raise InputError(
            f"the run has order={order!r}: only order='cyclic' determines which samples follow a "
            "hypothesis"
        )
    ledger = run.ledger_
    check_data(ledger, X, y)
    n_samples = ledger.mistake_counts.shape[1]
    # The bound holds for all hypotheses at once, so any choice is allowed: this one is cheap.
    best, least = _Tested(0, n_samples, ledger.start[0]), np.inf
    for tested in _tested(ledger, X, y):
        bound = kl_inverse(tested.n_errors, n_samples - tested.n_seen, level)
        if bound < least:
            best, least = tested._replace(weights=tested.weights.copy()), bound
    return Selection(
        best.n_seen,
        tail_inverse(best.n_errors, n_samples - best.n_seen, level),
        ledger.eta0 * best.weights[:-1],
        float(ledger.eta0 * best.weights[-1]),
    )


class _Tested(NamedTuple):
    """A hypothesis, the number of samples it has seen, and its errors on the samples after them."""

    n_seen: int
    n_errors: int
    weights: Floats


def _tested(ledger: Ledger, X: MatrixLike, y: LabelsLike) -> Iterator[_Tested]:
    """Yield each hypothesis of a recorded pass that has samples left; its weights array is reused."""
    rows = as_rows(X, 1.0 if ledger.fit_intercept else 0.0)
    signs = signs_for(np.asarray(y), positive_classes(ledger.classes)[0])
    left = signs.copy()  # 0 where a sample has been seen
    weights, steps = ledger.start[0].copy(), np.ascontiguousarray(ledger.steps[0])
    (sequence,) = ledger.sequences or [np.zeros(0, dtype=np.int64)]
    n_seen = 0
    for i in [*sequence, len(signs)]:
        if n_seen < len(signs):
            yield _Tested(n_seen, int(count_mistakes(rows, left, 0, weights)), weights)
        if i < len(signs):
            replay(rows, signs, steps, np.array([i]), weights)
            n_seen = int(i) + 1
            left[:n_seen] = 0


def check_data(ledger: Ledger, X: MatrixLike, y: LabelsLike) -> None:
    """Raise InputError unless X and y are the data of the recorded run."""
    ledger.replay(X, y)  # raises for wrong shapes and labels
    if ledger.digest is None:
        raise InputError(
            "the run has no digest of its data, because an older version recorded it or float64 cannot "
            "represent the data exactly: fit it again with record=True"
        )
    signs = signs_for(np.asarray(y), positive_classes(ledger.classes)[0])
    signs[ledger.steps[0] == 0.0] = 0  # a sample that the run did not see has no side
    if not ledger.digest.matches(X, signs):
        raise InputError("X and y are not the data of the run: the digests differ")


def _order(run: Run) -> str:
    return run.ledger_.order or run.order


def _one_pass(run: Run) -> tuple[int, int]:
    """Return the numbers of mistakes and samples; raise InputError unless the run was one pass."""
    counts = _plain_counts(run)
    n_epochs = len(run.history_)
    if n_epochs != 1:
        raise InputError(
            f"the run had {n_epochs} epochs, but this bound is for one: later hypotheses have already "
            "seen the samples they are tested on; fit with max_iter=1, or give history_[0].mistakes to "
            "kl_risk_bound, for the hypotheses of the first epoch"
        )
    order = _order(run)
    if order not in ("cyclic", "shuffle"):
        raise InputError(
            f"the run has order={order!r}, which may visit a sample more than once: this bound is for "
            "order='cyclic' or 'shuffle'"
        )
    return int(counts.sum()), len(counts)


def _plain_counts(run: Run) -> Counts:
    """Return each sample's mistakes; raise unless the run is unweighted, from zero, of one halfspace."""
    ledger = getattr(run, "ledger_", None)
    if not isinstance(ledger, Ledger):
        raise InputError(
            "the run has no ledger_: it is not fitted, or a stream has continued it; with one pass over "
            "a stream give its mistakes and its length to kl_risk_bound"
        )
    if len(ledger.mistake_counts) != 1:
        noun = "labels" if ledger.multilabel else "classes"
        raise InputError(
            f"the run has {len(ledger.classes)} {noun} and one halfspace for each: this bound is for "
            "two classes with a single halfspace"
        )
    if ledger.start.any():
        raise InputError(
            "the run did not start from zero, and its start may depend on these samples: start from "
            "zero, or, if it does not depend on them, give numbers to a bound such as kl_risk_bound"
        )
    if not (ledger.steps == 1.0).all():
        raise InputError(
            "the steps of the run are not all 1 (sample_weight or class_weight), and "
            "weights may depend on all samples: if they do not, give numbers to a bound such as "
            "kl_risk_bound"
        )
    counts: Counts = ledger.mistake_counts[0]
    return counts
