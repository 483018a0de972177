"""Misuse raises an exception and never causes a memory fault: closed handles, two threads, raising
callbacks, objects that change or vanish meanwhile, references dropped in any order, forks."""

import array
import gc
import itertools
import os
import threading
import time
import unittest
from typing import Any, Callable

from common import Case, berth, cluster, node, pod


def calls(handle: Any) -> dict[str, Callable[[], Any]]:
    """One question of each kind to an engine, a branch or a snapshot."""
    every: dict[str, Callable[[], Any]] = {
        "counts": handle.counts,
        "nodes": handle.nodes,
        "pending": handle.pending,
        "digest": handle.digest,
        "check": handle.check,
        "find_node": lambda: handle.find_node("a"),
        "node_name": lambda: handle.node_name(0),
        "node_names": lambda: handle.node_names([0]),
        "pod_names": lambda: handle.pod_names([0]),
        "pod_nodes": lambda: handle.pod_nodes([0]),
        "node_resources": lambda: handle.node_resources("cpu"),
        "node_labels": lambda: handle.node_labels([0], "x"),
        "node_pods": lambda: handle.node_pods("a"),
        "node_info": lambda: handle.node_info("a"),
        "pod_info": lambda: handle.pod_info("p0"),
        "pod_label": lambda: handle.pod_label("p0", "x"),
        "resource_names": handle.resource_names,
    }
    if isinstance(handle, berth.Cluster):
        every.update(
            decide=lambda: handle.decide("p0"),
            schedule=lambda: handle.schedule("p0"),
            schedule_batch=lambda: handle.schedule_batch([0]),
            schedule_group=lambda: handle.schedule_group([0]),
            explain=lambda: handle.explain("p0"),
            fit_count=lambda: handle.fit_count("p0", 3),
            load=lambda: handle.load_objects(pod("new")),
            add_like=lambda: handle.add_like("p0", ["copy"]),
            bind=lambda: handle.bind("p0", "a"),
            remove=lambda: handle.remove(berth.Kind.POD, "p0"),
            cordon=lambda: handle.cordon("a"),
            fits=lambda: handle.fits("p0", "a"),
            feasible_nodes=lambda: handle.feasible_nodes("p0"),
            schedule_pods=lambda: handle.schedule_pods([0]),
            schedule_pod_group=lambda: handle.schedule_pod_group([0]),
            add_nodes=lambda: handle.add_nodes(node("n"), 1),
            statistics=handle.statistics,
            transaction=lambda: handle.transaction().__enter__(),
        )
    if isinstance(handle, berth.Engine):
        every.update(publish=handle.publish, snapshot=handle.snapshot, branch=handle.branch)
        every.update(memory=handle.memory, loop=lambda: berth.Scheduler(handle))
    if isinstance(handle, berth.Branch):
        every.update(commit=handle.commit)
    if isinstance(handle, berth.Snapshot):
        every.update(branch=handle.branch, number=lambda: handle.number)
    return every


class Closed(Case):
    def all_refused(self, handle: Any) -> None:
        for name, call in calls(handle).items():
            with self.subTest(call=name):
                self.refused(berth.ClosedError, call)

    def test_an_engine(self) -> None:
        engine = cluster(1, 1)
        engine.close()
        engine.close()
        self.assertTrue(engine.closed)
        self.all_refused(engine)

    def test_what_hangs_on_an_engine_ends_with_it(self) -> None:
        engine = cluster(1, 1)
        snapshot, branch = engine.publish(), engine.branch()
        loop = berth.Scheduler(engine)
        transaction = branch.transaction()
        transaction.__enter__()
        engine.close()
        for handle in (snapshot, branch):
            self.assertTrue(handle.closed)
            self.all_refused(handle)
            handle.close()
        self.refused(berth.ClosedError, transaction.commit)
        self.refused(berth.ClosedError, loop.step, 0)
        self.refused(berth.ClosedError, loop.post, pod("x"))
        self.refused(berth.ClosedError, loop.bind_done, 1)
        loop.close()

    def test_each_by_itself(self) -> None:
        with cluster(1, 1) as engine:
            snapshot, branch, loop = engine.publish(), engine.branch(), berth.Scheduler(engine)
            for handle in (snapshot, branch):
                handle.close()
                self.all_refused(handle)
            loop.close()
            self.refused(berth.ClosedError, loop.run, 0)
            self.assertTrue(engine.schedule("p0"))

    def test_answers_outlive_their_engine(self) -> None:
        engine = cluster(2, 2)
        why, capacity = engine.explain("p0"), engine.fit_count("p1", 100)
        batch = engine.schedule_batch(engine.pending())
        names = engine.node_names(batch.nodes)
        engine.close()
        del engine
        gc.collect()
        assert capacity.explanation is not None
        self.assertTrue(capacity.explanation.reasons())
        self.assertEqual(len(why.totals), 2)
        self.assertEqual(list(why.refusals()), [])
        self.assertEqual((batch.placed, len(names)), (2, 2))


