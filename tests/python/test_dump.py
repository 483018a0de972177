"""Objects out of an engine, rotation, refusals counted."""

import decimal
import json
import os
import tempfile
import unittest

from common import Case, berth, cluster, node, pod


def busy() -> berth.Engine:
    """An engine that keeps objects of several kinds."""
    engine = cluster(3, keep_objects=True)
    engine.load_objects(
        [
            pod("low", "1", priority=1),
            pod("high", "2", priority=5),
            pod("picky", "1", nodeSelector={"kubernetes.io/hostname": "b"}),
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "some", "namespace": "default"},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
            },
        ]
    )
    engine.add_like("low", [f"low-{i}" for i in range(6)])
    engine.schedule_batch(["picky", "low-1", "low-2"])
    return engine


class Dumps(Case):
    def test_an_engine_that_decides_alike(self) -> None:
        with busy() as engine, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cluster.json")
            engine.dump(path)
            with open(path, encoding="utf-8") as file:
                whole = file.read()
            self.assertEqual(engine.dumps(), whole)
            twins = [cluster(0, keep_objects=True) for _ in range(2)]
            twins[0].load(path, defaults=False)
            twins[1].load_objects(engine.objects(), defaults=False)
            for twin in twins:
                self.assertEqual(twin.dumps(), whole)
                twin.rotation = engine.rotation
            for each in (engine, *twins):
                each.schedule_batch(each.pending())
            for twin in twins:
                self.assertEqual(twin.digest(), engine.digest())
                self.assertEqual(twin.rotation, engine.rotation)
                twin.close()

    def test_objects_as_dicts(self) -> None:
        with busy() as engine:
            kinds = [each["kind"] for each in engine.objects()]
            self.assertEqual(kinds, ["PodDisruptionBudget"] + 3 * ["Node"] + 9 * ["Pod"])
            picky = engine.pod_object("picky")
            self.assertEqual(picky["spec"]["nodeName"], "b")
            self.assertEqual(picky["spec"]["nodeSelector"], {"kubernetes.io/hostname": "b"})
            self.assertEqual(engine.node_object("c")["metadata"]["name"], "c")
            self.assertEqual(json.loads(engine.dumps())["kind"], "List")
            with engine.branch() as branch:
                branch.unbind("picky")
                self.assertNotIn("nodeName", branch.pod_object("picky")["spec"])

    def test_what_is_refused(self) -> None:
        with cluster(1, 1) as engine:
            self.refused(berth.StateError, engine.dumps)
            self.refused(berth.StateError, engine.dump, os.devnull)
            self.refused(berth.StateError, engine.pod_object, "p0")
            self.assertEqual(engine.node_object("a")["kind"], "Node")
            self.refused(berth.NotFoundError, engine.node_object, 77)
        with busy() as engine:
            self.refused(berth.InputError, engine.dump, "/nowhere/cluster.json")
            self.refused(berth.NotFoundError, engine.pod_object, 2**63)
            with self.assertRaises(OverflowError):
                engine.rotation = -1
        self.refused(berth.ClosedError, engine.dumps)
        with self.assertRaises(berth.ClosedError):
            engine.rotation = 0


class Quantities(Case):
    def test_there_and_back(self) -> None:
        for text, value, again in (
            ("1500m", "1.5", "1500m"),
            ("2Gi", str(2 * 2**30), "2147483648"),
            ("-0.1", "-0.1", "-100m"),
            ("1e3", "1000", "1k"),
            ("3n", "0.000000003", "3n"),
            ("9223372036854775807", "9223372036854775807", "9223372036854775807"),
        ):
            parsed = berth.parse_quantity(text)
            self.assertEqual(parsed, decimal.Decimal(value))
            self.assertEqual(berth.parse_quantity(berth.format_quantity(parsed)), parsed)
            self.assertEqual(berth.format_quantity(parsed), again)
        self.assertEqual(berth.format_quantity(2**31, binary=True), "2Gi")
        self.assertEqual(berth.format_quantity(decimal.Decimal("1e-10")), "1n")
        self.refused(berth.ParseError, berth.parse_quantity, "a lot")
        self.refused(berth.RangeError, berth.format_quantity, 2**63)


class Refusals(Case):
    def test_of_one_decision(self) -> None:
        with cluster(3) as engine:
            engine.load_objects(pod("huge", "9"))
            engine.cordon("c")
            why = engine.explain("huge", preemption=False)
            counts = {each.reason: (each.plugin, each.code, each.nodes) for each in why.reason_counts}
            self.assertEqual(
                counts,
                {
                    "Insufficient cpu": ("NodeResourcesFit", berth.Code.UNRESOLVABLE, 2),
                    "node(s) were unschedulable": (
                        "NodeUnschedulable",
                        berth.Code.UNRESOLVABLE,
                        1,
                    ),
                },
            )

    def test_they_are_counted(self) -> None:
        with cluster(3) as engine:
            self.assertEqual(engine.refusals(), [])
            engine.load_objects([pod("huge", "9"), pod("none", nodeSelector={"no": "such"})])
            engine.decide("huge")  # does not record reasons
            for _ in range(2):
                engine.explain("huge", preemption=False)
            engine.explain("none", preemption=False)
            self.assertEqual(
                [(each.plugin, each.reason, each.count) for each in engine.refusals()],
                [
                    ("NodeResourcesFit", "Insufficient cpu", 6),
                    ("NodeAffinity", "node(s) didn't match Pod's node affinity/selector", 3),
                ],
            )
            self.assertIs(engine.refusals()[0].code, berth.Code.UNRESOLVABLE)

    def test_of_a_loop(self) -> None:
        with cluster(1) as engine, berth.Scheduler(engine) as loop:
            loop.load_objects([pod("huge", "9"), node("b")], now_ns=0)
            loop.run(0)
            self.assertEqual(
                [(each.plugin, each.reason, each.count) for each in engine.refusals()],
                [("NodeResourcesFit", None, 1)],
            )


if __name__ == "__main__":
    unittest.main()
