"""Berth decides which node of a Kubernetes cluster a pod runs on, as kube-scheduler does.

    with berth.Engine() as engine:
        engine.load("cluster.json")
        batch = engine.schedule_batch(engine.pending())

Engine, Branch, Snapshot, Transaction and Scheduler correspond to the C handles of these names
(README.md beside pyproject.toml is a tour). Results are plain data; errors are exceptions with
code, object and field. Amounts are in milli for cpu and in units for everything else. Ids are
numbers; every argument that is a pod or a node can be an id or a name.
"""

from typing import List as _List
from typing import NamedTuple as _NamedTuple

from ._arrays import IntArray
from ._cancel import CancelFlag
from ._cluster import Cluster
from ._engine import Branch, Engine, Snapshot
from ._enums import (
    Answer,
    Code,
    ConflictKind,
    HugePages,
    Kind,
    Normalize,
    NoteKind,
    Path,
    PodState,
    ScanReason,
    Status,
    StepKind,
    Trouble,
    UnbindReason,
    Verdict,
    Wake,
)
from ._errors import (
    ArgumentError,
    BerthError,
    BusyError,
    CancelledError,
    ClosedError,
    ConflictError,
    ExistsError,
    InputError,
    InternalError,
    InvalidError,
    NotFoundError,
    OutOfMemoryError,
    ParseError,
    RangeError,
    StateError,
    UnsupportedError,
)
from ._native import ffi as _ffi
from ._native import lib as _lib
from ._plugin import NodePod, Plugin, PluginNodes, PluginPod, Selection
from ._quantity import format_quantity, parse_quantity
from ._scheduler import TIME_NEVER, Scheduler
from ._transaction import Transaction
from ._types import (
    Batch,
    Binding,
    Capacity,
    Conflict,
    Counters,
    Counts,
    Eviction,
    Explanation,
    FeasibleNodes,
    Fit,
    Loaded,
    Memory,
    NodeInfo,
    NodeResources,
    Note,
    Owner,
    Placement,
    PodGroupOutcome,
    PodInfo,
    PodStatus,
    ReasonCount,
    Refusal,
    RefusalCount,
    Statistics,
    Step,
    Steps,
    Taint,
)
from ._view import NO_RAW_SCORE, NODE_NONE, POD_NONE, View

#: The version of the library.
__version__: str = _ffi.string(_lib.berth_version()).decode()

#: The same as a number, which grows with the version: 1.2.3 is 1002003.
version_number: int = _lib.berth_version_number()


class KubernetesVersion(_NamedTuple):
    """A version of kube-scheduler, 1.`minor`.`patch`."""

    minor: int
    patch: int

    @property
    def number(self) -> int:
        """The version for `Engine(kubernetes=)`."""
        return self.minor | (self.patch + 1) << 16

    def __str__(self) -> str:
        return f"1.{self.minor}.{self.patch}"


def kubernetes_versions() -> _List[KubernetesVersion]:
    """The versions of kube-scheduler that the library knows, the newest first: the first patch
    release of each minor version, and each later one from which on decisions differ."""
    out = _ffi.new("uint32_t[]", _lib.berth_kubernetes_versions(_ffi.NULL, 0))
    _lib.berth_kubernetes_versions(out, len(out))
    return [KubernetesVersion(number & 0xFFFF, (number >> 16) - 1) for number in out]


__all__ = [
    "Answer",
    "ArgumentError",
    "Batch",
    "BerthError",
    "Binding",
    "Branch",
    "BusyError",
    "CancelFlag",
    "CancelledError",
    "Capacity",
    "ClosedError",
    "Cluster",
    "Code",
    "Conflict",
    "ConflictError",
    "ConflictKind",
    "Counters",
    "Counts",
    "Engine",
    "Eviction",
    "ExistsError",
    "Explanation",
    "FeasibleNodes",
    "Fit",
    "HugePages",
    "InputError",
    "IntArray",
    "InternalError",
    "InvalidError",
    "Kind",
    "KubernetesVersion",
    "Loaded",
    "Memory",
    "NodeInfo",
    "NODE_NONE",
    "NO_RAW_SCORE",
    "NodePod",
    "NodeResources",
    "Normalize",
    "Note",
    "NoteKind",
    "Owner",
    "NotFoundError",
    "OutOfMemoryError",
    "POD_NONE",
    "ParseError",
    "Path",
    "Placement",
    "PodGroupOutcome",
    "Plugin",
    "PluginNodes",
    "PluginPod",
    "PodInfo",
    "PodState",
    "PodStatus",
    "RangeError",
    "ReasonCount",
    "Refusal",
    "RefusalCount",
    "Statistics",
    "ScanReason",
    "Scheduler",
    "Selection",
    "Snapshot",
    "StateError",
    "Status",
    "Step",
    "StepKind",
    "Steps",
    "Taint",
    "TIME_NEVER",
    "Transaction",
    "Trouble",
    "UnbindReason",
    "UnsupportedError",
    "Verdict",
    "View",
    "Wake",
    "format_quantity",
    "kubernetes_versions",
    "parse_quantity",
    "version_number",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
del _name
