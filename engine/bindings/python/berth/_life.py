"""Rules for the use and the end of handles: no handle reaches C after its end, or on two threads
at once.

The interpreter releases its lock while C runs. Meanwhile a second thread may call, close an
object in use, or drop the last reference. So every call enters the handle that it works on and
leaves it afterwards:

- an engine or a branch is for one thread at a time; a second thread gets a BusyError at once;
- a snapshot, and the posting side of a scheduler, is shared;
- closing an object in use is refused; closing an engine closes everything made from it first;
- unreferenced objects close their handles in any order;
- a forked child process has the memory but none of the workers: it gets a StateError.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Optional, Protocol, TypeVar

from ._errors import BusyError, ClosedError, StateError

# The number of forks since the first process.
_generation = 0


def _forked() -> None:
    global _generation
    _generation += 1


os.register_at_fork(after_in_child=_forked)

# The order in which closing an engine ends everything made from it.
SCHEDULER, BRANCH, SNAPSHOT, ENGINE = range(4)


class Guard(Protocol):
    """The interface to Python plugins that calls on an engine and its branches need."""

    threads: set[int]

    def before(self) -> int: ...

    def after(self, failures: int, /) -> None: ...


class Life:
    """An engine and everything made from it."""

    __slots__ = ("mutex", "calls", "handles", "generation", "callback_thread", "later", "plugins")

    def __init__(self, plugins: Optional[Guard] = None) -> None:
        # Reentrant: the garbage collector may run, and close handles, while the mutex is held.
        self.mutex = threading.RLock()
        self.calls = 0  # in progress, on any handle
        self.handles: list[Handle] = []
        self.generation = _generation
        self.callback_thread = 0  # the thread that runs a callback of the scheduler
        self.later: list[Callable[[], None]] = []  # actions that wait for the end of a callback
        self.plugins = plugins

    def catch_up(self) -> None:
        """Do the waiting actions."""
        with self.mutex:
            later, self.later = self.later, []
        for end in later:
            end()


class Handle:
    """A pointer to a C object, and its current users."""

    __slots__ = (
        "life",
        "pointer",
        "what",
        "rank",
        "destroy",
        "owner",
        "depth",
        "users",
        "extra",
        "failures",
    )

    def __init__(
        self, life: Life, pointer: Any, what: str, rank: int, destroy: Callable[[Any], None]
    ) -> None:
        self.life = life
        self.pointer = pointer
        self.what = what
        self.rank = rank
        self.destroy = destroy
        self.owner = 0  # the thread that uses it
        self.depth = 0  # the depth of nested calls of that thread
        self.users = 0  # shared uses in progress
        self.extra: Any = None  # an explanation to reuse, and its destructor
        self.failures = 0  # number of failed plugin functions when the current call began
        with life.mutex:
            life.handles.append(self)

    def _alive(self) -> Any:
        if self.pointer is None:
            raise ClosedError(f"the {self.what} is closed")
        return self.pointer

    def _of_this_process(self) -> None:
        if self.life.generation != _generation:
            raise StateError(f"the {self.what} was made before this process was forked")

    def bar_callbacks(self) -> None:
        """Refuse calls that a callback of the scheduler must not make: anything with branches."""
        if self.life.callback_thread == threading.get_ident():
            raise StateError("a callback can't use a branch")

    def __enter__(self) -> Any:
        """Use the handle exclusively."""
        life = self.life
        if life.generation != _generation:
            self._of_this_process()
        me = threading.get_ident()
        with life.mutex:
            pointer = self._alive()
            if self.depth and self.owner != me:
                raise BusyError(f"the {self.what} is in use by another thread")
            if self.rank == BRANCH:
                self.bar_callbacks()
            if life.plugins is not None:
                if me in life.plugins.threads:
                    raise StateError("a function of a plugin can't use the engine")
                if not self.depth:
                    self.failures = life.plugins.before()
            self.owner = me
            self.depth += 1
            life.calls += 1
        return pointer

    def __exit__(self, *problem: object) -> None:
        life = self.life
        with life.mutex:
            self.depth -= 1
            life.calls -= 1
            outermost = not self.depth
        if life.plugins is not None and outermost:
            try:
                if not life.callback_thread:
                    life.catch_up()
            finally:
                life.plugins.after(self.failures)

    def shared(self) -> Shared:
        """Share the handle: `with handle.shared() as pointer`."""
        return Shared(self)

    def open(self) -> bool:
        return self.pointer is not None

    def close(self) -> None:
        """End the handle; does nothing if it has ended. BusyError while it is in use."""
        life = self.life
        if self.pointer is not None and life.generation != _generation:
            self.pointer = None  # the memory belongs to the parent process
            return
        with life.mutex:
            if self.pointer is None:
                return
            if self.rank == ENGINE:
                if life.calls:
                    raise BusyError(f"the engine is in use: {life.calls} calls are under way")
                ending = sorted(life.handles, key=lambda handle: handle.rank)
                life.catch_up()
            else:
                if self.depth or self.users:
                    raise BusyError(f"the {self.what} is in use")
                if self.rank == BRANCH:
                    self.bar_callbacks()
                ending = [self]
            ends = [handle._end() for handle in ending]
            life.calls += 1  # so that the engine outlives this call
        try:
            for end in ends:
                end()
        finally:
            with life.mutex:
                life.calls -= 1

    def discard(self) -> None:
        """The end of a handle that is no longer referenced."""
        life = self.life
        if life.generation != _generation:
            return
        try:
            with life.mutex:
                waits = life.callback_thread or life.plugins is not None and life.plugins.threads
                if self.rank == BRANCH and waits and self.pointer is not None:
                    life.later.append(self._end())
                    return
            self.close()
        except StateError:
            pass  # still in use by an object that ends it with the engine

    def _end(self) -> Callable[[], None]:
        pointer, destroy, extra = self.pointer, self.destroy, self.extra
        self.pointer = None
        self.extra = None
        self.life.handles.remove(self)

        def end() -> None:
            if extra is not None:
                extra[1]()
            destroy(pointer)

        return end


class Shared:
    """One of several simultaneous uses of a handle."""

    __slots__ = ("handle",)

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    def __enter__(self) -> Any:
        handle = self.handle
        handle._of_this_process()
        with handle.life.mutex:
            pointer = handle._alive()
            handle.users += 1
            handle.life.calls += 1
        return pointer

    def __exit__(self, *problem: object) -> None:
        handle = self.handle
        with handle.life.mutex:
            handle.users -= 1
            handle.life.calls -= 1


_Self = TypeVar("_Self", bound="Closing")


class Closing:
    """An object that is closed by `with`, by close(), or with its last reference."""

    _handle: Handle

    def close(self) -> None:
        """End the object; does nothing if it has ended. BusyError while it is in use."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        return not self._handle.open()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            handle.discard()
