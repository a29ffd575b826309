"""What units and networks have in common: they map rows of numbers to outputs of two values."""

from abc import ABC, abstractmethod

from numpy.typing import ArrayLike

from rosenblatt.circuits.bits import all_inputs, as_inputs
from rosenblatt.core.types import Counts, Numbers


class Circuit(ABC):
    """Something that computes outputs from inputs."""

    @property
    @abstractmethod
    def n_inputs(self) -> int:
        """How many inputs are read."""

    @abstractmethod
    def evaluate(self, inputs: Numbers) -> Counts:
        """Return the output for each row of inputs, which are not checked."""

    def __call__(self, inputs: ArrayLike) -> int | list[int] | Counts:
        """Return the output for one input, or an array of outputs for a table of inputs.

        An input is a row of finite numbers, or a string of the digits 0 and 1; a table has one in each
        row.
        """
        values = as_inputs(inputs, self.n_inputs)
        outputs = self.evaluate(values.reshape(-1, self.n_inputs))
        if values.ndim == 2:
            return outputs
        one: int | list[int] = outputs[0].tolist()
        return one

    def truth_table(self) -> Counts:
        """Return the outputs for all inputs of 0 and 1, in the order of `all_inputs`."""
        return self.evaluate(all_inputs(self.n_inputs))
