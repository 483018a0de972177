"""The cost of a decision in batches, compared with the same loop in C: printed, and at most 3 us.

Both place pods of known kinds on 5,000 nodes, batch after batch, on one thread; the time is the
processor's, so that other programs on the machine don't count. BERTH_LOOP names the C program.
"""

import array
import json
import os
import subprocess
import tempfile
import time
import unittest

from common import Case, berth, node, pod

NODES, BATCH, ROUNDS = 5000, 5000, 7
LIMIT_US = 3.0


def objects() -> list[dict[str, object]]:
    kinds = [pod("plain", "10m"), pod("other", "20m", nodeSelector={"zone": "z1"})]
    return [*(node(f"n{i}", "64", zone=f"z{i % 3}") for i in range(NODES)), *kinds]


class Speed(Case):
    def in_python(self, path: str) -> float:
        """Microseconds per decision, the best of some batches."""
        best = float("inf")
        with berth.Engine(threads=1) as engine:
            engine.load(path)
            for turn in range(ROUNDS):
                names = [f"x-{turn}-{i}" for i in range(BATCH // 2)]
                pods = engine.add_like("plain", names).tolist()
                pods += engine.add_like("other", [f"{name}-o" for name in names]).tolist()
                ids = array.array("Q", pods)
                start = time.thread_time_ns()
                batch = engine.schedule_batch(ids)
                best = min(best, (time.thread_time_ns() - start) / 1000 / len(batch))
                self.assertEqual(batch.placed, BATCH)
        return best

    def in_c(self, path: str) -> float:
        command = [os.environ["BERTH_LOOP"], path, str(BATCH), str(ROUNDS)]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def test_a_decision(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"kind": "List", "apiVersion": "v1", "items": objects()}, file)
            file.flush()
            python = min(self.in_python(file.name) for _ in range(2))
            print(f"\nbatches in Python: {python:.2f} us a decision", flush=True)
            if "BERTH_LOOP" in os.environ:
                c = min(self.in_c(file.name) for _ in range(2))
                print(f"the loop in C:     {c:.2f} us a decision", flush=True)
        self.assertLessEqual(python, LIMIT_US)


if __name__ == "__main__":
    unittest.main()
