"""An HTTP extender that answers by names, for test_run_extenders.sh.

Usage: extender_server.py LOG [CERTIFICATE]; prints its port. With a certificate (and key) it serves HTTPS.
  /filter      refuses nodes that begin with "bad" ("no room in the rack"), for good those with "worse",
               fails for pods that begin with "broken", answers 500 for "down", and nothing for "silent"
  /prioritize  10 for nodes that begin with "best", else 0
  /preempt     keeps only nodes that begin with "take"
  /bind        takes the pod, unless it begins with "unbound"
Each question is a line of LOG: verb, pod, and the nodes; "whole" if they came as objects.
"""
import json
import sys
import time

import quiet_server


def victims_of(question):
    return question["NodeNameToVictims"] or question["NodeNameToMetaVictims"]


def nodes_of(question):
    if question["NodeNames"] is not None:
        return list(question["NodeNames"]), "names"
    items = question["Nodes"]["items"]
    whole = all("allocatable" in node["status"] for node in items)
    return [node["metadata"]["name"] for node in items], "whole" if whole else "partial"


def filtered(question):
    pod = question["Pod"]["metadata"]["name"]
    names, form = nodes_of(question)
    note("filter", pod, form, *names)
    assert "managedFields" not in question["Pod"]["metadata"]
    if pod.startswith("silent"):
        time.sleep(60)
    if pod.startswith("down"):
        return 500, {}
    if pod.startswith("broken"):
        return 200, {"Error": "the rack is on fire"}
    good = [name for name in names if not name.startswith(("bad", "worse"))]
    failed = {name: "no room in the rack" for name in names if name.startswith("bad")}
    worse = {name: "no rack" for name in names if name.startswith("worse")}
    kept = {"nodenames": good} if form == "names" else {"nodes": {"items": [{"metadata": {"name": n}} for n in good]}}
    return 200, {**kept, "failedNodes": failed, "failedAndUnresolvableNodes": worse, "error": ""}


def prioritized(question):
    names, form = nodes_of(question)
    note("prioritize", question["Pod"]["metadata"]["name"], form, *names)
    return 200, [{"Host": name, "Score": 10 if name.startswith("best") else 0} for name in names]


def preempted(question):
    candidates = victims_of(question)
    note("preempt", question["Pod"]["metadata"]["name"], *sorted(candidates))
    kept = {}
    for node, victims in candidates.items():
        uids = [pod["UID"] if "UID" in pod else pod["metadata"]["uid"] for pod in victims["Pods"]]
        if node.startswith("take"):
            kept[node] = {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": victims["NumPDBViolations"]}
    return 200, {"NodeNameToMetaVictims": kept}


def bound(question):
    note("bind", question["PodNamespace"], question["PodName"], question["PodUID"], question["Node"])
    return 200, {"Error": "it does not want to" if question["PodName"].startswith("unbound") else ""}


VERBS = {"/filter": filtered, "/prioritize": prioritized, "/preempt": preempted, "/bind": bound}


def note(*words):
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        print(*words, file=log)


class Handler(quiet_server.Quiet):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code, answer = VERBS[self.path](question)
        self.answer(code, json.dumps(answer).encode(), [("Content-Type", "application/json")])


quiet_server.serve(Handler, sys.argv[2] if len(sys.argv) > 2 else None)
