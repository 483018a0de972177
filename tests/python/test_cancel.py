"""Calls end early by a CancelFlag, by its timeout, and by Ctrl-C."""

import array
import os
import signal
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Optional

from common import Case, berth, cluster, ffi, lib, node, pod

from berth._cancel import Call, _kept

SECOND = 10**9
#: Long enough for a test to act meanwhile: nobody waits for the end of such a call.
MANY = 500_000
#: What another thread does may come before the call is in C: such a try does not count.
TRIES = 20


def slow() -> tuple[berth.Engine, Any]:
    """An engine that looks at each node for each decision, and many decisions."""
    engine = cluster(0, 1, path=berth.Path.SCAN)
    engine.load_objects([node(f"n{i}") for i in range(1000)])
    return engine, array.array("Q", engine.pending().tolist() * MANY)


def acting(action: Callable[[], Any], after: int, pods: int = 5, **options: Any) -> berth.Engine:
    """An engine whose filter does something in its call number `after`."""
    decisions = []

    def look(_: berth.PluginPod, nodes: berth.PluginNodes) -> list[bool]:
        decisions.append(1)
        if len(decisions) == after:
            action()
        return [True] * len(nodes)

    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"filter": {"enabled": [{"name": "Look"}]}}}],
    }
    plugin = berth.Plugin("Look", filter=look, reason="never", **options)
    return cluster(2, pods, configuration=configuration, plugins=[plugin])


def counting(cancel: berth.CancelFlag, after: int) -> berth.Engine:
    """An engine whose filter sets the flag in decision number `after`."""
    return acting(cancel.set, after)


class Flags(Case):
    def test_a_flag(self) -> None:
        flag = berth.CancelFlag()
        self.assertEqual((flag.is_set(), repr(flag)), (False, "<berth.CancelFlag: not set>"))
        flag.set()
        flag.set()
        self.assertEqual((flag.is_set(), repr(flag)), (True, "<berth.CancelFlag: set>"))
        flag.clear()
        self.assertFalse(flag.is_set())

    def test_timeouts(self) -> None:
        for wrong in (-1, float("nan"), float("inf")):
            self.refused(berth.ArgumentError, berth.CancelFlag, timeout=wrong)
        flag = berth.CancelFlag(timeout=0)
        until = time.monotonic() + 10
        while not flag.is_set() and time.monotonic() < until:
            time.sleep(0.001)
        self.assertTrue(flag.is_set())
        with berth.CancelFlag(timeout=0.05) as ended:
            pass
        time.sleep(0.1)
        self.assertFalse(ended.is_set())

    def test_other_values(self) -> None:
        with cluster(1, 1) as engine:
            with self.assertRaisesRegex(TypeError, "must be a CancelFlag, not Event"):
                engine.schedule_batch(["p0"], cancel=threading.Event())  # type: ignore[arg-type]

    def test_it_is_left_after_each_end(self) -> None:
        flag = berth.CancelFlag()
        with cluster(1, 1) as engine:
            engine.schedule_batch(["p0"], cancel=flag)
            self.refused(berth.NotFoundError, engine.schedule_batch, [99], cancel=flag)
            self.assertEqual(flag._calls, [])


