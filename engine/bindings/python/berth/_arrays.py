"""Arrays of numbers that C fills: numpy arrays if numpy is installed, else those of the standard
library."""

from __future__ import annotations

import array
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from ._native import ffi

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None


class IntArray(Protocol):
    """A numpy.ndarray or an array.array of integers."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def tolist(self) -> list[int]: ...


# C type: its letter in the array module, and the bytes of an entry.
_TYPES = {"uint8_t": "B", "uint32_t": "I", "uint64_t": "Q", "int64_t": "q"}


def empty(ctype: str, count: int) -> tuple[IntArray, Any]:
    """An array of `count` entries, and a pointer to it for C."""
    out: Any
    if numpy is not None:
        out = numpy.zeros(count, dtype=ctype[:-2])
    else:
        code = _TYPES[ctype]
        out = array.array(code, bytes(count * array.array(code).itemsize))
    return out, ffi.from_buffer(ctype + "[]", out, require_writable=True)


def copied(ctype: str, items: Any, count: int) -> IntArray:
    """A copy of a C array."""
    out, data = empty(ctype, count)
    if count:
        ffi.memmove(data, items, count * ffi.sizeof(ctype))
    return out


def taken(ctype: str, values: Iterable[int]) -> Any:
    """The numbers for C. An array of this type is not copied; its size cannot change while C
    uses it."""
    if isinstance(values, array.array) and values.typecode == _TYPES[ctype]:
        return ffi.from_buffer(ctype + "[]", values)
    if numpy is not None and isinstance(values, numpy.ndarray):
        if values.ndim != 1 or (len(values) and values.dtype.kind not in "iu"):
            raise TypeError("expected an array of integers, of one dimension")
        return ffi.from_buffer(ctype + "[]", numpy.ascontiguousarray(values, dtype=ctype[:-2]))
    return ffi.from_buffer(ctype + "[]", array.array(_TYPES[ctype], values))


def first(values: IntArray, count: int) -> IntArray:
    """The first `count` entries."""
    out: IntArray = values if count == len(values) else values[:count]
    return out
