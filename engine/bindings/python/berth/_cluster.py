"""Clusters to decide on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Optional, Union

from . import _arrays, _errors, _explain, _reading, _shown
from ._arrays import IntArray
from ._batches import Columns
from ._cancel import Call, CancelFlag
from ._enums import Code, Kind, Path, ScanReason, Verdict
from ._life import Closing, Life
from ._native import ffi, lib
from ._reading import Objects, PathName, Source
from ._transaction import Transaction
from ._types import (
    Batch,
    Capacity,
    Counts,
    Eviction,
    Explanation,
    FeasibleNodes,
    Fit,
    Loaded,
    Placement,
    PodGroupOutcome,
    RefusalCount,
    Statistics,
)
from ._view import NODE_NONE, POD_NONE, Node, Pod, Text, View, optional, string

CHANGES = {"add": lib.BERTH_PY_ADD, "update": lib.BERTH_PY_UPDATE, "apply": lib.BERTH_PY_APPLY}


class Cluster(View, Closing):
    """A cluster to decide on: the common part of Engine and Branch.

    For one thread at a time; a call while another thread is in one raises BusyError.
    """

    _prefix = "berth_engine_"
    _life: Life
    #: The loop's backoff in the scheduler configuration: initial and maximum.
    _backoff_ns: tuple[Optional[int], Optional[int]] = (None, None)

    #: The version of kube-scheduler that it decides like, for its repr.
    _kubernetes: str

    def __repr__(self) -> str:
        return _shown.line(type(self), self._summary)

    def _repr_html_(self) -> str:
        return _shown.card(type(self), self._summary)

    def _summary(self) -> _shown.Rows:
        return [*_shown.of_counts(self.counts()), ("Kubernetes", self._kubernetes)]

    def _use(self) -> AbstractContextManager[Any]:
        return self._handle

    def _source(self, pointer: Any) -> Any:
        return ffi.new("berth_py_source *", (pointer, ffi.NULL))

    # ---- objects ----

    def _read(
        self,
        source: Source,
        change: str,
        defaults: bool,
        templates: bool,
        namespace: Optional[str],
        cancel: Optional[CancelFlag],
    ) -> Loaded:
        with self._handle as engine, Call(cancel) as call:
            sink = ffi.new("berth_py_sink *")
            sink.engine = engine
            sink.change = CHANGES[change]
            options = _reading.Options(defaults, templates, namespace)
            return _reading.read(sink, source, call, options)

    def load(
        self,
        *paths: PathName,
        change: str = "add",
        defaults: bool = True,
        templates: bool = False,
        namespace: Optional[str] = None,
        cancel: Optional[CancelFlag] = None,
    ) -> Loaded:
        """Read files, JSON or YAML, plain or gzip, such as manifests and the output of `kubectl
        get -o json`.

        Workloads become their pods; with `templates`, each becomes one sample pod. `change`:
        "add", "update" existing objects, or "apply", which adds or updates. `defaults` fills in
        the API server's defaults, for objects that do not come from one. `namespace` is for
        objects without one, as in `kubectl apply -n`; None: "default". After an error the
        objects before it stay (`done` is their number); a transaction takes them back. `notes` of
        the result are remarks about the input, such as fields that Kubernetes does not have.
        """
        return self._read(Source(files=paths), change, defaults, templates, namespace, cancel)

    def load_text(
        self,
        text: Union[str, bytes],
        *,
        name: str = "text",
        change: str = "add",
        defaults: bool = True,
        templates: bool = False,
        namespace: Optional[str] = None,
        cancel: Optional[CancelFlag] = None,
    ) -> Loaded:
        """Read JSON or YAML from memory; errors call the text `name`. Otherwise as load."""
        source = Source(text=text, name=name)
        return self._read(source, change, defaults, templates, namespace, cancel)

    def load_objects(
        self,
        objects: Objects,
        *,
        change: str = "add",
        defaults: bool = True,
        templates: bool = False,
        namespace: Optional[str] = None,
        cancel: Optional[CancelFlag] = None,
    ) -> Loaded:
        """Add objects given as dicts, as `json.load` returns them for output of kubectl.
        Otherwise as load."""
        source = Source.of_objects(objects)
        return self._read(source, change, defaults, templates, namespace, cancel)

    def add_like(
        self, like: Pod, names: Iterable[str], *, cancel: Optional[CancelFlag] = None
    ) -> IntArray:
        """Add pending pods that are like another one except for their names; returns their ids."""
        with self._handle as engine, Call(cancel) as call:
            listed = list(names)
            joined = "".join(name + "\0" for name in listed).encode()
            count = len(listed)
            if joined.count(b"\0") != count:
                raise _errors.InvalidError("a name has a zero in it")
            out, data = _arrays.empty("uint64_t", count)
            done = ffi.new("uint64_t *")
            found = self._pod(engine, like)
            status = lib.berth_py_add_like(
                engine, call, found, joined, count, data, done, _errors.slot()
            )
            self._checked(status, done, count, lambda: _arrays.first(out, int(done[0])))
            return out

    @staticmethod
    def _checked(
        status: int, done: Any, count: int, result: Callable[[], Any] = lambda: None
    ) -> None:
        """Raise the error of a call that has done some of `count` pods."""
        what = f"after {done[0]} of {count} pods"
        _errors.check_done(status, int(done[0]), what, result)

    def remove(self, kind: Kind, name: str, namespace: str = "") -> None:
        """Remove an object by its name. The pods of a removed node become orphans."""
        with self._handle as engine:
            if not namespace and kind not in CLUSTER_KINDS:
                namespace = "default"
            space, text = Text(namespace), Text(name)
            _errors.check(
                lib.berth_engine_remove(engine, Kind(kind), space.value, text.value, _errors.slot())
            )

    def remove_pods(self, pods: Iterable[Pod], *, cancel: Optional[CancelFlag] = None) -> None:
        """Remove many pods. One call into C."""
        with self._handle as engine, Call(cancel) as call:
            ids, count = self._pods(engine, pods)
            done = ffi.new("uint64_t *")
            status = lib.berth_py_remove_pods(engine, call, ids, count, done, _errors.slot())
            self._checked(status, done, count)

    # ---- objects out ----

    def dump(self, path: PathName) -> None:
        """Write all objects into a file as a v1 List in JSON, one object a line.

        An engine of the same configuration that loads this with `defaults=False` decides as this
        one does (set its `rotation`, too), and dumps the same text. berth/kube.h lists the parts
        of Kubernetes' objects that a dump lacks. StateError unless the engine was made with
        `keep_objects`.
        """
        with self._handle as engine:
            _errors.check(lib.berth_engine_dump_file(engine, os.fsencode(path), _errors.slot()))

    def dumps(self) -> str:
        """The same as a text."""
        with self._handle as engine:
            return self._written(lib.berth_py_dump, engine)

    def objects(self) -> list[dict[str, Any]]:
        """The same as dicts, in the order in which another engine can add them."""
        items: list[dict[str, Any]] = json.loads(self.dumps())["items"]
        return items

    def pod_object(self, pod: Pod) -> dict[str, Any]:
        """A pod in a form that another engine can add, with its node name. StateError unless the
        engine was made with `keep_objects`."""
        with self._handle as engine:
            found = self._pod(engine, pod)
            out: dict[str, Any] = json.loads(
                self._written(lib.berth_py_object, engine, found, NODE_NONE)
            )
            return out

    def node_object(self, node: Node) -> dict[str, Any]:
        """A node in a form that another engine can add."""
        with self._handle as engine:
            found = self._node(engine, node)
            out: dict[str, Any] = json.loads(
                self._written(lib.berth_py_object, engine, POD_NONE, found)
            )
            return out

    def _written(self, write: Any, *arguments: Any) -> str:
        out = ffi.new("berth_py_text *")
        try:
            _errors.check(write(*arguments, out, _errors.slot()))
            return bytes(ffi.buffer(out.data, out.bytes)).decode("utf-8", "replace")
        finally:
            lib.berth_py_text_free(out)

    @property
    def rotation(self) -> int:
        """The place in the order of nodes where the next search begins. Set it to continue where
        another engine was."""
        with self._handle as engine:
            return int(lib.berth_engine_rotation(engine))

    @rotation.setter
    def rotation(self, rotation: int) -> None:
        with self._handle as engine:
            _errors.check(lib.berth_engine_set_rotation(engine, rotation, _errors.slot()))

    # ---- looking ----

    def counts(self) -> Counts:
        """How many nodes and pods there are."""
        with self._handle as engine:
            out = ffi.new("berth_counts *")
            lib.berth_engine_counts(engine, out)
            return Counts(*(int(getattr(out, field)) for field in Counts.__dataclass_fields__))

    def nodes(self) -> IntArray:
        """The ids of all nodes in the order in which decisions visit them."""
        return self._listed(lib.berth_engine_node_order, "uint32_t")

    def pending(self) -> IntArray:
        """The ids of pending pods in the order in which a scheduler takes them."""
        return self._listed(lib.berth_engine_pending, "uint64_t")

    def _listed(self, listing: Any, type_name: str) -> IntArray:
        """All ids of a list that C first counts and then writes."""
        with self._handle as engine:
            count = ffi.new(type_name + " *")
            error = _errors.slot()
            _errors.check(listing(engine, ffi.NULL, 0, count, error))
            out, data = _arrays.empty(type_name, count[0])
            _errors.check(listing(engine, data, len(out), count, error))
            return out

    def node_pods(self, node: Node) -> IntArray:
        """The ids of the pods on a node, the newest first."""
        with self._handle as engine:
            found = self._node(engine, node)
            out, data = _arrays.empty(
                "uint64_t", lib.berth_engine_node_pods(engine, found, ffi.NULL, 0)
            )
            lib.berth_engine_node_pods(engine, found, data, len(out))
            return out

    def orphan(self) -> Optional[tuple[int, str]]:
        """One of the pods bound to a node that does not exist, and the name of that node."""
        with self._handle as engine:
            node = ffi.new("berth_str *")
            found = optional(lib.berth_engine_orphan(engine, node), POD_NONE)
            return None if found is None else (found, string(node) or "")

    def pod_priority(self, pod: Pod) -> int:
        """A pod's priority; 0 for an unknown pod."""
        with self._handle as engine:
            return int(lib.berth_engine_pod_priority(engine, self._pod(engine, pod)))

    def pod_resource(self, pod: Pod, resource: str) -> int:
        """How much of a resource a pod takes: cpu in milli, everything else in units."""
        with self._handle as engine:
            text = Text(resource)
            out = ffi.new("int64_t *")
            found = self._pod(engine, pod)
            _errors.check(
                lib.berth_engine_pod_resource(engine, found, text.value, out, _errors.slot())
            )
            return int(out[0])

    def forbidden(self, pods: Iterable[Pod]) -> list[bool]:
        """Which of these pods PodDisruptionBudgets would protect if all were evicted in this
        order."""
        with self._handle as engine:
            ids, count = self._pods(engine, pods)
            out = ffi.new("bool[]", count)
            lib.berth_engine_forbidden(engine, ids, count, out)
            return list(out)

    def check(self) -> None:
        """Compare the whole state with itself; InternalError names an inconsistency."""
        with self._handle as engine:
            _errors.check(lib.berth_engine_check(engine, _errors.slot()))

    # ---- decisions ----

    def _placement(self, engine: Any, pod: int, placement: Any) -> Placement:
        node = optional(placement.node, NODE_NONE)
        return Placement(
            pod,
            Verdict(placement.verdict),
            None if node is None else string(lib.berth_engine_node_name(engine, node)),
            node,
            placement.feasible_count,
            placement.best_count,
            placement.start,
            placement.next,
            placement.total,
            Path(placement.path),
        )

    def decide(self, pod: Pod) -> Placement:
        """Decide where a pending pod would run, without binding it."""
        with self._handle as engine:
            found = self._pod(engine, pod)
            out = ffi.new("berth_placement *")
            _errors.check(lib.berth_engine_decide(engine, found, ffi.NULL, out, _errors.slot()))
            return self._placement(engine, found, out)

    def schedule(self, pod: Pod) -> Placement:
        """Decide, and bind the pod to its node if there is one."""
        with self._handle as engine:
            found = self._pod(engine, pod)
            out = ffi.new("berth_placement *")
            _errors.check(lib.berth_engine_schedule(engine, found, out, _errors.slot()))
            return self._placement(engine, found, out)

    def _batch(self, what: int, pods: Iterable[Pod], cancel: Optional[CancelFlag]) -> Batch:
        with self._handle as engine, Call(cancel) as call:
            ids, count = self._pods(engine, pods)
            columns = Columns(count)
            out = ffi.new("uint64_t[2]")
            status = lib.berth_py_decide(
                engine, call, what, ids, count, columns.data, out, out + 1, _errors.slot()
            )

            def batch() -> Batch:
                return columns.batch(ids, int(out[0]), int(out[1]))

            self._checked(status, out, count, batch)
            return batch()

    def decide_batch(self, pods: Iterable[Pod], *, cancel: Optional[CancelFlag] = None) -> Batch:
        """Decide on each pod as if the others did not exist, and bind none. One call into C."""
        return self._batch(lib.BERTH_PY_DECIDE, pods, cancel)

    def schedule_batch(self, pods: Iterable[Pod], *, cancel: Optional[CancelFlag] = None) -> Batch:
        """Schedule pods one after the other; pods that fit nowhere stay pending. One call into
        C."""
        return self._batch(lib.BERTH_PY_SCHEDULE, pods, cancel)

    def schedule_pods(
        self,
        pods: Iterable[Pod],
        *,
        minimum: int = 0,
        stop: bool = False,
        preempt: bool = False,
        cancel: Optional[CancelFlag] = None,
    ) -> Batch:
        """Place as many of these pending pods as fit; `placed` is their number. If they are
        fewer than `minimum`, none is placed; with `stop`, end at the first pod that fits
        nowhere. If the call is cancelled, none is placed.

        With `preempt`, a pod that fits nowhere preempts as its profile and its preemptionPolicy
        say, but no pod of this group. `evictions` names the victims, which are pending at once:
        schedule them again, or remove them."""
        flags = lib.BERTH_GROUP_STOP if stop else 0
        return self._group(pods, flags, minimum, preempt, cancel)

    def schedule_group(
        self,
        pods: Iterable[Pod],
        *,
        preempt: bool = False,
        cancel: Optional[CancelFlag] = None,
    ) -> Batch:
        """Place all of these pending pods or none. `placed` is their number, or the number of
        pods before the first that fits nowhere; then all are pending again, and `nodes` has the
        nodes where they were. If the call is cancelled, none is placed. `preempt`: as in
        schedule_pods."""
        return self._group(pods, lib.BERTH_GROUP_ALL, 0, preempt, cancel)

    def _group(
        self,
        pods: Iterable[Pod],
        flags: int,
        minimum: int,
        preempt: bool,
        cancel: Optional[CancelFlag],
    ) -> Batch:
        with self._handle as engine, Call(cancel) as call:
            ids, count = self._pods(engine, pods)
            columns = Columns(count)
            fitted = ffi.new("uint32_t *")
            evicted = ffi.new("berth_py_evictions *")
            status = lib.berth_py_schedule_pods(
                engine,
                call,
                ids,
                count,
                flags | (lib.BERTH_GROUP_PREEMPT if preempt else 0),
                minimum,
                columns.data,
                evicted,
                fitted,
                _errors.slot(),
            )
            evictions = [
                Eviction(ids[one.preemptor], one.node, one.victim)
                for one in (evicted.items[i] for i in range(evicted.count))
            ]
            lib.berth_py_evictions_free(evicted)

            def batch() -> Batch:
                return columns.batch(ids, count, int(fitted[0]), evictions)

            what = f"when {fitted[0]} of {count} pods had fitted; none is placed"
            _errors.check_done(status, 0, what, batch)
            return batch()

    def schedule_pod_group(self, pods: Iterable[Pod]) -> PodGroupOutcome:
        """Run one scheduling cycle for these pending pods of one PodGroup, or of all that are below
        one CompositePodGroup: all that fit are placed if they are enough, and otherwise none.
        Victims and nominations are only reported. The engine must have been made with
        feature_gates="GenericWorkload=true"."""
        room, text = self.counts().pods_running + 1, 4096
        with self._handle as engine:
            ids, count = self._pods(engine, pods)
            nodes, nominated = ffi.new("uint32_t[]", count + 1), ffi.new("uint32_t[]", count + 1)
            ended, victims = ffi.new("bool[]", count + 1), ffi.new("uint64_t[]", room)
            message = ffi.new("char[]", text)
            out = ffi.new("berth_pod_group_outcome *")
            out.size = ffi.sizeof("berth_pod_group_outcome")
            out.nodes, out.nominated, out.ended = nodes, nominated, ended
            out.victims, out.victim_capacity = victims, room
            out.message, out.message_capacity = message, text
            _errors.check(
                lib.berth_engine_schedule_pod_group(engine, ids, count, out, _errors.slot())
            )
            return PodGroupOutcome(
                Verdict(out.verdict),
                [None if node == NODE_NONE else node for node in list(nodes)[:count]],
                [None if node == NODE_NONE else node for node in list(nominated)[:count]],
                [bool(one) for one in list(ended)[:count]],
                bool(out.preempts),
                list(victims)[: out.victim_count],
                ffi.string(message).decode(),
                out.placed,
                out.minimum,
                out.already,
            )

    def bind(self, pod: Pod, node: Node) -> None:
        """Bind a pod to a node, whether or not it fits."""
        with self._handle as engine:
            found, there = self._pod(engine, pod), self._node(engine, node)
            _errors.check(lib.berth_engine_bind(engine, found, there, _errors.slot()))

    def unbind(self, pod: Pod) -> None:
        """Take a pod off its node; the pod becomes pending again."""
        with self._handle as engine:
            _errors.check(lib.berth_engine_unbind(engine, self._pod(engine, pod), _errors.slot()))

    def bind_batch(
        self,
        pods: Iterable[Pod],
        nodes: Iterable[Node],
        *,
        cancel: Optional[CancelFlag] = None,
    ) -> None:
        """Bind each pod to its node. One call into C."""
        with self._handle as engine, Call(cancel) as call:
            ids, count = self._pods(engine, pods)
            there, node_count = self._nodes(engine, nodes)
            if count != node_count:
                raise _errors.ArgumentError(f"{count} pods, but {node_count} nodes")
            done = ffi.new("uint64_t *")
            status = lib.berth_py_bind(engine, call, ids, there, count, done, _errors.slot())
            self._checked(status, done, count)

    def unbind_batch(self, pods: Iterable[Pod], *, cancel: Optional[CancelFlag] = None) -> None:
        """Take each pod off its node. One call into C."""
        with self._handle as engine, Call(cancel) as call:
            ids, count = self._pods(engine, pods)
            done = ffi.new("uint64_t *")
            status = lib.berth_py_bind(engine, call, ids, ffi.NULL, count, done, _errors.slot())
            self._checked(status, done, count)

    def nominate(self, pod: Pod, node: Optional[Node]) -> None:
        """Reserve a node for a pending pod, as preemption does; None ends the reservation."""
        with self._handle as engine:
            found = self._pod(engine, pod)
            there = NODE_NONE if node is None else self._node(engine, node)
            _errors.check(lib.berth_engine_nominate(engine, found, there, _errors.slot()))

    def fits(self, pod: Pod, node: Node) -> Fit:
        """Whether a pending pod fits a node, and if not, why. Changes nothing."""
        with self._handle as engine:
            found, there = self._pod(engine, pod), self._node(engine, node)
            out = ffi.new("berth_fit *")
            out.size = ffi.sizeof("berth_fit")
            status = lib.berth_engine_fits(
                engine, found, there, lib.BERTH_FIT_REASONS, out, _errors.slot()
            )
            _errors.check(status)
            reasons = tuple(string(out.reasons[i]) or "" for i in range(out.reason_count))
            return Fit(Verdict(out.verdict), string(out.plugin), Code(out.code), reasons)

    def feasible_nodes(self, pod: Pod, *, totals: bool = False) -> FeasibleNodes:
        """All nodes that a pending pod fits, in the order of nodes(); with `totals`, also their
        total scores. Changes nothing."""
        with self._handle as engine:
            found = self._pod(engine, pod)
            count = ffi.new("uint32_t *")
            error = _errors.slot()
            limit = int(lib.berth_engine_node_limit(engine))
            nodes, data = _arrays.empty("uint32_t", limit)
            scores, scores_data = _arrays.empty("int64_t", limit if totals else 0)
            where = scores_data if totals else ffi.NULL
            _errors.check(
                lib.berth_engine_feasible_nodes(engine, found, data, where, limit, count, error)
            )
            fit = int(count[0])
            return FeasibleNodes(
                _arrays.first(nodes, fit), _arrays.first(scores, fit) if totals else None
            )

    def add_nodes(self, template: Objects, count: int) -> IntArray:
        """Add `count` nodes of a template: objects with exactly one Node; the others (Pods,
        DaemonSets, a CSINode) come with each node. Returns the ids; the names are NAME-1 and so
        on."""
        with self._handle as engine:
            sink = ffi.new("berth_py_sink *")
            sink.change = lib.BERTH_PY_COPY
            try:
                source = Source.of_objects(template)
                options = _reading.Options(defaults=True, templates=True)
                with Call(None) as call:
                    _reading.fill(sink, source, call, options)
                out, data = _arrays.empty("uint32_t", count)
                _errors.check(lib.berth_py_add_nodes(engine, sink, count, data, _errors.slot()))
                return out
            finally:
                lib.berth_py_sink_free(sink)

    def statistics(self) -> Statistics:
        """Counts of decisions by path, and of scans by reason."""
        with self._handle as engine:
            out = ffi.new("berth_statistics *")
            out.size = ffi.sizeof("berth_statistics")
            _errors.check(lib.berth_engine_statistics(engine, out, _errors.slot()))
            fields = [name for name in Statistics.__dataclass_fields__ if name != "scans"]
            return Statistics(
                **{field: int(getattr(out, field)) for field in fields},
                scans={reason: int(out.scans[reason]) for reason in ScanReason},
            )

    def refusals(self) -> list[RefusalCount]:
        """Refusals by plugin and reason since the engine or branch was made, in the order in
        which they first occurred. explain() counts a node once for each of its reasons; attempts
        of a scheduler count each plugin that refused. Other decisions do not record why a node
        refuses."""
        with self._handle as engine:
            texts = ffi.new("berth_str[2]")
            code = ffi.new("berth_code *")
            out = []
            for i in range(lib.berth_engine_refusal_kinds(engine)):
                count = lib.berth_engine_refusals(engine, i, texts, texts + 1, code)
                out.append(
                    RefusalCount(string(texts[0]), string(texts[1]), Code(code[0]), int(count))
                )
            return out

    def _explanation(self) -> Any:
        """The explanation that this engine reuses."""
        if self._handle.extra is None:
            out = ffi.new("berth_explanation **")
            _errors.check(lib.berth_explanation_create(ffi.NULL, out, _errors.slot()))
            explanation = out[0]

            def end() -> None:
                lib.berth_explanation_destroy(explanation)

            self._handle.extra = (explanation, end)
        return self._handle.extra[0]

    def explain(self, pod: Pod, *, preemption: bool = True) -> Explanation:
        """Decide, and return every score and every refusal; the pod is not bound.

        Without `preemption`, explain only the search: much cheaper if no node fits.
        """
        with self._handle as engine:
            found = self._pod(engine, pod)
            explanation = self._explanation()
            options = ffi.new("berth_decide_options *")
            lib.berth_decide_options_init_sized(options, ffi.sizeof("berth_decide_options"))
            options.explanation = explanation
            options.flags = 0 if preemption else lib.BERTH_DECIDE_SEARCH_ONLY
            out = ffi.new("berth_placement *")
            _errors.check(lib.berth_engine_decide(engine, found, options, out, _errors.slot()))
            return _explain.copied(explanation, self._placement(engine, found, out))

    def fit_count(self, like: Pod, limit: int, *, cancel: Optional[CancelFlag] = None) -> Capacity:
        """How many more pods like this one fit, up to `limit`."""
        with self._handle as engine, Call(cancel) as call:
            found = self._pod(engine, like)
            explanation = self._explanation()
            nodes, data = _arrays.empty("uint32_t", limit)
            count = ffi.new("uint32_t *")
            status = lib.berth_py_fit_count(
                engine, call, found, limit, data, explanation, count, _errors.slot()
            )
            full = int(count[0])
            fitting = _arrays.first(nodes, full)
            what = f"when {full} of at most {limit} pods had fitted"
            _errors.check_done(status, full, what, lambda: Capacity(full, fitting, None))
            why = _explain.copied(explanation, None) if full < limit else None
            return Capacity(full, fitting, why)

    # ---- what if ----

    def transaction(self) -> Transaction:
        """Use as `with cluster.transaction() as t:`. The end of the block keeps all changes; an
        exception or `t.rollback()` takes them back."""
        return Transaction(self, keep=True)

    def what_if(self) -> Transaction:
        """The same, but the end of the block takes all changes back, too, unless `t.commit()`
        came first."""
        return Transaction(self, keep=False)

    def depth(self) -> int:
        """The number of open transactions, each inside the one before."""
        with self._handle as engine:
            return int(lib.berth_engine_depth(engine))

    def pod_nominated(self, pod: Pod) -> Optional[int]:
        """The id of the node reserved for a pod, or None."""
        with self._handle as engine:
            found = self._pod(engine, pod)
            return optional(lib.berth_engine_pod_nominated(engine, found), NODE_NONE)

    def cordon(self, node: Node, unschedulable: bool = True) -> None:
        """Set or clear spec.unschedulable, as `kubectl cordon` and `kubectl uncordon` do."""
        with self._handle as engine:
            there = self._node(engine, node)
            _errors.check(
                lib.berth_engine_cordon_node(engine, there, unschedulable, _errors.slot())
            )

    def close_node(self, node: Node, closed: bool = True) -> None:
        """Close a node, so that it takes no pod at all, or open it again. Cheaper than a cordon."""
        with self._handle as engine:
            there = self._node(engine, node)
            _errors.check(lib.berth_engine_close_node(engine, there, closed, _errors.slot()))


CLUSTER_KINDS = frozenset(
    (
        Kind.NAMESPACE,
        Kind.STORAGE_CLASS,
        Kind.CSI_DRIVER,
        Kind.CSI_NODE,
        Kind.PERSISTENT_VOLUME,
        Kind.VOLUME_ATTACHMENT,
        Kind.NODE,
        Kind.RESOURCE_SLICE,
        Kind.DEVICE_CLASS,
        Kind.DEVICE_TAINT_RULE,
    )
)
