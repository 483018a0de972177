"""The enums of the library. The numbers equal those of the C headers; the tests compare them."""

import enum


class Status(enum.IntEnum):
    """The outcome of a call of the library: the `code` of an exception."""

    OK = 0
    E_ARG = 1
    E_STATE = 2
    E_NOMEM = 3
    E_PARSE = 4
    E_INVALID = 5
    E_EXISTS = 6
    E_NOT_FOUND = 7
    E_RANGE = 8
    E_UNSUPPORTED = 9
    E_IO = 10
    E_CONFLICT = 11
    E_INTERNAL = 12
    E_CANCELLED = 13


class Verdict(enum.IntEnum):
    """The outcome of a decision on a pod."""

    PLACED = 0
    UNSCHEDULABLE = 1
    ERROR = 2


class Path(enum.IntEnum):
    """How a decision finds its node; every path finds the same one."""

    AUTO = 0
    SCAN = 1
    INDEX = 2


class HugePages(enum.IntEnum):
    """Whether an engine asks for pages of 2 MiB."""

    NONE = 0
    AUTO = 1
    ALL = 2


class Code(enum.IntEnum):
    """Whether preemption may help when a node refuses a pod."""

    UNSCHEDULABLE = 0
    UNRESOLVABLE = 1


class Kind(enum.IntEnum):
    """Kinds of objects."""

    NAMESPACE = 0
    STORAGE_CLASS = 1
    CSI_DRIVER = 2
    CSI_NODE = 3
    CSI_STORAGE_CAPACITY = 4
    PERSISTENT_VOLUME = 5
    PERSISTENT_VOLUME_CLAIM = 6
    VOLUME_ATTACHMENT = 7
    SERVICE = 8
    REPLICATION_CONTROLLER = 9
    REPLICA_SET = 10
    STATEFUL_SET = 11
    POD_DISRUPTION_BUDGET = 12
    NODE = 13
    POD = 14
    RESOURCE_SLICE = 15
    DEVICE_CLASS = 16
    RESOURCE_CLAIM = 17
    DEVICE_TAINT_RULE = 18
    POD_GROUP = 19
    COMPOSITE_POD_GROUP = 20


class ConflictKind(enum.IntEnum):
    """Why a change of a branch cannot be applied to its engine."""

    POD_GONE = 0
    POD_MOVED = 1
    NODE_GONE = 2
    NO_FIT = 3
    REFUSED = 4


class Answer(enum.IntEnum):
    """The outcome of a callback of the loop."""

    DONE = 0
    LATER = 1
    FAILED = 2


class UnbindReason(enum.IntEnum):
    """Why a binding was given up."""

    FAILED = 0
    EXPIRED = 1
    DELETED = 2
    TAKEN = 3


class Trouble(enum.IntEnum):
    """The kind of a problem that the loop reports."""

    EVENT = 0
    LATE_ANSWER = 1
    EVICTION = 2


class ScanReason(enum.IntEnum):
    """Why a decision scanned nodes instead of using the index."""

    PATH = 0
    EXPLAINED = 1
    NEW = 2
    BEHIND = 3
    NOMINATED = 4
    NAMED = 5
    FILTER = 6
    SCORE = 7
    DOMAINS = 8
    CLOSED = 9
    MEMORY = 10
    PART = 11
    EXTENDERS = 12


class Normalize(enum.IntEnum):
    """How a plugin's values become scores of 0 to 100."""

    NONE = 0  # values are scores already
    MAX = 1  # value * 100 / the largest of the nodes that fit
    MAX_REVERSED = 2  # 100 minus the value of MAX


class Wake(enum.IntFlag):
    """Changes of the cluster that a refused pod may wait for."""

    NODE_ADD = 1 << 0
    NODE_LABELS = 1 << 1  # also annotations that plugins read
    NODE_TAINTS = 1 << 2
    NODE_ALLOCATABLE = 1 << 3
    NODE_CONDITIONS = 1 << 4
    POD_ADD = 1 << 5
    POD_REMOVE = 1 << 6
    POD_LABELS = 1 << 7
    NODE_REMOVE = 1 << 9
    CLAIM = 1 << 10
    VOLUME = 1 << 11
    STORAGE_CLASS = 1 << 12
    CSI_NODE = 1 << 13
    CSI_DRIVER = 1 << 14
    CSI_CAPACITY = 1 << 15
    ATTACHMENT = 1 << 16
    RELATED = 1 << 17  # services and controllers
    NAMESPACE = 1 << 18
    NODE_FEATURES = 1 << 19
    RESOURCE_CLAIM = 1 << 20
    DEVICE_CLASS = 1 << 21
    RESOURCE_SLICE = 1 << 22


class StepKind(enum.IntEnum):
    """The outcome of a step of the loop."""

    IDLE = 0
    BOUND = 1
    ASSUMED = 2
    FORGOTTEN = 3
    UNSCHEDULABLE = 4
    ERROR = 5


class PodState(enum.IntEnum):
    """The state of a pod in the loop."""

    GONE = 0
    GATED = 1
    ACTIVE = 2
    BACKOFF = 3
    UNSCHEDULABLE = 4
    ASSUMED = 5
    BOUND = 6


class NoteKind(enum.IntEnum):
    """What a reader reports about an input that it nevertheless reads (berth/kube.h)."""

    PASSED_OVER = 0
    UNKNOWN_FIELD = 1
    API_VERSION = 2
    NOT_EXPANDED = 3
    RUNTIME_CLASS_MISSING = 4
    RUNTIME_CLASS = 5
    CLAIM_TEMPLATE_MISSING = 6
    WORKLOAD = 7
    DUPLICATE_KEY = 8
    PRIORITY_CLASS_MISSING = 9
    SELECTOR = 10
    NO_DAEMONS = 11
    UNKNOWN_PLUGIN = 12
    REPLACES = 13
    REPLICAS = 14
    FOREIGN_PLUGIN = 15
    GATED_PLUGIN = 16
