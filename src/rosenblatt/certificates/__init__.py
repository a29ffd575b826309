"""Certificates: proofs about separability that are checked without trusting whoever found them.

Nothing here is shared with the solvers: the checker reads the data by itself, with NumPy, SciPy's sparse
matrices and Python's whole numbers.
"""

from rosenblatt.certificates.certificate import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.digest import Digest
from rosenblatt.certificates.document import from_json

__all__ = ["Digest", "HullIntersection", "SeparatingHyperplane", "from_json"]
