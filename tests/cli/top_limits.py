#!/usr/bin/env python3
"""Limits of random pods, added up phase by phase, against those of berth top.

Usage: top_limits.py BERTH PODS SEED
A pod needs the most in one of its phases: each init container runs with the sidecars that started
before it, then all containers run with all sidecars. Prints pods that differ; exits with 1 then.
"""
import json
import random
import subprocess
import sys

BYTES = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
OVERHEAD = {"cpu": "70m", "memory": "10Mi"}


def amount(resource, text):
    number = text.rstrip("mKMGi")
    unit = text[len(number):]
    if resource == "cpu":
        return int(number) if unit == "m" else int(number) * 1000
    return int(number) * BYTES[unit]


def draw_limits(draw, share):
    texts = {"cpu": f"{draw.randint(1, 40) * 50}m", "memory": f"{draw.randint(1, 64) * 32}Mi"}
    return {resource: text for resource, text in texts.items() if draw.random() < share}


def draw_pod(draw, name):
    def container(kind, i):
        return {"name": f"{kind}{i}", "resources": {"limits": draw_limits(draw, 0.6)}}

    init = [container("init", i) for i in range(draw.randint(0, 4))]
    for one in init:
        if draw.random() < 0.5:
            one["restartPolicy"] = "Always"
    spec = {"containers": [container("c", i) for i in range(draw.randint(1, 3))],
            "initContainers": init}
    if draw.random() < 0.3:
        spec["overhead"] = OVERHEAD
    if draw.random() < 0.2:
        spec["resources"] = {"limits": draw_limits(draw, 0.7)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def limit_of(spec, resource):
    def own(container):
        return amount(resource, container["resources"]["limits"].get(resource, "0"))

    init, containers = spec["initContainers"], spec["containers"]
    whole = spec.get("resources", {}).get("limits", {})
    if resource in whole:
        most = amount(resource, whole[resource])
    elif not any(resource in one["resources"]["limits"] for one in init + containers):
        return None
    else:
        most, sidecars = 0, 0
        for one in init:
            most = max(most, sidecars + own(one))
            sidecars += own(one) if "restartPolicy" in one else 0
        most = max(most, sidecars + sum(own(one) for one in containers))
    return most + (amount(resource, OVERHEAD[resource]) if "overhead" in spec else 0)


def expected(spec):
    lasting = spec["containers"] + [one for one in spec["initContainers"] if "restartPolicy" in one]
    whole = spec.get("resources", {}).get("limits", {})
    without = [sum(resource not in one["resources"]["limits"] and resource not in whole
                   for one in lasting) for resource in ("cpu", "memory")]
    return [limit_of(spec, "cpu"), limit_of(spec, "memory"), len(lasting), *without]


def found(row):
    limits = {entry["resource"]: entry["limits"] for entry in row["resources"] if "limits" in entry}
    return [amount(resource, limits[resource]) if resource in limits else None
            for resource in ("cpu", "memory")] + [
                row["containers"], row["withoutCpuLimit"], row["withoutMemoryLimit"]]


def main():
    draw = random.Random(int(sys.argv[3]))
    pods = [draw_pod(draw, f"pod-{i}") for i in range(int(sys.argv[2]))]
    result = subprocess.run(
        [sys.argv[1], "top", "-q", "--by", "owner", "-o", "json", "-f", "-"], check=True,
        input=json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}).encode(),
        stdout=subprocess.PIPE)
    rows = {row["name"]: found(row) for row in json.loads(result.stdout)["owners"]}
    wrong = [pod for pod in pods if rows.get(pod["metadata"]["name"]) != expected(pod["spec"])]
    for pod in wrong[:3]:
        print(json.dumps(pod), rows.get(pod["metadata"]["name"]), "expected", expected(pod["spec"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
