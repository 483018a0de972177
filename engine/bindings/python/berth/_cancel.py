"""The early end of calls that can take long."""

from __future__ import annotations

import threading
from typing import Any, Optional

from . import _errors
from ._native import ffi, lib


class CancelFlag:
    """Ends calls that take it as `cancel=`, any number of them, at once or one after the other.

    A call looks at the flag before each pod, object or step. Once the flag is set, the call ends
    and raises a CancelledError. Any thread, and a signal handler, may set it. With `timeout`, the
    flag sets itself after so many seconds; `with` ends that waiting.
    """

    def __init__(self, timeout: Optional[float] = None) -> None:
        # Reentrant: a signal handler may run while this thread holds it.
        self._lock = threading.RLock()
        self._set = False
        self._calls: list[Any] = []  # in progress
        self._timer: Optional[threading.Timer] = None
        if timeout is None:
            return
        if not 0 <= timeout <= threading.TIMEOUT_MAX:
            raise _errors.ArgumentError(f"a timeout of {timeout} seconds")
        self._timer = threading.Timer(timeout, self.set)
        self._timer.daemon = True
        self._timer.start()

    def __repr__(self) -> str:
        calls = f", calls={len(self._calls)}" if self._calls else ""
        return f"<berth.CancelFlag: {'set' if self._set else 'not set'}{calls}>"

    def set(self) -> None:
        """End the calls that use the flag, and later ones at their beginning."""
        with self._lock:
            self._set = True
            for call in self._calls:
                call.cancel = 1

    def clear(self) -> None:
        """Let later calls run; calls that were ended stay so."""
        with self._lock:
            self._set = False

    def is_set(self) -> bool:
        """Whether the flag is set."""
        return self._set

    def __enter__(self) -> CancelFlag:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._timer is not None:
            self._timer.cancel()


# Memory of calls that SIGINT may still write to.
_kept: list[Any] = []


def _on_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


class Call:
    """One call that a flag, or on the main thread Ctrl-C, can end: `with Call(flag) as call`.

    An interrupt may come between any two steps here: then __del__ ends the call.
    """

    __slots__ = ("flag", "call")

    def __init__(self, flag: Optional[CancelFlag]) -> None:
        self.flag: Optional[CancelFlag] = None
        self.call = ffi.new("berth_py_call *")
        if flag is not None and not isinstance(flag, CancelFlag):
            raise TypeError(f"cancel must be a CancelFlag, not {type(flag).__name__}")
        self.flag = flag

    def __enter__(self) -> Any:
        flag = self.flag
        if flag is not None:
            with flag._lock:
                flag._calls.append(self.call)
                if flag._set:
                    self.call.cancel = 1
        if _on_main_thread():
            lib.berth_py_call_begin(self.call)
        return self.call

    def __exit__(self, *problem: object) -> None:
        if self.call.watched:
            lib.berth_py_call_end(self.call)
        flag = self.flag
        if flag is not None:
            with flag._lock:
                if self.call in flag._calls:
                    flag._calls.remove(self.call)
            self.flag = None

    def __del__(self) -> None:
        if self.call.watched and not _on_main_thread():
            _kept.append(self.call)
        elif self.call.watched or self.flag is not None:
            self.__exit__()
