"""Attributes of a perceptron with a pocket or a vote, and its most influential mistakes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, LabelLike, SampleLike
from rosenblatt.estimators.streaming.perceptron_stream import PerceptronStream
from rosenblatt.kernels.finite import check_sample
from rosenblatt.training.deciders.pocket import Pockets
from rosenblatt.training.deciders.vote_decisions import Influence, influence
from rosenblatt.training.deciders.vote_record import Votes


class PerceptronViews(PerceptronStream):
    """Abstract: a perceptron that may keep pockets, or all weights for a vote."""

    @property
    def pocket_mistakes_(self) -> Floats:
        """The total weight of the training samples that each halfspace's pocket misclassifies.

        Only `fit` with ``keep="pocket"`` counts it: a stream does not keep its samples.
        """
        kept = self._state.kept
        if not isinstance(kept, Pockets) or kept.mistakes is None:
            raise AttributeError(
                "pocket_mistakes_ exists only after fit with keep='pocket', not after a stream"
            )
        return kept.mistakes

    @property
    def support_(self) -> Counts:
        """The numbers of the samples with at least one mistake, counted from 0 over all samples."""
        return np.sort(self._votes("support_").whole().numbers)

    def deciding_mistakes(self, x: SampleLike, n: int = 5, *, label: LabelLike = None) -> Influence:
        """Return the training samples with the largest influence on the decision about one sample.

        A mistake adds its sample to all later weights. Its influence is its part of the average score,
        the mean over all visits of the score by the weights of that visit: step·(x'·x)·(V - v)/V for a
        mistake on x' after v of V visits (x and x' include the constant). The influences of all mistakes
        and of the start sum to the average score, up to rounding. The vote itself uses only the signs of
        the scores.

        Parameters
        ----------
        x : a vector, a sparse row, or a dict of names to values
            The sample.
        n : int, default=5
            The number of samples to return, those with the largest absolute influences.
        label : a class, default=None
            The class whose halfspace to use, if there are several; None is the predicted class.

        Returns
        -------
        Influence
            The numbers of the samples, as in ``support_``, their influences, and that of the start.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron(keep="vote", order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> p.deciding_mistakes([2, 2])
        Influence(samples=array([0, 2]), influences=array([ 19.5       , -13.88888889]), start=0.0)
        """
        snapshot = self._snapshot()
        check_is_fitted(snapshot)
        whole_number("n", n, 1)
        votes = snapshot._votes("deciding_mistakes")
        row, rate = snapshot._one_row(x, 1.0), snapshot._state.rate
        check_sample(row)
        found = influence(votes, row, snapshot._halfspace_of(x, label))
        largest = np.argsort(-np.abs(found.influences), kind="stable")[:n]
        return Influence(
            found.samples[largest],
            rate * found.influences[largest],
            rate * found.start,
        )

    def _halfspace_of(self, x: SampleLike, label: LabelLike) -> int:
        """Return the number of the halfspace of a class, by default the predicted one."""
        classes = self._state.classes
        every = range(*classes.used.indices(classes.n_halfspaces))
        if len(every) == 1 and label is None:
            return every[0]
        if classes.multilabel and label is None:
            raise InputError("label=None is not accepted for a matrix of labels: give one label")
        chosen = self.predict_one(x) if label is None else label
        (places,) = np.nonzero(classes.labels == chosen)
        if len(places) != 1:
            raise InputError(
                f"label={label!r} is not accepted: give one of {classes.labels.tolist()!r}"
            )
        return int(every[places[0]]) if len(every) > 1 else every[0]

    def _votes(self, name: str) -> Votes:
        kept = self._state.kept
        if not isinstance(kept, Votes):
            raise AttributeError(f"{name} exists only with keep='vote'")
        return kept
