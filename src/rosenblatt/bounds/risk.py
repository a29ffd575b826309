"""Bounds on the risk: the probability that a hypothesis labels one more sample wrongly.

Assumed throughout: the samples, including their labels and the next sample, are drawn independently from
one distribution; the order of visits does not depend on them. A run's mistake on a score of exactly 0
counts as a wrong label here, even if `predict` would be correct, so the risks below are never less than
those of `predict`.

With ``delta`` a bound holds with probability at least 1 - delta over the draw of the samples: it is
wrong in at most that fraction of repetitions. Choose the kind of bound and delta before looking at the
result: the smallest of several bounds is not a bound at the same delta.

The constants are those proved in the docstrings: the older bound of N. Cesa-Bianchi, A. Conconi and C.
Gentile (2004) has √((2/n)·ln(1/δ)) where `azuma_risk_bound` has half of it, and `kl_risk_bound` replaces
the bound of N. Cesa-Bianchi and C. Gentile (2008), which has larger constants.
"""

import math

from rosenblatt.bounds.mistakes import mistake_bound
from rosenblatt.bounds.tail_probabilities import kl_inverse, level_of, log_binomial, tail_inverse
from rosenblatt.core.checks import between, not_negative, positive, whole_number
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError

# Terms of a sum in memory: 0.8 GB.
_MOST_TERMS = 100_000_000

_PADDING = 1.0 + 2.0**-48


def expected_risk(mean_mistakes: float, n_samples: int, *, vote: bool = False) -> float:
    """Return E/n, or 2·E/n for the vote: a bound on a mean, not one that holds with high probability.

    Assumes: E = ``mean_mistakes`` is the expected number of mistakes in one pass over n =
    ``n_samples`` samples. With the mistakes of a single run the result is only an estimate of the mean
    risk, correct on average. For samples that may be inseparable, the mean of
    `mistake_bound_with_deviations` is a bound on E.
    Promises: learn in one pass from n - 1 samples, keep the n hypotheses before, between and after
    the visits, and draw one of them uniformly: its risk, averaged over the samples and that draw, is
    exactly E/n. With ``vote`` the majority of the n hypotheses decides, with ties counted as wrong:
    its mean risk is at most 2·E/n.
    Reference: D. Helmbold and M. Warmuth, On weak learning (1995); Y. Freund and R. Schapire, Large
    margin classification using the perceptron algorithm (1999), theorem 3 and corollary 1. Hypothesis
    t meets sample t + 1 as if it were the next one; a majority errs only where half of them do.

    >>> expected_risk(10, 1000), expected_risk(10, 1000, vote=True)
    (0.01, 0.02)
    """
    n = whole_number("n_samples", n_samples, 1, WHOLE)
    mean = not_negative("mean_mistakes", mean_mistakes)
    if mean > n:
        raise InputError(
            f"mean_mistakes={mean_mistakes!r} is above n_samples={n}: one pass makes at most one "
            "mistake on each sample"
        )
    return min(1.0, (2.0 if vote else 1.0) * mean / n)


def azuma_risk_bound(n_mistakes: int, n_samples: int, delta: float) -> float:
    """Return M/n + √(ln(1/δ)/(2n)), rounded up, at most 1.

    Assumes: one pass over n = ``n_samples`` samples made M = ``n_mistakes`` mistakes; the start and
    the steps did not depend on later samples.
    Promises: with probability at least 1 - δ, the mean risk of the n hypotheses before each visit (the
    start is the first; the last weights are not included) is at most the result. That is the risk of
    drawing one of them uniformly for every prediction; their majority vote has at most twice the risk.
    Reference: W. Hoeffding (1963) and K. Azuma (1967), for the martingale of risk minus mistake,
    whose steps are in an interval of length 1; N. Cesa-Bianchi, A. Conconi and C. Gentile, On the
    generalization ability of on-line learning algorithms (2004), have √((2/n)·ln(1/δ)).

    >>> round(azuma_risk_bound(10, 1000, 0.05), 6)
    0.048702
    """
    n = whole_number("n_samples", n_samples, 1, WHOLE)
    mistakes = whole_number("n_mistakes", n_mistakes, 0, n)
    level = level_of(between("delta", delta, 0, 1))
    return min(1.0, (mistakes / n + math.sqrt(level / (2.0 * n))) * _PADDING)


def kl_risk_bound(n_mistakes: int, n_samples: int, delta: float) -> float:
    """Return the p ≥ M/n at which kl(M/n‖p) = ln((n + 1)/δ)/n, rounded up.

    kl is the relative entropy of two coins. For few mistakes this is far below `azuma_risk_bound`:
    about ln((n + 1)/δ)/n without mistakes.

    Assumes and promises: the same as `azuma_risk_bound`.
    Reference: for λ < 0 and risks p_t, exp(λ·M - Σ ln(1 + p_t·(e^λ - 1))) has mean 1, and the logarithm
    is concave in p_t, so Pr[M ≤ k and mean risk ≥ p] ≤ exp(-n·kl(k/n‖p)); then one δ/(n + 1) for every
    k. Compare A. Blum, A. Kalai and J. Langford, Beating the hold-out (1999).

    >>> round(kl_risk_bound(10, 1000, 0.05), 6), round(kl_risk_bound(0, 1000, 0.05), 6)
    (0.030989, 0.009856)
    """
    n = whole_number("n_samples", n_samples, 1, WHOLE)
    mistakes = whole_number("n_mistakes", n_mistakes, 0, n)
    return kl_inverse(mistakes, n, level_of(between("delta", delta, 0, 1), n + 1))


