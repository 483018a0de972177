"""Decisions on many pods, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _arrays
from ._native import ffi
from ._types import Batch, Eviction


class Columns:
    """The columns of a batch, and pointers to them for C."""

    def __init__(self, count: int) -> None:
        self.verdicts, verdicts = _arrays.empty("uint8_t", count)
        self.nodes, nodes = _arrays.empty("uint32_t", count)
        self.feasible, feasible = _arrays.empty("uint32_t", count)
        self.best, best = _arrays.empty("uint32_t", count)
        self.totals, totals = _arrays.empty("int64_t", count)
        self._keep = (verdicts, nodes, feasible, best, totals)
        self.data = ffi.new("berth_py_columns *", self._keep)

    def batch(
        self, pods: Any, count: int, placed: int, evictions: Sequence[Eviction] = ()
    ) -> Batch:
        """The decisions on the first `count` of these pods."""
        first = _arrays.first
        return Batch(
            _arrays.copied("uint64_t", pods, count),
            first(self.verdicts, count),
            first(self.nodes, count),
            first(self.feasible, count),
            first(self.best, count),
            first(self.totals, count),
            placed,
            list(evictions),
        )
