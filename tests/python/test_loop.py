"""The scheduling loop with callbacks in Python."""

import unittest

from common import Case, berth, cluster, node, pod

SECOND = 10**9


class Loop(Case):
    def test_pods_come_and_are_bound(self) -> None:
        bound: list[berth.Binding] = []
        with cluster(1, 2) as engine, berth.Scheduler(engine, bind=bound.append) as loop:
            first = loop.step(0)
            self.assertIs(first.kind, berth.StepKind.BOUND)
            self.assertEqual((first.pod, first.node_id), (bound[0].pod, bound[0].node_id))
            loop.load_objects([pod("q"), pod("huge", "9")], now_ns=SECOND)
            steps = loop.run(SECOND)
            self.assertEqual(len(steps), 3)
            self.assertEqual(
                sorted(steps.kinds.tolist()),
                [berth.StepKind.BOUND, berth.StepKind.BOUND, berth.StepKind.UNSCHEDULABLE],
            )
            self.assertEqual([each.pod for each in bound[1:]], steps.pods.tolist()[:2])
            self.assertIs(loop.step(SECOND).kind, berth.StepKind.IDLE)
            status = loop.pod("huge")
            self.assertIs(status.state, berth.PodState.UNSCHEDULABLE)
            self.assertEqual(status.rejectors, ("NodeResourcesFit",))
            self.assertIs(loop.pod("p0").state, berth.PodState.BOUND)
            self.assertEqual(loop.counters().bound, 3)
            loop.load_objects(node("big", "16"), now_ns=2 * SECOND)  # wakes it
            due = loop.next()
            assert due is not None
            self.assertEqual(len(loop.run(due)), 1)
            loop.check()
            self.assertIsNone(loop.next())

    def test_a_configured_backoff(self) -> None:
        slow = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "podInitialBackoffSeconds": 7,
            "podMaxBackoffSeconds": 20,
        }
        for configuration, options, due in (
            (None, {}, 1),
            (slow, {}, 7),
            (slow, {"backoff_initial_ns": 3 * SECOND}, 3),
        ):
            with (
                cluster(1, 1, configuration=configuration, kubernetes=32) as engine,
                berth.Scheduler(engine, bind=lambda _: berth.Answer.FAILED, **options) as loop,
            ):
                loop.step(0)
                self.assertEqual(loop.next(), due * SECOND)

    def test_answers_later(self) -> None:
        given_up: list[berth.UnbindReason] = []

        def unbind(_: berth.Binding, reason: berth.UnbindReason) -> None:
            given_up.append(reason)

        with (
            cluster(1, 2) as engine,
            berth.Scheduler(
                engine,
                bind=lambda _: berth.Answer.LATER,
                unbind=unbind,
                bind_timeout_ns=5 * SECOND,
            ) as loop,
        ):
            first, second = loop.step(0), loop.step(0)
            self.assertIs(first.kind, berth.StepKind.ASSUMED)
            self.beside(lambda: loop.bind_done(first.binding))
            loop.advance(SECOND)
            self.assertIs(loop.pod("p0").state, berth.PodState.BOUND)
            loop.advance(6 * SECOND)
            self.assertEqual(given_up, [berth.UnbindReason.EXPIRED])
            self.assertIsNot(loop.pod(second.pod or 0).state, berth.PodState.ASSUMED)

    def test_eviction_that_fails(self) -> None:
        asked: list[int] = []

        def evict(eviction: berth.Eviction) -> berth.Answer:
            asked.append(eviction.victim)
            return berth.Answer.LATER

        with cluster(1) as engine:
            engine.load_objects([pod("low", "4", nodeName="a")])
            engine.load_objects([pod("high", "4", priority=10)])
            with berth.Scheduler(engine, evict=evict) as loop:
                loop.step(0)
                self.assertEqual(len(asked), 1)
                loop.advance(20 * SECOND)
                self.assertIs(loop.pod("high").state, berth.PodState.GATED)
                self.beside(lambda: loop.evict_done(asked[0], berth.Answer.FAILED))
                loop.advance(20 * SECOND)
                self.assertIs(loop.pod("high").state, berth.PodState.ACTIVE)

    def test_posting_from_another_thread(self) -> None:
        told: list[int] = []
        troubles: list[berth.Trouble] = []

        def report(trouble: berth.Trouble, error: object) -> None:
            self.assertIsInstance(error, berth.NotFoundError)
            troubles.append(trouble)

        with (
            cluster(1) as engine,
            berth.Scheduler(engine, notify=lambda: told.append(1), report=report) as loop,
        ):
            self.assertEqual(self.beside(lambda: loop.post([pod("a"), pod("b")])), 2)
            self.beside(lambda: loop.post_remove(berth.Kind.POD, "b"))
            self.beside(lambda: loop.post_remove(berth.Kind.POD, "never"))
            self.assertTrue(told)
            self.assertEqual(len(loop.run(0)), 1)
            self.assertEqual(troubles, [berth.Trouble.EVENT])
            loop.post(pod("a", "2"), change="update")
            loop.remove(berth.Kind.POD, "a", now_ns=1)
            self.assertEqual(engine.counts().pods_running, 0)

    def test_preemption(self) -> None:
        evicted: list[berth.Eviction] = []
        with cluster(1) as engine:
            engine.load_objects(pod("low", "4", nodeName="a", priority=0))
            low = engine.find_pod("low")
            with berth.Scheduler(engine, evict=evicted.append) as loop:
                loop.load_objects(pod("high", "4", priority=10), now_ns=0)
                step = loop.step(0)
                self.assertEqual((step.victim_count, step.nominated), (1, 0))
                self.assertEqual([each.victim for each in evicted], [low])

    def test_paced_evictions(self) -> None:
        for paced, wanted in ((False, 2), (True, 1)):
            asked: list[int] = []

            def evict(eviction: berth.Eviction) -> berth.Answer:
                asked.append(eviction.victim)  # noqa: B023
                return berth.Answer.LATER

            with cluster(2) as engine:
                for n in ("a", "b"):
                    engine.load_objects([pod(f"low-{n}-{i}", "2", nodeName=n) for i in range(2)])
                engine.load_objects([pod(f"high-{i}", "2", priority=10) for i in range(2)])
                with berth.Scheduler(engine, evict=evict, pace_evictions=paced) as loop:
                    loop.run(0)
                    self.assertEqual(len(asked), wanted)

    def test_one_loop_an_engine(self) -> None:
        with cluster(1) as engine, berth.Scheduler(engine):
            self.refused(berth.StateError, berth.Scheduler, engine)
            with engine.branch() as branch:
                self.refused(berth.StateError, berth.Scheduler, branch)
            self.refused(berth.ArgumentError, berth.Scheduler, cluster(1), backoff_max_ns=-1)


if __name__ == "__main__":
    unittest.main()
