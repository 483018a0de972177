"""Snapshots and branches: their contents, and the threads that may use them."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from common import Case, berth, cluster, node, pod


class Snapshots(Case):
    def test_it_stays_as_it_was(self) -> None:
        with cluster(2, 3) as engine:
            self.refused(berth.StateError, engine.snapshot)
            engine.bind("p0", "a")
            with engine.publish() as snapshot:
                digest = engine.digest()
                engine.schedule_batch(["p1", "p2"])
                engine.load_objects(node("c"))
                self.assertEqual(snapshot.number, 1)
                self.assertEqual(snapshot.counts().pods_pending, 2)
                self.assertEqual(snapshot.node_names(snapshot.nodes()), ["a", "b"])
                self.assertEqual(snapshot.pod_names(snapshot.node_pods("a")), ["default/p0"])
                self.assertEqual(
                    snapshot.pod_names(snapshot.pending()), ["default/p1", "default/p2"]
                )
                self.assertEqual(snapshot.node_resource("a", "cpu"), (4000, 1000))
                self.assertEqual(list(snapshot.node_resources("cpu").free), [3000, 4000])
                self.assertEqual(snapshot.node_labels(["a"], "kubernetes.io/hostname"), ["a"])
                self.assertEqual(snapshot.pod_node("p0"), snapshot.find_node("a"))
                self.assertEqual(list(snapshot.pod_nodes(["p1"])), [berth.NODE_NONE])
                self.assertEqual(snapshot.pod_name(snapshot.find_pod("p0") or 0), "default/p0")
                self.assertEqual(snapshot.digest(), digest)
                snapshot.check()
                engine.publish().close()
                with engine.snapshot() as latest:
                    self.assertEqual(latest.number, 2)
                    self.assertEqual(latest.counts().nodes, 3)

    def test_readers_on_many_threads(self) -> None:
        with cluster(3, 9) as engine, engine.publish() as snapshot, ThreadPoolExecutor(4) as pool:
            engine.schedule_batch(engine.pending())
            reads = [pool.submit(snapshot.node_resources, "cpu") for _ in range(40)]
            self.assertEqual({tuple(each.result().free) for each in reads}, {(4000,) * 3})


class Branches(Case):
    def test_nothing_is_seen_outside(self) -> None:
        with cluster(2, 2) as engine:
            with engine.branch() as branch:
                branch.bind("p0", "b")
                branch.load_objects([node("c"), pod("more")])
                branch.cordon("a")
                self.assertEqual(branch.counts().nodes, 3)
                self.assertEqual(branch.fit_count("more", 99).count, 7)
                with branch.what_if():
                    branch.schedule("more")
                self.assertIsNone(branch.pod_node("more"))
                self.assertIsNotNone(branch.explain("more").placement)
            self.assertEqual((engine.counts().nodes, engine.counts().pods_pending), (2, 2))
            engine.trim()

    def test_commit(self) -> None:
        with cluster(2, 3) as engine, engine.branch() as branch:
            plan = branch.schedule_batch(branch.pending())
            self.assertEqual(branch.commit(), [])
            self.assertEqual(engine.pod_nodes(plan.pods).tolist(), plan.nodes.tolist())

    def test_conflicts(self) -> None:
        with cluster(1, 100) as engine, engine.branch() as branch:
            branch.load_objects(node("a", "400"), change="update")
            branch.schedule_batch(branch.pending())
            conflicts = branch.commit()  # more than the first call requests
            self.assertEqual(len(conflicts), 96)
            self.assertEqual({each.kind for each in conflicts}, {berth.ConflictKind.NO_FIT})
            self.assertEqual(engine.counts().pods_running, 0)

    def test_many_at_once(self) -> None:
        with cluster(4, 16) as engine, engine.publish() as snapshot:

            def plan(closed: str) -> int:
                with snapshot.branch() as branch:
                    branch.close_node(closed)
                    return branch.schedule_batch(branch.pending()).placed

            with ThreadPoolExecutor(4) as pool:
                plans = [pool.submit(plan, each) for each in "abcd" * 5]
                while not all(each.done() for each in plans):
                    pods = engine.pending()
                    engine.schedule_batch(pods)
                    engine.unbind_batch(pods)
                    engine.publish().close()
                self.assertEqual({each.result() for each in plans}, {12})


if __name__ == "__main__":
    unittest.main()
