"""Consolidation: which nodes does the cluster not need? Each node is first judged alone, on a branch.
Then nodes are emptied one after the other, each in a transaction that is kept only if all pods of the
node have found a place.
"""

from __future__ import annotations

from typing import Any

import berth


def node(name: str) -> dict[str, Any]:
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": {"cpu": "8", "pods": "10"}},
    }


def pod(name: str, where: str, cpu: str) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    return {
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"nodeName": where, "containers": [container]},
    }


def empty(cluster: berth.Cluster, name: str) -> bool:
    """Closes a node and places its pods elsewhere. Returns whether all of them fit."""
    pods = cluster.node_pods(name)
    cluster.close_node(name)
    cluster.unbind_batch(pods)
    return cluster.schedule_group(pods).placed == len(pods)


def go(engine: berth.Engine, name: str) -> bool:
    """Empties this node, unless a pod of it fits nowhere else."""
    with engine.transaction() as trial:
        gone = empty(engine, name)
        if not gone:
            trial.rollback()
    return gone


def main() -> None:
    with berth.Engine() as engine:
        engine.load_objects([node(name) for name in "abc"])
        engine.load_objects(
            [pod("w", "a", "5"), pod("x", "b", "2"), pod("yy", "c", "2"), pod("z", "c", "1")]
        )
        could = {}
        # Branches do not change the engine, and can work on several threads at the same time.
        snapshot = engine.publish()
        for name in engine.node_names(engine.nodes()):
            with snapshot.branch() as branch:
                could[name] = empty(branch, name)
            print(f"{name} alone could go: {str(could[name]).lower()}")
        for name in could:
            if could[name]:
                print(f"{name} goes: {str(go(engine, name)).lower()}")


if __name__ == "__main__":
    main()