class Threads(Case):
    def test_two_on_one_engine(self) -> None:
        with cluster(100, 1) as engine:
            pods = engine.add_like("p0", [f"x{i}" for i in range(300)])
            engine.load_objects([pod(f"kind-{i}", f"{i + 1}m") for i in range(300)])
            stop, busy, fine = threading.Event(), [0], [0]
            wrong: list[BaseException] = []

            def work() -> None:
                while not stop.is_set():
                    try:
                        engine.decide_batch(pods)
                        engine.explain("kind-7")
                        fine[0] += 1
                    except berth.BusyError:
                        busy[0] += 1
                    except BaseException as error:
                        wrong.append(error)
                        return

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            end = time.monotonic() + 20
            while (not busy[0] or not fine[0]) and not wrong and time.monotonic() < end:
                time.sleep(0.05)
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            self.assertGreater(busy[0], 0)
            self.assertGreater(fine[0], 0)
            engine.check()

    def test_closing_what_another_thread_is_in(self) -> None:
        inside, leave = threading.Event(), threading.Event()

        def bind(_: berth.Binding) -> None:
            inside.set()
            leave.wait()

        with cluster(1, 1) as engine:
            snapshot = engine.publish()
            loop = berth.Scheduler(engine, bind=bind)
            thread = threading.Thread(target=loop.step, args=(0,))
            thread.start()
            inside.wait()
            self.refused(berth.BusyError, engine.close)
            self.refused(berth.BusyError, loop.close)
            self.refused(berth.BusyError, engine.counts)
            self.refused(berth.BusyError, loop.step, 0)
            loop.post(pod("q"))  # allowed on any thread
            self.assertEqual(snapshot.counts().nodes, 1)
            engine.snapshot().close()
            leave.set()
            thread.join()
            self.assertEqual(engine.counts().pods_running, 1)

    def test_an_engine_may_change_threads(self) -> None:
        with cluster(1, 2) as engine:
            self.assertTrue(self.beside(lambda: engine.schedule("p0")))
            self.assertTrue(engine.schedule("p1"))

    def test_closing_amid_readers(self) -> None:
        for _ in range(20):
            engine = cluster(3, 3)
            snapshot = engine.publish()
            wrong: list[BaseException] = []

            def read(shared: berth.Snapshot = snapshot, seen: list[BaseException] = wrong) -> None:
                try:
                    while True:
                        shared.node_resources("cpu")
                        shared.branch().schedule("p0")
                        time.sleep(0.001)
                except berth.ClosedError:
                    pass
                except BaseException as error:
                    seen.append(error)

            threads = [threading.Thread(target=read) for _ in range(3)]
            for thread in threads:
                thread.start()
            while not engine.closed:
                try:
                    engine.close()
                except berth.BusyError:
                    time.sleep(0.0001)
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


