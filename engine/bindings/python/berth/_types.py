"""The results of calls: plain Python data that stays valid for ever."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Optional

from . import _shown
from ._arrays import IntArray
from ._enums import Code, ConflictKind, NoteKind, Path, PodState, ScanReason, StepKind, Verdict


@dataclasses.dataclass(frozen=True)
class Placement:
    """One decision."""

    pod: int
    verdict: Verdict
    node: Optional[str]  # name and id of the chosen node
    node_id: Optional[int]
    feasible_count: int  # feasible nodes found by the search
    best_count: int  # nodes that share the best total
    start: int  # rotation index before and after the decision
    next: int
    total: int
    path: Path

    @property
    def placed(self) -> bool:
        return self.verdict is Verdict.PLACED

    def __bool__(self) -> bool:
        return self.placed

    def __repr__(self) -> str:
        return _shown.said(type(self), self._line())

    def _line(self) -> str:
        place = f"on {self.node}" if self.placed else self.verdict.name
        return f"pod {self.pod} {place}, {self.feasible_count} feasible, total {self.total}"

    def _repr_html_(self) -> str:
        return _shown.table(type(self), self._rows())

    def _rows(self) -> _shown.Rows:
        return [
            ("pod", self.pod),
            ("verdict", self.verdict.name),
            ("node", "none" if self.node is None else f"{self.node} (id {self.node_id})"),
            ("feasible nodes", self.feasible_count),
            ("nodes with the best total", self.best_count),
            ("total", self.total),
            ("path", self.path.name),
        ]


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """Decisions on many pods, a column for each field; `nodes` has NODE_NONE for pods without a
    node."""

    pods: IntArray
    verdicts: IntArray
    nodes: IntArray
    feasible_counts: IntArray
    best_counts: IntArray
    totals: IntArray
    placed: int  # number of pods placed
    evictions: list[Eviction] = dataclasses.field(default_factory=list)  # with preempt=True

    def __len__(self) -> int:
        return len(self.verdicts)

    def __repr__(self) -> str:
        return _shown.said(type(self), f"{self.placed} of {len(self)} pods placed")


@dataclasses.dataclass(frozen=True)
class PodGroupOutcome:
    """The outcome of a PodGroup's cycle; lists have an entry for each of its pods."""

    verdict: Verdict
    nodes: list[Optional[int]]  # where each pod was placed
    nominated: list[Optional[int]]  # where each pod is to go once the victims have left
    ended: list[bool]  # whether the nomination that the pod had ends now
    preempts: bool  # the group waits for victims to leave
    victims: list[int]  # the pods to evict, most important first
    message: str  # kube-scheduler's words about a group that was not placed
    placed: int
    minimum: int  # how many pods of the group must be on nodes
    already: int  # how many were on nodes before

    def __bool__(self) -> bool:
        return self.verdict is Verdict.PLACED


