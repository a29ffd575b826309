"""The compiled parser itself, on arrays that end where memory ends, and are too short at first.

It checks no place that it reads from. What it may read beyond a text is agreed upon: that much is
there, and no more.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from attack.mutants.guarded_memory import GuardedMemory
from attack.mutants.target import Mutant, Seeds, Target
from attack.mutants.text_targets import libsvm_seeds, wrong_libsvm_line

ROOM = 1 << 17
MARK = b"\xef\xbb\xbf"
TYPES = ("float64", "int64", "int32", "float64", "int32", "int64")
"""Of labels, lines, row pointers, values, indices and the state."""


@cache
def rooms() -> tuple[GuardedMemory, list[GuardedMemory]]:
    return GuardedMemory(ROOM), [GuardedMemory(ROOM) for _ in TYPES]


def libsvm_lines() -> Seeds:
    return [content.removeprefix(MARK) for content in libsvm_seeds()]


def end_line(content: bytes) -> bytes:
    """Return whole lines, as a parser always sees them, without a mark at the beginning."""
    content = content[: ROOM // 16]
    while content.startswith(MARK):
        content = content.removeprefix(MARK)
    return content if content.endswith(b"\n") else content + b"\n"


def read_libsvm(path: Path, mutant: Mutant) -> Any:
    from rosenblatt.io.samples.libsvm_parser import parse_libsvm

    found = parsed(mutant)
    return compared(found, lambda: parse_libsvm(mutant.content, str(path), 1))


def parsed(mutant: Mutant) -> tuple[list[Any], bool]:
    """Return what the parser makes of a text before it stops, and whether that is all."""
    from rosenblatt.kernels.parsing.libsvm_lines import LINE_BEGINS, read_libsvm_lines
    from rosenblatt.kernels.parsing.line_arrays import LineArrays
    from rosenblatt.kernels.parsing.text_words import MARGIN

    text_room, out_rooms = rooms()
    text = text_room.text(mutant.content + bytes(MARGIN))
    end, n_samples, n_stored = len(mutant.content), 1 + mutant.draw % 3, 1 + mutant.draw % 5
    held: list[Any] = [[], [], [0], [], [], [0, 0, 0, 0, LINE_BEGINS]]
    while True:
        sizes = (n_samples, n_samples, n_samples + 1, n_stored, n_stored, 5)
        arrays = [
            room.array(size, dtype)
            for room, size, dtype in zip(out_rooms, sizes, TYPES, strict=True)
        ]
        for array, values in zip(arrays, held, strict=True):
            array[: len(values)] = values
        read_libsvm_lines(text, end, LineArrays(*arrays))
        held = [array.tolist() for array in arrays]
        place, _, done, stored, _ = held[-1]
        if place == end or n_stored > 2 * end + 10:  # by then there is room for any line
            labels, _, indptr, values, indices, _ = held
            return [
                labels[:done],
                indptr[: done + 1],
                values[:stored],
                indices[:stored],
            ], place == end
        n_samples, n_stored = 2 * n_samples, 2 * n_stored


def compared(found: tuple[list[Any], bool], parse: Callable[[], Any]) -> Any:
    """Return what was found, and what the whole reader finds, which may raise before the end."""
    from rosenblatt import InputError

    try:
        whole = parse()
    except InputError:
        if not found[1]:
            raise
        return *found, None
    return *found, [
        part.tolist() for part in (whole.labels, whole.indptr, whole.values, whole.indices)
    ]


def wrong(_: Mutant, answer: tuple[list[Any], bool, list[Any] | None]) -> str:
    """Return what is wrong: what was read is the beginning of all that there is."""
    found, is_all, whole = answer
    if whole is None:
        return "it came to the end of what is refused"
    begins = all(
        repr(own) == repr(both if is_all else both[: len(own)])
        for own, both in zip(found, whole, strict=True)
    )
    return "" if begins else f"{found}, not {whole}"


LIBSVM_KERNEL = Target(
    "libsvm kernel", 60, libsvm_lines, read_libsvm, wrong, wrong_libsvm_line, repair=end_line
)