class Callbacks(Case):
    def test_one_that_raises(self) -> None:
        failing = True

        def bind(_: berth.Binding) -> None:
            if failing:
                raise KeyError("no such node")

        with cluster(1, 3) as engine, berth.Scheduler(engine, bind=bind) as loop:
            with self.assertRaisesRegex(KeyError, "no such node"):
                loop.step(0)
            with self.assertRaises(KeyError):
                loop.run(0)  # the first callback that raises ends the run
            self.assertEqual(loop.counters().forgotten, 2)
            self.assertEqual(engine.counts().pods_running, 0)
            failing = False
            loop.run(100 * 10**9)
            self.assertEqual(loop.counters().bound, 3)
            loop.check()

    def test_each_that_raises(self) -> None:
        def boom(*_: Any) -> Any:
            raise ZeroDivisionError

        with cluster(1) as engine:
            engine.load_objects(pod("low", "4", nodeName="a", priority=0))
            loop = berth.Scheduler(
                engine,
                bind=lambda _: berth.Answer.LATER,
                unbind=boom,
                evict=boom,
                report=lambda *_: None,
                bind_timeout_ns=1,
            )
            with loop:
                loop.load_objects(pod("high", "4", priority=10), now_ns=0)
                self.assertRaises(ZeroDivisionError, loop.step, 0)
                loop.remove(berth.Kind.POD, "high", now_ns=0)
                loop.remove(berth.Kind.POD, "low", now_ns=0)
                loop.load_objects(pod("p"), now_ns=0)
                self.assertIs(loop.step(0).kind, berth.StepKind.ASSUMED)
                self.assertRaises(ZeroDivisionError, loop.advance, 10)
                loop.check()
        with cluster(1) as engine, berth.Scheduler(engine, notify=boom, report=boom) as loop:
            loop.post_remove(berth.Kind.POD, "never")
            self.assertRaises(ZeroDivisionError, loop.advance, 0)

    def test_an_answer_that_is_none(self) -> None:
        with cluster(1, 1) as engine:
            answers: Any = lambda _: "done"  # noqa: E731
            with berth.Scheduler(engine, bind=answers) as loop:
                self.assertRaises(ValueError, loop.step, 0)

    def test_one_that_does_what_it_must_not(self) -> None:
        refusals: list[berth.BerthError] = []
        seen: list[Any] = []
        with cluster(2, 2) as engine:
            branch, snapshot = engine.branch(), engine.publish()

            def bind(binding: berth.Binding) -> None:
                seen.append(engine.node_name(binding.node_id))
                seen.append(loop.pod(binding.pod).state)
                seen.append(snapshot.counts().nodes)
                for call in (
                    lambda: engine.schedule("p1"),
                    lambda: engine.load_objects(node("c")),
                    lambda: engine.transaction().__enter__(),
                    lambda: loop.step(0),
                    engine.publish,
                    engine.close,
                    loop.close,
                    branch.counts,
                    branch.close,
                    branch.commit,
                    snapshot.branch,
                ):
                    try:
                        call()
                    except berth.StateError as error:
                        refusals.append(error)

            loop = berth.Scheduler(engine, bind=bind)
            loop.step(0)
            self.assertEqual(seen[1:], [berth.PodState.ASSUMED, 2])
            self.assertEqual(len(refusals), 11, refusals)
            branch.schedule("p1")
            loop.check()

    def test_a_branch_dropped_in_one(self) -> None:
        with cluster(2, 2) as engine:
            branches = [engine.branch()]
            branches[0].schedule("p1")
            with berth.Scheduler(engine, bind=lambda _: branches.clear()) as loop:
                loop.step(0)
            self.assertEqual(branches, [])
            with engine.branch() as branch:
                self.assertTrue(branch.schedule("p1"))


