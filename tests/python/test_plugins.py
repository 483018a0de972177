"""Filters and scores in Python: what they read, what they return, and what happens to their
exceptions."""

import gc
import threading
import unittest
from typing import Any, Callable, Optional

from common import WORKERS, Case, berth, node, pod


def configuration(filters: bool, scores: bool, arguments: Any = None) -> dict[str, Any]:
    enabled = {"enabled": [{"name": "Own", "weight": 100}]}
    profile: dict[str, Any] = {"plugins": {}, "percentageOfNodesToScore": 100}
    if filters:
        profile["plugins"]["filter"] = {"enabled": [{"name": "Own"}]}
    if scores:
        profile["plugins"]["score"] = enabled
    if arguments is not None:
        profile["pluginConfig"] = [{"name": "Own", "args": arguments}]
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }


def engine_with(plugin: berth.Plugin, nodes: int = 4, **options: Any) -> berth.Engine:
    """An engine with one plugin, nodes n0, n1, ... of 4 cores, and the pending pod p."""
    arguments = options.pop("arguments", None)
    engine = berth.Engine(
        configuration=configuration(plugin.filter is not None, plugin.score is not None, arguments),
        plugins=[plugin],
        **{"threads": 1, **options},
    )
    engine.load_objects([node(f"n{i}", rack=str(i)) for i in range(nodes)])
    engine.load_objects(pod("p"))
    return engine


