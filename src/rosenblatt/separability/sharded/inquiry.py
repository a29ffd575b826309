"""One question about the samples of shards: a few of them are decided about, the others contradict.

The working samples are decided about as on one machine. If nothing separates them, nothing separates
all; else every shard looks for the samples that lie worst for the weights found, and these join the few.
The combination that bounds the margin of the few from above does so for all; the least margin among all
bounds it from below. That is constraint generation, as in ``solvers``, with shards in the place of one
array. It ends: a round that brings no new sample is the last.
"""

import math
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from rosenblatt.certificates import Digest, SeparatingHyperplane
from rosenblatt.core.compiling import working_time
from rosenblatt.separability.checked_input import as_samples
from rosenblatt.separability.question import Question
from rosenblatt.separability.results.conclusion import mistake_bound
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.search import Round
from rosenblatt.separability.separate import separate_class, separate_jointly
from rosenblatt.separability.sharded.claims import Asked, Chunk, Claim
from rosenblatt.separability.sharded.measured import joined
from rosenblatt.separability.sharded.picked_rows import WorstRows, gathered
from rosenblatt.separability.sharded.proved_weights import proved_squared
from rosenblatt.separability.sharded.renumbered import renumbered
from rosenblatt.separability.solvers.constraint_generation import WIDEST
from rosenblatt.training.margins import Interval

_METHOD = "constraint generation on shards"

_COARSE = 0.125

_UNKNOWN = Digest("", "dense", "float64", 0, 0)
"""What stands for the digest of all samples until that is asked for."""


@dataclass(frozen=True)
class Wanted:
    """How closely the margin is wanted, and whether as a rational number."""

    tolerance: float
    exact: bool


