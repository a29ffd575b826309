"""Speed of reading text into samples, in megabytes per second.

    python benchmarks/reading.py [--data FOLDER] [--megabytes 32] [--repeats 5] [--json]

One thread parses texts in memory in pieces of 4 MiB: ours; scikit-learn's `load_svmlight_file`; and, as
the limit, one pass over the bytes that only counts lines (`bytes.count`). These times are CPU times of
the thread. "file" is the wall-clock time of `read_libsvm` on a file with the same text, on two threads.
Works run in turn; results are medians. ``--data`` names a folder with `rcv1_subset/`, whose text is also
measured, repeated.
"""

import argparse
import io
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from rosenblatt.io.samples.libsvm_file import read_libsvm
from rosenblatt.io.samples.libsvm_parser import parse_libsvm

_PIECE = 2**22
_N_FEATURES = 47_000
_PER_LINE = 75
_REAL = {"libsvm, RCV1": "rcv1_subset/small_train.dat"}


def _libsvm(rng: np.random.Generator, form: str) -> str:
    indices = np.sort(rng.choice(_N_FEATURES, _PER_LINE, replace=False)).tolist()
    values = (0.3 * rng.random(_PER_LINE)).tolist()
    pairs = [f"{index}:{value:{form}}" for index, value in zip(indices, values, strict=True)]
    return " ".join(["1", *pairs])


_MADE: dict[str, Callable[[np.random.Generator], str]] = {
    "libsvm, 4 digits": partial(_libsvm, form=".4f"),
    "libsvm, 17 digits": partial(_libsvm, form=".17g"),
    "libsvm, ones": partial(_libsvm, form=".0f"),
}


def texts(data: Path | None, n_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield names and texts of about this size."""
    if data is not None:
        for name, file in _REAL.items():
            text = (data / file).read_bytes()
            yield name, text * (1 + n_bytes // len(text))
    for name, make in _MADE.items():
        rng = np.random.default_rng(0)
        text = "".join(make(rng) + "\n" for _ in range(2000)).encode()
        yield name, text * (1 + n_bytes // len(text))


def pieces(text: bytes) -> list[bytes]:
    """Return whole lines."""
    found, begin = [], 0
    while begin < len(text):
        end = text.find(b"\n", min(begin + _PIECE, len(text) - 1)) + 1 or len(text)
        found.append(text[begin:end])
        begin = end
    return found


def works(name: str, text: bytes, file: Path) -> dict[str, Callable[[], object]]:
    """Return what is measured on a text."""
    parts = pieces(text)
    file.write_bytes(text)
    return {
        "ours": lambda: [parse_libsvm(part, name, 1) and None for part in parts],
        "scikit-learn": lambda: load_svmlight_file(io.BytesIO(text)),
        "count": lambda: [part.count(b"\n") for part in parts],
        "file": lambda: read_libsvm(file),
    }


def measured(name: str, text: bytes, repeats: int) -> dict[str, float]:
    """Return the median megabytes per second of each work, after one warm-up."""
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(repeats + 1):
            for work, call in works(name, text, Path(folder) / "data").items():
                clock = time.perf_counter if work == "file" else time.thread_time
                started = clock()
                call()
                if repeat:
                    seconds.setdefault(work, []).append(clock() - started)
    return {work: len(text) / 1e6 / statistics.median(times) for work, times in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with rcv1_subset/")
    parser.add_argument("--megabytes", type=int, default=32, help="size of a text")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    found = {
        name: measured(name, text, options.repeats)
        for name, text in texts(options.data, options.megabytes * 10**6)
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'MB/s':20} {'ours':>6} {'scikit-learn':>13} {'count':>6} {'file':>6}")
    for name, rates in found.items():
        cells = [f"{rates[work]:.0f}" for work in ("ours", "scikit-learn", "count", "file")]
        print(f"{name:20} {cells[0]:>6} {cells[1]:>13} {cells[2]:>6} {cells[3]:>6}")


if __name__ == "__main__":
    main()
