"""A slow twin of the parser of libsvm lines."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats


class NaiveLines(NamedTuple):
    labels: Floats
    values: Floats
    indices: Any
    indptr: Any
    weights: Floats | None
    n_lines: int
    lines: Counts | None


def parse_libsvm(data: bytes, path: str, first_line: int) -> NaiveLines:
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    labels, values, indices, indptr, numbers = [], [], [], [0], []
    for k, line in enumerate(lines):
        fields = line.partition(b"#")[0].split()
        if fields:
            try:
                labels.append(float(fields[0]))
                pairs = [pair.split(b":") for pair in fields[1:]]
                indices += [int(index) for index, _ in pairs]
                values += [float(value) for _, value in pairs]
            except ValueError as error:
                raise InputError(f"{path}, line {first_line + k}: {error}") from error
            indptr.append(len(values))
            numbers.append(k)
    return NaiveLines(
        np.array(labels),
        np.array(values),
        np.array(indices, np.int32),
        np.array(indptr, np.int32),
        None,
        len(lines),
        None if numbers == list(range(len(lines))) else np.array(numbers),
    )
