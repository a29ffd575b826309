"""scikit-learn's callback protocol, if the installed version has it (1.9 and newer).

With it, ``Perceptron().set_callbacks(ProgressBar())`` shows progress by epoch. Each epoch is a subtask
of the fit; a callback that returns True at the end of an epoch stops the run.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from rosenblatt.core.types import LabelsLike, MatrixLike
from rosenblatt.estimators.common.lock import locked
from rosenblatt.training.history import Epoch

_protocol: Any = import_module("sklearn.callback") if find_spec("sklearn.callback") else None

WRAPPERS = 0 if _protocol is None else 2
"""How many frames `with_callbacks` puts between a caller and a method."""

Method = TypeVar("Method", bound=Callable[..., Any])
State = Callable[[], dict[str, Any]]


class CallbackSupport:
    """Adds ``set_callbacks`` to an estimator, if scikit-learn has the protocol."""

    if _protocol is not None:
        set_callbacks = _protocol.CallbackSupportMixin.set_callbacks
        _init_callback_context = _protocol.CallbackSupportMixin._init_callback_context


def with_callbacks(method: Method) -> Method:
    """Decorate a method so that callbacks are torn down when it ends, even with an error.

    The lock covers that, too, because it deletes an attribute, which no copy may have.
    """
    if _protocol is None:
        return method
    wrapped: Method = locked(_protocol.with_callbacks(method))
    return wrapped


class FitTask:
    """Reports the progress of a fit to the estimator's callbacks, if any.

    ``state()`` returns the attributes that make a copy of the estimator ready to predict.
    """

    patient = False

    def __init__(self, estimator: Any, X: MatrixLike, y: LabelsLike, state: State) -> None:
        self._facts = {"estimator": estimator, "X": X, "y": y, "reconstruction_attributes": state}
        self._fit: Any = None
        self._epoch: Any = None
        if _protocol is not None:
            self._fit = estimator._init_callback_context(max_subtasks=estimator.max_iter)
            self._fit.call_on_fit_task_begin(**self._facts)
        self.is_watched = self._fit is not None and hasattr(estimator, "_skl_callbacks")

    def epoch_begins(self) -> None:
        """Announce the start of an epoch."""
        self._epoch = self._fit.subcontext(task_name="epoch")
        self._epoch.call_on_fit_task_begin(**self._facts)

    def epoch_ends(self, _epoch: Epoch, _n_epochs: int) -> bool:
        """Announce the end of an epoch; return whether a callback asks to stop."""
        return bool(self._epoch.call_on_fit_task_end(**self._facts))

    def end(self) -> None:
        """Announce the end of the fit."""
        if self._fit is not None:
            self._fit.call_on_fit_task_end(**self._facts)