class Calls(Case):
    def test_a_flag_that_is_set_before(self) -> None:
        flag = berth.CancelFlag()
        flag.set()
        with cluster(2, 3) as engine, berth.Scheduler(engine, now_ns=0) as loop:
            engine.bind("p2", "a")
            pods, digest = ["p0", "p1"], engine.digest()
            calls: list[tuple[str, Callable[[], Any]]] = [
                ("after 0 of 2 pods", lambda: engine.decide_batch(pods, cancel=flag)),
                ("after 0 of 2 pods", lambda: engine.schedule_batch(pods, cancel=flag)),
                ("after 0 of 2 pods", lambda: engine.bind_batch(pods, ["a", "b"], cancel=flag)),
                ("after 0 of 1 pods", lambda: engine.unbind_batch(["p2"], cancel=flag)),
                ("after 0 of 1 pods", lambda: engine.remove_pods(["p2"], cancel=flag)),
                ("after 0 of 1 pods", lambda: engine.add_like("p0", ["q"], cancel=flag)),
                ("when 0 of 2 pods had", lambda: engine.schedule_pods(pods, cancel=flag)),
                ("when 0 of 2 pods had", lambda: engine.schedule_group(pods, cancel=flag)),
                ("when 0 of at most 9", lambda: engine.fit_count("p0", 9, cancel=flag)),
                ("after 0 objects", lambda: engine.load_objects(pod("q"), cancel=flag)),
                ("text: cancelled after 0", lambda: engine.load_text("kind: Pod", cancel=flag)),
                ("after 0 objects", lambda: loop.load_objects(pod("q"), now_ns=0, cancel=flag)),
                ("after 0 objects", lambda: loop.post(pod("q"), cancel=flag)),
                ("after 0 steps", lambda: loop.run(0, cancel=flag)),
            ]
            for message, call in calls:
                error = self.refused(berth.CancelledError, call)
                self.assertIn(message, str(error))
                self.assertIn("cancelled", error.message)
                self.assertEqual((error.code, error.done), (berth.Status.E_CANCELLED, 0))
            self.assertEqual(engine.digest(), digest)
            self.assertIsNone(engine.find_pod("q"))
            path = os.path.join(os.path.dirname(__file__), "common.py")
            error = self.refused(berth.CancelledError, engine.load, path, cancel=flag)
            self.assertEqual(error.result.objects, 0)
            flag.clear()
            self.assertEqual(engine.schedule_batch(pods, cancel=flag).placed, 2)
            engine.check()

    def test_a_batch(self) -> None:
        flag = berth.CancelFlag()
        with counting(flag, 3) as engine:
            pods = engine.pending().tolist()
            error = self.refused(berth.CancelledError, engine.schedule_batch, pods, cancel=flag)
            self.assertEqual(error.done, 3)
            self.assertIn("cancelled after 3 of 5 pods", str(error))
            self.assertEqual((error.result.placed, len(error.result)), (3, 3))
            self.assertEqual(error.result.pods.tolist(), pods[:3])
            self.assertEqual(
                error.result.nodes.tolist(), [engine.pod_node(each) for each in pods[:3]]
            )
            self.assertEqual(engine.counts().pods_running, 3)
            flag.clear()
            self.assertEqual(engine.schedule_batch(pods[3:], cancel=flag).placed, 2)

    def test_groups(self) -> None:
        for name in ("schedule_pods", "schedule_group"):
            flag = berth.CancelFlag()
            with counting(flag, 2) as engine:
                call, pods = getattr(engine, name), engine.pending()
                error = self.refused(berth.CancelledError, call, pods, cancel=flag)
                self.assertIn("when 2 of 5 pods had fitted; none is placed", str(error))
                self.assertEqual((error.done, error.result.placed), (0, 2))
                self.assertEqual(error.result.nodes.tolist()[2:], [berth.NODE_NONE] * 3)
                self.assertEqual(engine.counts().pods_running, 0)
                self.assertEqual(engine.depth(), 0)

    def test_a_group_is_as_in_c(self) -> None:
        for cpu in ("1", "2"):  # all 5 fit on two nodes of 4, or only 4
            with berth.Engine(threads=1) as engine:
                engine.load_objects([node("a"), node("b")])
                pods = engine.load_objects([pod(f"p{i}", cpu) for i in range(5)]).pods
                ids = ffi.new("uint64_t[]", list(pods))
                out, fitted = ffi.new("berth_placement[]", 5), ffi.new("uint32_t *")
                error = ffi.new("berth_error *")
                with engine.what_if(), engine._handle as pointer:
                    lib.berth_engine_schedule_group_sized(
                        pointer, ids, 5, out, ffi.sizeof("berth_placement"), fitted, error
                    )
                engine.rotation = 0
                group = engine.schedule_group(pods)
                self.assertEqual(group.placed, fitted[0])
                placed = list(group.nodes)[: group.placed]
                self.assertEqual(placed, [out[i].node for i in range(group.placed)])
                self.assertEqual(engine.counts().pods_running, 5 if cpu == "1" else 0)

    def test_capacity(self) -> None:
        flag = berth.CancelFlag()
        with counting(flag, 4) as engine:
            error = self.refused(berth.CancelledError, engine.fit_count, "p0", 7, cancel=flag)
            self.assertIn("when 4 of at most 7 pods had fitted", str(error))
            self.assertEqual((error.done, error.result.count), (4, 4))
            self.assertEqual(len(error.result.nodes), 4)
            self.assertIsNone(error.result.explanation)
            self.assertEqual(engine.counts().pods_pending, 5)

    def test_a_branch(self) -> None:
        flag = berth.CancelFlag()
        with counting(flag, 2) as engine, engine.branch() as branch:
            pods = engine.pending()
            error = self.refused(berth.CancelledError, branch.schedule_batch, pods, cancel=flag)
            self.assertEqual((error.done, branch.counts().pods_running), (2, 2))

    def test_the_loop(self) -> None:
        flag = berth.CancelFlag()
        bound: list[berth.Binding] = []

        def bind(binding: berth.Binding) -> None:
            bound.append(binding)
            if len(bound) == 2:
                flag.set()

        with cluster(2, 4) as engine, berth.Scheduler(engine, bind=bind) as loop:
            error = self.refused(berth.CancelledError, loop.run, 0, cancel=flag)
            self.assertEqual((error.done, len(error.result)), (2, 2))
            self.assertEqual(error.result.pods.tolist(), [each.pod for each in bound])
            self.assertIn("after 2 steps", str(error))
            flag.clear()
            self.assertEqual(len(loop.run(0, cancel=flag)), 2)
            loop.check()

    def test_a_callback_that_raises_comes_first(self) -> None:
        flag = berth.CancelFlag()

        def bind(_: berth.Binding) -> None:
            flag.set()
            raise RuntimeError("no")

        with cluster(2, 4) as engine, berth.Scheduler(engine, bind=bind) as loop:
            with self.assertRaisesRegex(RuntimeError, "no"):
                loop.run(0, cancel=flag)

    def test_reading(self) -> None:
        count = 60_000
        objects = [pod(f"p{i}") for i in range(count)]
        with berth.Engine(threads=1) as engine, berth.CancelFlag(timeout=0.3) as flag:
            error = None
            for _ in range(50):  # until the time comes
                try:
                    engine.load_objects(objects, cancel=flag)
                    engine.remove_pods(engine.pending())
                except berth.CancelledError as caught:
                    error = caught
                    break
            assert error is not None
            self.assertEqual(len(error.result.pods), error.done)
            self.assertEqual(engine.counts().pods_pending, error.done)
            self.assertLess(error.done, count)
            self.assertIn(f"cancelled after {error.done} objects", str(error))
            engine.check()

    def test_another_thread_can_set_it(self) -> None:
        # The lock of the interpreter is free meanwhile: else the timer's thread could not run.
        engine, pods = slow()
        with engine:
            for _ in range(TRIES):
                with berth.CancelFlag(timeout=0.1) as flag:
                    call = engine.decide_batch
                    error = self.refused(berth.CancelledError, call, pods, cancel=flag)
                self.assertLess(error.done, MANY)
                if error.done > 0:
                    break
            self.assertGreater(error.done, 0)

    def test_one_flag_ends_many_calls(self) -> None:
        flag = berth.CancelFlag()
        errors: list[berth.CancelledError] = []

        engine, pods = slow()

        def work(branch: berth.Branch) -> None:
            errors.append(
                self.refused(berth.CancelledError, branch.decide_batch, pods, cancel=flag)
            )

        with engine, engine.publish() as snapshot:
            branches = [snapshot.branch() for _ in range(2)]
            threads = [threading.Thread(target=work, args=(branch,)) for branch in branches]
            for thread in threads:
                thread.start()
            while len(flag._calls) < 2:
                time.sleep(0.001)
            self.assertEqual(repr(flag), "<berth.CancelFlag: not set, calls=2>")
            flag.set()
            for thread in threads:
                thread.join()
            self.assertEqual([error.code for error in errors], [berth.Status.E_CANCELLED] * 2)


