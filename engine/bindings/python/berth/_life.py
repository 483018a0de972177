"""Who may use what, and until when: no handle reaches C after its end, or on two threads at once.

The interpreter's lock is let go while C runs, so a second thread may call meanwhile, close what is
in use, or drop the last reference. Every call therefore enters the handle that it works on and
leaves it afterwards:

- an engine or a branch is for one thread at a time; a second one gets a BusyError at once;
- a snapshot is shared, and so is a scheduler's posting;
- closing something that is in use is refused; closing an engine closes what hangs on it first;
- of objects that nobody refers to any more, the handle is closed, in whatever order they go;
- a child process that was forked has the memory, but none of the workers: it gets a StateError.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, Callable, Optional, Protocol

from ._errors import BusyError, ClosedError, StateError

# How many forks ago this process began.
_generation = 0


def _forked() -> None:
    global _generation
    _generation += 1


os.register_at_fork(after_in_child=_forked)

# The order in which an engine's close ends what hangs on it.
SCHEDULER, BRANCH, SNAPSHOT, ENGINE = range(4)


class Guard(Protocol):
    """Plugins in Python, as far as calls on an engine and its branches have to know."""

    threads: set[int]

    def before(self) -> int: ...

    def after(self, failures: int, /) -> None: ...


class Life:
    """An engine and all that hangs on it."""

    __slots__ = ("mutex", "calls", "handles", "generation", "callback_thread", "later", "plugins")

    def __init__(self, plugins: Optional[Guard] = None) -> None:
        # Garbage may be collected, and handles closed, where the mutex is held.
        self.mutex = threading.RLock()
        self.calls = 0  # under way, on any handle
        self.handles: list[Handle] = []
        self.generation = _generation
        self.callback_thread = 0  # which runs a callback of the scheduler
        self.later: list[Callable[[], None]] = []  # what had to wait for a callback's end
        self.plugins = plugins

    def catch_up(self) -> None:
        """Do what had to wait."""
        with self.mutex:
            later, self.later = self.later, []
        for end in later:
            end()


class Handle:
    """A pointer to something of C's, and who is using it."""

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
        self.owner = 0  # the thread that is using it,
        self.depth = 0  # and how deep in calls of its own
        self.users = 0  # calls that share it
        self.extra: Any = None  # an explanation to reuse, and what ends it
        self.failures = 0  # of plugins, when the call under way began
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
        """Refuse what a callback of the scheduler must not do: anything with branches."""
        if self.life.callback_thread == threading.get_ident():
            raise StateError("a callback can't use a branch")

    def __enter__(self) -> Any:
        """Use it alone."""
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

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
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
        """Use it beside others: `with handle.shared() as pointer`."""
        return Shared(self)

    def open(self) -> bool:
        return self.pointer is not None

    def close(self) -> None:
        """End it; nothing if it has ended. BusyError while it is in use."""
        life = self.life
        if self.pointer is not None and life.generation != _generation:
            self.pointer = None  # the memory is the parent's
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
            life.calls += 1  # so that the engine outlives this
        try:
            for end in ends:
                end()
        finally:
            with life.mutex:
                life.calls -= 1

    def discard(self) -> None:
        """What becomes of it once nobody refers to it."""
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
            pass  # still in use, by something that ends it with the engine

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
    """One of several uses of a handle at a time."""

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

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        handle = self.handle
        with handle.life.mutex:
            handle.users -= 1
            handle.life.calls -= 1
