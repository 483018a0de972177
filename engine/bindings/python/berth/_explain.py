"""Explanations, copied out of C."""

from __future__ import annotations

from typing import Any, Optional

from . import _arrays, _errors
from ._enums import Code
from ._native import ffi, lib
from ._types import Explanation, Placement, ReasonCount
from ._view import NODE_NONE, optional, split, string


def _reason_counts(explanation: Any) -> tuple[ReasonCount, ...]:
    count = lib.berth_explanation_reason_counts(explanation, ffi.NULL, 0)
    out = ffi.new("berth_reason_count[]", count)
    lib.berth_explanation_reason_counts(explanation, out, count)
    return tuple(
        ReasonCount(
            string(each.reason) or "", string(each.plugin) or "", Code(each.code), int(each.nodes)
        )
        for each in out
    )


def copied(explanation: Any, placement: Optional[Placement]) -> Explanation:
    """Everything in an explanation."""
    out = ffi.new("berth_py_explained *")
    _errors.check(lib.berth_py_explain(explanation, out, _errors.slot()))
    try:
        count = out.feasible_count
        plugins = split(out.score_plugins)
        scores = {
            plugin: _arrays.copied("int64_t", out.scores + i * count, count)
            for i, plugin in enumerate(plugins)
        }
        raw_scores = {
            plugin: _arrays.copied("int64_t", out.raws + i * count, count)
            for i, plugin in enumerate(plugins)
        }
        return Explanation(
            placement,
            string(lib.berth_explanation_message(explanation)),
            string(lib.berth_explanation_pre_filter(explanation)),
            _arrays.copied("uint32_t", out.nodes, count),
            _arrays.copied("int64_t", out.totals, count),
            scores,
            raw_scores,
            {plugin: int(out.weights[i]) for i, plugin in enumerate(plugins)},
            _arrays.copied("uint32_t", out.refused, out.refusal_count),
            optional(lib.berth_explanation_nominated(explanation), NODE_NONE),
            _arrays.copied("uint64_t", out.victims, out.victim_count),
            _reason_counts(explanation),
            tuple(split(out.texts)),
            _arrays.copied("uint32_t", out.plugins, out.refusal_count),
            _arrays.copied("uint8_t", out.codes, out.refusal_count),
            _arrays.copied("uint32_t", out.reason_ends, out.refusal_count),
            _arrays.copied("uint32_t", out.reasons, out.reason_count),
        )
    finally:
        lib.berth_py_explained_free(out)
