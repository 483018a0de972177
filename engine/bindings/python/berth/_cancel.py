"""The early end of calls that can take long."""

from __future__ import annotations

import threading
from typing import Any, Optional

from . import _errors
from ._native import ffi


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


class Call:
    """One call that a flag, or on the main thread Ctrl-C, can end: `with Call(flag) as call`."""

    __slots__ = ("flag", "call")

    def __init__(self, flag: Optional[CancelFlag]) -> None:
        if flag is not None and not isinstance(flag, CancelFlag):
            raise TypeError(f"cancel must be a CancelFlag, not {type(flag).__name__}")
        self.flag = flag
        self.call = ffi.new("berth_py_call *")
        self.call.main_thread = threading.get_ident() == threading.main_thread().ident

    def __enter__(self) -> Any:
        flag = self.flag
        if flag is not None:
            with flag._lock:
                flag._calls.append(self.call)
                if flag._set:
                    self.call.cancel = 1
        return self.call

    def __exit__(self, *problem: object) -> None:
        flag = self.flag
        if flag is not None:
            with flag._lock:
                if self.call in flag._calls:
                    flag._calls.remove(self.call)
