"""Writes the cluster of test_crash.sh: three nodes, two of which are full; "high" preempts "low",
three pods fit, and one never does.
"""
import json
import sys

items = []


def node(name, cores):
    items.append({"apiVersion": "v1", "kind": "Node",
                  "metadata": {"name": name, "uid": name, "resourceVersion": "1"},
                  "status": {"allocatable": {"cpu": cores, "pods": "110"}, "nodeInfo": {"kubeletVersion": "v1.36.2"}}})


def pod(name, cores, priority, node_name=None):
    spec = {"schedulerName": "default-scheduler", "priority": priority,
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cores}}}]}
    if node_name is not None:
        spec["nodeName"] = node_name
    items.append({"apiVersion": "v1", "kind": "Pod",
                  "metadata": {"name": name, "namespace": "default", "uid": "uid-" + name, "resourceVersion": "3"},
                  "spec": spec, "status": {"phase": "Running" if node_name else "Pending"}})


node("kept", "4")
node("taken", "4")
node("free", "3")
pod("middle", "4", 5, "kept")
pod("low", "4", 0, "taken")
pod("high", "4", 10)
for i in range(3):
    pod(f"web{i}", "1", 0)
pod("huge", "100", 0)
json.dump({"apiVersion": "v1", "kind": "List", "items": items}, sys.stdout)
