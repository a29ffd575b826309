"""Ask the processor for memory a moment before it is needed.

Hardware reads ahead by itself, but not across the border of a page, and a row of samples is about as
long as a page; of a shuffled order it knows nothing.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils

from rosenblatt.core.types import Data, Indices
from rosenblatt.kernels.simd.vector_code import SMALL_INT, Builder, Call, Value, compile_as

CACHE_LINE = 64


def write_prefetch(builder: Builder, place: Value) -> None:
    """Write the instruction that asks for the cache line of a place."""
    address = builder.bitcast(place, cgutils.voidptr_t)
    kind = ir.FunctionType(ir.VoidType(), [address.type, SMALL_INT, SMALL_INT, SMALL_INT])
    request = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
    to_read, nearest_cache, data = SMALL_INT(0), SMALL_INT(3), SMALL_INT(1)
    builder.call(request, [address, to_read, nearest_cache, data])


def prefetch_item(_array: Data | Indices, _position: int) -> None:
    """Ask for the cache line of ``array.ravel()[position]``; in plain Python there is nothing to ask."""


def _write_request(call: Call) -> None:
    write_prefetch(call.builder, call.builder.gep(call.array(0).data, [call.arguments[1]]))


compile_as(prefetch_item, types.void, _write_request)