@dataclasses.dataclass(frozen=True, eq=False)
class Capacity:
    """How many more pods fit: the node of each, and why not one more (None at the limit)."""

    count: int
    nodes: IntArray
    explanation: Optional[Explanation]

    def __repr__(self) -> str:
        why = self.explanation
        reasons = ", ".join(why.reasons()) if why is not None else "the limit"
        return _shown.said(type(self), _shown.cut(f"{self.count} pods, then: {reasons}"))


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A node that was visited and refused."""

    node_id: int
    plugin: str
    code: Code
    reasons: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class ReasonCount:
    """How many nodes one plugin refused for one reason."""

    reason: str
    plugin: str
    code: Code
    nodes: int


@dataclasses.dataclass(frozen=True, eq=False)
class Explanation:
    """One decision with all details."""

    placement: Optional[Placement]  # None: part of a Capacity
    message: Optional[str]  # kube-scheduler's failure message; None for a placed pod
    pre_filter: Optional[str]  # why the pod was refused before any node was visited
    feasible: IntArray  # ids of the nodes that fit, in the order found
    totals: IntArray  # total scores of these nodes
    scores: Mapping[str, IntArray]  # by plugin: weighted and normalized
    raw_scores: Mapping[str, IntArray]  # by plugin: its own values; NO_RAW_SCORE: none
    weights: Mapping[str, int]  # by plugin: the factor of normalized values
    refused: IntArray  # ids of the nodes that refused the pod
    nominated: Optional[int]  # the node that preemption chose
    victims: IntArray  # the pods to evict from that node
    reason_counts: tuple[ReasonCount, ...]  # in the order in which reasons first occurred
    _texts: tuple[str, ...] = dataclasses.field(repr=False)
    _plugins: IntArray = dataclasses.field(repr=False)
    _codes: IntArray = dataclasses.field(repr=False)
    _reason_ends: IntArray = dataclasses.field(repr=False)
    _reasons: IntArray = dataclasses.field(repr=False)

    def refusals(self) -> Iterator[Refusal]:
        """Each node that refused the pod, and why."""
        begin = 0
        for i, node in enumerate(self.refused):
            end = int(self._reason_ends[i])
            yield Refusal(
                int(node),
                self._texts[self._plugins[i]],
                Code(int(self._codes[i])),
                tuple(self._texts[reason] for reason in self._reasons[begin:end]),
            )
            begin = end

    def reasons(self) -> dict[str, int]:
        """How many nodes refused for each reason, the most frequent one first."""
        counts: dict[str, int] = {}
        for each in self.reason_counts:
            counts[each.reason] = counts.get(each.reason, 0) + each.nodes
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def __repr__(self) -> str:
        parts = [] if self.placement is None else [self.placement._line()]
        parts.append(f"{len(self.refused)} nodes refused")
        parts += [f"{count} {reason}" for reason, count in self.reasons().items()][: _shown.LIMIT]
        if self.pre_filter is not None:
            parts.append(self.pre_filter)
        return _shown.said(type(self), _shown.cut(", ".join(parts)))

    def _repr_html_(self) -> str:
        rows = [] if self.placement is None else list(self.placement._rows())
        rows += [("nodes refused", len(self.refused))]
        for name, value in (
            ("message", self.message),
            ("refused before any node", self.pre_filter),
            ("nominated node", self.nominated),
            ("victims", len(self.victims) or None),
        ):
            if value is not None:
                rows.append((name, value))
        counts = ((each.reason, each.plugin, each.nodes) for each in self.reason_counts)
        feasible = (
            (node, self.totals[i], *(score[i] for score in self.scores.values()))
            for i, node in enumerate(self.feasible)
        )
        heads = ("node id", "total", *self.scores)
        return (
            _shown.table(type(self), rows)
            + _shown.listing(
                "reasons", ("reason", "plugin", "nodes"), counts, len(self.reason_counts)
            )
            + _shown.listing("feasible nodes", heads, feasible, len(self.feasible))
        )


@dataclasses.dataclass(frozen=True, eq=False)
class NodeResources:
    """One resource on many nodes: cpu in milli, everything else in units."""

    nodes: IntArray
    allocatable: IntArray
    requested: IntArray

    @property
    def free(self) -> list[int]:
        return [int(a) - int(r) for a, r in zip(self.allocatable, self.requested)]

    def __repr__(self) -> str:
        return _shown.said(type(self), f"{len(self.nodes)} nodes")


@dataclasses.dataclass(frozen=True)
class Fit:
    """Whether a pod fits a node; if not, the first plugin that refuses, and its reasons."""

    verdict: Verdict
    plugin: Optional[str]
    code: Code
    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.verdict is Verdict.PLACED


@dataclasses.dataclass(frozen=True, eq=False)
class FeasibleNodes:
    """All nodes that a pod fits, and their total scores if requested."""

    nodes: IntArray
    totals: Optional[IntArray]

    def __repr__(self) -> str:
        totals = "without" if self.totals is None else "with"
        return _shown.said(type(self), f"{len(self.nodes)} nodes, {totals} totals")


@dataclasses.dataclass(frozen=True)
class Taint:
    key: str
    value: str
    effect: str


@dataclasses.dataclass(frozen=True)
class NodeInfo:
    """The stored facts about a node. Amounts: cpu in milli, everything else in units."""

    name: str
    pod_count: int
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Mapping[str, int]
    unschedulable: bool
    closed: bool


@dataclasses.dataclass(frozen=True)
class Owner:
    """A pod's controller."""

    api_version: str
    kind: str
    name: str
    uid: str


@dataclasses.dataclass(frozen=True)
class PodInfo:
    """The stored facts about a pod. Pods of one `kind` are equal to scheduling rules, except for
    the priority."""

    namespace: str
    name: str
    node_id: Optional[int]
    priority: int
    kind: int
    labels: Mapping[str, str]
    requests: Mapping[str, int]
    owner: Optional[Owner]
    scheduler_name: str
    start_time_ns: int  # 0: absent
    gated: bool
    deleting: bool
    has_volumes: bool
    may_preempt: bool


@dataclasses.dataclass(frozen=True)
class Statistics:
    """Counts of decisions since the engine or branch was made (berth/statistics.h)."""

    trees: int
    tree_bytes: int
    decisions: int
    placed: int
    errors: int
    indexed: int
    early_stops: int
    visited: int
    questions: int
    trees_built: int
    trees_dropped: int
    repairs: int
    scans: Mapping[ScanReason, int]
    layouts: int


@dataclasses.dataclass(frozen=True)
class RefusalCount:
    """How often one plugin refused for one reason. `plugin` is None if a pod was refused before
    any node was visited; `reason` is None for attempts of a scheduler, which record only the
    plugin."""

    plugin: Optional[str]
    reason: Optional[str]
    code: Code
    count: int


