"""Shared by the tests of the Python package: small clusters, and the package itself.

WITHOUT_NUMPY in the environment hides numpy, as if it were not installed.
"""

import os
import sys
import threading
import unittest
from typing import Any, Callable, Optional

if os.environ.get("WITHOUT_NUMPY"):
    sys.modules["numpy"] = None  # type: ignore[assignment]

import berth
from berth._native import ffi, lib

__all__ = ["SOURCE", "WORKERS", "Case", "berth", "cluster", "ffi", "lib", "node", "pod"]

SOURCE = os.environ.get(
    "BERTH_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
)

#: How many workers to try. An emulated processor may order memory in ways that the real one does not.
WORKERS = (1,) if os.environ.get("BERTH_EMULATED") else (1, 4)


def node(name: str, cpu: str = "4", **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": "110"}},
    }


def pod(name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


def cluster(nodes: int = 2, pods: int = 0, **options: Any) -> berth.Engine:
    """An engine of nodes a, b, ... of 4 cores and pending pods p0, p1, ... of one."""
    engine = berth.Engine(threads=1, **options)
    engine.load_objects([node(chr(ord("a") + i)) for i in range(nodes)])
    engine.load_objects([pod(f"p{i}") for i in range(pods)])
    return engine


class Case(unittest.TestCase):
    """A test case that can run something on another thread."""

    def beside(self, work: Callable[[], Any]) -> Any:
        """The result of `work` on a thread of its own; if it raises an exception, this call raises
        it."""
        answers: list[Any] = []
        raised: list[BaseException] = []

        def run() -> None:
            try:
                answers.append(work())
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if raised:
            raise raised[0]
        return answers[0]

    def refused(
        self, kind: type[berth.BerthError], work: Callable[..., Any], *arguments: Any, **named: Any
    ) -> Any:
        """The exception that a call raises."""
        error: Optional[berth.BerthError] = None
        try:
            work(*arguments, **named)
        except kind as caught:
            error = caught
        self.assertIsNotNone(error, f"{kind.__name__} was not raised")
        return error
