#!/usr/bin/env bash
# Names and messages never send control sequences to a terminal: results and diagnostics of all
# commands contain no control characters, and no name can start a new line.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

python3 - "$work" <<'END'
import json
import sys

bad = "x\x1b[31m\n\rFORGED\x7f\u009b2J\u0085\t\x07\u202ez"


def write(name, items):
    with open(sys.argv[1] + "/" + name, "w") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)


def node(name, effect):
    room = {"cpu": "4", "memory": "8Gi", "pods": "10", "e.com/r" + bad: "3"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name + bad, "labels": {"l" + bad: "v" + bad,
                                                       "topology.kubernetes.io/zone": "z" + bad}},
            "spec": {"taints": [{"key": "t" + bad, "value": "w" + bad, "effect": effect}]},
            "status": {"allocatable": room, "capacity": room}}


def pod(name, requests, **spec):
    container = {"name": "c" + bad, "image": "i" + bad, "resources": {"requests": requests}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name + bad, "namespace": "ns" + bad, "labels": {"a" + bad: "b" + bad}},
            "spec": {"containers": [container], **spec}}


claim = {"name": "v", "persistentVolumeClaim": {"claimName": "c" + bad}}
items = [
    node("n", "PreferNoSchedule"), node("m", "NoSchedule"),
    pod("fits", {"cpu": "1"}), pod("big", {"cpu": "99", "e.com/r" + bad: "9"}),
    pod("on", {"cpu": "1"}, nodeName="n" + bad), pod("orphan", {"cpu": "1"}, nodeName="gone" + bad),
    pod("picky", {"cpu": "1"}, nodeSelector={"k" + bad: "v" + bad}),
    pod("other", {"cpu": "1"}, schedulerName="other" + bad), pod("claims", {"cpu": "1"}, volumes=[claim]),
    pod("gated", {"cpu": "1"}, schedulingGates=[{"name": "g" + bad}]),
]
write("before.json", items)
write("after.json", items[1:2] + items[:1] + items[2:])
write("spec.json", [pod("more", {"cpu": "1"}), pod("most", {"cpu": "77"})])
write("class.json", items + [pod("prior", {"cpu": "1"}, priorityClassName="pc" + bad)])
write("number.json", items + [pod("number", {"cpu": "1" + bad})])
room = {"cpu": "4", "memory": "8Gi", "pods": "10", "e.com/`touch ran`\"" + bad: "3"}
events = [
    {"event": "node_template", "name": "m" + bad, "object": {"kind": "Node", "status": {"allocatable": room}}},
    {"event": "pod_template", "name": "w" + bad, "object": pod("", {"cpu": "3", "e.com/r" + bad: "1"})},
    {"time": 0, "event": "node_add", "template": "m" + bad, "name": "n" + bad},
    {"time": 1, "event": "pod_add", "template": "w" + bad, "name": "w" + bad},
    {"time": 2, "event": "pod_remove", "name": "gone" + bad},
]
with open(sys.argv[1] + "/trace.jsonl", "w") as file:
    for one in events:
        file.write(json.dumps(one) + "\n")
with open(sys.argv[1] + "/name", "w") as file:
    file.write("ns" + bad + "/big" + bad)
END
control=$'[\x01-\x08\x0b-\x1f\x7f\t]|\xc2[\x80-\x9f]'

# plain NAME CODE COMMAND...: the output is text with no line breaks other than its own, and contains the names
plain() {
  local name=$1 code=$2
  shift 2
  run "$code" timeout 60 "$berth" "$@"
  if grep -qE "$control|^[^:]{0,2}FORGED" "$work/out" "$work/err"; then
    fail "$name: a control character: $(grep -hE "$control|^FORGED" "$work/out" "$work/err" | head -n 1 | cat -v)"
  fi
  grep -qF FORGED "$work/out" "$work/err" || fail "$name: no name is shown"
}

cd "$work" || exit 1
for form in table wide name yaml json csv markdown; do
  plain "schedule_$form" 0 schedule -f before.json -o "$form"
  for by in node namespace zone owner; do
    plain "top_${by}_$form" 0 top -f before.json --by $by -o "$form"
  done
  plain "capacity_$form" 0 capacity -f before.json --podspec spec.json -o "$form"
done
plain verbose 0 schedule -f before.json -v --sort reason
plain strict 3 schedule -f before.json --strict
plain class 0 schedule -f class.json
plain number 3 schedule -f number.json
plain wrong_file 3 schedule -f $'\x1b[31mFORGED'
plain wrong_option 2 schedule $'--\x1b[31mFORGED'
plain explain 0 explain -f before.json "$(cat name)"
plain explain_all 0 explain -f before.json "$(cat name)" --all
plain explain_fits 0 explain -f before.json "$(sed 's/big/fits/' name)" --all
plain explain_nobody 3 explain -f before.json "$(sed 's/big/nobody/' name)"
plain drain 0 drain -f before.json --all
plain compare 0 compare --before before.json --after after.json
plain grow 0 grow -f before.json --shape four=cpu=4,memory=16Gi,pods=10
for form in csv markdown; do
  plain "drain_$form" 0 drain -f before.json --all --moves -o $form
  plain "compare_$form" 0 compare --before before.json --after after.json --moves -o $form
  plain "grow_$form" 0 grow -f before.json -o $form
done
plain replay 0 replay --plots none -o plots trace.jsonl

# A script for gnuplot, which executes backquoted text.
if command -v gnuplot >/dev/null; then
  "$berth" replay --plots svg -o plots trace.jsonl >/dev/null || fail plots
  [[ ! -e plots/ran && ! -e ran ]] || fail "plots: a name was run as a command"
  grep -qF 'title "e.com/?touch?ran' plots/plots.gp || fail "plots: no title for the name"
fi
finish
