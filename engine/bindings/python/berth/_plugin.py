"""Filters and scores in Python."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Callable, Optional, TypeVar, Union

from . import _arrays, _errors
from ._arrays import IntArray
from ._enums import Normalize, Wake
from ._native import ffi, lib
from ._types import Owner
from ._view import POD_NONE, string

_Text = Optional[str]


@dataclasses.dataclass(frozen=True)
class PluginPod:
    """The facts about a pod that a plugin reads, by name; None for those that the pod lacks."""

    namespace: str
    requests: Mapping[str, int]  # cpu in milli, everything else in units
    labels: Mapping[str, _Text]
    annotations: Mapping[str, _Text]
    owner: Optional[Owner]  # the controller
    #: The pod and its priority, which differ between pods of one kind: only for plugins with `each`
    #: and neither `static` nor `node_local`.
    id: Optional[int]
    priority: int


@dataclasses.dataclass(frozen=True)
class NodePod:
    """A pod on a node, with the labels and annotations that the plugin reads of pods."""

    id: int
    namespace: str
    priority: int
    labels: Mapping[str, _Text]
    annotations: Mapping[str, _Text]


@dataclasses.dataclass(frozen=True, eq=False)
class PluginNodes:
    """A slice of up to 128 nodes: each list and array has an entry for each node. Answers about
    nodes that are not `asked` are ignored, and texts and pods of those nodes are absent."""

    ids: IntArray
    asked: IntArray  # 1, or 0
    allocatable: Mapping[str, IntArray]  # by resource: cpu in milli, everything else in units
    requested: Mapping[str, IntArray]  # zeros if the plugin is static
    labels: Mapping[str, Sequence[_Text]]
    annotations: Mapping[str, Sequence[_Text]]
    names: Sequence[str]  # for plugins with `node_names`
    domains: Sequence[IntArray]  # for each Selection: its pods in the node's domain
    pods: Sequence[Sequence[NodePod]]  # for plugins with `node_pods`, the newest first

    def __len__(self) -> int:
        return len(self.ids)


@dataclasses.dataclass(frozen=True)
class Selection:
    """The pods to count, and the label of nodes that divides them into domains. Selectors are
    dicts as in Kubernetes' objects: {"matchLabels": ..., "matchExpressions": ...}; without
    `selector` no pod matches."""

    topology_key: str
    selector: Optional[Mapping[str, Any]] = None
    namespaces: Sequence[str] = ()  # empty, without namespace_selector: the pod's namespace
    namespace_selector: Optional[Mapping[str, Any]] = None


Filter = Callable[[PluginPod, PluginNodes], Optional[Sequence[Any]]]
Score = Callable[[PluginPod, PluginNodes], Sequence[int]]
Prepare = Callable[[PluginPod], Union[None, bool, str]]


@dataclasses.dataclass
class Plugin:
    """A filter, a score, or both, in Python; a `configuration` enables it by its name.

    `filter(pod, nodes)` returns a sequence with a truth value for each node: whether the pod
    fits; None: it fits all. `score(pod, nodes)` returns a number for each node. Both are called
    for a slice of nodes at a time, on any thread, and must do nothing else. A plugin declares in
    advance which facts it reads: at most 16 resources, and 8 labels or annotations of each kind.
    `prepare(pod)` is called first and returns None or True; False: the plugin takes no part; a
    text: no node can take the pod, for this reason. `configure(arguments)` receives the plugin's
    pluginConfig as json.loads returns it, None if there is none. `reserve(pod, node)` is called
    for each pod that comes to a node; False stops a pod that is being bound. `unreserve(pod,
    node)` is called for each pod that leaves.

    `static`: results depend only on the pod, and on names, labels, annotations and allocatable
    amounts of nodes; they are computed once for each kind of pod. `node_local`: results change
    only with these facts and with the pods on the node itself. The index keeps both; without
    either, each decision asks about every node. `each`: prepare at each decision, not once for
    each kind of pod. `domains(pod)`, only with `each`, returns at most 4 Selections to count by
    topology domain. berth/plugin.h explains all of this in detail.

    If a function raises, the call that it ran in raises the exception, and on an engine a filter
    that has raised binds no pod. If the plugin is static or node_local, the engine may have kept
    the missing result: it can only be closed then. A filter or score that Ctrl-C interrupts is
    called once more, so that its result is not missing. No function may use the engine: that raises a
    StateError.
    """

    name: str
    filter: Optional[Filter] = None
    score: Optional[Score] = None
    prepare: Optional[Prepare] = None
    configure: Optional[Callable[[Any], None]] = None
    reserve: Optional[Callable[[int, int], Optional[bool]]] = None
    unreserve: Optional[Callable[[int, int], None]] = None
    domains: Optional[Callable[[PluginPod], Sequence[Selection]]] = None
    static: bool = False
    node_local: bool = False
    each: bool = False
    resources: Sequence[str] = ()
    node_labels: Sequence[str] = ()
    node_annotations: Sequence[str] = ()
    pod_labels: Sequence[str] = ()
    pod_annotations: Sequence[str] = ()
    node_names: bool = False
    node_pods: bool = False
    reason: Optional[str] = None  # of the refusals; None: "node(s) were refused by NAME"
    unresolvable: bool = False  # preemption cannot resolve the refusals
    wake_on: Wake = Wake(0)  # changes that can resolve them; 0: those that follow from the flags
    normalize: Normalize = Normalize.NONE


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _escaped(_: Any, error: BaseException, trace: Any) -> None:
    """Handle an exception from outside the function of a plugin (an interrupt)."""
    context = trace.tb_frame.f_locals.get("context") if trace is not None else None
    if context is not None:
        bound = ffi.from_handle(context)
        bound.owner.failed(error, bound.kept)


def _extern(answer: Optional[int] = None) -> Callable[[_Function], _Function]:
    """Lets C call this function; if an exception escapes it, C receives `answer`."""
    define: Callable[[_Function], _Function] = (
        ffi.def_extern(onerror=_escaped)
        if answer is None
        else ffi.def_extern(error=answer, onerror=_escaped)
    )
    return define


class Plugins:
    """The plugins of an engine and its branches, and the outcome of their functions."""

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self._keep: list[Any] = []
        self.failing = ffi.new("uint8_t *")
        self.threads: set[int] = set()  # threads that run a function of a plugin
        self.mutex = threading.Lock()
        self.calls = 0  # in progress, on the engine and its branches
        self.failures = 0  # number of functions that raised
        self.raised: Optional[BaseException] = None  # the last of these exceptions
        self.broken: Optional[BaseException] = None  # why every call fails
        self.tables = ffi.new("berth_plugin *[]", len(plugins))
        self.count = len(plugins)
        keys: dict[str, None] = {}
        for i, plugin in enumerate(plugins):
            self.tables[i] = ffi.addressof(self._bound(plugin), "table")
            keys.update(dict.fromkeys((*plugin.node_annotations, *plugin.pod_annotations)))
        self.annotation_keys = self._strs(tuple(keys))
        self.annotation_count = len(keys)

    def _str(self, text: str) -> tuple[Any, int]:
        data = text.encode()
        self._keep.append(ffi.new("char[]", data))
        return self._keep[-1], len(data)

    def _strs(self, listed: Sequence[str]) -> Any:
        if isinstance(listed, str):
            raise TypeError("names are a sequence of texts, not a text")
        self._keep.append(ffi.new("berth_str[]", [self._str(text) for text in listed]))
        return self._keep[-1]

    def _bound(self, plugin: Plugin) -> Any:
        own = dataclasses.replace(plugin)  # a copy: later changes have no effect
        _check(own)
        out = ffi.new("berth_py_plugin *")
        context = ffi.new_handle(_Bound(self, own))
        self._keep += [out, context]
        table = out.table
        table.name = self._str(own.name)[0]
        table.flags = (
            (lib.BERTH_PLUGIN_STATIC if own.static else 0)
            | (lib.BERTH_PLUGIN_NODE_LOCAL if own.node_local else 0)
            | (lib.BERTH_PLUGIN_EACH if own.each else 0)
        )
        table.code = (
            lib.BERTH_CODE_UNRESOLVABLE if own.unresolvable else lib.BERTH_CODE_UNSCHEDULABLE
        )
        table.wake_on = int(own.wake_on)
        table.normalize = Normalize(own.normalize)
        for name in ("configure", "prepare", "slice", "reserve", "unreserve"):
            setattr(out.call, name, getattr(lib, "berth_py_on_" + name))
        out.context = context
        out.failing = self.failing
        out.has_configure = own.configure is not None
        out.has_prepare = own.prepare is not None or own.domains is not None
        out.has_reserve = own.reserve is not None
        out.has_unreserve = own.unreserve is not None
        out.has_filter = own.filter is not None
        out.has_score = own.score is not None
        out.node_names = own.node_names
        out.node_pods = own.node_pods
        out.reads_id = own.each and not own.static and not own.node_local
        if own.reason is not None:
            out.reason = self._str(own.reason)
        out.resources, out.resource_count = self._strs(own.resources), len(own.resources)
        for name in ("node_label", "pod_label", "node_annotation", "pod_annotation"):
            listed = getattr(own, name + "s")
            setattr(out, name + "s", self._strs(listed))
            setattr(out, name + "_count", len(listed))
        lib.berth_py_plugin_fill(out)
        return out

    # ---- around a call into C ----

    def before(self) -> int:
        """A call on the engine or a branch begins; returns how many functions have raised so
        far."""
        if self.broken is not None:
            raise _errors.StateError(
                f"the engine is unusable: a function of a plugin has raised {self.broken!r}"
            ) from self.broken
        with self.mutex:
            self.calls += 1
            return self.failures

    def after(self, failures: int) -> None:
        """The call ends; raise the exception of a function that failed meanwhile."""
        with self.mutex:
            self.calls -= 1
            if not self.calls:
                self.failing[0] = 0
            raised = self.raised if self.failures != failures else None
        if raised is not None:
            raise raised

    # ---- around a call into Python ----

    @contextmanager
    def running(self, kept: bool) -> Iterator[None]:
        """Run a function; its exception waits until the current call returns. `kept`: the engine
        may keep the result."""
        me = threading.get_ident()
        self.threads.add(me)
        try:
            yield
        except BaseException as error:  # pylint: disable=broad-except
            self.failed(error, kept)
        finally:
            self.threads.discard(me)

    def interrupted(self, error: KeyboardInterrupt) -> None:
        """Raise an interrupt at the end of the current call, although no function failed."""
        with self.mutex:
            self.failures += 1
            self.raised = error

    def failed(self, error: BaseException, kept: bool) -> None:
        with self.mutex:
            self.failures += 1
            self.raised = error
            self.failing[0] = 1
            if kept:
                self.broken = error


class _Bound:
    """The view that C has of a plugin: how to call its functions."""

    def __init__(self, owner: Plugins, plugin: Plugin) -> None:
        self.owner = owner
        self.plugin = plugin
        self.kept = plugin.static or plugin.node_local


def _check(plugin: Plugin) -> None:
    texts = ("node_labels", "pod_labels", "node_annotations", "pod_annotations")
    if len(plugin.resources) > lib.BERTH_PY_RESOURCES_MAX or any(
        len(getattr(plugin, name)) > lib.BERTH_PY_TEXTS_MAX for name in texts
    ):
        raise _errors.ArgumentError(f"plugin {plugin.name} reads too many resources or texts")
    if plugin.domains is not None and (plugin.static or plugin.node_local or not plugin.each):
        raise _errors.ArgumentError(f"plugin {plugin.name} counts domains, so its flag is each")
    if plugin.node_pods and plugin.static:
        raise _errors.ArgumentError(f"plugin {plugin.name} is static, and so reads no pods")


# ---- data from C ----


def _texts(keys: Sequence[str], items: Any, begin: int = 0) -> dict[str, _Text]:
    return {key: string(items[begin + i]) for i, key in enumerate(keys)}


def _rows(keys: Sequence[str], items: Any, count: int) -> dict[str, list[_Text]]:
    """A row of texts for each key."""
    width = lib.BERTH_SLICE
    return {
        key: [string(items[row * width + i]) for i in range(count)] for row, key in enumerate(keys)
    }


def _columns(names: Sequence[str], columns: Any, count: int) -> dict[str, IntArray]:
    return {
        name: (
            _arrays.copied("int64_t", columns[i], count)
            if columns[i] != ffi.NULL
            else _arrays.empty("int64_t", count)[0]
        )
        for i, name in enumerate(names)
    }


def _pod(plugin: Plugin, pod: Any) -> PluginPod:
    owner = None
    if pod.owner.kind.data != ffi.NULL:
        parts = (pod.owner.api_version, pod.owner.kind, pod.owner.name, pod.owner.uid)
        owner = Owner(*(string(part) or "" for part in parts))
    return PluginPod(
        string(pod.namespace_name) or "",
        {name: int(pod.requests[i]) for i, name in enumerate(plugin.resources)},
        _texts(plugin.pod_labels, pod.labels),
        _texts(plugin.pod_annotations, pod.annotations),
        owner,
        None if pod.id == POD_NONE else int(pod.id),
        int(pod.priority),
    )


def _pods(plugin: Plugin, nodes: Any) -> list[list[NodePod]]:
    """The pods of each node."""
    if nodes.pod_ends == ffi.NULL:
        raise MemoryError("no memory for the pods of a slice")
    labels, annotations = plugin.pod_labels, plugin.pod_annotations
    width = len(labels) + len(annotations)
    out: list[list[NodePod]] = []
    begin = 0
    for i in range(nodes.count):
        end = int(nodes.pod_ends[i])
        out.append(
            [
                NodePod(
                    int(nodes.pods[k].id),
                    string(nodes.pods[k].namespace_name) or "",
                    int(nodes.pods[k].priority),
                    _texts(labels, nodes.pod_texts, k * width),
                    _texts(annotations, nodes.pod_texts, k * width + len(labels)),
                )
                for k in range(begin, end)
            ]
        )
        begin = end
    return out


def _nodes(plugin: Plugin, nodes: Any) -> PluginNodes:
    count = nodes.count
    return PluginNodes(
        _arrays.copied("uint32_t", nodes.nodes, count),
        _arrays.copied("uint8_t", nodes.asked, count),
        _columns(plugin.resources, nodes.allocatable, count),
        _columns(plugin.resources, nodes.requested, count),
        _rows(plugin.node_labels, nodes.labels, count),
        _rows(plugin.node_annotations, nodes.annotations, count),
        [string(nodes.names[i]) or "" for i in range(count)] if plugin.node_names else [],
        [
            _arrays.copied("uint32_t", nodes.domains + row * lib.BERTH_SLICE, count)
            for row in range(nodes.domain_count)
        ],
        _pods(plugin, nodes) if plugin.node_pods else [],
    )


# ---- called by C ----


@_extern(lib.BERTH_E_INVALID)
def berth_py_on_configure(context: Any, arguments: Any, error: Any) -> int:
    bound = ffi.from_handle(context)
    with bound.owner.running(False):
        text = string(arguments)
        bound.plugin.configure(None if text is None else json.loads(text))
        return int(lib.BERTH_OK)
    ffi.memmove(error.message, b"the plugin's configure has raised\0", 34)
    return int(lib.BERTH_E_INVALID)


@_extern(lib.BERTH_PREPARED_NO_MEMORY)
def berth_py_on_prepare(context: Any, preparation: Any, pod: Any, reason: Any, size: int) -> int:
    bound = ffi.from_handle(context)
    with bound.owner.running(False):
        plugin = bound.plugin
        facts = _pod(plugin, pod)
        answer = True if plugin.prepare is None else plugin.prepare(facts)
        if answer is not None and not isinstance(answer, (bool, str)):
            raise TypeError(f"plugin {plugin.name}: prepare answered {answer!r}")
        if isinstance(answer, str):
            text = answer.encode()[: size - 1] + b"\0"
            ffi.memmove(reason, text, len(text))
            return int(lib.BERTH_PREPARED_REFUSE)
        if answer is False:
            return int(lib.BERTH_PREPARED_SKIP)
        if plugin.domains is None or _count(preparation, plugin.domains(facts)):
            return int(lib.BERTH_PREPARED_ACTIVE)
    # The call fails as if without memory and keeps nothing; then the exception is raised.
    return int(lib.BERTH_PREPARED_NO_MEMORY)


def _count(preparation: Any, selections: Sequence[Selection]) -> bool:
    """Request counts of pods for the decision being prepared."""
    if len(selections) > lib.BERTH_PY_DOMAINS_MAX:
        raise ValueError(f"domains are asked for by {len(selections)} selections")
    keep: list[Any] = []

    def text(value: str) -> tuple[Any, int]:
        data = value.encode()
        keep.append(ffi.new("char[]", data))
        return keep[-1], len(data)

    def texts(values: Sequence[str]) -> tuple[Any, int]:
        keep.append(ffi.new("berth_str[]", [text(value) for value in values]))
        return keep[-1], len(values)

    def selector(given: Optional[Mapping[str, Any]]) -> Any:
        if given is None:
            return ffi.NULL
        labels = given.get("matchLabels") or {}
        entries = [(text(key), text(value)) for key, value in labels.items()]
        keep.append(ffi.new("berth_key_value[]", entries))
        map_items = keep[-1]
        terms = [
            (text(each["key"]), text(each["operator"]), texts(each.get("values") or ()))
            for each in given.get("matchExpressions") or ()
        ]
        keep.append(ffi.new("berth_requirement[]", terms))
        parts = ((map_items, len(entries)), (keep[-1], len(terms)))
        keep.append(ffi.new("berth_label_selector *", parts))
        return keep[-1]

    out = ffi.new("berth_pod_selection[]", len(selections))
    for to, each in zip(out, selections):
        to.size = ffi.sizeof("berth_pod_selection")
        to.namespaces = texts(each.namespaces)
        to.namespace_selector = selector(each.namespace_selector)
        to.selector = selector(each.selector)
        to.topology_key = text(each.topology_key)
    return bool(lib.berth_py_plugin_count(preparation, out, len(selections)))


def _answer(plugin: Plugin, nodes: Any, filters: bool) -> None:
    """Call the plugin's filter or score for a slice of nodes."""
    facts = (_pod(plugin, nodes.pod), _nodes(plugin, nodes))
    if not filters:
        assert plugin.score is not None
        _put_scores(plugin, plugin.score(*facts), nodes)
        return
    assert plugin.filter is not None
    fits = plugin.filter(*facts)
    if fits is not None:
        ffi.memmove(nodes.asked, _truths(plugin, fits, nodes.count), nodes.count)


