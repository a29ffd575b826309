"""Many small ranges of files, read in one call.

Python lets other threads work whenever it reads, and has to wait for them before it goes on. Two threads
that read thousands of ranges of some kilobytes each wait for each other all the time (see the part
"epochs" of `benchmarks/cluster.py`); compiled code waits once for all ranges. This may go when
Python has no lock for all threads.
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
    """Read ranges of open files, one after another, each with an end of its last line.

    Guaranteed: ``out`` has the bytes of all ranges, in order, and a line feed after each that does not
    end with one; ``starts`` has where in it each range begins, and the last one ends. False: a range
    could not be read, or not all of it.
    Given: ``handles``, ``offsets`` and ``sizes``, above 0, of the ranges; ``out`` has room for a byte
    more than each has.
    """
    place = 0
    for k in range(len(sizes)):
        starts[k] = place
        end = place + sizes[k]
        offset = offsets[k]
        while place < end:
            n = _pread(handles[k], out.ctypes.data + place, end - place, offset)
            if n <= 0:
                return False
            place += n
            offset += n
        if out[place - 1] != _LF:
            out[place] = _LF
            place += 1
    starts[len(sizes)] = place
    return True


CAN_READ = os.name == "posix" and isinstance(read_ranges, Dispatcher)
"""Whether this system has the call, which is C's, and code is compiled."""