class Answers(Case):
    def test_a_filter(self) -> None:
        calls = []

        def filter(asking: berth.PluginPod, nodes: berth.PluginNodes) -> list[bool]:
            calls.append(len(nodes))
            return [rack in ("3", "200") for rack in nodes.labels["rack"]]

        for flags in ({}, {"static": True}, {"node_local": True}, {"each": True}):
            for threads in WORKERS:
                calls.clear()
                plugin = berth.Plugin(
                    "Own", filter=filter, node_labels=["rack"], reason="a wrong rack", **flags
                )
                with engine_with(plugin, 300, threads=threads, check_plugins=True) as engine:
                    engine.add_like("p", [f"q{i}" for i in range(20)])
                    batch = engine.schedule_batch(engine.pending())
                    self.assertEqual(
                        sorted(set(engine.node_names(batch.nodes))), ["", "n200", "n3"]
                    )
                    self.assertEqual(batch.placed, 8)
                    self.assertLessEqual(max(calls), 128)
                    fit = engine.fits("q19", "n7")
                    self.assertEqual((fit.plugin, fit.reasons), ("Own", ("a wrong rack",)))
                    self.assertEqual(
                        engine.explain("q19", preemption=False).reasons()["a wrong rack"], 298
                    )

    def test_calls_are_for_slices(self) -> None:
        calls = []
        plugin = berth.Plugin("Own", filter=lambda pod, nodes: calls.append(nodes), static=True)
        with engine_with(plugin, 300) as engine:
            engine.add_like("p", [f"q{i}" for i in range(200)])
            self.assertEqual(engine.schedule_batch(engine.pending()).placed, 201)
            self.assertLessEqual(len(calls), 6)  # calls for a scan, and for the index

    def test_a_score(self) -> None:
        for normalize, best in (
            (berth.Normalize.NONE, "n3"),
            (berth.Normalize.MAX, "n3"),
            (berth.Normalize.MAX_REVERSED, "n0"),
        ):
            plugin = berth.Plugin(
                "Own",
                score=lambda pod, nodes: [int(rack or 0) for rack in nodes.labels["rack"]],
                node_labels=["rack"],
                static=True,
                normalize=normalize,
            )
            with engine_with(plugin) as engine:
                self.assertEqual(engine.decide("p").node, best)

    def test_numpy(self) -> None:
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not there")

        def free(nodes: berth.PluginNodes) -> Any:
            self.assertIsInstance(nodes.allocatable["cpu"], numpy.ndarray)
            return nodes.allocatable["cpu"] - nodes.requested["cpu"]  # type: ignore[operator]

        plugin = berth.Plugin(
            "Own",
            filter=lambda pod, nodes: free(nodes) >= pod.requests["cpu"] + 1000,
            score=lambda pod, nodes: free(nodes) // 100,
            resources=["cpu"],
            node_local=True,
        )
        with engine_with(plugin, check_plugins=True) as engine:
            engine.add_like("p", [f"q{i}" for i in range(20)])
            self.assertEqual(engine.schedule_batch(engine.pending()).placed, 12)

    def test_what_prepare_answers(self) -> None:
        answers = {"skip": False, "on": True, "none": None, "never": "it wants nothing"}

        def prepare(asking: berth.PluginPod) -> Any:
            return answers[asking.labels["wish"] or ""]

        plugin = berth.Plugin(
            "Own",
            filter=lambda pod, nodes: [False] * len(nodes),
            prepare=prepare,
            pod_labels=["wish"],
        )
        with engine_with(plugin) as engine:
            for wish in answers:
                asking = pod(wish)
                asking["metadata"]["labels"] = {"wish": wish}
                engine.load_objects(asking)
            self.assertTrue(engine.decide("skip"))
            self.assertFalse(engine.decide("on"))
            self.assertFalse(engine.decide("none"))
            why = engine.explain("never", preemption=False)
            self.assertEqual(why.pre_filter, "it wants nothing")

    def test_arguments(self) -> None:
        given = []
        plugin = berth.Plugin("Own", filter=lambda *_: None, configure=given.append)
        engine_with(plugin, arguments={"limit": [1, "x"]}).close()
        engine_with(plugin).close()
        self.assertEqual(given, [{"limit": [1, "x"]}, None])

    def test_reserve(self) -> None:
        told: list[Any] = []
        full = False

        def reserve(pod: int, node: int) -> Optional[bool]:
            told.append(("on", pod, node))
            return not full

        plugin = berth.Plugin(
            "Own",
            filter=lambda *_: None,
            reserve=reserve,
            unreserve=lambda pod, node: told.append(("off", pod, node)),
        )
        with engine_with(plugin) as engine:
            first = engine.schedule("p")
            engine.unbind("p")
            self.assertEqual(
                told, [("on", first.pod, first.node_id), ("off", first.pod, first.node_id)]
            )
            full = True
            self.refused(berth.ConflictError, engine.schedule, "p")
            self.assertIsNone(engine.pod_node("p"))
            full = False
            self.assertTrue(engine.schedule("p"))


