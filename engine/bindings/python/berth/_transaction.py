"""Changes of a cluster that are kept or taken back as a whole."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional

from . import _errors
from ._native import lib

if TYPE_CHECKING:
    from ._cluster import Cluster


class Transaction:
    """The changes in a `with` block, kept or taken back as a whole. Transactions nest."""

    def __init__(self, cluster: Cluster, keep: bool) -> None:
        self._cluster = cluster
        self._keep = keep
        self._depth = 0  # the depth with this one open; 0: not open

    def __enter__(self) -> Transaction:
        with self._cluster._handle as engine:
            if self._depth:
                raise _errors.StateError("the transaction is open already")
            _errors.check(lib.berth_engine_begin(engine, _errors.slot()))
            self._depth = lib.berth_engine_depth(engine)
        return self

    def _within(self, engine: Any) -> int:
        """The number of open transactions inside this one."""
        depth = int(lib.berth_engine_depth(engine))
        if not self._depth or depth < self._depth:
            raise _errors.StateError("the transaction has ended")
        return depth - self._depth

    def commit(self) -> None:
        """Keep the changes now."""
        with self._cluster._handle as engine:
            if self._within(engine):
                raise _errors.StateError("a transaction in it is open")
            _errors.check(lib.berth_engine_commit(engine, _errors.slot()))
            self._depth = 0

    def rollback(self) -> None:
        """Take back the changes now, including open transactions inside this one."""
        with self._cluster._handle as engine:
            for _ in range(self._within(engine) + 1):
                _errors.check(lib.berth_engine_rollback(engine, _errors.slot()))
            self._depth = 0

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if not self._depth:
            return
        if kind is None and self._keep:
            self.commit()
        elif not self._cluster.closed:
            self.rollback()