@_extern()
def berth_py_on_slice(context: Any, nodes: Any) -> None:
    bound = ffi.from_handle(context)
    filters = nodes.values == ffi.NULL
    with bound.owner.running(bound.kept):
        try:
            _answer(bound.plugin, nodes, filters)
        except KeyboardInterrupt as error:
            # Ctrl-C must not make the engine unusable: answer first. The call ends after this
            # decision and raises the exception.
            _answer(bound.plugin, nodes, filters)
            bound.owner.interrupted(error)
        return
    if filters:  # the function has raised: nothing fits
        ffi.memmove(nodes.asked, bytes(nodes.count), nodes.count)
    else:
        ffi.memmove(nodes.values, bytes(8 * nodes.count), 8 * nodes.count)


def _truths(plugin: Plugin, fits: Sequence[Any], count: int) -> bytes:
    if _arrays.numpy is not None and isinstance(fits, _arrays.numpy.ndarray):
        out: bytes = fits.astype(bool).tobytes()
    else:
        out = bytes(1 if each else 0 for each in fits)
    if len(out) != count:
        raise ValueError(f"plugin {plugin.name}: filter answered {len(out)} truths of {count}")
    return out


def _put_scores(plugin: Plugin, scores: Sequence[int], nodes: Any) -> None:
    values = _arrays.taken("int64_t", scores)
    if len(values) != nodes.count:
        raise ValueError(f"plugin {plugin.name}: score gave {len(values)} values of {nodes.count}")
    most = 100 if plugin.normalize == Normalize.NONE else 2**63 - 1
    for i in range(nodes.count):
        if nodes.asked[i] and not 0 <= values[i] <= most:
            raise ValueError(f"plugin {plugin.name}: the score {values[i]} is out of range")
    ffi.memmove(nodes.values, values, 8 * nodes.count)


@_extern(lib.BERTH_E_CONFLICT)
def berth_py_on_reserve(context: Any, pod: int, node: int) -> int:
    bound = ffi.from_handle(context)
    with bound.owner.running(False):
        if bound.plugin.reserve(pod, node) is not False:
            return int(lib.BERTH_OK)
    return int(lib.BERTH_E_CONFLICT)


@_extern()
def berth_py_on_unreserve(context: Any, pod: int, node: int) -> None:
    bound = ffi.from_handle(context)
    with bound.owner.running(False):
        bound.plugin.unreserve(pod, node)