class Facts(Case):
    def test_what_is_read(self) -> None:
        seen: list[tuple[berth.PluginPod, berth.PluginNodes]] = []
        apps = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}
        plugin = berth.Plugin(
            "Own",
            filter=lambda pod, nodes: seen.append((pod, nodes)),
            domains=lambda pod: [
                berth.Selection("zone", {"matchLabels": {"app": pod.labels["app"]}}),
                berth.Selection("zone", apps, namespaces=["elsewhere"]),
                berth.Selection("zone", apps, namespace_selector={}),
            ],
            each=True,
            resources=["cpu", "example.com/none"],
            node_labels=["zone"],
            node_annotations=["rack"],
            pod_labels=["app", "no"],
            pod_annotations=["wish"],
            node_names=True,
            node_pods=True,
        )
        with engine_with(plugin, 0) as engine:
            for i in range(3):
                each = node(f"n{i}", zone="a" if i else "b")
                each["metadata"]["annotations"] = {"rack": f"r{i}", "other": "x"}
                engine.load_objects(each)
            running = pod("running", nodeName="n1", priority=3)
            running["metadata"].update(labels={"app": "web"}, annotations={"wish": "stay"})
            abroad = pod("abroad", nodeName="n0")
            abroad["metadata"].update(labels={"app": "web"}, namespace="elsewhere")
            waits = pod("waits", "2", priority=7)
            owner = {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": "j",
                "uid": "u",
                "controller": True,
            }
            waits["metadata"].update(
                labels={"app": "web"}, annotations={"wish": "x"}, ownerReferences=[owner]
            )
            loaded = engine.load_objects([running, abroad, waits])
            self.assertTrue(engine.decide("waits"))
            asked, nodes = seen[-1]
            self.assertEqual((asked.namespace, asked.priority), ("default", 7))
            self.assertEqual(asked.id, engine.find_pod("waits"))
            self.assertEqual(asked.requests, {"cpu": 2000, "example.com/none": 0})
            self.assertEqual(asked.labels, {"app": "web", "no": None})
            self.assertEqual(asked.annotations, {"wish": "x"})
            self.assertEqual(asked.owner and asked.owner.name, "j")
            by_name = {name: i for i, name in enumerate(nodes.names)}
            at = [by_name[name] for name in ("n0", "n1", "n2")]
            self.assertEqual([nodes.labels["zone"][i] for i in at], ["b", "a", "a"])
            self.assertEqual([nodes.annotations["rack"][i] for i in at], ["r0", "r1", "r2"])
            self.assertEqual([int(nodes.requested["cpu"][i]) for i in at], [1000, 1000, 0])
            self.assertEqual(nodes.allocatable["example.com/none"].tolist(), [0, 0, 0])
            self.assertEqual(
                [[int(row[i]) for i in at] for row in nodes.domains],
                [[0, 1, 1], [1, 0, 0], [1, 1, 1]],
            )
            here = nodes.pods[by_name["n1"]]
            self.assertEqual(
                here,
                [
                    berth.NodePod(
                        int(loaded.pods[0]),
                        "default",
                        3,
                        {"app": "web", "no": None},
                        {"wish": "stay"},
                    )
                ],
            )
            self.assertEqual(len(nodes.pods[by_name["n2"]]), 0)

    def test_a_static_one_sees_no_usage(self) -> None:
        seen: list[berth.PluginNodes] = []
        plugin = berth.Plugin(
            "Own", filter=lambda pod, nodes: seen.append(nodes), static=True, resources=["cpu"]
        )
        with engine_with(plugin, 1) as engine:
            engine.load_objects(pod("r", nodeName="n0"))
            engine.decide("p")
            self.assertEqual(seen[0].allocatable["cpu"].tolist(), [4000])
            self.assertEqual(seen[0].requested["cpu"].tolist(), [0])

    def test_promises_that_contradict(self) -> None:
        for wrong in (
            berth.Plugin("Own", domains=lambda pod: [], static=True),
            berth.Plugin("Own", domains=lambda pod: []),
            berth.Plugin("Own", node_pods=True, static=True),
            berth.Plugin("Own", resources=["r"] * 17),
            berth.Plugin("Own", pod_labels=["r"] * 9),
        ):
            self.refused(berth.ArgumentError, berth.Engine, plugins=[wrong])
        self.assertRaises(TypeError, berth.Engine, plugins=[berth.Plugin("Own", resources="cpu")])
        self.refused(
            berth.BerthError, berth.Engine, plugins=[berth.Plugin("NodeName", filter=lambda *_: None)]
        )
        flip = iter([True] * 4 + [False] * 1000)
        fickle = berth.Plugin(
            "Own", static=True, filter=lambda pod, nodes: [next(flip) for _ in nodes.ids]
        )
        with engine_with(fickle, check_plugins=True) as engine:
            engine.add_like("p", ["q", "r"])
            error = self.refused(berth.InternalError, engine.schedule_batch, engine.pending())
            self.assertIn("Own", error.message)