@contextmanager
def handler(wanted: Any) -> Iterator[None]:
    """Give SIGINT another handler for a while."""
    before = signal.signal(signal.SIGINT, wanted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def soon(action: Callable[[], Any]) -> Iterator[None]:
    """Do something on another thread in a moment."""
    timer = threading.Timer(0.1, action)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class Interrupts(Case):
    def setUp(self) -> None:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        self.engine, self.pods = slow()
        self.addCleanup(self.engine.close)

    def long(self, cancel: Optional[berth.CancelFlag] = None) -> berth.Batch:
        return self.engine.decide_batch(self.pods, cancel=cancel)

    def usable(self) -> None:
        """The engine works, and SIGINT has the handler of before."""
        self.assertEqual(self.engine.decide_batch(self.pods[:1]).placed, 1)
        with self.assertRaises(KeyboardInterrupt):
            interrupt()
            time.sleep(1)
        self.engine.check()

    def test_it_ends_a_call(self) -> None:
        amidst = 0
        for _ in range(TRIES):
            before = self.engine.statistics().decisions
            with soon(interrupt), self.assertRaises(KeyboardInterrupt):
                self.long()
            decisions = self.engine.statistics().decisions - before
            self.assertLess(decisions, MANY)
            self.usable()
            amidst += decisions > 0
            if amidst == 2:
                break
        self.assertEqual(amidst, 2)

    def test_a_flag_stays_as_it_is(self) -> None:
        flag = berth.CancelFlag()
        with soon(interrupt), self.assertRaises(KeyboardInterrupt):
            self.long(flag)
        self.assertFalse(flag.is_set())
        self.assertEqual(flag._calls, [])

    def test_the_signal_reaches_another_thread(self) -> None:
        ready, end = threading.Event(), threading.Event()

        def wait() -> None:
            ready.set()
            while not end.is_set():
                time.sleep(0.01)

        other = threading.Thread(target=wait)
        other.start()
        ready.wait()
        number = other.ident or 0
        with soon(lambda: signal.pthread_kill(number, signal.SIGINT)):
            with self.assertRaises(KeyboardInterrupt):
                self.long()
        end.set()
        other.join()
        self.usable()

    def test_a_handler_that_returns(self) -> None:
        came: list[int] = []
        for _ in range(TRIES):
            came.clear()
            with handler(lambda number, _: came.append(number)), soon(interrupt):
                with berth.CancelFlag(timeout=0.3) as flag:  # if the signal came before the call
                    error = self.refused(berth.CancelledError, self.long, flag)
            self.assertEqual(came, [signal.SIGINT])
            self.assertLess(error.done, MANY)
            if not flag.is_set():
                break
        self.assertFalse(flag.is_set())
        self.usable()

    def test_a_signal_that_is_ignored(self) -> None:
        with handler(signal.SIG_IGN), soon(interrupt), berth.CancelFlag(timeout=0.2) as flag:
            error = self.refused(berth.CancelledError, self.long, flag)
        self.assertTrue(flag.is_set())
        self.assertLess(error.done, MANY)
        self.usable()

    def test_calls_of_other_threads_continue(self) -> None:
        flag = berth.CancelFlag()
        errors: list[berth.CancelledError] = []
        thread = threading.Thread(
            target=lambda: errors.append(self.refused(berth.CancelledError, self.long, flag))
        )
        thread.start()
        while not flag._calls:
            time.sleep(0.001)
        with self.assertRaises(KeyboardInterrupt):
            interrupt()
            time.sleep(1)
        self.assertTrue(thread.is_alive())
        flag.set()
        thread.join()
        self.assertEqual(len(errors), 1)
        self.usable()

    def test_a_call_in_a_callback(self) -> None:
        inner, pods = self.engine, self.pods

        def bind(_: berth.Binding) -> None:
            with soon(interrupt):
                inner.decide_batch(pods)

        with cluster(2, 3) as outer, berth.Scheduler(outer, bind=bind) as loop:
            with self.assertRaises(KeyboardInterrupt):
                loop.run(0)
            self.assertEqual(outer.counts().pods_running, 0)  # the answer was FAILED
            loop.check()
        self.usable()

    def test_calls_that_an_exception_left(self) -> None:
        flag = berth.CancelFlag()
        outer, inner = Call(flag), Call(None)
        with outer as call:
            entered = inner.__enter__()
            self.assertTrue(call.watched and entered.watched)
        # As if an interrupt had come before the inner call's __exit__.
        self.assertFalse(call.watched)
        self.assertTrue(entered.watched)
        with soon(interrupt), self.assertRaises(KeyboardInterrupt):
            self.long()
        self.assertEqual((call.cancel, entered.cancel), (0, 1))
        del inner
        self.assertFalse(entered.watched)
        other = Call(flag)
        other.__enter__()
        del other
        self.assertEqual(flag._calls, [])
        self.usable()

    def test_a_call_that_ends_on_another_thread(self) -> None:
        calls = [Call(None)]
        entered = calls[0].__enter__()
        self.beside(calls.clear)
        self.assertIs(_kept.pop(), entered)  # SIGINT may still write to it
        lib.berth_py_call_end(entered)
        self.usable()

    def test_in_a_function_of_a_plugin(self) -> None:
        def press() -> None:
            interrupt()
            time.sleep(1)  # the interpreter raises here

        cases: tuple[tuple[int, dict[str, Any]], ...] = (
            (3, {}),
            (1, {"static": True}),
            (1, {"node_local": True}),
        )
        for after, options in cases:
            with acting(press, after, **options) as engine:
                with self.assertRaises(KeyboardInterrupt):
                    engine.schedule_batch(engine.pending())
                self.assertEqual(engine.counts().pods_running, after)
                self.assertEqual(engine.schedule_batch(engine.pending()).placed, 5 - after)
                engine.check()

    def test_a_function_that_raises_it_always(self) -> None:
        def filter(_: berth.PluginPod, nodes: berth.PluginNodes) -> None:
            raise KeyboardInterrupt

        configuration = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"plugins": {"filter": {"enabled": [{"name": "Bad"}]}}}],
        }
        plugin = berth.Plugin("Bad", filter=filter, reason="never", static=True)
        with cluster(1, 1, configuration=configuration, plugins=[plugin]) as engine:
            with self.assertRaises(KeyboardInterrupt):
                engine.schedule("p0")
            self.refused(berth.StateError, engine.schedule, "p0")

    def test_a_handler_that_a_callback_installs_stays(self) -> None:
        came: list[int] = []

        def own(number: int, _: Any) -> None:
            came.append(number)

        def bind(_: berth.Binding) -> None:
            signal.signal(signal.SIGINT, own)

        with cluster(2, 1) as engine, berth.Scheduler(engine, bind=bind) as loop:
            self.assertEqual(len(loop.run(0)), 1)
        interrupt()
        time.sleep(0.01)
        self.assertEqual(came, [signal.SIGINT])


if __name__ == "__main__":
    unittest.main()
