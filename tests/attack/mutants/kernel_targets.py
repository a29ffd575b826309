"""The compiled parser itself, on arrays that end at a guard page, and are too short at first.

The parser does not check the positions that it reads: it may read a fixed margin beyond the text, which
is there, and nothing after it.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from attack.mutants.guarded_memory import GuardedMemory
from attack.mutants.target import Mutant, Seeds, Target
from attack.mutants.text_targets import libsvm_seeds, wrong_libsvm_line

SIZE = 1 << 17
MARK = b"\xef\xbb\xbf"
TYPES = ("float64", "int64", "int32", "float64", "int32", "int64")
"""The types of labels, lines, row pointers, values, indices and the state."""


@cache
def buffers() -> tuple[GuardedMemory, list[GuardedMemory]]:
    return GuardedMemory(SIZE), [GuardedMemory(SIZE) for _ in TYPES]


def libsvm_lines() -> Seeds:
    return [content.removeprefix(MARK) for content in libsvm_seeds()]


def end_line(content: bytes) -> bytes:
    """Return whole lines, as the parser gets them, without a byte order mark."""
    content = content[: SIZE // 16]
    while content.startswith(MARK):
        content = content.removeprefix(MARK)
    return content if content.endswith(b"\n") else content + b"\n"


def read_libsvm(path: Path, mutant: Mutant) -> Any:
    from rosenblatt.io.samples.libsvm_parser import parse_libsvm

    found = parsed(mutant)
    return compared(found, lambda: parse_libsvm(mutant.content, str(path), 1))


def parsed(mutant: Mutant) -> tuple[list[Any], bool]:
    """Parse a text until the parser stops; return the arrays, and whether it read everything."""
    from rosenblatt.kernels.parsing.libsvm_lines import LINE_BEGINS, read_libsvm_lines
    from rosenblatt.kernels.parsing.line_arrays import LineArrays
    from rosenblatt.kernels.parsing.text_words import MARGIN

    text_buffer, out_buffers = buffers()
    text = text_buffer.text(mutant.content + bytes(MARGIN))
    end, n_samples, n_stored = len(mutant.content), 1 + mutant.draw % 3, 1 + mutant.draw % 5
    held: list[Any] = [[], [], [0], [], [], [0, 0, 0, 0, LINE_BEGINS]]
    while True:
        sizes = (n_samples, n_samples, n_samples + 1, n_stored, n_stored, 5)
        arrays = [
            buffer.array(size, dtype)
            for buffer, size, dtype in zip(out_buffers, sizes, TYPES, strict=True)
        ]
        for array, values in zip(arrays, held, strict=True):
            array[: len(values)] = values
        read_libsvm_lines(text, end, LineArrays(*arrays))
        held = [array.tolist() for array in arrays]
        position, _, done, stored, _ = held[-1]
        if position == end or n_stored > 2 * end + 10:  # enough for any line
            labels, _, indptr, values, indices, _ = held
            return [
                labels[:done],
                indptr[: done + 1],
                values[:stored],
                indices[:stored],
            ], position == end
        n_samples, n_stored = 2 * n_samples, 2 * n_stored


def compared(found: tuple[list[Any], bool], parse: Callable[[], Any]) -> Any:
    """Return the parsed arrays, and those of the whole reader, or None if it refuses the file."""
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
    """Check that the parsed arrays are the beginning of those of the whole reader."""
    found, is_all, whole = answer
    if whole is None:
        return "it read all of a file that the reader refuses"
    begins = all(
        repr(own) == repr(both if is_all else both[: len(own)])
        for own, both in zip(found, whole, strict=True)
    )
    return "" if begins else f"{found}, not {whole}"


LIBSVM_KERNEL = Target(
    "libsvm kernel", 60, libsvm_lines, read_libsvm, wrong, wrong_libsvm_line, repair=end_line
)
