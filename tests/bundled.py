"""The bundled set as arrays."""

import numpy as np

from rosenblatt.io.data import sonar


def sonar_arrays() -> tuple[np.ndarray, np.ndarray]:
    """Return the samples, whose rows are sorted by class, and their labels."""
    table = np.genfromtxt(sonar(), delimiter=",", dtype=str)
    return table[:, :-1].astype(float), table[:, -1]
