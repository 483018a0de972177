"""What-ifs on a live engine: does a group of pods fit as a whole, how many more of a pod fit, and can
a node be emptied? Each question is a transaction; a group that fits stays.
"""

from __future__ import annotations

import berth

CLUSTER = """
{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
---
{kind: Node, metadata: {name: b}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
---
{kind: Pod, metadata: {name: running},
 spec: {nodeName: a, containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
---
{kind: Pod, metadata: {name: worker-0},
 spec: {containers: [{name: main, resources: {requests: {cpu: '2'}}}]}}
"""


def try_group(engine: berth.Engine, count: int) -> None:
    """Do all of `count` workers fit? If so, they stay placed."""
    with engine.transaction() as trial:
        more = engine.add_like("worker-0", [f"worker-{i}" for i in range(1, count)])
        fit = engine.schedule_group(["worker-0", *more]).placed == count
        if not fit:
            trial.rollback()
    print(f"{count} workers: {'placed' if fit else 'not placed'}")


def try_drain(engine: berth.Engine, node: str) -> None:
    """Would the pods of a node fit elsewhere?"""
    with engine.what_if():
        pods = engine.node_pods(node)
        engine.close_node(node)
        engine.unbind_batch(pods)
        placed = engine.schedule_group(pods).placed
        print(f"node {node}: {placed} of {len(pods)} pods fit elsewhere")


def main() -> None:
    with berth.Engine() as engine:
        engine.load_text(CLUSTER)
        try_group(engine, 4)
        try_group(engine, 2)
        print(f"{engine.fit_count('worker-0', limit=64).count} more of them would fit")
        try_drain(engine, "a")


if __name__ == "__main__":
    main()
