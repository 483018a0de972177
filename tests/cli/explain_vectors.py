#!/usr/bin/env python3
"""Runs berth explain on the clusters of decision vectors and compares its answer about the first
decision of each scenario with kube-scheduler's decision.

Usage: explain_vectors.py BERTH SCENARIOS FILE...   number of scenarios of each file, from the first
Prints each difference; exits with 1 if there is one, and says how many decisions agreed.
"""
import gzip
import json
import subprocess
import sys

# Members of a scenario, and the kind of their objects.
LISTS = {
    "namespaces": "Namespace",
    "storageClasses": "StorageClass",
    "csiDrivers": "CSIDriver",
    "csiNodes": "CSINode",
    "csiStorageCapacities": "CSIStorageCapacity",
    "persistentVolumes": "PersistentVolume",
    "persistentVolumeClaims": "PersistentVolumeClaim",
    "volumeAttachments": "VolumeAttachment",
    "services": "Service",
    "replicationControllers": "ReplicationController",
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "podDisruptionBudgets": "PodDisruptionBudget",
    "nodes": "Node",
    "pods": "Pod",
}
VERSIONS = {
    "Namespace": "v1", "PersistentVolume": "v1", "PersistentVolumeClaim": "v1", "Service": "v1",
    "ReplicationController": "v1", "Node": "v1", "Pod": "v1", "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1", "PodDisruptionBudget": "policy/v1",
}


def as_objects(scenario):
    """The objects of a scenario as kubectl prints them, without workloads, which would become
    pods."""
    for key, kind in LISTS.items():
        for item in scenario.get(key) or []:
            yield {**item, "kind": kind, "apiVersion": VERSIONS.get(kind, "storage.k8s.io/v1")}
    yield {**scenario["pending"][0], "kind": "Pod", "apiVersion": "v1"}


def expected_of(decision):
    refused = {one["node"]: [one["plugin"], one["code"], sorted(one["reasons"])]
               for one in decision.get("failed") or []}
    totals = dict(zip(decision.get("feasible") or [], decision.get("total") or []))
    scores = {plugin: dict(zip(decision.get("feasible") or [], values))
              for plugin, values in (decision.get("scores") or {}).items()}
    return {
        "refused": refused,
        "totals": totals,
        "scores": scores,
        "nominated": decision.get("nominated"),
        "victims": sorted(decision.get("victims") or []),
        "message": decision.get("message"),
        "bound": decision.get("bound"),
    }


def found_in(document):
    refused = {one["node"]: [one["refusals"][0]["plugin"], one["refusals"][0]["code"],
                             sorted(one["refusals"][0]["reasons"])]
               for one in document["refused"]}
    totals = {one["node"]: one["total"] for one in document["feasible"]}
    scores = {}
    for one in document["feasible"]:
        for score in one["scores"]:
            assert score["normalized"] * score["weight"] == score["score"], score
            scores.setdefault(score["plugin"], {})[one["node"]] = score["score"]
    answer = document["answer"]
    victims = [v["namespace"] + "/" + v["name"] for v in answer.get("victims", [])]
    return {
        "refused": refused,
        "totals": totals,
        "scores": scores,
        "nominated": answer.get("nominatedNode"),
        "victims": sorted(victims),
        "message": answer.get("message"),
        "bound": answer.get("node"),
    }


def ask(berth, scenario, expected):
    pod = scenario["pending"][0]["metadata"]
    name = pod.get("namespace", "default") + "/" + pod["name"]
    cluster = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(as_objects(scenario))})
    command = [berth, "explain", "-f", "-", name, "--all", "--no-remedies", "-o", "json",
               "--kubernetes", expected.get("version", "1.32")]
    if "gates" in expected:
        command += ["--feature-gates", expected["gates"]]
    if expected["mode"] == "all-nodes":
        command += ["--percentage", "100"]
    done = subprocess.run(command, input=cluster, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"failed": done.stderr}
    return found_in(json.loads(done.stdout))


def is_for_explain(scenario, expected):
    """A configuration is written to a file of its own; workloads would become pods when a dump is
    read, and devices need kinds that a dump has in addition."""
    makers = ("replicaSets", "statefulSets", "replicationControllers")
    return ("config" not in scenario and not any(scenario.get(key) for key in makers) and
            "resourceSlices" not in scenario and expected["decisions"] and
            "error" not in expected["decisions"][0])


def compare(berth, line, name):
    scenario, expected = line["scenario"], line["expected"]
    wanted = expected_of(expected["decisions"][0])
    found = ask(berth, scenario, expected)
    ok = True
    for key, value in wanted.items():
        if found.get(key) != value:
            print(f"{name} {scenario['name']}: {key}:\n  expected {value}\n  found    "
                  f"{found.get(key, found)}")
            ok = False
    return ok


def main():
    berth, most = sys.argv[1], int(sys.argv[2])
    good = bad = 0
    for path in sys.argv[3:]:
        taken = 0
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for text in lines:
                line = json.loads(text)
                if taken == most:
                    break
                if not is_for_explain(line["scenario"], line["expected"]):
                    continue
                taken += 1
                if compare(berth, line, path):
                    good += 1
                else:
                    bad += 1
    print(f"{good} decisions agree, {bad} differ")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
