"""Certificates: proofs about separability that can be checked without trusting the solver.

This package shares no code with the solvers: it reads the data with NumPy and SciPy's sparse matrices,
and decides with Python's integers.
"""

from rosenblatt.certificates.certificate import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.digest import Digest
from rosenblatt.certificates.document import from_json

__all__ = ["Digest", "HullIntersection", "SeparatingHyperplane", "from_json"]