class Changing(Case):
    def test_an_array_in_use_keeps_its_size(self) -> None:
        with cluster(1, 1) as engine:
            pods = engine.add_like("p0", [f"x{i}" for i in range(3)])
            shared = array.array("Q", [int(each) for each in pods])
            tried: list[BaseException] = []

            def bind(_: berth.Binding) -> None:
                try:
                    shared.append(1)
                except BufferError as error:
                    tried.append(error)

            held = memoryview(shared)
            bind(berth.Binding(0, 0, 0))
            del held
            self.assertEqual(len(tried), 1)  # as if a batch were using it

            stop = threading.Event()

            def scribble() -> None:
                while not stop.is_set():
                    shared[0] = 2**64 - 1
                    shared[0] = int(pods[0])

            thread = threading.Thread(target=scribble)
            thread.start()
            for _ in range(2000):
                try:
                    engine.decide_batch(shared)
                except berth.NotFoundError:
                    pass
            stop.set()
            thread.join()
            engine.check()

    def test_dicts_that_change_while_they_are_read(self) -> None:
        with cluster(1) as engine:
            labels = {f"key-{i}": "x" for i in range(2000)}
            shared = node("a")
            shared["metadata"]["labels"] = labels
            stop = threading.Event()

            def churn() -> None:
                for i in itertools.count():
                    if stop.is_set():
                        return
                    labels[f"more-{i}"] = "x"
                    labels.pop(f"more-{i}")

            thread = threading.Thread(target=churn)
            thread.start()
            for _ in range(30):
                try:
                    engine.load_objects(shared, change="update")
                except RuntimeError:
                    pass
            stop.set()
            thread.join()
            engine.check()

    def test_ids_of_what_is_gone(self) -> None:
        with cluster(1, 2) as engine:
            gone = engine.find_pod("p0") or 0
            why = engine.explain("p0")
            engine.remove(berth.Kind.POD, "p0")
            for call in (engine.decide, engine.schedule, engine.explain, engine.unbind):
                self.refused(berth.NotFoundError, call, gone)
            self.refused(berth.NotFoundError, engine.fit_count, gone, 3)
            self.refused(berth.NotFoundError, engine.bind, gone, "a")
            self.refused(berth.NotFoundError, engine.bind, "p1", 4711)
            self.refused(berth.NotFoundError, engine.cordon, 4711)
            self.assertEqual(engine.pod_names([gone, 2**64 - 1]), ["", ""])
            self.assertEqual(len(engine.node_pods(4711)), 0)
            self.assertEqual(engine.forbidden([gone]), [False])
            self.assertEqual(len(why.totals), 1)
            with engine.publish() as snapshot:
                self.assertEqual(snapshot.node_names([4711, 2**32 - 1]), ["", ""])
                self.assertEqual(len(snapshot.node_pods(4711)), 0)

    def test_arguments_that_are_none(self) -> None:
        with cluster(1, 1) as engine:
            wrong: list[Callable[[], Any]] = [
                lambda: engine.schedule(-1),
                lambda: engine.schedule(2**64),
                lambda: engine.schedule(None),  # type: ignore[arg-type]
                lambda: engine.schedule_batch(None),  # type: ignore[arg-type]
                lambda: engine.schedule_batch(["p0", None]),  # type: ignore[list-item]
                lambda: engine.node_names([2**32]),
                lambda: engine.fit_count("p0", -1),
                lambda: engine.load_objects([{"kind": {1, 2}}]),
                lambda: engine.load_objects(pod("p"), change="mend"),
                lambda: engine.remove(99, "p0"),  # type: ignore[arg-type]
                lambda: engine.find_node(b"a"),  # type: ignore[arg-type]
                lambda: berth.Engine(path=7),  # type: ignore[arg-type]
                lambda: engine.find_node("\udc80"),
            ]
            for i, call in enumerate(wrong):
                with (
                    self.subTest(call=i),
                    self.assertRaises(
                        (TypeError, ValueError, OverflowError, KeyError, AttributeError)
                    ),
                ):
                    call()
            self.assertTrue(engine.schedule("p0"))


class Garbage(Case):
    def test_references_dropped_in_any_order(self) -> None:
        for order in itertools.permutations(range(4)):
            engine = cluster(1, 1)
            snapshot = engine.publish()
            handles: list[Any] = [engine, snapshot, snapshot.branch(), berth.Scheduler(engine)]
            del engine, snapshot
            for i in order:
                handles[i] = None
                gc.collect()

    def test_what_is_left_goes_on(self) -> None:
        engine = cluster(1, 1)
        branch = engine.publish().branch()
        del engine
        gc.collect()
        self.assertTrue(branch.schedule("p0"))

    def test_closed_in_any_order(self) -> None:
        for order in itertools.permutations(range(4)):
            engine = cluster(1, 1)
            snapshot = engine.publish()
            handles = [engine, snapshot, snapshot.branch(), berth.Scheduler(engine)]
            for i in order:
                handles[i].close()
            self.assertTrue(all(handle.closed for handle in handles))

    def test_in_a_circle(self) -> None:
        for _ in range(10):
            engine = cluster(1, 1)
            circle: list[Any] = [engine, engine.publish(), engine.branch()]
            circle.append(berth.Scheduler(engine, bind=circle.append))
            circle[0].own = circle
            transaction = circle[2].transaction()
            transaction.__enter__()
            circle.append(transaction)
            del engine, circle, transaction
            gc.collect()

    def test_collected_while_calls_are_made(self) -> None:
        threshold = gc.get_threshold()
        gc.set_threshold(1)
        try:
            with cluster(2, 2) as engine:
                for _ in range(50):
                    circle: list[Any] = [engine.branch()]
                    circle.append(circle)
                    del circle
                    engine.explain("p0")
                engine.check()
        finally:
            gc.set_threshold(*threshold)


class Forks(Case):
    def test_a_child_is_told(self) -> None:
        with cluster(1, 1) as engine:
            snapshot = engine.publish()
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    for call in (engine.counts, snapshot.counts, engine.publish):
                        self.refused(berth.StateError, call)
                    snapshot.close()
                    engine.close()
                    with cluster(1, 1) as own:  # another engine may be used
                        code = 0 if own.schedule("p0") else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            self.assertTrue(engine.schedule("p0"))


if __name__ == "__main__":
    unittest.main()
