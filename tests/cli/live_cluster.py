"""The cluster of test_live_read.sh, made of what `berth generate` writes on standard input.

Usage: live_cluster.py CLUSTER.json [VERSION]; VERSION of the kubelets; without it, nodes report
none. The objects are as a server stores them (uid, times, managed fields), in no order.
"""
import json
import sys

UID = "00000000-0000-4000-8000-%012d"
items = json.load(sys.stdin)["items"]
labels = {"app": "web"}
hashed = {"app": "web", "pod-template-hash": "5d4f7c9b8"}
template = {"metadata": {"labels": labels}, "spec": {"containers": [
    {"name": "c", "image": "web:1", "resources": {"requests": {"cpu": "1"}}}]}}


def add(version, kind, name, body, namespace=None, **metadata):
    metadata["name"] = name
    if namespace is not None:
        metadata["namespace"] = namespace
    items.append({"apiVersion": version, "kind": kind, "metadata": metadata, **body})


def owned_by(kind, name, version="apps/v1"):
    return [{"apiVersion": version, "kind": kind, "name": name, "uid": "u-" + name,
             "controller": True, "blockOwnerDeletion": True}]


for name in ("default", "shop", "kube-system"):
    add("v1", "Namespace", name, {}, labels={"kubernetes.io/metadata.name": name})
add("apps/v1", "Deployment", "web", {"spec": {
    "replicas": 3, "selector": {"matchLabels": labels}, "template": template}}, "shop")
add("apps/v1", "ReplicaSet", "web-5d4f7c9b8", {"spec": {
    "replicas": 3, "selector": {"matchLabels": labels}, "template": template},
    "status": {"replicas": 3}}, "shop", labels=hashed,
    ownerReferences=owned_by("Deployment", "web"))
for number in range(3):
    spec = dict(template["spec"], **({"nodeName": "node-0"} if number == 0 else {}))
    add("v1", "Pod", f"web-5d4f7c9b8-{number}abcd", {"spec": spec}, "shop", labels=hashed,
        ownerReferences=owned_by("ReplicaSet", "web-5d4f7c9b8"))
add("policy/v1", "PodDisruptionBudget", "web", {"spec": {
    "minAvailable": 1, "selector": {"matchLabels": labels}},
    "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1,
               "expectedPods": 3}}, "shop")
add("scheduling.k8s.io/v1", "PriorityClass", "high", {"value": 1000})
add("v1", "LimitRange", "limits", {"spec": {"limits": [
    {"type": "Container", "defaultRequest": {"memory": "64Mi"}}]}}, "shop")
add("resource.k8s.io/v1", "DeviceClass", "gpu.example.com", {"spec": {"selectors": [
    {"cel": {"expression": 'device.driver == "gpu.example.com"'}}]}})
add("resource.k8s.io/v1", "ResourceSlice", "node-1-gpu", {"spec": {
    "driver": "gpu.example.com", "nodeName": "node-1",
    "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
    "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}]}})
add("resource.k8s.io/v1", "ResourceClaim", "one", {"spec": {"devices": {"requests": [
    {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "count": 1,
                                "allocationMode": "ExactCount"}}]}}}, "shop")
add("resource.k8s.io/v1beta2", "DeviceTaintRule", "broken", {"spec": {
    "deviceSelector": {"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"},
    "taint": {"key": "broken", "effect": "NoSchedule"}}})
add("v1", "Pod", "train", {"spec": {
    "resourceClaims": [{"name": "gpu", "resourceClaimName": "one"}],
    "containers": [{"name": "c", "image": "train", "resources": {
        "requests": {"cpu": "1"}, "claims": [{"name": "gpu"}]}}]}}, "shop")
add("v1", "Pod", "huge", {"spec": {"containers": [
    {"name": "c", "image": 'h"[{', "resources": {"requests": {"cpu": "900"}}}]}}, "shop",
    annotations={"note": 'quotes "}], and braces'})
for number, item in enumerate(items):
    item["metadata"].update({
        "uid": "u-" + item["metadata"]["name"] if item["kind"] in ("Deployment", "ReplicaSet")
        else UID % number,
        "resourceVersion": str(number + 1), "creationTimestamp": "2026-01-02T03:04:05Z",
        "managedFields": [{"manager": "kubectl", "operation": "Update", "apiVersion": "v1",
                           "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:items": {}}}}]})
    if item["kind"] == "Node" and len(sys.argv) > 2:
        item.setdefault("status", {})["nodeInfo"] = {"kubeletVersion": sys.argv[2]}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