def held_out_risk_bound(n_errors: int, n_samples: int, delta: float) -> float:
    """Return the p at which Pr[Bin(n, p) ≤ e] = δ, rounded up.

    Assumes: one hypothesis, chosen without looking at n = ``n_samples`` samples, labels e =
    ``n_errors`` of them wrongly.
    Promises: with probability at least 1 - δ its risk is at most the result. Use this bound for runs of
    several epochs, whose hypotheses have seen all training samples.
    Reference: C. Clopper and E. Pearson (1934).

    >>> round(held_out_risk_bound(0, 100, 0.05), 6), round(held_out_risk_bound(5, 100, 0.05), 6)
    (0.029513, 0.102253)
    """
    n = whole_number("n_samples", n_samples, 1, WHOLE)
    errors = whole_number("n_errors", n_errors, 0, min(n, _MOST_TERMS))
    return tail_inverse(errors, n, level_of(between("delta", delta, 0, 1)))


def compression_risk_bound(
    n_support: int, n_samples: int, delta: float, *, n_errors: int = 0
) -> float:
    """Return the p at which Pr[Bin(n - k, p) ≤ e] = δ/((n + 1)·(n choose k)), rounded up.

    Without errors that is 1 - exp(-(ln(n choose k) + ln((n + 1)/δ))/(n - k)).

    Assumes: the hypothesis is a fixed function of k = ``n_support`` of the n = ``n_samples`` samples,
    and labels e = ``n_errors`` of the other n - k wrongly. The last weights of the cyclic perceptron
    are such a function, with k the number of distinct samples with mistakes: a run from the same start,
    in the same order, on those alone makes the same mistakes. The start, the steps (1, or a function of
    the sample) and, unless the run ended with an epoch without mistakes, the number of epochs must be
    fixed beforehand.
    Promises: with probability at least 1 - δ its risk is at most the result.
    Reference: N. Littlestone and M. Warmuth, Relating data compression and learnability (1986); T.
    Graepel, R. Herbrich and J. Shawe-Taylor, PAC-Bayesian compression bounds (2005). For one set of k
    samples the others are fresh; then a union bound over all sets, and over k.

    >>> round(compression_risk_bound(80, 12665, 0.05), 4)
    0.0385
    """
    n = whole_number("n_samples", n_samples, 1, WHOLE)
    support = whole_number("n_support", n_support, 0, min(n, _MOST_TERMS))
    errors = whole_number("n_errors", n_errors, 0, min(n - support, _MOST_TERMS))
    level = level_of(between("delta", delta, 0, 1), n + 1) + log_binomial(n, support)
    return tail_inverse(errors, n - support, level * _PADDING)


def leave_one_out_bound(
    n_samples: int,
    *,
    n_support: int | None = None,
    radius: float | None = None,
    margin: float | None = None,
) -> float:
    """Return min(k, R²/γ²)/n for the maximum margin: not a bound that holds with high probability.

    Give k = ``n_support``, or R = ``radius`` and γ = ``margin``, or all three.

    Assumes: the weights w = Σ a_i·y_i·x_i, a ≥ 0, have the maximum margin γ on n = ``n_samples``
    samples, through the origin (so extended, with an intercept), none longer than R; k of the a_i are
    not zero. For a γ below the maximum margin the result is larger and holds as well.
    Promises about these samples: leave out each in turn and take the maximum margin of the others; at
    most that fraction of the left-out samples is labeled wrongly. On average: the mean risk of the
    maximum margin of n - 1 samples is at most the mean of the result.
    Reference: V. Vapnik, Statistical Learning Theory (1998), section 10.4: leaving out sample i changes
    nothing unless a_i > 0, and it is labeled wrongly only if a_i·‖x_i‖² ≥ 1, in units where
    Σ a_i = 1/γ² (T. Jaakkola and D. Haussler, Probabilistic kernel regression models, 1999).

    >>> leave_one_out_bound(100, n_support=7)
    0.07
    """
    n = whole_number("n_samples", n_samples, 1, WHOLE)
    if n_support is None and radius is None and margin is None:
        raise InputError(
            "neither n_support nor radius and margin are given: give n_support, or radius and margin"
        )
    wrong = float(n if n_support is None else whole_number("n_support", n_support, 0, n))
    if radius is not None or margin is not None:
        wrong = min(wrong, mistake_bound(positive("radius", radius), positive("margin", margin)))
    return min(1.0, wrong / n)
