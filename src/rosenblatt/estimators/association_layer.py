"""Association units: fixed random threshold units between the samples and the learner.

In the machine of 1958 the photocells were not connected to the response unit, which learns, but to
association units, which do not: each is wired at random to a few photocells, by excitatory connections
that count +1 and inhibitory ones that count -1, and fires when their sum reaches its threshold.

F. Rosenblatt, The perceptron: a probabilistic model for information storage and organization in the
brain, Psychological Review 65 (1958).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.checks import check_flag, positive, whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelsLike, MatrixLike, Seed
from rosenblatt.estimators.common.estimator import Estimator
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.common.validation import features_in, generator, validated
from rosenblatt.kernels.sparse_input import as_csr


@dataclass(frozen=True)
class Connections:
    """The features that each unit is wired to, the excitatory connections first."""

    features: Features
    cells: Counts

    def __post_init__(self) -> None:
        cells = self.cells
        fits = cells.ndim == 2 and cells.dtype == np.int64 and cells.size > 0
        if not fits or not (cells.min() >= 0 and cells.max() < self.features.count):
            raise ValueError("the connections do not fit the features")

    def matrix(self, n_excitatory: int) -> Any:
        """Return what each feature adds to each unit, as a matrix with one row for each unit."""
        n_units, n_connections = self.cells.shape
        signs = np.where(np.arange(n_connections) < n_excitatory, 1.0, -1.0)
        starts = np.arange(0, self.cells.size + 1, n_connections)
        shape = (n_units, self.features.count)
        return sp.csr_array((np.tile(signs, n_units), self.cells.ravel(), starts), shape=shape)


class AssociationLayer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator[Connections]):
    """Random threshold units: each fires when the photocells it is wired to add up to its threshold.

    Unit k gives 1 where Σ x over its excitatory connections − Σ x over its inhibitory ones is at least
    the threshold, else 0. The connections are drawn by `fit`, which looks at nothing but the number of
    features, and never change. Every connection is drawn independently, so that a unit may have several
    to the same feature: they add up. Sums are in float64, in the order of the features: the same units
    fire for dense and sparse samples.

    Parameters
    ----------
    n_units : int, default=1000
        The number of association units.
    n_excitatory : int, default=3
        Connections of each unit that count +1.
    n_inhibitory : int, default=1
        Connections of each unit that count -1; may be 0.
    threshold : float, default=2.0
        The sum at which a unit fires, above 0: in the dark none does.
    sparse_output : bool, default=True
        Return a CSR matrix, else an array.
    random_state : int, RandomState or None, default=None
        Seeds the connections.

    Attributes
    ----------
    cells_ : array of shape (n_units, n_excitatory + n_inhibitory)
        The feature that each connection comes from, the excitatory ones first.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    >>> from rosenblatt import AssociationLayer, Perceptron
    >>> from sklearn.pipeline import make_pipeline
    >>> layer = AssociationLayer(n_units=4, sparse_output=False, random_state=4)
    >>> layer.fit_transform([[0, 0], [0, 1], [1, 0], [1, 1]])
    array([[0., 0., 0., 0.],
           [0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [1., 1., 1., 1.]], dtype=float32)

    No hyperplane separates XOR, but one may separate what such units make of it:

    >>> machine = make_pipeline(AssociationLayer(n_units=20, random_state=0), Perceptron())
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> machine.fit(X, ["same", "other", "other", "same"]).predict(X).tolist()
    ['same', 'other', 'other', 'same']
    """

    def __init__(
        self,
        n_units: int = 1000,
        *,
        n_excitatory: int = 3,
        n_inhibitory: int = 1,
        threshold: float = 2.0,
        sparse_output: bool = True,
        random_state: Seed = None,
    ) -> None:
        self.n_units = n_units
        self.n_excitatory = n_excitatory
        self.n_inhibitory = n_inhibitory
        self.threshold = threshold
        self.sparse_output = sparse_output
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""
        whole("n_units", self.n_units, 1)
        whole("n_excitatory", self.n_excitatory, 1)
        whole("n_inhibitory", self.n_inhibitory, 0)
        positive("threshold", self.threshold)
        check_flag("sparse_output", self.sparse_output)
        generator(self.random_state)

    def fit(self, X: MatrixLike, y: LabelsLike = None) -> Self:
        """Draw the connections; of X only the number of features counts, and y not at all."""
        del y
        with self._lock:
            self.check_parameters()
            rng, features = generator(self.random_state), features_in(self, X)
            shape = (self.n_units, self.n_excitatory + self.n_inhibitory)
            cells = rng.randint(features.count, size=shape).astype(np.int64)
            self._assign(Connections(features, cells), None)
        return self

    def transform(self, X: MatrixLike) -> Any:
        """Return which units fire for each sample: 1 or 0, as float32."""
        layer = self._still()
        check_is_fitted(layer)
        layer.check_parameters()
        layer.check_learned()
        X = validated(layer, X, dtype=np.float64)
        rows = as_csr(sp.csr_array(X))  # in the order of the features
        sums = rows @ layer._state.matrix(self.n_excitatory).T
        fires = (sums >= float(layer.threshold)).astype(np.float32)
        return fires if layer.sparse_output else fires.toarray()

    def check_learned(self) -> None:
        """Raise unless the connections are such as the parameters ask for."""
        if not isinstance(self._learned, Connections):
            raise ValueError("this is not what an AssociationLayer learns")
        shape = self.cells_.shape
        if shape != (self.n_units, self.n_excitatory + self.n_inhibitory):
            raise InputError(
                f"the units were wired with {shape[0]} units of {shape[1]} connections, and n_units, "
                "n_excitatory or n_inhibitory were changed since: fit again"
            )

    @property
    def cells_(self) -> Counts:
        """The feature that each connection comes from, the excitatory ones first."""
        return self._state.cells

    @property
    def _n_features_out(self) -> int:
        return len(self.cells_)
