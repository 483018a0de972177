"""Loading, deciding, explaining, counting what fits, transactions."""

import array
import gzip
import json
import os
import pathlib
import tempfile
import unittest

from common import SOURCE, Case, berth, cluster, node, pod


class Loading(Case):
    def test_dicts_as_kubectl_gives_them(self) -> None:
        with berth.Engine(threads=1) as engine:
            whole = {"kind": "List", "apiVersion": "v1", "items": [node("a"), pod("p")]}
            loaded = engine.load_objects(json.loads(json.dumps(whole)))
            self.assertEqual(loaded.objects, 2)
            self.assertEqual(engine.node_names(loaded.nodes), ["a"])
            self.assertEqual(engine.pod_names(loaded.pods), ["default/p"])
            self.assertEqual(engine.load_objects(pod("q")).objects, 1)
            self.assertEqual(engine.load_objects([]).objects, 0)

    def test_notes(self) -> None:
        typo = pod("p")
        typo["spec"]["containers"][0]["resource"] = typo["spec"]["containers"][0].pop("resources")
        event = {"kind": "Event", "apiVersion": "v1", "metadata": {"name": "e"}}
        with berth.Engine(threads=1) as engine:
            self.assertEqual(engine.load_objects(pod("good")).notes, ())
            field, passed_over = engine.load_objects([typo, event]).notes
            self.assertEqual(field.what, berth.NoteKind.UNKNOWN_FIELD)
            self.assertEqual((field.word, field.suggestion), ("resource", "resources"))
            self.assertEqual(field.field, "spec.containers[0].resource")
            self.assertIn("probably meant: resources", str(field))
            self.assertEqual(passed_over.what, berth.NoteKind.PASSED_OVER)
            self.assertEqual((passed_over.kind, passed_over.name), ("Event", "e"))
            many = [dict(event, metadata={"name": f"e{i}"}) for i in range(1100)]
            self.assertEqual(len(engine.load_objects(many).notes), 1000)

    def test_files_and_text(self) -> None:
        data = os.path.join(SOURCE, "tests/cli/data")
        with berth.Engine(threads=1) as engine, tempfile.TemporaryDirectory() as folder:
            engine.load(os.path.join(data, "nodes.yaml"), pathlib.Path(data, "pods.json"))
            before = engine.counts()
            self.assertEqual(before.nodes, 4)
            packed = os.path.join(folder, "more.json.gz")
            with gzip.open(packed, "wt") as file:
                json.dump(node("more"), file)
            engine.load(packed)
            engine.load_text("kind: Pod\nmetadata: {name: text}\nspec: {containers: []}")
            after = engine.counts()
            self.assertEqual(after.nodes, before.nodes + 1)
            self.assertEqual(after.pods_pending, before.pods_pending + 1)

    def test_changes(self) -> None:
        with cluster(1) as engine:
            error = self.refused(berth.ExistsError, engine.load_objects, node("a"))
            self.assertEqual(error.object, "Node a")
            error = self.refused(
                berth.NotFoundError, engine.load_objects, node("z"), change="update"
            )
            self.assertEqual(error.object, "Node z")
            engine.load_objects(node("a", disk="ssd"), change="update")
            engine.load_objects([node("a", cpu="8"), node("b")], change="apply")
            self.assertEqual(engine.node_resource("a", "cpu"), (8000, 0))
            self.assertEqual(engine.counts().nodes, 2)
            engine.remove(berth.Kind.NODE, "b")
            self.refused(berth.NotFoundError, engine.remove, berth.Kind.NODE, "b")
            engine.load_objects(pod("p"))
            engine.remove(berth.Kind.POD, "p")
            self.assertEqual(engine.counts().pods_pending, 0)

    def test_workloads(self) -> None:
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": pod("p")["spec"],
                },
            },
        }
        with cluster(1) as engine, cluster(1) as other:
            self.assertEqual(len(engine.load_objects(deployment).pods), 3)
            self.assertEqual(len(other.load_objects(deployment, templates=True).pods), 1)

    def test_namespace_of_objects_that_name_none(self) -> None:
        named = pod("named")
        named["metadata"]["namespace"] = "other"
        with cluster(1) as engine:
            engine.load_objects([pod("p"), named], namespace="shop")
            engine.load_text(json.dumps(pod("q")), namespace="shop")
            engine.load_objects(pod("r"))
            for namespace, name in (("shop", "p"), ("other", "named"), ("shop", "q"), ("default", "r")):
                self.assertIsNotNone(engine.find_pod(name, namespace), name)
            self.assertIsNone(engine.find_pod("p", "default"))

    def test_errors_say_where(self) -> None:
        with berth.Engine(threads=1) as engine:
            text = "kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: lots}}"
            error = self.refused(berth.ParseError, engine.load_text, text, name="mine.yaml")
            self.assertEqual(error.code, berth.Status.E_PARSE)
            self.assertEqual((error.source, error.object), ("mine.yaml", "Node a"))
            self.assertEqual(error.field, "status.allocatable.cpu")
            self.assertIsInstance(error, ValueError)
            self.assertIn("mine.yaml", str(error))
            self.refused(berth.ParseError, engine.load_text, '{"kind": ')
            self.refused(berth.InputError, engine.load, "/nowhere/cluster.json")
            error = self.refused(
                berth.ExistsError, engine.load_objects, [node("b"), node("b"), node("c")]
            )
            self.assertEqual(error.done, 1)
            self.assertEqual(engine.counts().nodes, 1)

    def test_configurations(self) -> None:
        configuration = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": "mine", "percentageOfNodesToScore": 100}],
        }
        with berth.Engine(threads=1, kubernetes=32, configuration=configuration) as engine:
            engine.load_objects([node("a"), pod("p"), pod("q", schedulerName="mine")])
            self.assertTrue(engine.schedule("q"))
            self.refused(berth.NotFoundError, engine.schedule, "p")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(configuration, file)
            file.flush()
            berth.Engine(threads=1, configuration=file.name).close()
        configuration["profiles"] = [{"plugins": {"score": {"enabled": [{"name": "Nope"}]}}}]
        self.refused(berth.UnsupportedError, berth.Engine, configuration=configuration)
        self.refused(berth.UnsupportedError, berth.Engine, kubernetes=12)
        self.refused(berth.BerthError, berth.Engine, feature_gates="Nope=maybe")


