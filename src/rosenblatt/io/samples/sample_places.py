"""Where samples are in a file: functions that return their lines or rows on demand."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Flags
from rosenblatt.io.samples.table import PlacesOf
from rosenblatt.io.samples.text_file import text_lines


def line_places(path: Path, lines_above: int, *, has_blank: bool) -> PlacesOf:
    """Return a function that finds lines; it reads the file again if that has blank lines."""

    def places_of(samples: Counts) -> list[str]:
        if not has_blank:
            return [f"line {lines_above + 1 + sample}" for sample in samples.tolist()]
        found = _lines_of(path, lines_above, set(samples.tolist()))
        return [f"line {found[sample]}" for sample in samples.tolist()]

    return places_of


def _lines_of(path: Path, lines_above: int, samples: set[int]) -> dict[int, int]:
    lines = islice(enumerate(text_lines(path), start=1), lines_above, None)
    numbered = enumerate(number for number, line in lines if line.strip("\r\n"))
    last = max(samples, default=-1)
    return {k: number for k, number in islice(numbered, last + 1) if k in samples}


def places_at_lines(lines: Sequence[int]) -> PlacesOf:
    """Return a function that looks up known lines."""
    return lambda samples: [f"line {lines[sample]}" for sample in samples.tolist()]


def places_in_sources(
    names: Sequence[str], sources: NDArray[np.int32], lines: Counts, noun: str = "line"
) -> PlacesOf:
    """Return a function that looks up known lines and, unless there is one source, names the source."""

    def places_of(samples: Counts) -> list[str]:
        places = [f"{noun} {line}" for line in lines[samples].tolist()]
        if len(names) == 1:
            return places
        own = [names[k] for k in sources[samples].tolist()]
        return [f"{name}, {place}" for name, place in zip(own, places, strict=True)]

    return places_of


def row_places(samples: Counts) -> list[str]:
    """Return row numbers, from 1, for a file that has no lines."""
    return [f"row {sample + 1}" for sample in samples.tolist()]


def kept_places(places_of: PlacesOf, kept: Flags) -> PlacesOf:
    """Return a function that finds the samples that were kept."""
    if kept.all():
        return places_of
    rows = np.flatnonzero(kept)
    return lambda samples: places_of(rows[samples])


def places_in_files(
    names: Sequence[str], sizes: Sequence[int], each: Sequence[PlacesOf]
) -> PlacesOf:
    """Return a function that finds the joined samples of several files."""
    if len(each) == 1:
        return each[0]
    starts = np.cumsum([0, *sizes])

    def places_of(samples: Counts) -> list[str]:
        found = []
        for sample in samples.tolist():
            k = int(np.searchsorted(starts, sample, side="right")) - 1
            (place,) = each[k](np.array([sample - starts[k]]))
            found.append(f"{names[k]}, {place}")
        return found

    return places_of
