"""The history of a run: one record per epoch."""

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from rosenblatt.core.html import html_table
from rosenblatt.core.types import Counts, Floats

_UNKNOWN = -1


class Epoch(NamedTuple):
    """One epoch of a run.

    ``mistakes`` were made during the epoch. ``updates`` are those and, with a required margin, the
    visits on the correct side with a smaller margin. ``training_mistakes`` is how many training
    samples the weights at its end misclassify: a different number, None unless the run computed it
    (after an epoch without a mistake it is 0). ``seconds`` exclude compilation.
    """

    mistakes: int
    updates: int
    training_mistakes: int | None
    norm: float
    seconds: float


class History(Sequence[Epoch]):
    """One record per epoch; each field is also available as an array.

    >>> history = History()
    >>> history.append(Epoch(mistakes=2, updates=2, training_mistakes=None, norm=1.5, seconds=0.1))
    >>> history.append(Epoch(mistakes=0, updates=0, training_mistakes=0, norm=1.5, seconds=0.1))
    >>> history.mistakes
    array([2, 0])
    >>> history[-1].training_mistakes
    0
    """

    def __init__(self) -> None:
        self._mistakes = array("q")
        self._updates = array("q")
        self._training_mistakes = array("q")
        self._norm = array("d")
        self._seconds = array("d")

    def __getstate__(self) -> dict[str, Any]:
        # The columns grow in place, so a copy needs its own.
        return {name: column[:] for name, column in vars(self).items()}

    def append(self, epoch: Epoch) -> None:
        """Add the record of an epoch."""
        known = epoch.training_mistakes
        self._mistakes.append(epoch.mistakes)
        self._updates.append(epoch.updates)
        self._training_mistakes.append(_UNKNOWN if known is None else known)
        self._norm.append(epoch.norm)
        self._seconds.append(epoch.seconds)

    def extend(self, mistakes: Floats, updates: Floats, norms: Floats, seconds: float) -> None:
        """Add the records of several epochs, each of which took ``seconds``."""
        self._mistakes.frombytes(mistakes.astype(np.int64).tobytes())
        self._updates.frombytes(updates.astype(np.int64).tobytes())
        self._training_mistakes.extend([_UNKNOWN] * len(mistakes))
        self._norm.frombytes(np.asarray(norms, dtype=np.float64).tobytes())
        self._seconds.extend([seconds] * len(mistakes))

    @property
    def mistakes(self) -> Counts:
        """Mistakes during each epoch."""
        return np.array(self._mistakes, dtype=np.int64)

    @property
    def updates(self) -> Counts:
        """Updates during each epoch: the mistakes and, with a required margin, too small margins."""
        return np.array(self._updates, dtype=np.int64)

    @property
    def training_mistakes(self) -> Counts:
        """Misclassified training samples after each epoch, -1 if unknown."""
        return np.array(self._training_mistakes, dtype=np.int64)

    @property
    def norm(self) -> Floats:
        """Length of the weights, including the intercept, after each epoch."""
        return np.array(self._norm, dtype=np.float64)

    @property
    def seconds(self) -> Floats:
        """Duration of each epoch."""
        return np.array(self._seconds, dtype=np.float64)

    def state(self) -> dict[str, Any]:
        """Return the history as arrays; `from_state` reverses this."""
        return {name: getattr(self, name) for name in Epoch._fields}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "History":
        """Return the history that `state` returned as arrays."""
        history = cls()
        columns = (state[name].tolist() for name in Epoch._fields)
        for mistakes, updates, left, norm, seconds in zip(*columns, strict=True):
            history.append(Epoch(mistakes, updates, None if left < 0 else left, norm, seconds))
        return history

    def __len__(self) -> int:
        return len(self._mistakes)

    @overload
    def __getitem__(self, index: int) -> Epoch: ...
    @overload
    def __getitem__(self, index: slice) -> list[Epoch]: ...
    def __getitem__(self, index: int | slice) -> Epoch | list[Epoch]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        known = self._training_mistakes[index]
        return Epoch(
            mistakes=self._mistakes[index],
            updates=self._updates[index],
            training_mistakes=None if known == _UNKNOWN else known,
            norm=self._norm[index],
            seconds=self._seconds[index],
        )

    def __repr__(self) -> str:
        return f"<History of {len(self)} epochs, {sum(self._mistakes)} mistakes>"

    def _repr_html_(self) -> str:
        def cells(index: int) -> list[str]:
            mistakes, updates, left, norm, seconds = self[index]
            known = "" if left is None else f"{left:,}"
            counts = [f"{index + 1:,}", f"{mistakes:,}", f"{updates:,}", known]
            return [*counts, f"{norm:.6g}", f"{seconds:.3g}"]

        return html_table(
            f"{len(self):,} epochs, {sum(self._mistakes):,} mistakes",
            [
                "epoch",
                "mistakes",
                "updates",
                "training mistakes afterward",
                "length of weights",
                "seconds",
            ],
            range(len(self)),
            cells,
        )
