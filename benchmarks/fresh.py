"""Fresh processes: each runs a few lines of Python and prints JSON last."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

_EMPTY_CACHE = """
from pathlib import Path
from rosenblatt.kernels.cache import code_files
from rosenblatt.kernels.cache.cache_folders import CacheFolder
code_files.cache_folders = lambda: (CacheFolder(Path({folder!r}, "compiled")),)
"""
_FITS = """
import json, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import scipy.sparse as sp
from rosenblatt import Perceptron
few, many = np.ones((4, 2)), np.ones((2000, 600))
kinds = dict(
    float64=(few, 2), float32=(few.astype(np.float32), 2), sparse=(sp.csr_matrix(few), 2),
    three=(few, 3), many=(many, 3),
)
extra = dict()
for kind in {kinds!r}:
    X, n_classes = kinds[kind]
    times = []
    for _ in range(2):
        started = time.perf_counter()
        Perceptron(keep="last", max_iter=1, order="cyclic").fit(X, np.arange(X.shape[0]) % n_classes)
        times.append(time.perf_counter() - started)
    extra[kind] = times[0] - times[1]
print(json.dumps(extra))
"""
_LEARN = """
import contextlib, io, json, sys
from rosenblatt.cli import main
sys.argv = ["rosenblatt", "learn", "--json"]
with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.suppress(SystemExit):
    main()
print(json.dumps(json.loads(output.getvalue())))
"""


def answer(program: str, *arguments: str, **environment: str) -> Any:
    """Run a program in a fresh process and return the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def process_seconds(arguments: tuple[str, ...], sources: Path | None = None) -> tuple[float, float]:
    """Return the seconds and CPU seconds of a Python process that imports us from ``sources``."""
    path = {} if sources is None else {"PYTHONPATH": str(sources)}
    before, start = os.times(), perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **path},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seconds, after = perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system
    return seconds, cpu - before.children_user - before.children_system


def first_fits(*kinds: str, empty_cache: bool = False) -> dict[str, float]:
    """Return by how many seconds the first fit of each kind exceeds the second, in one process.

    Kinds: "float64", "float32" and "sparse" (four samples, two classes), "three" (classes), and "many"
    (samples, three classes).
    """
    return dict(_answer(_FITS.format(kinds=kinds), empty_cache=empty_cache))


def first_learn() -> dict[str, float]:
    """Return the seconds of `rosenblatt learn` on the bundled data, with an empty cache."""
    report = _answer(_LEARN, empty_cache=True)
    return {"seconds": report["seconds"], "compile_seconds": report["compile_seconds"]}


def _answer(program: str, *, empty_cache: bool) -> Any:
    if not empty_cache:
        return answer(program)
    with tempfile.TemporaryDirectory() as folder:
        return answer(_EMPTY_CACHE.format(folder=folder) + program)


def processor() -> str:
    """Return the processor's name, cores and caches, if the system tells them."""
    try:
        output = subprocess.run(
            ["lscpu"], env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return platform.processor() or platform.machine()
    pairs = [line.partition(":") for line in output.splitlines()]
    facts = {name.strip(): value.strip() for name, _, value in pairs}
    names = ("Model name", "CPU family", "Model", "CPU(s)", "L2 cache", "L3 cache")
    return ", ".join(f"{name} {facts[name]}" for name in names if name in facts)
