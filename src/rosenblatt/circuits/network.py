"""Units in layers: each unit reads every output of the layer before."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from rosenblatt.circuits.circuit import Circuit
from rosenblatt.circuits.unit import ThresholdUnit
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Numbers


@final
@dataclass(frozen=True, init=False)
class Network(Circuit):
    """Layers of threshold units, the first of which reads the inputs and the last of which answers.

    A last layer of one unit gives one output for an input, as a unit does; a last layer of several gives
    a row of outputs. What a layer reads are the outputs of the layer before as they are: 0 and 1, or -1
    and 1, as each unit has them.

    Parameters
    ----------
    layers : rows of ThresholdUnit
        Each unit has as many weights as the layer before has units, or, in the first layer, as there
        are inputs.

    Examples
    --------
    A half adder: the carry and the sum of two digits.

    >>> from rosenblatt.circuits import Network, ThresholdUnit, and_gate, or_gate
    >>> adder = Network([
    ...     [or_gate(2), and_gate(2)],
    ...     [ThresholdUnit([0, 1], 1), ThresholdUnit([1, -1], 1)],
    ... ])
    >>> adder.truth_table()
    array([[0, 0],
           [0, 1],
           [0, 1],
           [1, 0]])
    >>> adder("11")
    [1, 0]
    """

    layers: tuple[tuple[ThresholdUnit, ...], ...]

    def __init__(self, layers: Iterable[Iterable[ThresholdUnit]]) -> None:
        try:
            listed = tuple(tuple(layer) for layer in layers)
        except TypeError as error:
            raise InputError(
                "layers are not rows of units: give a list for each layer, even for a single unit"
            ) from error
        _check(listed)
        object.__setattr__(self, "layers", listed)

    @property
    def n_inputs(self) -> int:
        """How many inputs are read."""
        return self.layers[0][0].n_inputs

    @property
    def n_outputs(self) -> int:
        """How many units the last layer has."""
        return len(self.layers[-1])

    def evaluate(self, inputs: Numbers) -> Counts:
        """Return the output, or the row of outputs, for each row of inputs, which are not checked."""
        values = inputs
        for layer in self.layers:
            values = np.column_stack([unit.evaluate(values) for unit in layer])
        return values[:, 0] if self.n_outputs == 1 else values

    def __str__(self) -> str:
        return "\n".join(
            f"layer {place}: {'; '.join(str(unit) for unit in layer)}"
            for place, layer in enumerate(self.layers, start=1)
        )


def _check(layers: tuple[tuple[ThresholdUnit, ...], ...]) -> None:
    """Raise unless there is a unit in every layer and each reads what is there."""
    if not layers:
        raise InputError("layers are empty: give at least one layer of units")
    width: int | None = None
    for number, layer in enumerate(layers):
        if not layer:
            raise InputError(f"layers[{number}] is empty: give at least one unit")
        for place, unit in enumerate(layer):
            if not isinstance(unit, ThresholdUnit):
                raise InputError(f"layers[{number}][{place}]={unit!r} is not a ThresholdUnit")
            width = unit.n_inputs if width is None else width
            if unit.n_inputs != width:
                before = "the layer before has" if number else "the first unit reads"
                raise InputError(
                    f"layers[{number}][{place}] reads {unit.n_inputs} values, but {before} {width}: "
                    "give one weight for each"
                )
        width = len(layer)
