"""A live copy of a cluster: an engine that follows the events of a watch. After each event it says
where one pending pod would go now. Here the events are dicts; a program for a real cluster gets them
from the API server, for example from `kubernetes.watch`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import berth


def node(name: str, cpu: str) -> dict[str, Any]:
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": {"cpu": cpu, "pods": "10"}},
    }


def pod(name: str, **spec: str) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": "2"}}}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**spec, "containers": [container]},
    }


EVENTS = [
    ("ADDED", node("a", "2")),
    ("ADDED", pod("web")),
    ("ADDED", pod("other", nodeName="a")),
    ("MODIFIED", node("a", "4")),
    ("ADDED", node("b", "2")),
    ("DELETED", node("a", "4")),
]
KINDS = {"Node": berth.Kind.NODE, "Pod": berth.Kind.POD}


def apply(engine: berth.Engine, event: str, obj: dict[str, Any]) -> None:
    """Applies an event. A watch that starts again repeats objects and may leave out events, so an
    object that is added may exist, and one that is modified or deleted may be unknown."""
    if event != "DELETED":
        # Objects of the API server have its defaults already.
        engine.load_objects(obj, change="apply", defaults=False)
        return
    meta = obj["metadata"]
    try:
        engine.remove(KINDS[obj["kind"]], meta["name"], meta.get("namespace", ""))
    except berth.NotFoundError:
        pass


def answer(engine: berth.Engine) -> str:
    """Where would the pod go? The decision changes nothing: in a cluster, the pod's binding comes
    back as an event."""
    try:
        placement = engine.decide("web")
    except berth.NotFoundError:
        return "web does not exist yet"
    return f"web would go to {placement.node}" if placement.placed else "web fits nowhere"


def follow(engine: berth.Engine, events: Iterable[tuple[str, dict[str, Any]]]) -> None:
    for event, obj in events:
        apply(engine, event, obj)
        print(f"{event} {obj['kind']} {obj['metadata']['name']}: {answer(engine)}")


def main() -> None:
    with berth.Engine() as engine:
        follow(engine, EVENTS)


if __name__ == "__main__":
    main()
