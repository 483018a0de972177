"""Exceptions: each status of the library has a class, and each exception says what and where."""

from __future__ import annotations

import threading
from typing import Any, Optional

from ._enums import Status
from ._native import ffi, lib


class BerthError(Exception):
    """A call was refused. `code`, `message`, `object` ("Pod default/web-0"), `field`, and where in
    which input (`source`, `line`, `column`, `offset`); "", 0 or None where that is unknown.

    Of a batch `done` is how many were done before the one that failed; they stay done.
    """

    code: Status = Status.E_INTERNAL

    def __init__(self, message: str, *, detail: Optional[Any] = None) -> None:
        super().__init__(message)
        self.message = message
        self.object = ""
        self.field = ""
        self.source = ""
        self.line = 0
        self.column = 0
        self.offset: Optional[int] = None
        self.done = 0
        if detail is not None:
            self.message = string(detail.message)
            self.object = string(detail.object)
            self.field = string(detail.field)
            self.source = string(detail.source)
            self.line = int(detail.line)
            self.column = int(detail.column)
            self.offset = None if detail.offset == 2**64 - 1 else int(detail.offset)


class ArgumentError(BerthError, ValueError):
    """An argument makes no sense."""

    code = Status.E_ARG


class StateError(BerthError, RuntimeError):
    """Not allowed in this state."""

    code = Status.E_STATE


class ClosedError(StateError):
    """The object, or the engine that it belongs to, is closed."""


class BusyError(StateError):
    """Another thread is using the object, or a call that is under way needs it."""


class OutOfMemoryError(BerthError, MemoryError):
    """There was no memory; the engine is as before."""

    code = Status.E_NOMEM


class ParseError(BerthError, ValueError):
    """Malformed JSON, YAML or quantity."""

    code = Status.E_PARSE


class InvalidError(BerthError, ValueError):
    """An object that the API server would not have taken."""

    code = Status.E_INVALID


class ExistsError(BerthError):
    """There is such an object already."""

    code = Status.E_EXISTS


class NotFoundError(BerthError, LookupError):
    """There is no such object."""

    code = Status.E_NOT_FOUND


class RangeError(BerthError, ValueError):
    """A value is out of range."""

    code = Status.E_RANGE


class UnsupportedError(BerthError):
    """Something that Berth does not have."""

    code = Status.E_UNSUPPORTED


class InputError(BerthError):
    """A file could not be read."""

    code = Status.E_IO


class ConflictError(BerthError):
    """A change made meanwhile is in the way."""

    code = Status.E_CONFLICT


class InternalError(BerthError):
    """A rule of the library does not hold: a bug of Berth's."""

    code = Status.E_INTERNAL


_CLASSES: dict[int, type[BerthError]] = {
    each.code: each
    for each in (
        ArgumentError,
        StateError,
        OutOfMemoryError,
        ParseError,
        InvalidError,
        ExistsError,
        NotFoundError,
        RangeError,
        UnsupportedError,
        InputError,
        ConflictError,
        InternalError,
    )
}


class _Local(threading.local):
    """A berth_error for each thread."""

    def __init__(self) -> None:
        self.error = ffi.new("berth_error *")


_local = _Local()


def slot() -> Any:
    """Where the calls of this thread put their errors."""
    return _local.error


def string(data: Any) -> str:
    """A terminated text of the library."""
    return str(ffi.string(data).decode("utf-8", "replace"))


def from_detail(detail: Any) -> BerthError:
    """The exception for a filled berth_error."""
    out = ffi.new("char[2048]")
    lib.berth_error_format(detail, out, len(out))
    return _CLASSES.get(int(detail.code), InternalError)(string(out), detail=detail)


def check(status: int, done: int = 0) -> None:
    """Raise what the last call of this thread answered, unless it was OK."""
    if status:
        error = from_detail(_local.error)
        error.done = done
        raise error