class Deciding(Case):
    def test_one(self) -> None:
        with cluster(2, 2) as engine:
            first = engine.decide("p0")
            self.assertTrue(first.placed)
            self.assertIsNone(engine.pod_node("p0"))
            second = engine.schedule("p0")
            self.assertIs(second.verdict, berth.Verdict.PLACED)
            self.assertEqual(engine.pod_node("default/p0"), second.node_id)
            self.assertEqual(engine.node_name(second.node_id or 0), second.node)
            self.assertEqual(engine.node_pods(second.node or "").tolist(), [second.pod])
            engine.unbind("p0")
            engine.bind("p0", "b")
            self.assertEqual(engine.node_pods("b").tolist(), [second.pod])
            self.refused(berth.StateError, engine.bind, "p0", "b")
            engine.check()

    def test_batches_are_as_single_decisions(self) -> None:
        with cluster(3, 15) as engine, cluster(3, 15) as twin:
            batch = engine.schedule_batch(engine.pending())
            single = [twin.schedule(int(each)) for each in twin.pending()]
            self.assertEqual(len(batch), 15)
            self.assertEqual(batch.placed, 12)
            self.assertEqual(batch.verdicts.tolist(), [each.verdict for each in single])
            self.assertEqual(
                batch.nodes.tolist(),
                [berth.NODE_NONE if each.node_id is None else each.node_id for each in single],
            )
            self.assertEqual(batch.totals.tolist(), [each.total for each in single])
            self.assertEqual(
                batch.feasible_counts.tolist(), [each.feasible_count for each in single]
            )
            self.assertEqual(engine.digest(), twin.digest())
            self.assertEqual(engine.pod_nodes(batch.pods).tolist(), batch.nodes.tolist())

    def test_what_a_batch_takes(self) -> None:
        with cluster(2, 3) as engine:
            ids = engine.pending().tolist()
            for pods in (ids, tuple(ids), array.array("Q", ids), iter(ids), ["p0", "p1", ids[2]]):
                batch = engine.decide_batch(pods)
                self.assertEqual(batch.pods.tolist(), ids)
                self.assertEqual(batch.placed, 3)
            self.assertEqual(len(engine.decide_batch([])), 0)
            self.assertRaises(TypeError, engine.decide_batch, [1.5])
            self.assertRaises((OverflowError, ValueError), engine.decide_batch, [-1])
            error = self.refused(berth.NotFoundError, engine.schedule_batch, [ids[0], 999])
            self.assertEqual(error.done, 1)
            self.assertIsNotNone(engine.pod_node(ids[0]))
            engine.unbind_batch([ids[0]])
            engine.bind_batch(ids, ["a", "b", "a"])
            self.assertEqual(engine.node_names(engine.pod_nodes(ids)), ["a", "b", "a"])
            self.refused(berth.ArgumentError, engine.bind_batch, ids, ["a"])

    def test_numpy_arrays(self) -> None:
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not there")
        with cluster(2, 4) as engine:
            ids = engine.pending()
            self.assertIsInstance(ids, numpy.ndarray)
            self.assertEqual(engine.decide_batch(ids[::2]).placed, 2)
            self.assertEqual(engine.decide_batch(ids.astype("int32")).placed, 4)
            self.assertRaises(TypeError, engine.decide_batch, ids.astype(float))
            self.assertRaises(TypeError, engine.decide_batch, ids.reshape(2, 2))

    def test_like_ones(self) -> None:
        with cluster(2, 1) as engine:
            ids = engine.add_like("p0", [f"copy-{i}" for i in range(5)])
            self.assertEqual(engine.pod_names(ids[:2]), ["default/copy-0", "default/copy-1"])
            self.assertEqual(engine.schedule_batch(ids).placed, 5)
            error = self.refused(berth.ExistsError, engine.add_like, "p0", ["new", "copy-1"])
            self.assertEqual(error.done, 1)
            self.refused(berth.InvalidError, engine.add_like, "p0", ["a\0b"])
            engine.remove_pods(ids)
            self.assertEqual(engine.counts().pods_running, 0)
            self.refused(berth.NotFoundError, engine.remove_pods, ids)

    def test_groups(self) -> None:
        with cluster(2, 9) as engine:
            pods = engine.pending()
            group = engine.schedule_group(pods)
            self.assertEqual(group.placed, 8)
            self.assertEqual(group.verdicts[8], berth.Verdict.UNSCHEDULABLE)
            self.assertEqual(engine.counts().pods_running, 0)
            self.assertEqual(engine.schedule_group(pods[:8]).placed, 8)
            self.assertEqual(engine.counts().pods_running, 8)

    def test_explanations(self) -> None:
        with cluster(3) as engine:
            engine.load_objects([pod("fits"), pod("huge", "9"), pod("gate", schedulingGates=[])])
            engine.cordon("c")
            why = engine.explain("fits")
            assert why.placement is not None
            self.assertTrue(why.placement.placed)
            self.assertIsNone(why.message)
            self.assertEqual(engine.node_names(why.feasible), ["a", "b"])
            sums = [sum(int(column[i]) for column in why.scores.values()) for i in range(2)]
            self.assertEqual(why.totals.tolist(), sums)
            self.assertIn("NodeResourcesFit", why.scores)
            self.assertEqual(why.weights["NodeResourcesFit"], 1)
            self.assertEqual(
                why.raw_scores["NodeResourcesFit"].tolist(), why.scores["NodeResourcesFit"].tolist()
            )
            self.assertEqual(why.raw_scores.keys(), why.scores.keys())
            self.assertIsNone(engine.pod_node("fits"))

            why = engine.explain("huge", preemption=False)
            assert why.message is not None
            self.assertIn("0/3 nodes are available: 1 node(s) were unschedulable", why.message)
            self.assertEqual(
                why.reasons(), {"Insufficient cpu": 2, "node(s) were unschedulable": 1}
            )
            refusals = {engine.node_name(each.node_id): each for each in why.refusals()}
            self.assertEqual(sorted(map(str, refusals)), ["a", "b", "c"])
            self.assertEqual(refusals["c"].plugin, "NodeUnschedulable")
            self.assertEqual(refusals["a"].reasons, ("Insufficient cpu",))
            self.assertIs(refusals["c"].code, berth.Code.UNRESOLVABLE)

    def test_preemption_is_explained(self) -> None:
        with cluster(1) as engine:
            engine.load_objects(pod("low", "4", nodeName="a", priority=0))
            engine.load_objects(pod("high", "4", priority=10))
            why = engine.explain("high")
            self.assertEqual(why.nominated, engine.find_node("a"))
            self.assertEqual(why.victims.tolist(), [engine.find_pod("low")])
            engine.nominate("high", "a")
            engine.nominate("high", None)

    def test_capacity(self) -> None:
        with cluster(2, 1) as engine:
            capacity = engine.fit_count("p0", 100)
            self.assertEqual(capacity.count, 8)
            self.assertEqual(sorted(engine.node_names(capacity.nodes)), ["a"] * 4 + ["b"] * 4)
            assert capacity.explanation is not None and capacity.explanation.message is not None
            self.assertIn("Insufficient cpu", capacity.explanation.message)
            self.assertIsNone(engine.fit_count("p0", 3).explanation)
            self.assertEqual(engine.counts().pods_running, 0)

    def test_resources_and_labels(self) -> None:
        with cluster(1) as engine:
            engine.load_objects([node("z", "2", zone="z1"), pod("p", "500m", nodeName="a")])
            cpu = engine.node_resources("cpu")
            by_name = dict(zip(engine.node_names(cpu.nodes), cpu.free))
            self.assertEqual(by_name, {"a": 3500, "z": 2000})
            self.assertEqual(engine.node_resources("memory", ["z"]).allocatable[0], 16 << 30)
            self.assertEqual(engine.node_labels(["a", "z"], "zone"), [None, "z1"])
            self.assertEqual(engine.node_label("z", "zone"), "z1")
            self.assertEqual(engine.pod_resource("p", "cpu"), 500)
            self.assertEqual(engine.pod_priority("p"), 0)
            self.refused(berth.NotFoundError, engine.node_resource, "nope", "cpu")
            self.refused(berth.NotFoundError, engine.node_resources, "cpu", [77])
            self.assertIsNone(engine.find_node("nope"))
            self.assertIsNone(engine.find_pod("nope", "none"))
            self.assertIsNone(engine.node_name(12345))
            self.assertIsNone(engine.pod_name(12345))
            self.assertEqual(engine.pod_name(engine.find_pod("p") or 0), "default/p")
            self.assertEqual(engine.node_names([berth.NODE_NONE]), [""])

    def test_disruption_budgets(self) -> None:
        budget = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "one"},
            "spec": {"selector": {"matchLabels": {"app": "p"}}},
            "status": {"disruptionsAllowed": 1},
        }
        with cluster(2) as engine:
            pods = [pod("p", nodeName="a"), pod("q", nodeName="a")]
            for each in pods:
                each["metadata"]["labels"] = {"app": "p"}
            engine.load_objects([*pods, budget])
            self.assertEqual(engine.forbidden(["p", "q"]), [False, True])

    def test_orphans(self) -> None:
        with cluster(1) as engine:
            self.assertIsNone(engine.orphan())
            engine.load_objects(pod("p", nodeName="later"))
            self.assertEqual(engine.orphan(), (engine.find_pod("p"), "later"))
            self.assertEqual(engine.counts().pods_orphaned, 1)

    def test_memory(self) -> None:
        with cluster(2) as engine:
            try:
                self.assertGreater(engine.memory().used_bytes, 0)
            except berth.UnsupportedError:
                pass