class Inquiry:
    """What is known about one class, by its code, and the rest, or about all classes jointly (None).

    ``working`` are some of all samples, so many as there are; every class has one among them.
    """

    def __init__(
        self, asked: Asked, positive: int | None, wanted: Wanted, working: Chunk, n_samples: int
    ) -> None:
        self._asked, self._positive, self._wanted = asked, positive, wanted
        self._working, self._n_samples = working, n_samples
        self._wants_whole = False
        # Wide samples take long: what more of them may contradict is not found too closely.
        size = 1 if positive is not None else len(asked.classes)
        is_wide = size * (working.X.shape[1] + 1) > WIDEST
        self._tolerance = _COARSE if is_wide else wanted.tolerance / 4
        self._found: Separation | None = None  # about the working samples
        self._is_final = False  # that is true of all samples, and there is no more to find
        self._lower: Separation | None = None  # whose weights have the greatest margin among all
        self._upper: Separation | None = None  # whose combination is the shortest
        self._rounds: list[Round] = []
        self._started = working_time()
        self.is_over = False

    def decide(self, time_limit: float) -> Claim | None:
        """Decide about the working samples; return the weights to be tried on all, unless it is over."""
        is_complete = len(self._working.numbers) == self._n_samples
        wants_exact = self._wanted.exact
        self._wants_whole = self._wants_whole or (wants_exact and is_complete)
        if is_complete:
            self._tolerance = self._wanted.tolerance
        found = self._separation(time_limit)
        if found.verdict is Verdict.UNDECIDED and wants_exact and not self._wants_whole:
            self._wants_whole = True
            found = self._separation(time_limit)
        self._found = found
        is_separable = found.verdict is Verdict.SEPARABLE
        self._is_final = (is_complete and is_separable) or found.verdict is Verdict.INSEPARABLE
        self.is_over = is_complete or not is_separable
        return None if self.is_over else _claim(self._positive, found)

    def take(self, answers: Sequence[WorstRows]) -> None:
        """Take what the weights came to on all shards."""
        found, before = self._found, len(self._working.numbers)
        assert found is not None
        claim, measured = _claim(self._positive, found), joined(one.measured for one in answers)
        holds = measured.n_short == 0
        self._offer_upper(found)
        if holds:
            self._offer_lower(found)
        else:
            squared = proved_squared(self._asked, claim, measured)
            if squared is not None:
                certificate = replace(_hyperplane(found), lower_squared=squared)
                self._offer_lower(replace(found, certificate=certificate))
            rows = [one.rows for one in answers if one.rows is not None]
            self._working = gathered([self._working, *rows])
        lower, upper = self._interval
        self._rounds.append(Round(_METHOD, before, lower, upper, working_time() - self._started))
        is_closed = lower > 0.0 and upper - lower <= self._wanted.tolerance * upper
        if self._wants_whole and found.squared_margin is not None:
            is_closed = False  # a rational number is right or wrong
        is_finest = self._tolerance <= self._wanted.tolerance / 4
        has_more = not holds and len(self._working.numbers) > before
        gap = (upper - lower) / upper if lower > 0.0 else 1.0
        next_gap = min(self._tolerance / 2, gap / 8) if has_more else 0.0
        self._tolerance = max(self._wanted.tolerance / 4, next_gap)
        if is_closed or (is_finest and not has_more):
            # Whole numbers are dear: they are asked for when floats have found what they can.
            self.is_over = self._wants_whole or not self._wanted.exact
            self._wants_whole = self._wanted.exact

    def stop(self) -> None:
        """End with what is proved so far, for time is up."""
        self.is_over = True

    def result(self) -> Separation:
        """Return what is known; the digest of its certificate is yet to be filled in (`completed`)."""
        found = self._found
        assert found is not None
        if not self._is_final:
            found = self._undecided(found) if self._lower is None else self._joined(self._lower)
        return replace(found, history_=[*self._rounds]) if self._rounds else found

    def _separation(self, time_limit: float) -> Separation:
        """Decide about the working samples; return what is found, by their numbers among all."""
        question = self._question(time_limit)
        if self._positive is None:
            found = separate_jointly(question)
        else:
            found = separate_class(question, self._asked.classes[self._positive])
        return renumbered(found, self._working.numbers, _UNKNOWN)

    def _question(self, time_limit: float) -> Question:
        asked = self._asked
        y = asked.classes[self._working.codes]
        X, y, _ = as_samples(self._working.X, y, accepts_one_label=True)
        digest: Future[Digest] = Future()
        digest.set_result(_UNKNOWN)
        return Question(
            X,
            y,
            asked.classes,
            asked.constant,
            asked.margin,
            self._tolerance,
            self._wants_whole,
            time_limit,
            asked.unit_length,
            digest,
        )

    @property
    def _interval(self) -> Interval:
        lower, upper = self._lower, self._upper
        return Interval(
            0.0 if lower is None else _hyperplane(lower).lower,
            math.inf if upper is None else _hyperplane(upper).upper,
        )

    def _offer_lower(self, found: Separation) -> None:
        """Keep weights that are shown to have the greatest margin, if these are."""
        squared, best = _hyperplane(found).lower_squared, self._lower
        if best is None or squared >= _hyperplane(best).lower_squared:
            self._lower = found

    def _offer_upper(self, found: Separation) -> None:
        """Keep the combination that is the shortest, if this is."""
        upper, best = _hyperplane(found).upper, self._upper
        if best is None or upper <= _hyperplane(best).upper:
            self._upper = found

    def _joined(self, lower: Separation) -> Separation:
        """Return the separation of weights, and of a combination that may be another round's."""
        if lower is self._upper:
            return lower
        assert self._upper is not None
        shortest = _hyperplane(self._upper)
        certificate = replace(
            _hyperplane(lower),
            combination=shortest.combination,
            upper_squared=shortest.upper_squared,
        )
        return replace(
            lower,
            margin=Interval(certificate.lower, certificate.upper),
            squared_margin=None,
            mistake_bound=mistake_bound(self._question(0.0), certificate, lower.radius),
            certificate=certificate,
            support=self._upper.support,
        )

    def _undecided(self, found: Separation) -> Separation:
        return replace(
            found,
            verdict=Verdict.UNDECIDED,
            margin=Interval(0.0, min(found.margin.upper, self._interval.upper)),
            squared_margin=None,
            mistake_bound=None,
            certificate=None,
            coef=None,
            intercept=None,
        )


def completed(found: Separation, digest: Digest) -> Separation:
    """Return a separation whose certificate speaks of the samples that have the digest."""
    if found.certificate is None:
        return found
    return replace(found, certificate=replace(found.certificate, digest=digest))


def _claim(positive: int | None, found: Separation) -> Claim:
    certificate = _hyperplane(found)
    return Claim(positive, certificate.weights, certificate.lower_squared)


def _hyperplane(found: Separation) -> SeparatingHyperplane:
    assert isinstance(found.certificate, SeparatingHyperplane)
    return found.certificate
