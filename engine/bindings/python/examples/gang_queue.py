"""A queue of gangs: the pods of a PodGroup start together, once all of them fit. Groups that do not
fit wait in their order, and are tried again when pods have left.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import berth


@dataclasses.dataclass
class Gang:
    name: str
    count: int
    cpu: str

    def names(self) -> list[str]:
        return [f"{self.name}-{i}" for i in range(self.count)]

    def objects(self) -> list[dict[str, Any]]:
        """The PodGroup and its pods."""
        container = {"name": "main", "resources": {"requests": {"cpu": self.cpu}}}
        group = {
            "apiVersion": "scheduling.k8s.io/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": self.name},
            "spec": {"schedulingPolicy": {"gang": {"minCount": self.count}}},
        }
        spec = {"schedulingGroup": {"podGroupName": self.name}, "containers": [container]}
        pods = [{"kind": "Pod", "metadata": {"name": name}, "spec": spec} for name in self.names()]
        return [group, *pods]


def start(engine: berth.Engine, waiting: list[Gang]) -> list[Gang]:
    """Starts every waiting group that fits now, in the order of the queue. Returns the others."""
    still = []
    for gang in waiting:
        outcome = engine.schedule_pod_group(gang.names())
        if outcome:
            print(f"{gang.name}: {outcome.placed} pods started")
        else:
            print(f"{gang.name}: waits for room for {outcome.minimum} pods")
            still.append(gang)
    return still


def finish(engine: berth.Engine, gang: Gang) -> None:
    """The group has ended: its pods leave the cluster."""
    engine.remove_pods(gang.names())
    print(f"{gang.name}: finished")


def main() -> None:
    train, large, small = Gang("train", 3, "4"), Gang("large", 4, "4"), Gang("small", 2, "2")
    with berth.Engine(feature_gates="GenericWorkload=true") as engine:  # follow PodGroups
        amounts = {"allocatable": {"cpu": "8", "pods": "110"}}
        for name in "ab":
            engine.load_objects({"kind": "Node", "metadata": {"name": name}, "status": amounts})
        for gang in (train, large, small):
            engine.load_objects(gang.objects())
        waiting = start(engine, [train, large, small])
        finish(engine, train)
        waiting = start(engine, waiting)
        finish(engine, small)
        start(engine, waiting)


if __name__ == "__main__":
    main()
