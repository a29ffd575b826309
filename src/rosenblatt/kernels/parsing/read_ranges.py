"""Read many small ranges of files in one call.

Python releases its lock for every read, and must wait to get it back. Two threads that read thousands of
ranges of some kilobytes constantly wait for each other (see the part "epochs" of
`benchmarks/cluster.py`); compiled code waits once for all ranges. This can go when Python has no global
lock.
"""

import os
from typing import Any

from numba import types
from numba.core.dispatcher import Dispatcher

from rosenblatt.core.types import Bytes, Counts
from rosenblatt.kernels.compiled import compiled

_pread: Any = types.ExternalFunction(
    "pread", types.int64(types.int32, types.uintp, types.uintp, types.int64)
)
_LF = ord("\n")


@compiled(nogil=True)
def read_ranges(
    handles: Counts, offsets: Counts, sizes: Counts, out: Bytes, starts: Counts
) -> bool:
    """Read ranges of open files into ``out``; return False if a range could not be read completely.

    ``out`` gets the bytes of all ranges, in order, and a line feed after each that does not end with
    one; ``starts`` gets the position in ``out`` where each range begins, and where the last one ends.
    ``sizes`` must be positive; ``out`` needs one byte more than the total size for each range.
    """
    position = 0
    for k in range(len(sizes)):
        starts[k] = position
        end = position + sizes[k]
        offset = offsets[k]
        while position < end:
            n = _pread(handles[k], out.ctypes.data + position, end - position, offset)
            if n <= 0:
                return False
            position += n
            offset += n
        if out[position - 1] != _LF:
            out[position] = _LF
            position += 1
    starts[len(sizes)] = position
    return True


CAN_READ = os.name == "posix" and isinstance(read_ranges, Dispatcher)
"""Whether this system has C's ``pread``, and code is compiled."""
