"""The scheduling loop: a queue over an engine, with callbacks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable, Optional, TypeVar, Union

from . import _arrays, _errors, _reading, _shown
from ._cancel import Call, CancelFlag
from ._cluster import CHANGES, CLUSTER_KINDS
from ._engine import Engine
from ._enums import Answer, Kind, PodState, StepKind, Trouble, UnbindReason
from ._life import SCHEDULER, Closing, Handle, Life
from ._native import ffi, lib
from ._reading import Objects, PathName, Source
from ._types import Binding, Counters, Eviction, Loaded, PodStatus, Step, Steps
from ._view import NODE_NONE, POD_NONE, Pod, Text, optional, string

#: The time of events that never happen.
TIME_NEVER: int = lib.BERTH_TIME_NEVER

_POSTS = {"add": lib.BERTH_PY_POST_ADD, "update": lib.BERTH_PY_POST_UPDATE}

OnBind = Callable[[Binding], Optional[Answer]]
OnUnbind = Callable[[Binding, UnbindReason], None]
OnEvict = Callable[[Eviction], Optional[Answer]]
OnReport = Callable[[Trouble, Optional[_errors.BerthError]], None]
OnNotify = Callable[[], None]


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _extern(error: Optional[Answer] = None) -> Callable[[_Function], _Function]:
    """Lets C call this function; if an exception escapes it, C receives `error`."""
    define: Callable[[_Function], _Function] = (
        ffi.def_extern() if error is None else ffi.def_extern(error=int(error))
    )
    return define


class _Callbacks:
    """The functions that C calls, and the exceptions that they raised, which wait until the
    current call returns."""

    def __init__(
        self,
        life: Life,
        bind: Optional[OnBind],
        unbind: Optional[OnUnbind],
        evict: Optional[OnEvict],
        report: Optional[OnReport],
        notify: Optional[OnNotify],
    ) -> None:
        self.life = life
        self.bind = bind
        self.unbind = unbind
        self.evict = evict
        self.report = report
        self.notify = notify
        self.raised: Optional[BaseException] = None
        self.stop = ffi.new("uint8_t *")
        self.me = ffi.new_handle(self)

    def table(self, out: Any) -> None:
        out.context = self.me
        for name in ("bind", "unbind", "evict", "report", "notify"):
            if getattr(self, name) is not None:
                setattr(out, name, getattr(lib, "berth_py_on_" + name))

    def fail(self, error: BaseException) -> None:
        if self.raised is None:
            self.raised = error
        self.stop[0] = 1

    def answer(self, function: Any, *arguments: Any) -> int:
        """Call a callback on the scheduling thread."""
        life = self.life
        life.callback_thread = threading.get_ident()
        try:
            answer = function(*arguments)
            return int(Answer.DONE if answer is None else Answer(answer))
        except BaseException as error:  # pylint: disable=broad-except
            self.fail(error)
            return int(Answer.FAILED)
        finally:
            life.callback_thread = 0

    def reraise(self) -> None:
        raised, self.raised = self.raised, None
        self.stop[0] = 0
        if raised is not None:
            raise raised


def _binding(binding: Any) -> Binding:
    return Binding(int(binding.id), int(binding.pod), int(binding.node))


@_extern(error=Answer.FAILED)
def berth_py_on_bind(context: Any, binding: Any) -> int:
    callbacks = ffi.from_handle(context)
    return int(callbacks.answer(callbacks.bind, _binding(binding)))


@_extern()
def berth_py_on_unbind(context: Any, binding: Any, reason: int) -> None:
    callbacks = ffi.from_handle(context)
    callbacks.answer(_silent(callbacks.unbind), _binding(binding), UnbindReason(reason))


@_extern(error=Answer.FAILED)
def berth_py_on_evict(context: Any, eviction: Any) -> int:
    callbacks = ffi.from_handle(context)
    asked = Eviction(int(eviction.preemptor), int(eviction.node), int(eviction.victim))
    return int(callbacks.answer(callbacks.evict, asked))


@_extern()
def berth_py_on_report(context: Any, trouble: int, error: Any) -> None:
    callbacks = ffi.from_handle(context)
    what = None if error == ffi.NULL else _errors.from_detail(error)
    callbacks.answer(_silent(callbacks.report), Trouble(trouble), what)


@_extern()
def berth_py_on_notify(context: Any) -> None:
    # On the posting thread, whatever the scheduling thread does meanwhile.
    callbacks = ffi.from_handle(context)
    try:
        callbacks.notify()
    except BaseException as error:  # pylint: disable=broad-except
        callbacks.fail(error)


def _silent(function: Any) -> Any:
    def call(*arguments: Any) -> None:
        function(*arguments)

    return call


class Scheduler(Closing):
    """A scheduler over an engine: pods wait, are decided in order, bound by a callback, and
    woken by changes that could help them. The caller passes the time, in nanoseconds from any
    origin.

    `bind` receives a pod and its node and returns DONE (or None), LATER or FAILED; `evict` does
    the same for a victim. They run inside step(), run(), advance(), load and similar calls. They
    may read the engine, post and answer bindings; changing the engine raises a StateError. If a
    callback raises, its answer counts as FAILED, and the call that it ran in raises the
    exception at its end. `notify` runs on the posting thread.

    A duration of None means kube-scheduler's default; for the backoff it means the engine's
    configuration.

    With `pace_evictions`, a pod that must evict others waits until evictions that were answered
    LATER have begun, for a second without any progress at most.

    Threads: any thread may call post, post_remove, bind_done and evict_done; everything else
    belongs to the engine's thread.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        bind: Optional[OnBind] = None,
        unbind: Optional[OnUnbind] = None,
        evict: Optional[OnEvict] = None,
        report: Optional[OnReport] = None,
        notify: Optional[OnNotify] = None,
        now_ns: int = 0,
        backoff_initial_ns: Optional[int] = None,
        backoff_max_ns: Optional[int] = None,
        unschedulable_max_ns: Optional[int] = None,
        bind_timeout_ns: Optional[int] = None,
        pace_evictions: bool = False,
    ) -> None:
        self._engine = engine
        callbacks = self._callbacks = _Callbacks(engine._life, bind, unbind, evict, report, notify)
        options = ffi.new("berth_scheduler_options *")
        lib.berth_scheduler_options_init_sized(options, ffi.sizeof("berth_scheduler_options"))
        options.now_ns = now_ns
        options.pace_evictions = pace_evictions
        configured = engine._backoff_ns
        for name, value in (
            ("backoff_initial_ns", configured[0]),
            ("backoff_max_ns", configured[1]),
            ("backoff_initial_ns", backoff_initial_ns),
            ("backoff_max_ns", backoff_max_ns),
            ("unschedulable_max_ns", unschedulable_max_ns),
            ("bind_timeout_ns", bind_timeout_ns),
        ):
            if value is not None:
                setattr(options, name, value)
        callbacks.table(options.callbacks)
        with engine._handle as pointer:
            out = ffi.new("berth_scheduler **")
            _errors.check(lib.berth_scheduler_create(pointer, options, out, _errors.slot()))

            def destroy(scheduler: Any) -> None:
                lib.berth_scheduler_destroy(scheduler)
                callbacks.reraise()

            self._handle = Handle(engine._life, out[0], "scheduler", SCHEDULER, destroy)

    def __repr__(self) -> str:
        return _shown.line(type(self), self._summary)

    def _repr_html_(self) -> str:
        return _shown.card(type(self), self._summary)

    def _summary(self) -> _shown.Rows:
        counters = self.counters()
        states = ("active", "backoff", "unschedulable", "gated", "assumed")
        return [
            *((state, getattr(counters, state)) for state in states),
            ("bound", counters.bound),
            ("decisions", counters.decisions),
        ]

    @contextmanager
    def _step(self) -> Iterator[Any]:
        """Use the scheduler on the scheduling thread, which is that of the engine."""
        life = self._engine._life
        try:
            with self._engine._handle, self._handle.shared() as scheduler:
                yield scheduler
        finally:
            if not life.callback_thread:
                life.catch_up()
                self._callbacks.reraise()

    # ---- events ----

    def _read(
        self,
        source: Source,
        change: str,
        now_ns: int,
        defaults: bool,
        cancel: Optional[CancelFlag],
    ) -> Loaded:
        with self._step() as scheduler, self._engine._handle as engine, Call(cancel) as call:
            sink = ffi.new("berth_py_sink *", (engine, scheduler, now_ns, CHANGES[change]))
            return _reading.read(sink, source, call, _reading.Options(defaults, False))

    def load(
        self,
        *paths: PathName,
        now_ns: int,
        change: str = "add",
        defaults: bool = True,
        cancel: Optional[CancelFlag] = None,
    ) -> Loaded:
        """As Engine.load; also submits the new pods and wakes others."""
        return self._read(Source(files=paths), change, now_ns, defaults, cancel)

    def load_text(
        self,
        text: Union[str, bytes],
        *,
        now_ns: int,
        change: str = "add",
        defaults: bool = True,
        cancel: Optional[CancelFlag] = None,
    ) -> Loaded:
        """As Engine.load_text."""
        return self._read(Source(text=text), change, now_ns, defaults, cancel)

    def load_objects(
        self,
        objects: Objects,
        *,
        now_ns: int,
        change: str = "add",
        defaults: bool = True,
        cancel: Optional[CancelFlag] = None,
    ) -> Loaded:
        """As Engine.load_objects."""
        return self._read(Source.of_objects(objects), change, now_ns, defaults, cancel)

    def remove(self, kind: Kind, name: str, namespace: str = "", *, now_ns: int) -> None:
        """As Engine.remove."""
        if not namespace and kind not in CLUSTER_KINDS:
            namespace = "default"
        space, text = Text(namespace), Text(name)
        with self._step() as scheduler:
            _errors.check(
                lib.berth_scheduler_remove(
                    scheduler, now_ns, Kind(kind), space.value, text.value, _errors.slot()
                )
            )

    def post(
        self,
        objects: Objects,
        *,
        change: str = "add",
        defaults: bool = True,
        cancel: Optional[CancelFlag] = None,
    ) -> int:
        """Post objects to apply between two decisions, in order. Any thread. Workloads become
        their pods, except DaemonSets, which need the nodes. Returns the number of posted
        objects."""
        with self._handle.shared() as scheduler, Call(cancel) as call:
            sink = ffi.new("berth_py_sink *")
            sink.scheduler = scheduler
            sink.change = _POSTS[change]
            source = Source.of_objects(objects)
            options = _reading.Options(defaults, templates=False)
            return _reading.read(sink, source, call, options).objects

    def post_remove(self, kind: Kind, name: str, namespace: str = "") -> None:
        """Post a removal. Any thread."""
        if not namespace and kind not in CLUSTER_KINDS:
            namespace = "default"
        space, text = Text(namespace), Text(name)
        with self._handle.shared() as scheduler:
            _errors.check(
                lib.berth_scheduler_post_remove(
                    scheduler, Kind(kind), space.value, text.value, _errors.slot()
                )
            )

    def bind_done(self, binding: int, answer: Answer = Answer.DONE) -> None:
        """Post the outcome of a binding for which the callback answered LATER. Any thread."""
        with self._handle.shared() as scheduler:
            _errors.check(
                lib.berth_scheduler_bind_done(scheduler, binding, Answer(answer), _errors.slot())
            )

    def evict_done(self, victim: int, answer: Answer = Answer.DONE) -> None:
        """Post the outcome of an eviction for which the callback answered LATER; FAILED: the pod
        stays. Any thread."""
        with self._handle.shared() as scheduler:
            _errors.check(
                lib.berth_scheduler_evict_done(scheduler, victim, Answer(answer), _errors.slot())
            )

    # ---- decisions ----

    def advance(self, now_ns: int) -> None:
        """Apply posted events and due timers without a decision."""
        with self._step() as scheduler:
            _errors.check(lib.berth_scheduler_advance(scheduler, now_ns, _errors.slot()))

    def step(self, now_ns: int) -> Step:
        """Take the first active pod, decide, and bind the pod or put it back."""
        with self._step() as scheduler:
            out = ffi.new("berth_step *")
            _errors.check(lib.berth_scheduler_step(scheduler, now_ns, out, _errors.slot()))
            return Step(
                StepKind(out.kind),
                optional(out.pod, POD_NONE),
                optional(out.placement.node, NODE_NONE),
                out.binding,
                optional(out.nominated, NODE_NONE),
                out.victim_count,
                out.attempt,
                out.waited_ns,
            )

    def run(
        self, now_ns: int, limit: int = 1 << 16, *, cancel: Optional[CancelFlag] = None
    ) -> Steps:
        """Take steps at one point in time until no pod is active, at most `limit`. One call into
        C, which ends early if a callback raises; that exception is raised here."""
        with self._step() as scheduler, Call(cancel) as call:
            kinds, kinds_data = _arrays.empty("uint8_t", limit)
            pods, pods_data = _arrays.empty("uint64_t", limit)
            nodes, nodes_data = _arrays.empty("uint32_t", limit)
            attempts, attempts_data = _arrays.empty("uint32_t", limit)
            bindings, bindings_data = _arrays.empty("uint64_t", limit)
            columns = (kinds_data, pods_data, nodes_data, attempts_data, bindings_data)
            done = ffi.new("uint64_t *")
            status = lib.berth_py_run(
                scheduler,
                call,
                now_ns,
                limit,
                self._callbacks.stop,
                ffi.new("berth_py_steps *", columns),
                done,
                _errors.slot(),
            )
            count = int(done[0])

            def steps() -> Steps:
                every = (kinds, pods, nodes, attempts, bindings)
                return Steps(*(_arrays.first(each, count) for each in every))

            _errors.check_done(status, count, f"after {count} steps", steps)
            return steps()

    def next(self) -> Optional[int]:
        """The time of the next timer; None if there is none."""
        with self._step() as scheduler:
            return optional(lib.berth_scheduler_next(scheduler), TIME_NEVER)

    # ---- looking ----

    def pod(self, pod: Pod) -> PodStatus:
        """The status of a pod."""
        with self._engine._handle as engine, self._handle.shared() as scheduler:
            found = self._engine._pod(engine, pod)
            out = ffi.new("berth_pod_status *")
            lib.berth_scheduler_pod(scheduler, found, out)
            rejectors = (
                string(lib.berth_scheduler_rejector(scheduler, found, i))
                for i in range(out.rejector_count)
            )
            return PodStatus(
                PodState(out.state),
                out.attempts,
                out.submitted_ns,
                optional(out.due_ns, TIME_NEVER),
                optional(out.nominated, NODE_NONE),
                out.binding,
                tuple(name or "" for name in rejectors),
            )

    def counters(self) -> Counters:
        """The current numbers of pods, and counts since the loop was made."""
        with self._engine._handle, self._handle.shared() as scheduler:
            out = ffi.new("berth_scheduler_counters *")
            lib.berth_scheduler_count(scheduler, out)
            return Counters(*(int(getattr(out, field)) for field in Counters.__dataclass_fields__))

    def check(self) -> None:
        """Compare the queue with itself and the engine; InternalError names an inconsistency."""
        with self._engine._handle, self._handle.shared() as scheduler:
            _errors.check(lib.berth_scheduler_check(scheduler, _errors.slot()))
