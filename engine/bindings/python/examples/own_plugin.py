"""A plugin of your own: a pod goes to the cheapest node whose price it accepts. The price of a node is
a label, and so is the highest price that a pod accepts. Both follow from objects alone, so the plugin
is static: its answers are computed once for each kind of pod, then found in the index.
"""

from __future__ import annotations

from typing import Any

import berth

PRICE = "example.com/price"
LIMIT = "example.com/highest-price"


def prices(nodes: berth.PluginNodes) -> list[int]:
    return [int(price or 0) for price in nodes.labels[PRICE]]


def accepted(pod: berth.PluginPod, nodes: berth.PluginNodes) -> list[bool] | None:
    limit = pod.labels[LIMIT]
    if limit is None:
        return None  # the pod accepts every price
    return [price <= int(limit) for price in prices(nodes)]


NODE_PRICE = berth.Plugin(
    "NodePrice",
    filter=accepted,
    score=lambda pod, nodes: prices(nodes),
    normalize=berth.Normalize.MAX_REVERSED,
    static=True,
    node_labels=[PRICE],
    pod_labels=[LIMIT],
    reason="node(s) cost more than the pod accepts",
    unresolvable=True,  # preemption does not make a node cheaper,
    wake_on=berth.Wake.NODE_ADD | berth.Wake.NODE_LABELS,  # but these events may
)

# A configuration names the plugin like any other.
CONFIGURATION = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "plugins": {
                "filter": {"enabled": [{"name": "NodePrice"}]},
                "score": {"enabled": [{"name": "NodePrice", "weight": 100}]},
            }
        }
    ],
}


def node(name: str, price: str, cpu: str, memory: str) -> dict[str, Any]:
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {PRICE: price}},
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": "110"}},
    }


def pod(name: str, cpu: str, labels: dict[str, str]) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container]},
    }


def main() -> None:
    with berth.Engine(configuration=CONFIGURATION, plugins=[NODE_PRICE]) as engine:
        engine.load_objects([node("dear", "90", "8", "32Gi"), node("cheap", "20", "2", "8Gi")])
        engine.load_objects([pod("first", "1", {}), pod("thrifty", "4", {LIMIT: "30"})])
        for name in ("first", "thrifty"):
            placement = engine.schedule(name)
            print(f"{name}: {placement.node if placement.placed else engine.explain(name).message}")


if __name__ == "__main__":
    main()