class Asking(Case):
    def test_does_it_fit(self) -> None:
        with cluster(3, 1) as engine:
            engine.load_objects(pod("huge", "9"))
            engine.cordon("c")
            before = engine.digest()
            self.assertTrue(engine.fits("p0", "a"))
            fit = engine.fits("huge", "a")
            self.assertEqual((bool(fit), fit.plugin), (False, "NodeResourcesFit"))
            self.assertEqual(fit.reasons, ("Insufficient cpu",))
            feasible = engine.feasible_nodes("p0")
            self.assertEqual(engine.node_names(feasible.nodes), ["a", "b"])
            self.assertIsNone(feasible.totals)
            scored = engine.feasible_nodes("p0", totals=True)
            assert scored.totals is not None
            self.assertEqual(scored.totals.tolist(), engine.explain("p0").totals.tolist())
            self.assertEqual(len(engine.feasible_nodes("huge").nodes), 0)
            self.assertEqual(engine.digest(), before)
            self.refused(berth.NotFoundError, engine.fits, "p0", 4711)

    def test_as_many_as_fit(self) -> None:
        with cluster(2, 9) as engine:
            pods = engine.pending()
            self.assertEqual(engine.schedule_pods(pods, minimum=9).placed, 8)
            self.assertEqual(engine.counts().pods_running, 0)
            batch = engine.schedule_pods(pods, stop=True)
            self.assertEqual((batch.placed, batch.nodes[8]), (8, berth.NODE_NONE))
            self.assertEqual(engine.counts().pods_running, 8)

    def test_group_preempts(self) -> None:
        with cluster(2, 8) as engine:
            lower = engine.pending()
            self.assertEqual(engine.schedule_pods(lower).placed, 8)
            engine.load_objects([pod(f"urgent-{i}", "3", priority=10) for i in range(3)])
            urgent = engine.pending()
            self.assertEqual(engine.schedule_pods(urgent).evictions, [])
            before = engine.digest()
            batch = engine.schedule_group(urgent, preempt=True)  # a third has no room
            self.assertEqual((batch.placed, batch.evictions), (2, []))
            self.assertEqual(engine.digest(), before)
            batch = engine.schedule_pods(urgent, preempt=True)
            self.assertEqual(batch.placed, 2)
            preemptors = [one.preemptor for one in batch.evictions]
            self.assertEqual(preemptors, [urgent[0]] * 3 + [urgent[1]] * 3)
            self.assertEqual(batch.evictions[0].node_id, batch.nodes[0])
            for one in batch.evictions:
                self.assertIn(one.victim, lower)
                self.assertIsNone(engine.pod_node(one.victim))

    def test_pod_group(self) -> None:
        group = {
            "apiVersion": "scheduling.k8s.io/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": "g"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}, "priority": 5},
        }
        members = [pod("a"), pod("b")]
        for member in members:
            member["spec"].update(schedulingGroup={"podGroupName": "g"}, priority=5)
        with berth.Engine(threads=1, feature_gates="GenericWorkload=true") as engine:
            engine.load_objects([node("small", "500m"), group, *members])
            out = engine.schedule_pod_group(["a", "b"])
            self.assertFalse(out)
            self.assertIn("minCount (2) cannot be satisfied", out.message)
            self.assertEqual((out.nodes, out.victims, out.preempts), ([None, None], [], False))
            engine.load_objects(node("n1"))
            out = engine.schedule_pod_group(["a", "b"])
            self.assertTrue(out)
            self.assertEqual((out.placed, out.minimum, out.already), (2, 2, 0))
            self.refused(berth.ArgumentError, engine.schedule_pod_group, [])

    def test_nodes_of_a_template(self) -> None:
        agent = {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "agent"},
            "spec": {
                "selector": {"matchLabels": {"app": "agent"}},
                "template": {"metadata": {"labels": {"app": "agent"}}, "spec": pod("x")["spec"]},
            },
        }
        with cluster(1, 8) as engine:
            with engine.what_if():
                nodes = engine.add_nodes([node("new"), agent], 2)
                self.assertEqual(engine.node_names(nodes), ["new-1", "new-2"])
                self.assertEqual(len(engine.node_pods("new-1")), 1)
                self.assertEqual(engine.schedule_batch(engine.pending()).placed, 8)
            self.assertEqual(engine.counts().nodes, 1)
            self.refused(berth.ArgumentError, engine.add_nodes, [agent], 1)
            self.refused(berth.ParseError, engine.add_nodes, node("n", cpu="lots"), 1)

    def test_what_is_kept(self) -> None:
        with cluster(0) as engine:
            tainted = node("a", disk="ssd")
            tainted["spec"] = {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}
            owned = pod("p", "500m", nodeName="a")
            owned["metadata"]["labels"] = {"app": "x"}
            owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u"}
            owned["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
            engine.load_objects([tainted, owned, pod("q")])
            with engine.publish() as snapshot:
                for view in (engine, snapshot):
                    info = view.node_info("a")
                    self.assertEqual((info.name, info.pod_count), ("a", 1))
                    self.assertEqual(info.labels["disk"], "ssd")
                    self.assertEqual(info.taints, (berth.Taint("k", "v", "NoSchedule"),))
                    self.assertEqual(info.allocatable["cpu"], 4000)
                    found = view.pod_info("p")
                    self.assertEqual((found.namespace, found.name), ("default", "p"))
                    self.assertEqual(found.labels, {"app": "x"})
                    self.assertEqual(found.requests["cpu"], 500)
                    self.assertEqual(found.owner, berth.Owner("apps/v1", "ReplicaSet", "r", "u"))
                    self.assertEqual(found.node_id, view.find_node("a"))
                    self.assertIsNone(view.pod_info("q").owner)
                    self.assertEqual(view.pod_label("p", "app"), "x")
                    self.assertIsNone(view.pod_label("q", "app"))
                    self.assertIn("memory", view.resource_names())
                    self.refused(berth.NotFoundError, view.node_info, 4711)
                    self.refused(berth.NotFoundError, view.pod_info, 4711)
            engine.nominate("q", "a")
            self.assertEqual(engine.pod_nominated("q"), engine.find_node("a"))
            self.assertIsNone(engine.pod_nominated("p"))

    def test_statistics(self) -> None:
        with cluster(2, 3) as engine:
            engine.schedule_batch(engine.pending())
            engine.load_objects(pod("q"))
            engine.explain("q")
            statistics = engine.statistics()
            self.assertEqual((statistics.decisions, statistics.placed), (4, 4))
            self.assertEqual(statistics.scans[berth.ScanReason.EXPLAINED], 1)


class Transactions(Case):
    def test_kept_or_taken_back(self) -> None:
        with cluster(2, 2) as engine:
            with engine.transaction():
                engine.schedule("p0")
            self.assertIsNotNone(engine.pod_node("p0"))
            with self.assertRaises(KeyError), engine.transaction():
                engine.schedule("p1")
                raise KeyError
            self.assertIsNone(engine.pod_node("p1"))
            with engine.what_if():
                engine.schedule("p1")
                engine.close_node("a")
            self.assertIsNone(engine.pod_node("p1"))
            with engine.what_if() as attempt:
                engine.schedule("p1")
                attempt.commit()
            self.assertIsNotNone(engine.pod_node("p1"))
            self.assertEqual(engine.depth(), 0)
            engine.check()

    def test_nesting(self) -> None:
        with cluster(2, 2) as engine:
            with engine.transaction() as outer:
                engine.schedule("p0")
                with engine.transaction():
                    engine.schedule("p1")
                    self.assertEqual(engine.depth(), 2)
                    self.refused(berth.StateError, outer.commit)
                outer.rollback()
                self.refused(berth.StateError, outer.rollback)
            self.assertEqual(engine.counts().pods_running, 0)
            with engine.what_if():
                engine.transaction().__enter__()  # left open: it ends with the outer transaction
            self.assertEqual(engine.depth(), 0)

    def test_a_drain(self) -> None:
        with cluster(2, 3) as engine:
            engine.schedule_batch(engine.pending())
            with engine.what_if():
                engine.close_node("a")
                pods = engine.node_pods("a")
                engine.unbind_batch(pods)
                self.assertEqual(engine.schedule_group(pods).placed, len(pods))
                self.assertEqual(set(engine.node_names(engine.pod_nodes(pods))), {"b"})


if __name__ == "__main__":
    unittest.main()
