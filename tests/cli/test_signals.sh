#!/usr/bin/env bash
# A run interrupted by SIGINT or SIGTERM ends by that signal, which a shell reports as 130 or 143, without
# printing anything that looks like a result. Result files have either their old or their complete new
# contents.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

BERTH=$berth python3 - "$work" <<'END' || fail "signals"
import os
import signal
import subprocess
import sys
import time

work = sys.argv[1]
berth = os.environ["BERTH"]
failed = False


def complain(what):
    global failed
    failed = True
    print("FAILED", what)


def fresh(folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    for name in ("report.json", "series.csv", "waits.csv", "pods.csv", "page.html"):
        with open(os.path.join(folder, name), "w") as file:
            file.write("old\n")


def contents(folder, name):
    with open(os.path.join(folder, name)) as file:
        return file.read()


def start(arguments, **more):
    # The shell that runs this may ignore SIGINT, which a child inherits.
    return subprocess.Popen([berth, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)


def waits_for_input(child):
    """Until the program has read what there is and sleeps."""
    for _ in range(1000):
        with open(f"/proc/{child.pid}/stat") as file:
            if file.read().rsplit(")", 1)[1].split()[0] == "S":
                return
        time.sleep(0.01)


# In the middle: the rest of the input has not arrived yet.
node = ('{"event": "node_template", "name": "m", "object": {"kind": "Node", "status": {"allocatable": '
        '{"cpu": "4", "memory": "8Gi", "pods": "10"}}}}\n{"time": 0, "event": "node_add", "template": "m", '
        '"name": "n"}\n')
pods = '{"event": "pod_template", "name": "w", "object": {"spec": {"containers": [{"name": "c"}]}}}\n'
pods += "".join(f'{{"time": {i}, "event": "pod_add", "template": "w", "name": "w{i}", "duration": 5}}\n'
                for i in range(1, 400))
one = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}\n'
cases = [
    (["replay", "--plots", "none", "--pods", "-o", work + "/out", "-"], node + pods),
    (["report", "-f", "-", "-o", work + "/out/page.html"], one),
    (["schedule", "-f", "-"], one),
    (["capacity", "-f", "-", "--podspec", "data/podspecs.yaml"], one),
]
for arguments, text in cases:
    for number in (signal.SIGINT, signal.SIGTERM):
        fresh(work + "/out")
        child = start(arguments, stdin=subprocess.PIPE)
        child.stdin.write(text.encode())
        child.stdin.flush()
        waits_for_input(child)
        child.send_signal(number)
        out, _ = child.communicate(timeout=60)
        name = f"{arguments[0]}, {number.name}"
        if child.returncode != -number:
            complain(f"{name}: ended with {child.returncode}")
        if out:
            complain(f"{name}: wrote {out[:200]}")
        for file in ("report.json", "series.csv", "waits.csv", "pods.csv", "page.html"):
            if contents(work + "/out", file) != "old\n":
                complain(f"{name}: {file} has changed")

# At any moment.
page = ["report", "--synthetic", "nodes=2000,pods=2000", "-o", work + "/out/page.html"]
begun = time.monotonic()
fresh(work + "/out")
subprocess.run([berth, *page], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
whole = time.monotonic() - begun
ended = 0
for turn in range(12):
    fresh(work + "/out")
    child = start(page)
    time.sleep(whole * turn / 10)
    child.terminate()
    child.communicate(timeout=60)
    ended += child.returncode == -signal.SIGTERM
    text = contents(work + "/out", "page.html")
    if child.returncode not in (0, -signal.SIGTERM):
        complain(f"report: ended with {child.returncode}")
    if text != "old\n" and not text.rstrip().endswith("</html>"):
        complain(f"report: half a page of {len(text)} bytes")
    if child.returncode == 0 and text == "old\n":
        complain("report: no page")
if ended == 0:
    complain("report: was never interrupted")
sys.exit(failed)
END
finish
