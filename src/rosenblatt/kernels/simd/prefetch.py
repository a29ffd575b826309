"""Ask the processor for memory a moment before it is needed.

Hardware reads ahead by itself, but not across the border of a page, and a row of samples is about as
long as a page; of a shuffled order it knows nothing.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

CACHE_LINE = 64


def ask_for(builder: Any, place: Any) -> None:
    """Write the instruction that asks for the cache line of a place."""
    address = builder.bitcast(place, cgutils.voidptr_t)
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
    request = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
    to_read, nearest_cache, data = number(0), number(3), number(1)
    builder.call(request, [address, to_read, nearest_cache, data])


def _prefetch_item(
    _context: Any, array: Any, position: Any
) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
    """Ask for the cache line of ``array.ravel()[position]``, in compiled code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        struct = context.make_array(signature.args[0])(context, builder, arguments[0])
        ask_for(builder, builder.gep(struct.data, [arguments[1]]))
        return context.get_dummy_value()

    return types.void(array, position), generate


prefetch_item: Any = intrinsic(_prefetch_item)