class Raising(Case):
    def flaky(self, function: str, **flags: Any) -> tuple[berth.Plugin, Callable[[bool], None]]:
        """A plugin with one function, which raises while a flag is set."""
        failing = True

        def tell(value: bool) -> None:
            nonlocal failing
            failing = value

        def wrapped(answer: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                if failing:
                    raise ZeroDivisionError(function)
                return answer(*arguments)

            return call

        answers: dict[str, Callable[..., Any]] = {
            "filter": lambda pod, nodes: None,
            "score": lambda pod, nodes: [0] * len(nodes),
            "prepare": lambda pod: None,
            "domains": lambda pod: [],
            "reserve": lambda pod, node: None,
            "unreserve": lambda pod, node: None,
        }
        functions = {function: wrapped(answers[function])}
        functions.setdefault("filter", answers["filter"])
        return berth.Plugin("Own", **functions, **flags), tell

    def test_the_call_raises_and_the_engine_goes_on(self) -> None:
        for function in ("filter", "score", "prepare", "domains", "reserve"):
            flags = {"each": True} if function == "domains" else {}
            for threads in WORKERS:
                plugin, tell = self.flaky(function, **flags)
                with self.subTest(function=function), engine_with(
                    plugin, 200, threads=threads
                ) as engine:
                    for call in (engine.schedule, engine.explain, engine.decide):
                        if function == "reserve" and call != engine.schedule:
                            continue
                        self.assertRaises(ZeroDivisionError, call, "p")
                    if function in ("filter", "prepare", "domains", "reserve"):
                        self.assertIsNone(engine.pod_node("p"))
                    tell(False)
                    if engine.pod_node("p") is not None:
                        engine.unbind("p")
                    self.assertTrue(engine.schedule("p"))
                    engine.check()

    def test_no_pod_is_bound_by_a_filter_that_raised(self) -> None:
        calls = 0

        def filter(asking: berth.PluginPod, nodes: berth.PluginNodes) -> None:
            nonlocal calls
            calls += 1
            if calls == 2:  # the first slice fits
                raise KeyError("second slice")

        with engine_with(berth.Plugin("Own", filter=filter), 150) as engine:
            self.assertRaises(KeyError, engine.schedule_batch, engine.pending())
            self.assertIsNone(engine.pod_node("p"))
            self.assertTrue(engine.schedule("p"))

    def test_on_a_branch(self) -> None:
        plugin, tell = self.flaky("filter")
        with engine_with(plugin) as engine, engine.branch() as branch:
            self.assertRaises(ZeroDivisionError, branch.schedule, "p")
            self.assertTrue(engine.counts().pods_pending)
            tell(False)
            self.assertTrue(engine.schedule("p"))
            branch.check()

    def test_of_one_that_is_kept(self) -> None:
        for flags in ({"static": True}, {"node_local": True}):
            plugin, tell = self.flaky("filter", **flags)
            with engine_with(plugin) as engine, engine.branch() as branch:
                self.assertRaises(ZeroDivisionError, engine.schedule, "p")
                tell(False)
                error = self.refused(berth.StateError, engine.decide, "p")
                self.assertIsInstance(error.__cause__, ZeroDivisionError)
                self.refused(berth.StateError, engine.counts)
                self.refused(berth.StateError, branch.counts)
            self.assertTrue(engine.closed)

    def test_prepare_keeps_nothing(self) -> None:
        plugin, tell = self.flaky("prepare", static=True)
        with engine_with(plugin) as engine:
            self.assertRaises(ZeroDivisionError, engine.schedule, "p")
            self.assertIsNone(engine.pod_node("p"))
            tell(False)
            self.assertTrue(engine.schedule("p"))

    def test_unreserve(self) -> None:
        plugin, tell = self.flaky("unreserve")
        with engine_with(plugin) as engine:
            engine.schedule("p")
            self.assertRaises(ZeroDivisionError, engine.unbind, "p")
            self.assertIsNone(engine.pod_node("p"))  # the pod has left even so

    def test_configure(self) -> None:
        def configure(_: Any) -> None:
            raise LookupError("no limit")

        plugin = berth.Plugin("Own", filter=lambda *_: None, configure=configure)
        self.assertRaisesRegex(LookupError, "no limit", engine_with, plugin)

    def test_answers_that_are_none(self) -> None:
        wrong: list[tuple[str, Any, type[Exception]]] = [
            ("filter", lambda pod, nodes: [True], ValueError),
            ("filter", lambda pod, nodes: 5, TypeError),
            ("score", lambda pod, nodes: None, TypeError),
            ("score", lambda pod, nodes: [1], ValueError),
            ("score", lambda pod, nodes: [101] * len(nodes), ValueError),
            ("score", lambda pod, nodes: [-1] * len(nodes), ValueError),
            ("score", lambda pod, nodes: [0.5] * len(nodes), TypeError),
            ("score", lambda pod, nodes: [2**70] * len(nodes), OverflowError),
            ("prepare", lambda pod: 3, TypeError),
            ("domains", lambda pod: [berth.Selection("zone")] * 5, ValueError),
            ("domains", lambda pod: ["zone"], AttributeError),
        ]
        for function, answer, kind in wrong:
            functions = {"filter": lambda *_: None, function: answer}
            plugin = berth.Plugin("Own", each=True, **functions)
            with self.subTest(function=function, kind=kind), engine_with(plugin) as engine:
                self.assertRaises(kind, engine.decide, "p")

    def test_a_loop(self) -> None:
        plugin, tell = self.flaky("filter")
        with engine_with(plugin) as engine, berth.Scheduler(engine) as loop:
            self.assertRaises(ZeroDivisionError, loop.run, 0)
            tell(False)
            loop.run(10**12)
            self.assertIsNotNone(engine.pod_node("p"))

    def test_one_that_uses_the_engine(self) -> None:
        refused: list[berth.BerthError] = []
        holder: list[berth.Engine] = []

        def filter(asking: berth.PluginPod, nodes: berth.PluginNodes) -> None:
            engine = holder[0]
            for call in (engine.counts, lambda: engine.decide("p"), engine.publish, engine.close):
                try:
                    call()
                except berth.StateError as error:
                    refused.append(error)

        for threads in WORKERS:
            with engine_with(berth.Plugin("Own", filter=filter), 300, threads=threads) as engine:
                refused.clear()
                holder[:] = [engine]
                self.assertTrue(engine.schedule("p"))
                self.assertGreaterEqual(len(refused), 4)
                self.assertEqual(len(refused) % 4, 0)

    def test_threads_that_use_branches(self) -> None:
        plugin, tell = self.flaky("filter")
        tell(False)
        with engine_with(plugin, 200) as engine:
            engine.add_like("p", [f"q{i}" for i in range(50)])
            branches = [engine.branch() for _ in range(3)]
            raised: list[BaseException] = []

            def work(branch: berth.Branch) -> None:
                for i in range(50):
                    try:
                        branch.schedule(f"q{i}")
                    except ZeroDivisionError as error:
                        raised.append(error)

            threads = [threading.Thread(target=work, args=(branch,)) for branch in branches]
            for thread in threads:
                thread.start()
            for i in range(40):
                tell(i % 2 == 0)
                try:
                    engine.decide("p")
                except ZeroDivisionError:
                    pass
            tell(False)
            for thread in threads:
                thread.join()
            for branch in branches:
                self.assertTrue(branch.decide("p"))
                branch.check()
                branch.close()

    def test_a_branch_dropped_in_one(self) -> None:
        branches: list[berth.Branch] = []

        def filter(asking: berth.PluginPod, nodes: berth.PluginNodes) -> None:
            branches.clear()
            gc.collect()

        with engine_with(berth.Plugin("Own", filter=filter)) as engine:
            branches.append(engine.branch())
            self.assertTrue(engine.schedule("p"))
            self.assertEqual(branches, [])
            with engine.branch() as branch:
                branch.unbind("p")


if __name__ == "__main__":
    unittest.main()
