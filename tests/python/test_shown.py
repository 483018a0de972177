"""What objects look like at a prompt and in a notebook."""

import dataclasses
import html.parser
import unittest
from typing import Any, Optional

from common import Case, berth, cluster, node, pod

TAGS = {"table", "caption", "tr", "th", "td"}


class Table(html.parser.HTMLParser):
    """Reads a table, which has no tags and attributes but those that are expected."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        if tag not in TAGS or any(name != "colspan" for name, _ in attrs):
            self.wrong.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


class Shown(Case):
    def texts(self, shown: Any) -> list[str]:
        """The texts in the cells of an object's table."""
        table = Table(shown._repr_html_())
        self.assertEqual((table.open, table.wrong), ([], []))
        return table.texts

    def test_engines_and_branches(self) -> None:
        with cluster(2, 3, kubernetes=36) as engine, engine.branch() as branch:
            engine.bind("p0", "a")
            counted = "2 nodes, 1 pods running, 2 pending, Kubernetes 1.36"
            self.assertEqual(repr(engine), f"<berth.Engine: {counted}>")
            before = "2 nodes, 0 pods running, 3 pending, Kubernetes 1.36"
            self.assertEqual(repr(branch), f"<berth.Branch: {before}>")
            self.assertEqual(
                self.texts(engine),
                ["berth.Engine", "nodes", "2", "pods running", "1"]
                + ["pending", "2", "Kubernetes", "1.36"],
            )
            self.assertEqual(self.texts(branch)[0], "berth.Branch")
            engine.load_objects(pod("lost", nodeName="nowhere"))
            self.assertIn("1 orphaned", repr(engine))
            self.assertEqual(self.beside(lambda: repr(engine)), repr(engine))
            with engine._handle:
                busy = self.beside(lambda: (repr(engine), engine._repr_html_()))
            self.assertEqual(busy[0], "<berth.Engine: the engine is in use by another thread>")
            self.assertIn("in use by another thread", busy[1])
        self.assertEqual(repr(engine), "<berth.Engine: the engine is closed>")
        self.assertEqual(self.texts(engine), ["berth.Engine", "error", "the engine is closed"])
        self.assertEqual(repr(branch), "<berth.Branch: the branch is closed>")

    def test_versions(self) -> None:
        old = {"kind": "Policy", "apiVersion": "v1", "predicates": [], "priorities": []}
        newest = berth.kubernetes_versions()[0]
        cases: tuple[tuple[dict[str, Any], str], ...] = (
            ({}, f"1.{newest.minor}"),
            ({"kubernetes": berth.KubernetesVersion(36, 2).number}, "1.36.2"),
            ({"kubernetes": 32}, "1.32"),
            ({"configuration": old}, "1.15"),
        )
        for options, text in cases:
            with berth.Engine(threads=1, **options) as engine:
                self.assertTrue(repr(engine).endswith(f", Kubernetes {text}>"), repr(engine))

    def test_snapshots(self) -> None:
        with cluster(2, 3) as engine:
            engine.publish().close()
            snapshot = engine.publish()
            counted = "number 2, 2 nodes, 0 pods running, 3 pending"
            self.assertEqual(repr(snapshot), f"<berth.Snapshot: {counted}>")
            self.assertEqual(self.texts(snapshot)[:3], ["berth.Snapshot", "number", "2"])
            snapshot.close()
            self.assertEqual(repr(snapshot), "<berth.Snapshot: the snapshot is closed>")
            self.assertIn("the snapshot is closed", self.texts(snapshot))

    def test_placements(self) -> None:
        with cluster(2, 1) as engine:
            huge = engine.load_objects(pod("huge", "99")).pods[0]
            placed, not_placed = engine.schedule("p0"), engine.decide("huge")
            self.assertEqual(
                repr(placed),
                f"<berth.Placement: pod {placed.pod} on {placed.node}, 2 feasible, "
                f"total {placed.total}>",
            )
            self.assertEqual(
                repr(not_placed),
                f"<berth.Placement: pod {huge} UNSCHEDULABLE, 0 feasible, total 0>",
            )
            self.assertIn(f"{placed.node} (id {placed.node_id})", self.texts(placed))
            self.assertEqual(self.texts(not_placed)[5:7], ["node", "none"])

    def test_explanations(self) -> None:
        with cluster(3, 1) as engine:
            engine.load_objects(pod("huge", "99"))
            why = engine.explain("huge")
            self.assertRegex(
                repr(why),
                r"^<berth.Explanation: pod \d+ UNSCHEDULABLE, 0 feasible, total 0, "
                r"3 nodes refused, 3 Insufficient cpu>$",
            )
            texts = self.texts(why)
            self.assertIn("reasons", texts)
            self.assertEqual(
                texts[-6:],
                ["reason", "plugin", "nodes", "Insufficient cpu", "NodeResourcesFit", "3"],
            )
            fine = engine.explain("p0")
            self.assertRegex(repr(fine), r"on \w, 3 feasible, total \d+, 0 nodes refused>$")
            texts = self.texts(fine)
            self.assertIn("feasible nodes", texts)
            self.assertIn("NodeResourcesFit", texts)
            part = engine.fit_count("p0", 99).explanation
            assert part is not None
            self.assertEqual(repr(part), "<berth.Explanation: 3 nodes refused, 3 Insufficient cpu>")
            affinity = {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["z"]}
                            ]
                        }
                    ]
                }
            }
            engine.load_objects(pod("named", affinity={"nodeAffinity": affinity}))
            named = engine.explain("named")
            assert named.message is not None
            self.assertIn(named.message, self.texts(named))

    def test_preemption(self) -> None:
        with cluster(1) as engine:
            engine.load_objects([pod("low", "4", nodeName="a"), pod("high", "4", priority=9)])
            texts = self.texts(engine.explain("high"))
            self.assertIn("nominated node", texts)
            self.assertEqual(texts[texts.index("victims") + 1], "1")

    def test_long_lists_are_cut(self) -> None:
        with berth.Engine(threads=1) as engine:
            engine.load_objects([node(f"n{i}") for i in range(35)])
            engine.load_objects(pod("p"))
            self.assertEqual(self.texts(engine.explain("p"))[-1], "... and 25 more")
            event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}}
            for count, last in ((10, None), (11, "... and 1 more")):
                texts = self.texts(engine.load_objects([event] * count))
                self.assertEqual([text for text in texts if "more" in text], [last] if last else [])

    def test_notes(self) -> None:
        with berth.Engine(threads=1) as engine:
            event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "<i>e"}}
            loaded = engine.load_objects([event, pod("q")])
            self.assertEqual(
                repr(loaded), "<berth.Loaded: 1 objects, 0 nodes and 1 pods added, 1 notes>"
            )
            note = loaded.notes[0]
            self.assertEqual(repr(note), f"<berth.Note: {note}>")
            self.assertEqual(self.texts(note)[:2], ["berth.Note", "PASSED_OVER"])
            self.assertNotIn("<i>", loaded._repr_html_())
            self.assertIn("<i>e", "".join(self.texts(loaded)))
            script = "<script>alert('&')</script>"
            self.assertIn(script, self.texts(dataclasses.replace(note, word=script))[-1])
            long = dataclasses.replace(note, word="x" * 1000)
            self.assertLess(len(repr(long)), 230)
            self.assertTrue(self.texts(long)[-1].endswith("..."))

    def test_schedulers(self) -> None:
        with cluster(1, 2) as engine, berth.Scheduler(engine, bind=lambda _: None) as loop:
            loop.load_objects(pod("huge", "99"), now_ns=0)
            self.assertEqual(
                repr(loop),
                "<berth.Scheduler: 3 active, 0 backoff, 0 unschedulable, 0 gated, 0 assumed, "
                "0 bound, 0 decisions>",
            )
            loop.run(0)
            texts = self.texts(loop)
            self.assertEqual(texts[0], "berth.Scheduler")
            self.assertEqual(texts[texts.index("unschedulable") + 1], "1")
            self.assertEqual(texts[texts.index("bound") + 1], "2")
        self.assertEqual(repr(loop), "<berth.Scheduler: the engine is closed>")

    def test_columns(self) -> None:
        with cluster(2, 3) as engine:
            engine.load_objects(pod("huge", "99"))
            self.assertEqual(
                [
                    repr(engine.feasible_nodes("p0")),
                    repr(engine.feasible_nodes("p0", totals=True)),
                    repr(engine.node_resources("cpu")),
                    repr(engine.fit_count("p0", 3)),
                    repr(engine.fit_count("p0", 99)),
                    repr(engine.schedule_batch(engine.pending())),
                ],
                [
                    "<berth.FeasibleNodes: 2 nodes, without totals>",
                    "<berth.FeasibleNodes: 2 nodes, with totals>",
                    "<berth.NodeResources: 2 nodes>",
                    "<berth.Capacity: 3 pods, then: the limit>",
                    "<berth.Capacity: 8 pods, then: Insufficient cpu>",
                    "<berth.Batch: 3 of 4 pods placed>",
                ],
            )
            with berth.Scheduler(engine) as loop:
                self.assertEqual(repr(loop.run(0, 1)), "<berth.Steps: 1 steps>")

    def test_no_private_fields(self) -> None:
        for kind in vars(berth).values():
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                shown = [field.name for field in dataclasses.fields(kind) if field.repr]
                self.assertEqual([name for name in shown if name.startswith("_")], [], kind)


if __name__ == "__main__":
    unittest.main()