_NOTE_TEXTS = {
    NoteKind.PASSED_OVER: "no scheduling rule uses objects of this kind",
    NoteKind.UNKNOWN_FIELD: "Kubernetes has no such field there",
    NoteKind.API_VERSION: "no API server serves the kind under this apiVersion",
    NoteKind.NOT_EXPANDED: "the pods of this workload are expected to be in the input themselves",
    NoteKind.RUNTIME_CLASS_MISSING: "the RuntimeClass is not in the input",
    NoteKind.RUNTIME_CLASS: "the RuntimeClass has been applied",
    NoteKind.CLAIM_TEMPLATE_MISSING: "the ResourceClaimTemplate is not in the input",
    NoteKind.DUPLICATE_KEY: "the key appears more than once",
    NoteKind.PRIORITY_CLASS_MISSING: "the PriorityClass is not in the input",
    NoteKind.SELECTOR: "the selector does not match the labels of the template",
    NoteKind.NO_DAEMONS: "no node admits pods of this DaemonSet",
}


@dataclasses.dataclass(frozen=True)
class Note:
    """A remark of a reader about an input that it nevertheless read, with its place: `line` and
    `column` count from 1, 0 is unknown. `word` is what the remark is about, `suggestion` what was
    probably meant; both may be empty."""

    what: NoteKind
    source: str
    line: int
    column: int
    object: str
    field: str
    kind: str
    api_version: str
    namespace: str
    name: str
    word: str
    suggestion: str

    def __str__(self) -> str:
        place = [self.source + (f":{self.line}" if self.line else ""), self.object, self.field]
        text = _NOTE_TEXTS.get(self.what, self.what.name)
        if self.word:
            text += f": {self.word}"
        if self.suggestion:
            text += f" (probably meant: {self.suggestion})"
        return ": ".join([part for part in place if part] + [text])

    def __repr__(self) -> str:
        return _shown.said(type(self), _shown.cut(self))

    def _repr_html_(self) -> str:
        return _shown.table(type(self), [(self.what.name, self)])


@dataclasses.dataclass(frozen=True, eq=False)
class Loaded:
    """The result of reading: the number of objects, the ids of the added nodes and pods, and the
    reader's remarks, at most 1,000."""

    objects: int
    nodes: IntArray
    pods: IntArray
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        added = f"{len(self.nodes)} nodes and {len(self.pods)} pods added"
        return _shown.said(type(self), f"{self.objects} objects, {added}, {len(self.notes)} notes")

    def _repr_html_(self) -> str:
        rows = (
            ("objects", self.objects),
            ("nodes added", len(self.nodes)),
            ("pods added", len(self.pods)),
            ("notes", len(self.notes)),
        )
        notes = ((note.what.name, note) for note in self.notes)
        return _shown.table(type(self), rows) + _shown.listing(
            "notes", ("kind", "note"), notes, len(self.notes)
        )


@dataclasses.dataclass(frozen=True)
class Counts:
    """The numbers of nodes and pods."""

    nodes: int
    pods_running: int
    pods_pending: int
    pods_orphaned: int
    pod_classes: int


@dataclasses.dataclass(frozen=True)
class Memory:
    """The memory use of an engine."""

    used_bytes: int
    resident_bytes: int
    huge_bytes: int
    huge_refused: bool
    limited_bytes: int
    active_bytes: int
    metadata_bytes: int


@dataclasses.dataclass(frozen=True)
class Conflict:
    """A pod whose change a branch's commit could not apply."""

    pod: int
    node_id: Optional[int]
    kind: ConflictKind


@dataclasses.dataclass(frozen=True)
class Binding:
    """A pod on its way to a node."""

    id: int
    pod: int
    node_id: int


@dataclasses.dataclass(frozen=True)
class Eviction:
    """A pod to evict so that another one fits."""

    preemptor: int
    node_id: int
    victim: int


@dataclasses.dataclass(frozen=True)
class Step:
    """The outcome of a step of the loop."""

    kind: StepKind
    pod: Optional[int]
    node_id: Optional[int]
    binding: int  # 0: none
    nominated: Optional[int]
    victim_count: int
    attempt: int
    waited_ns: int


@dataclasses.dataclass(frozen=True, eq=False)
class Steps:
    """Steps of the loop, a column for each field."""

    kinds: IntArray
    pods: IntArray
    nodes: IntArray
    attempts: IntArray
    bindings: IntArray

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        return _shown.said(type(self), f"{len(self)} steps")


@dataclasses.dataclass(frozen=True)
class PodStatus:
    """The status of a pod in the loop."""

    state: PodState
    attempts: int
    submitted_ns: int
    due_ns: Optional[int]  # None: never
    nominated: Optional[int]
    binding: int
    rejectors: tuple[str, ...]  # plugins that rejected the last attempt


@dataclasses.dataclass(frozen=True)
class Counters:
    """The current numbers of pods, and counts since the loop was made (berth/scheduler.h)."""

    gated: int
    active: int
    backoff: int
    unschedulable: int
    assumed: int
    submitted: int
    bound: int
    taken: int
    deleted: int
    assumptions: int
    forgotten: int
    expired: int
    given_up: int
    decisions: int
    unplaced: int
    errors: int
    woken: int
    flushed: int
    nominations: int
    evictions: int
    events_posted: int
    events_refused: int
    late_answers: int
    backoff_ended: int
    popped_early: int
    freed_active: int
    freed_backoff: int
    bound_after_flush: int
