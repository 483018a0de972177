"""Engines, what-if branches, snapshots and transactions."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Optional, Union

from . import _arrays, _errors, _reading, _shown
from ._arrays import IntArray
from ._cluster import Cluster
from ._enums import ConflictKind, HugePages, Path
from ._life import BRANCH, ENGINE, SNAPSHOT, Closing, Handle, Life
from ._native import ffi, lib
from ._plugin import Plugin, Plugins
from ._reading import PathName
from ._types import (
    Conflict,
    Counts,
    Memory,
)
from ._view import NODE_NONE, Node, Text, View, optional


class Engine(Cluster):
    """A cluster in memory, with kube-scheduler's decisions on it.

    `kubernetes`: the version to decide like, 32 to 37 for 1.32 to 1.37, or the `number` of a
    KubernetesVersion for one patch release; None: the newest.
    `configuration`: a KubeSchedulerConfiguration, as a file name or a dict. `threads`: workers;
    None: one for each core. `seed`: for random ties. `feature_gates`: as kube-scheduler's flag.
    `keep_objects`: store what dump, objects and pod_object need: some kilobytes for each kind of
    pod, nothing for each pod. `memory_limit`: the most bytes that the engine may hold; a call
    that needs more raises OutOfMemoryError and changes nothing; 0: no limit. `plugins`: your own
    filters and scores, which `configuration` enables; `check_plugins` is for tests and compares
    their results with their promises.

    For one thread at a time. `with`, close(), or the loss of the last reference closes it together
    with all of its branches, snapshots and schedulers.
    """

    def __init__(
        self,
        *,
        kubernetes: Optional[int] = None,
        configuration: Union[PathName, Mapping[str, Any], None] = None,
        threads: Optional[int] = None,
        path: Path = Path.AUTO,
        seed: int = 0,
        feature_gates: Optional[str] = None,
        bind_workers: bool = False,
        huge_pages: HugePages = HugePages.NONE,
        keep_objects: bool = False,
        plugins: Sequence[Plugin] = (),
        check_plugins: bool = False,
        memory_limit: int = 0,
    ) -> None:
        config = ffi.new("berth_engine_config *")
        lib.berth_engine_config_init_sized(config, ffi.sizeof("berth_engine_config"))
        config.kubernetes = kubernetes or 0
        config.threads = threads or 0
        config.path = Path(path)
        config.seed = seed
        config.bind_workers = bind_workers
        config.huge_pages = HugePages(huge_pages)
        config.keep_objects = keep_objects
        config.check_plugins = check_plugins
        config.memory_limit_bytes = memory_limit
        own = Plugins(plugins) if plugins else None
        if own is not None:
            config.plugins, config.plugin_count = own.tables, own.count
            config.annotation_keys = (own.annotation_keys, own.annotation_count)
        gates = Text(feature_gates or "")
        if feature_gates is not None:
            config.feature_gates = gates.value
        profiles = ffi.NULL
        error = _errors.slot()
        try:
            if configuration is not None:
                profiles = _configuration(configuration, kubernetes or 0)
                count = ffi.new("uint32_t *")
                config.profiles = lib.berth_scheduler_config_profiles(profiles, count)
                config.profile_count = count[0]
                backoff = lib.berth_scheduler_config_backoff(profiles)
                self._backoff_ns = (
                    int(backoff.initial_seconds) * 10**9,
                    int(backoff.max_seconds) * 10**9,
                )
            self._kubernetes = _version(config)
            out = ffi.new("berth_engine **")
            status = lib.berth_engine_create(config, out, error)
            if own is not None and own.raised is not None:
                if not status:
                    lib.berth_engine_destroy(out[0])
                raise own.raised
            _errors.check(status)
        finally:
            lib.berth_scheduler_config_destroy(profiles)
        self._life = Life(own)
        self._handle = Handle(self._life, out[0], "engine", ENGINE, lib.berth_engine_destroy)

    def memory(self) -> Memory:
        """The memory use of the engine."""
        with self._handle as engine:
            out = ffi.new("berth_memory *")
            _errors.check(lib.berth_engine_memory(engine, out, _errors.slot()))
            return Memory(
                out.used_bytes,
                out.resident_bytes,
                out.huge_bytes,
                out.huge_refused,
                out.limited_bytes,
                out.active_bytes,
                out.metadata_bytes,
            )

    def publish(self) -> Snapshot:
        """Publish the current state and return it as a snapshot for any number of threads."""
        with self._handle as engine:
            _errors.check(lib.berth_engine_publish(engine, _errors.slot()))
            return Snapshot(self, lib.berth_engine_pin(engine))

    def snapshot(self) -> Snapshot:
        """The state that was published last. Any thread may call this, even while the engine is
        in use."""
        with self._handle.shared() as engine:
            pinned = lib.berth_engine_pin(engine)
            if pinned == ffi.NULL:
                raise _errors.StateError("nothing was published yet")
            return Snapshot(self, pinned)

    def branch(self) -> Branch:
        """A what-if cluster that starts in the current state, the same as `publish().branch()`."""
        with self.publish() as snapshot:
            return snapshot.branch()

    def trim(self) -> None:
        """Free the memory kept for future branches."""
        with self._handle as engine:
            lib.berth_engine_trim(engine)


def _version(config: Any) -> str:
    """The version of kube-scheduler that an engine with this configuration decides like."""
    if config.profile_count and config.profiles[0].era == lib.BERTH_ERA_V1ALPHA1:
        return "1.15"
    number = config.kubernetes
    if not number:
        newest = ffi.new("uint32_t[1]")
        lib.berth_kubernetes_versions(newest, 1)
        number = newest[0] & 0xFFFF
    minor, patch = number & 0xFFFF, number >> 16
    return f"1.{minor}.{patch - 1}" if patch else f"1.{minor}"


def _configuration(configuration: Union[PathName, Mapping[str, Any]], kubernetes: int) -> Any:
    out = ffi.new("berth_scheduler_config **")
    error = _errors.slot()
    if isinstance(configuration, Mapping):
        text = Text(json.dumps(configuration))
        _errors.check(
            lib.berth_scheduler_config_text(text.value, b"configuration", kubernetes, out, error)
        )
    else:
        path = os.fsencode(configuration)
        _errors.check(lib.berth_scheduler_config_file(path, kubernetes, out, error))
    return out[0]


class Snapshot(View, Closing):
    """A published state, complete and immutable, for any number of reading threads at once."""

    _prefix = "berth_snapshot_"

    def __init__(self, engine: Engine, pointer: Any) -> None:
        self._engine = engine
        self._handle = Handle(engine._life, pointer, "snapshot", SNAPSHOT, lib.berth_snapshot_unpin)

    def __repr__(self) -> str:
        return _shown.line(type(self), self._summary)

    def _repr_html_(self) -> str:
        return _shown.card(type(self), self._summary)

    def _summary(self) -> _shown.Rows:
        return [("number", str(self.number)), *_shown.of_counts(self.counts())]

    def _use(self) -> AbstractContextManager[Any]:
        return self._handle.shared()

    def _source(self, pointer: Any) -> Any:
        return ffi.new("berth_py_source *", (ffi.NULL, pointer))

    @property
    def number(self) -> int:
        """The number of the publication, from 1."""
        with self._use() as snapshot:
            return int(lib.berth_snapshot_number(snapshot))

    def counts(self) -> Counts:
        """How many nodes and pods there are."""
        with self._use() as snapshot:
            out = ffi.new("berth_counts *")
            lib.berth_snapshot_counts(snapshot, out)
            return Counts(*(int(getattr(out, field)) for field in Counts.__dataclass_fields__))

    def nodes(self) -> IntArray:
        """The ids of all nodes, ascending."""
        with self._use() as snapshot:
            out = ffi.new("berth_py_ids *")
            try:
                _errors.check(lib.berth_py_snapshot_nodes(snapshot, out, _errors.slot()))
                return _reading.narrowed(out)
            finally:
                lib.berth_py_ids_free(out)

    def _ids(self, node: int) -> IntArray:
        with self._use() as snapshot:
            out = ffi.new("berth_py_ids *")
            try:
                _errors.check(lib.berth_py_snapshot_pods(snapshot, node, out, _errors.slot()))
                return _arrays.copied("uint64_t", out.items, out.count)
            finally:
                lib.berth_py_ids_free(out)

    def pending(self) -> IntArray:
        """The ids of pending pods in order of arrival."""
        return self._ids(NODE_NONE)

    def node_pods(self, node: Node) -> IntArray:
        """The ids of the pods on a node."""
        with self._use() as snapshot:
            found = self._node(snapshot, node)
            return self._ids(found) if found != NODE_NONE else _arrays.empty("uint64_t", 0)[0]

    def check(self) -> None:
        """Compare the snapshot with itself; InternalError names an inconsistency."""
        with self._use() as snapshot:
            _errors.check(lib.berth_snapshot_check(snapshot, _errors.slot()))

    def branch(self) -> Branch:
        """A what-if cluster that starts in the state of this snapshot. Any thread may call this."""
        with self._use() as snapshot:
            self._handle.bar_callbacks()
            out = ffi.new("berth_engine **")
            _errors.check(lib.berth_branch_create(snapshot, out, _errors.slot()))
            return Branch(self._engine, out[0])


class Branch(Cluster):
    """A what-if cluster made from a snapshot, for one thread at a time: decide, bind, and add,
    update and remove objects of every kind. The engine and other branches see none of it before
    commit(). Reserve and unreserve of plugins are not called."""

    def __init__(self, engine: Engine, pointer: Any) -> None:
        self._engine = engine
        self._life = engine._life
        self._kubernetes = engine._kubernetes
        self._handle = Handle(engine._life, pointer, "branch", BRANCH, lib.berth_branch_drop)

    def commit(self) -> list[Conflict]:
        """Repeat on the engine this branch's changes to pods of its snapshot, all or nothing.
        Returns the conflicts that prevent it; an empty list if it succeeded. It uses the engine,
        too, which no other thread may be using; the branch stays as it is."""
        with self._engine._handle, self._handle as branch:
            return self._commit(branch, 64)

    def _commit(self, branch: Any, capacity: int) -> list[Conflict]:
        conflicts = ffi.new("berth_conflict[]", capacity)
        count = ffi.new("uint32_t *")
        _errors.check(lib.berth_branch_commit(branch, conflicts, capacity, count, _errors.slot()))
        if count[0] > capacity:
            return self._commit(branch, count[0])
        return [
            Conflict(int(each.pod), optional(each.node, NODE_NONE), ConflictKind(each.kind))
            for each in conflicts[0 : count[0]]
        ]
