"""Exceptions: each status of the library has a class, and each exception says what and where."""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional

from ._enums import Status
from ._native import ffi, lib


class BerthError(Exception):
    """A call failed. `code`, `message`, `object` ("Pod default/web-0"), `field`, and the place
    in the input (`source`, `line`, `column`, `offset`); "", 0 or None if unknown.

    For a batch, `done` is the number of entries completed before the failure; they stay done.
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
    """An argument is invalid."""

    code = Status.E_ARG


class StateError(BerthError, RuntimeError):
    """The call is not allowed in this state."""

    code = Status.E_STATE


class ClosedError(StateError):
    """The object, or the engine that it belongs to, is closed."""


class BusyError(StateError):
    """Another thread is using the object, or a call that is under way needs it."""


class OutOfMemoryError(BerthError, MemoryError):
    """There was no memory; the engine did not change."""

    code = Status.E_NOMEM


class ParseError(BerthError, ValueError):
    """Malformed JSON, YAML or quantity."""

    code = Status.E_PARSE


class InvalidError(BerthError, ValueError):
    """The API server would have rejected this object."""

    code = Status.E_INVALID


class ExistsError(BerthError):
    """The object exists already."""

    code = Status.E_EXISTS


class NotFoundError(BerthError, LookupError):
    """The object does not exist."""

    code = Status.E_NOT_FOUND


class RangeError(BerthError, ValueError):
    """A value is out of range."""

    code = Status.E_RANGE


class UnsupportedError(BerthError):
    """Berth does not support this."""

    code = Status.E_UNSUPPORTED


class InputError(BerthError):
    """A file could not be read."""

    code = Status.E_IO


class ConflictError(BerthError):
    """A later change prevents this one."""

    code = Status.E_CONFLICT


class InternalError(BerthError):
    """An invariant of the library is broken: a bug in Berth."""

    code = Status.E_INTERNAL


class CancelledError(BerthError):
    """A CancelFlag ended the call between two pods, objects or steps.

    `done` is the number of completed entries, and `result` has what the call would have returned
    about them: a Batch, Capacity, Loaded, Steps or ids; None for calls without a result. Entries
    that were done stay done, except in schedule_pods and schedule_group, which then change nothing.
    """

    code = Status.E_CANCELLED
    result: Any = None


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
        CancelledError,
    )
}


class _Local(threading.local):
    """A berth_error for each thread."""

    def __init__(self) -> None:
        self.error = ffi.new("berth_error *")


_local = _Local()


def slot() -> Any:
    """The berth_error for calls of this thread."""
    return _local.error


def string(data: Any) -> str:
    """A zero-terminated text of the library."""
    return str(ffi.string(data).decode("utf-8", "replace"))


def from_detail(detail: Any) -> BerthError:
    """The exception for a filled berth_error."""
    out = ffi.new("char[2048]")
    lib.berth_error_format(detail, out, len(out))
    return _CLASSES.get(int(detail.code), InternalError)(string(out), detail=detail)


def check(status: int, done: int = 0) -> None:
    """Raise the error of the last call of this thread, unless it was OK."""
    if status:
        error = from_detail(_local.error)
        error.done = done
        raise error


def check_done(status: int, done: int, what: str, result: Callable[[], Any]) -> None:
    """The same for a call that can be cancelled: then the message says `what` was done, and the
    error has the `result` so far."""
    if status != Status.E_CANCELLED:
        check(status, done)
        return
    detail = _local.error
    message = f"cancelled {what}"
    source = string(detail.source)
    error = CancelledError(f"{source}: {message}" if source else message, detail=detail)
    error.message = message
    error.done = done
    error.result = result()
    raise error
