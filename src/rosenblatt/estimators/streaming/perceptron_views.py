"""What can be asked of a perceptron beside its predictions, where a pocket or a vote decides."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError, not_finite
from rosenblatt.core.types import Counts, Floats, LabelLike, SampleLike
from rosenblatt.estimators.streaming.perceptron_stream import PerceptronStream
from rosenblatt.training.deciders.pocket import Pockets
from rosenblatt.training.deciders.vote_decisions import Influence, influence
from rosenblatt.training.deciders.vote_record import Votes


class PerceptronViews(PerceptronStream):
    """Abstract: a perceptron that may keep pockets, or all weights for a vote."""

    @property
    def pocket_mistakes_(self) -> Floats:
        """What the pocket of each halfspace is mistaken on, each sample with its weight.

        There are pockets with ``keep="pocket"``, and they are counted by `fit`: the samples of a stream
        are gone.
        """
        kept = self._state.kept
        if not isinstance(kept, Pockets) or kept.mistakes is None:
            raise AttributeError(
                "pocket_mistakes_ is what fit counts with keep='pocket'; in a stream nothing is counted"
            )
        return kept.mistakes

    @property
    def support_(self) -> Counts:
        """The numbers of the samples that a mistake was made on, counted from 0 in all that came."""
        return np.sort(self._votes("support_").whole().numbers)

    def deciding_mistakes(self, x: SampleLike, n: int = 5, *, label: LabelLike = None) -> Influence:
        """Return the training samples that weigh most in what is decided about one sample.

        Every mistake adds its sample to all weights after it, and so takes part in all later voices. Its
        influence is what it adds to the average score, the mean over all visits of the score by the
        weights then in force: step·(x'·x)·(V - v)/V for a mistake on x' that had v of V visits before it
        (the constants are part of the product). The influences of all mistaken samples, and of the
        start, sum to the average score, to rounding: it is not the vote, but what the vote rounds to
        signs.

        Parameters
        ----------
        x : a vector, a sparse row, or a dict of names to values
            The sample.
        n : int, default=5
            How many samples to return, those with the largest influences, of whatever sign.
        label : a class, default=None
            Whose halfspace to ask, if there are several; None is the class that is predicted.

        Returns
        -------
        Influence
            Numbers of samples as in ``support_``, their influences, and that of the start.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron(keep="vote", order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> p.deciding_mistakes([2, 2])
        Influence(samples=array([0, 2]), influences=array([ 19.5       , -13.88888889]), start=0.0)
        """
        still = self._still()
        check_is_fitted(still)
        whole_number("n", n, 1)
        votes = still._votes("deciding_mistakes")
        row, rate = still._one_row(x, 1.0), still._state.rate
        if not np.isfinite(row.values).all():
            raise not_finite(0)
        found = influence(votes, row, still._halfspace_of(x, label))
        largest = np.argsort(-np.abs(found.influences), kind="stable")[:n]
        return Influence(
            found.samples[largest],
            rate * found.influences[largest],
            rate * found.start,
        )

    def _halfspace_of(self, x: SampleLike, label: LabelLike) -> int:
        """Return the number of the halfspace that stands for a class, or for the predicted one."""
        classes = self._state.classes
        every = range(*classes.used.indices(classes.n_halfspaces))
        if len(every) == 1 and label is None:
            return every[0]
        if classes.multilabel and label is None:
            raise InputError("label=None is not accepted where a sample may have several: give one")
        wanted = self.predict_one(x) if label is None else label
        (places,) = np.nonzero(classes.labels == wanted)
        if len(places) != 1:
            raise InputError(
                f"label={label!r} is not accepted: give one of {classes.labels.tolist()!r}"
            )
        return int(every[places[0]]) if len(every) > 1 else every[0]

    def _votes(self, name: str) -> Votes:
        kept = self._state.kept
        if not isinstance(kept, Votes):
            raise AttributeError(f"{name} is there when all weights vote: with keep='vote'")
        return kept
