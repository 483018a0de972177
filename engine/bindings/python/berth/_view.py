"""Reading: the common part of engines, branches and snapshots."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Optional, Union

from . import _arrays, _errors
from ._arrays import IntArray
from ._native import ffi, lib
from ._types import NodeInfo, NodeResources, Owner, PodInfo, Taint

#: Stand for no node and no pod in arrays of ids.
NODE_NONE: int = lib.BERTH_NODE_NONE
NO_RAW_SCORE: int = -(1 << 63)  # a plugin did not score a node
POD_NONE: int = lib.BERTH_POD_NONE

#: A pod: its id, or its name "namespace/name", or "name" for the namespace default.
Pod = Union[int, str]
#: A node: its id or its name.
Node = Union[int, str]


class Text:
    """A berth_str and the memory that it points to."""

    __slots__ = ("value", "_bytes")

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        self.value = ffi.new(
            "berth_str *", (ffi.from_buffer("char[]", self._bytes), len(self._bytes))
        )[0]


def string(text: Any) -> Optional[str]:
    """The text of a berth_str; None if it is absent."""
    if text.data == ffi.NULL:
        return None
    return bytes(ffi.buffer(text.data, text.len)).decode("utf-8", "replace")


def split(text: Any) -> list[str]:
    """The texts of a berth_py_text."""
    if not text.bytes:
        return []
    joined = bytes(ffi.buffer(text.data, text.bytes - 1)).decode("utf-8", "replace")
    return joined.split("\0")


def optional(number: int, none: int) -> Optional[int]:
    return None if number == none else int(number)


class View:
    """Reading nodes and pods."""

    _prefix: str  # of the names of the C functions

    def _use(self) -> AbstractContextManager[Any]:
        """The pointer; the object cannot be closed while it is held."""
        raise NotImplementedError

    def _source(self, pointer: Any) -> Any:
        """The pointer as one of the two members of berth_py_source."""
        raise NotImplementedError

    def _call(self, name: str) -> Any:
        return getattr(lib, self._prefix + name)

    def _pod(self, pointer: Any, pod: Pod) -> int:
        if not isinstance(pod, str):
            return pod
        namespace, slash, name = pod.partition("/")
        if not slash:
            namespace, name = "default", namespace
        space, text = Text(namespace), Text(name)
        found = self._call("find_pod")(pointer, space.value, text.value)
        if found == POD_NONE:
            raise _errors.NotFoundError(f"there is no pod {namespace}/{name}")
        return int(found)

    def _node(self, pointer: Any, node: Node) -> int:
        if not isinstance(node, str):
            return node
        text = Text(node)
        found = self._call("find_node")(pointer, text.value)
        if found == NODE_NONE:
            raise _errors.NotFoundError(f"there is no node {node}")
        return int(found)

    def _pods(self, pointer: Any, pods: Iterable[Pod]) -> tuple[Any, int]:
        """Ids for C, and their number."""
        if isinstance(pods, (list, tuple)) and any(isinstance(pod, str) for pod in pods):
            pods = [self._pod(pointer, pod) for pod in pods]
        ids = _arrays.taken("uint64_t", pods)  # type: ignore[arg-type]
        return ids, len(ids)

    def _nodes(self, pointer: Any, nodes: Iterable[Node]) -> tuple[Any, int]:
        if isinstance(nodes, (list, tuple)) and any(isinstance(node, str) for node in nodes):
            nodes = [self._node(pointer, node) for node in nodes]
        ids = _arrays.taken("uint32_t", nodes)  # type: ignore[arg-type]
        return ids, len(ids)

    def find_node(self, name: str) -> Optional[int]:
        """The id of a node, None if there is none."""
        with self._use() as pointer:
            text = Text(name)
            return optional(self._call("find_node")(pointer, text.value), NODE_NONE)

    def find_pod(self, name: str, namespace: str = "default") -> Optional[int]:
        """The id of a pod, None if there is none."""
        with self._use() as pointer:
            space, text = Text(namespace), Text(name)
            return optional(self._call("find_pod")(pointer, space.value, text.value), POD_NONE)

    def node_name(self, node: int) -> Optional[str]:
        """The name of a node, None for an unknown id."""
        with self._use() as pointer:
            return string(self._call("node_name")(pointer, node))

    def pod_name(self, pod: int) -> Optional[str]:
        """ "namespace/name" of a pod, None for an unknown id."""
        with self._use() as pointer:
            parts = ffi.new("berth_str[2]")
            self._call("pod_name")(pointer, pod, parts, parts + 1)
            name = string(parts[1])
            return None if name is None else f"{string(parts[0])}/{name}"

    def node_names(self, nodes: Iterable[int]) -> list[str]:
        """The names of many nodes, "" for unknown ids. One call into C."""
        return self._texts(lib.berth_py_node_names, "uint32_t", nodes)

    def pod_names(self, pods: Iterable[int]) -> list[str]:
        """"namespace/name" of many pods, "" for unknown ids. One call into C."""
        return self._texts(lib.berth_py_pod_names, "uint64_t", pods)

    def _texts(self, function: Any, ctype: str, ids: Iterable[int]) -> list[str]:
        with self._use() as pointer:
            taken = _arrays.taken(ctype, ids)
            out = ffi.new("berth_py_text *")
            source = self._source(pointer)
            try:
                _errors.check(function(source, taken, len(taken), out, _errors.slot()))
                return split(out)
            finally:
                lib.berth_py_text_free(out)

    def pod_node(self, pod: Pod) -> Optional[int]:
        """The id of the node that a pod is on; None if the pod is pending or unknown."""
        with self._use() as pointer:
            return optional(self._call("pod_node")(pointer, self._pod(pointer, pod)), NODE_NONE)

    def pod_nodes(self, pods: Iterable[Pod]) -> IntArray:
        """The node of each pod, NODE_NONE for pods without one. One call into C."""
        with self._use() as pointer:
            ids, count = self._pods(pointer, pods)
            out, data = _arrays.empty("uint32_t", count)
            lib.berth_py_pod_nodes(self._source(pointer), ids, count, data)
            return out

    def node_label(self, node: Node, key: str) -> Optional[str]:
        """The value of a node's label; None if the node lacks it or is unknown."""
        with self._use() as pointer:
            text = Text(key)
            return string(self._call("node_label")(pointer, self._node(pointer, node), text.value))

    def node_labels(self, nodes: Iterable[Node], key: str) -> list[Optional[str]]:
        """One label of many nodes. One call into C."""
        with self._use() as pointer:
            ids, count = self._nodes(pointer, nodes)
            has, has_data = _arrays.empty("uint8_t", count)
            text = Text(key)
            out = ffi.new("berth_py_text *")
            source = self._source(pointer)
            try:
                _errors.check(
                    lib.berth_py_node_labels(
                        source, ids, count, text.value, has_data, out, _errors.slot()
                    )
                )
                return [value if has[i] else None for i, value in enumerate(split(out))]
            finally:
                lib.berth_py_text_free(out)

    def node_resource(self, node: Node, resource: str) -> tuple[int, int]:
        """The allocatable and the requested amount of a resource on a node: cpu in milli,
        everything else in units."""
        with self._use() as pointer:
            text = Text(resource)
            out = ffi.new("int64_t[2]")
            found = self._node(pointer, node)
            _errors.check(
                self._call("node_resource")(
                    pointer, found, text.value, out, out + 1, _errors.slot()
                )
            )
            return int(out[0]), int(out[1])

    def node_resources(
        self, resource: str, nodes: Optional[Iterable[Node]] = None
    ) -> NodeResources:
        """One resource on many nodes, by default on all. One call into C."""
        with self._use() as pointer:
            if nodes is None:
                return self._all_resources(pointer, resource)
            ids, count = self._nodes(pointer, nodes)
            allocatable, allocatable_data = _arrays.empty("int64_t", count)
            requested, requested_data = _arrays.empty("int64_t", count)
            text = Text(resource)
            _errors.check(
                lib.berth_py_node_resources(
                    self._source(pointer),
                    ids,
                    count,
                    text.value,
                    allocatable_data,
                    requested_data,
                    _errors.slot(),
                )
            )
            return NodeResources(_arrays.copied("uint32_t", ids, count), allocatable, requested)

    def _all_resources(self, pointer: Any, resource: str) -> NodeResources:
        text = Text(resource)
        function = self._call("resource_by_node")
        count = function(pointer, text.value, ffi.NULL, ffi.NULL, ffi.NULL, 0)
        nodes, nodes_data = _arrays.empty("uint32_t", count)
        allocatable, allocatable_data = _arrays.empty("int64_t", count)
        requested, requested_data = _arrays.empty("int64_t", count)
        function(pointer, text.value, nodes_data, allocatable_data, requested_data, count)
        return NodeResources(nodes, allocatable, requested)

    def resource_names(self) -> list[str]:
        """The names of all resources that nodes and pods name; "pods" is valid, too."""
        with self._use() as pointer:
            return [
                string(each) or "" for each in self._all("resource_names", "berth_str", pointer)
            ]

    def _all(self, name: str, ctype: str, *arguments: Any) -> Any:
        """The array that a C function fills."""
        function = self._call(name)
        count = function(*arguments, ffi.NULL, 0)
        out = ffi.new(ctype + "[]", count)
        function(*arguments, out, count)
        return out

    def _map(self, name: str, pointer: Any, which: int) -> dict[str, str]:
        entries = self._all(name, "berth_key_value", pointer, which)
        return {string(each.key) or "": string(each.value) or "" for each in entries}

    def _amounts(self, name: str, pointer: Any, which: int) -> dict[str, int]:
        entries = self._all(name, "berth_amount", pointer, which)
        return {string(each.resource) or "": int(each.amount) for each in entries}

    def node_info(self, node: Node) -> NodeInfo:
        """The stored facts of a node."""
        with self._use() as pointer:
            found = self._node(pointer, node)
            out = ffi.new("berth_node_info *")
            out.size = ffi.sizeof("berth_node_info")
            _errors.check(self._call("node_info")(pointer, found, out, _errors.slot()))
            taints = self._all("node_taints", "berth_taint", pointer, found)
            return NodeInfo(
                string(out.name) or "",
                out.pod_count,
                self._map("node_labels", pointer, found),
                tuple(
                    Taint(*(string(part) or "" for part in (each.key, each.value, each.effect)))
                    for each in taints
                ),
                self._amounts("node_allocatable", pointer, found),
                out.unschedulable,
                out.closed,
            )

    def pod_info(self, pod: Pod) -> PodInfo:
        """The stored facts of a pod."""
        with self._use() as pointer:
            found = self._pod(pointer, pod)
            out = ffi.new("berth_pod_info *")
            out.size = ffi.sizeof("berth_pod_info")
            _errors.check(self._call("pod_info")(pointer, found, out, _errors.slot()))
            owner = None
            if out.owner_kind.data != ffi.NULL:
                parts = (out.owner_api_version, out.owner_kind, out.owner_name, out.owner_uid)
                owner = Owner(*(string(part) or "" for part in parts))
            return PodInfo(
                string(out.namespace_name) or "",
                string(out.name) or "",
                optional(out.node, NODE_NONE),
                out.priority,
                out.kind,
                self._map("pod_labels", pointer, found),
                self._amounts("pod_requests", pointer, found),
                owner,
                string(out.scheduler_name) or "",
                out.start_time_ns,
                out.gated,
                out.deleting,
                out.has_volumes,
                out.may_preempt,
            )

    def pod_label(self, pod: Pod, key: str) -> Optional[str]:
        """The value of a pod's label; None if the pod lacks it."""
        with self._use() as pointer:
            text = Text(key)
            return string(self._call("pod_label")(pointer, self._pod(pointer, pod), text.value))

    def nodes(self) -> IntArray:
        """The ids of all nodes."""
        raise NotImplementedError

    def digest(self) -> int:
        """A hash of every pod's name and node, equal for equal placements."""
        with self._use() as pointer:
            return int(self._call("digest")(pointer))
