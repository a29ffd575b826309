"""What happens in a fresh process: it runs a few lines of Python, and the last one printed is JSON."""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

_EMPTY_CACHE = """
from pathlib import Path
from rosenblatt.kernels.cache import code_files
from rosenblatt.kernels.cache.places import Place
code_files.places = lambda: (Place(Path({folder!r}, "compiled")),)
"""
_FITS = """
import json, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import scipy.sparse as sp
from rosenblatt import Perceptron
X = np.ones((4, 2), dtype=np.float32)
if {kind!r} == "sparse":
    X = sp.csr_matrix(X)
times = []
for _ in range(2):
    started = time.perf_counter()
    Perceptron(max_iter=1).fit(X, [0, 1, 0, 1])
    times.append(time.perf_counter() - started)
print(json.dumps(times))
"""


def answer(program: str, *arguments: str, **environment: str) -> Any:
    """Run a program text in a process of its own, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def first_and_second_fit(kind: str, *, empty_cache: bool = False) -> tuple[float, float]:
    """Return the seconds of the first two fits of a process, on four "dense" or "sparse" samples."""
    program = _FITS.format(kind=kind)
    if not empty_cache:
        return tuple(answer(program))
    with tempfile.TemporaryDirectory() as folder:
        return tuple(answer(_EMPTY_CACHE.format(folder=folder) + program))
