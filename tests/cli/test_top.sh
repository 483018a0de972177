#!/usr/bin/env bash
# berth top: requests, limits and free capacity, by node, namespace, zone and owner.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

top=("$berth" top -q -f data/top.yaml)
for by in node namespace zone owner; do
  check "top_$by" 0 "${top[@]}" --by $by
  "${top[@]}" --by $by -o json >"$work/$by.json" || fail "json by $by"
  check "top_name_$by" 0 "${top[@]}" --by $by -o name
done
check top_wide 0 "${top[@]}" -o wide --resource ephemeral-storage
check top_yaml 0 "${top[@]}" -o yaml --summary
check top_summary 0 "${top[@]}" --by owner --summary
check top_only_namespace 0 "${top[@]}" --by owner --only-namespace data --sort memory
check top_sort_pods 0 "${top[@]}" --by namespace --sort pods -o name
check top_sort_cpu 0 "${top[@]}" --sort cpu -o name

# ---- figures, computed by hand ----

# holds DOCUMENT EXPRESSION: the expression is true for the document. All of them are checked together at the
# end.
: >"$work/expressions"
holds() {
  printf '%s\t%s\n' "$1" "${2//$'\n'/ }" >>"$work/expressions"
}

# Pods of n1: web 2 x 600m, plain 100m, db max(1000m, 900m + 200m) + 50m, whole 1.
holds node 'amount("n1", "cpu", "requested") == 1.2 + 0.1 + 1.15 + 1'
holds node 'amount("n1", "memory", "requested") == 2 * 576 * Mi + 456 * Mi + 1024 * Mi'
# Limits: web 2 x 1, db max(700m + 300m, 1500m, 300m + 1300m) + 50m, whole 2.
holds node 'amount("n1", "cpu", "limits") == 2 + 1.65 + 2'
holds node 'amount("n1", "memory", "limits") == 2 * Gi + 456 * Mi + 2 * Gi'
holds node 'amount("n1", "cpu", "free") == 8 - 3.45'
holds node 'amount("n1", "pods", "free") == 5'
# Containers: web 4, plain 1, db 2 (init containers that finish do not count), whole 2, limited by the pod's
# limits.
holds node '(rows["n1"]["containers"], rows["n1"]["withoutCpuLimit"], rows["n1"]["withoutMemoryLimit"]) == (9, 3, 3)'

# Only n1's free capacity counts as free.
holds node '[rows[n]["usable"] for n in ("n1", "n2", "n3", "n4", "n10")] == [True, False, False, False, False]'
holds node '[rows[n]["state"] for n in ("n1", "n2", "n3", "n4", "n10")] == ["open", "open", "tainted", "notReady", "cordoned"]'
holds node 'rows["n2"]["notes"] == ["no room for another pod"] and rows["n3"]["notes"] == ["taint gpu:NoSchedule"]'
holds node 'amount(summary["onNodes"], "cpu", "free") == 8 - 3.45'
holds node 'amount(summary["onNodes"], "cpu", "freeOnClosed") == (2 - 0.4) + (8 - 2) + 4 + (4 - 1)'
holds node 'amount(summary["onNodes"], "example.com/gpu", "free") == 0'
holds node 'amount(summary["onNodes"], "example.com/gpu", "freeOnClosed") == 1'
holds node 'amount("n4", "memory", "free") == 0 and amount("n4", "memory", "freeOnClosed") == 8 * Gi'
holds node '(summary["usableNodes"], summary["fullNodes"], summary["refusedPods"]) == (1, 1, 1)'
holds node 'summary["nodesByState"] == {"open": 2, "tainted": 1, "cordoned": 1, "notReady": 1}'
holds zone '(rows["a"]["nodes"], rows["a"]["usableNodes"], rows["b"]["usableNodes"]) == (2, 1, 0)'
holds zone 'amount("a", "cpu", "requested") == 3.45 + 0.4 and amount("a", "cpu", "freeOnClosed") == 1.6'
holds zone 'amount("b", "memory", "allocatable") == 24 * Gi and amount("b", "memory", "free") == 0'

# Owners: by the ReplicaSet's hash, by the time of a CronJob's run, by the kubelet's name.
kinds='{"web": "Deployment", "plain-5d9c7": "ReplicaSet", "db": "StatefulSet", "nightly": "CronJob",
  "train-20240131": "Job", "proxy": "StaticPod", "bare": "Pod", "whole": "Pod", "waits": "Pod", "lost": "Pod"}'
holds owner "{name: row['kind'] for name, row in rows.items()} == $kinds"
holds owner 'rows["web"]["pods"] == 2 and amount("web", "cpu", "requested") == 1.2 and amount("web", "cpu", "limits") == 2'
holds owner 'amount("db", "cpu", "limits") == 1.65 and amount("db", "memory", "limits") == 456 * Mi'
holds owner 'amount("bare", "cpu", "limits") is None and rows["waits"]["pendingPods"] == 1'
holds namespace 'amount("shop", "cpu", "requested") == 1.2 + 0.1 + 1 + 3 + 0.7'
holds namespace 'rows["shop"]["quotas"] == [{"quota": "team", "resource": "requests.cpu", "used": "6", "hard": "8"},
  {"quota": "team", "resource": "pods", "used": "6", "hard": "10"}]'
holds namespace 'rows["idle"]["pods"] == 0 and rows["idle"]["quotas"][0]["hard"] == "4Gi"'

# Owners and namespaces each add up to nodes, pending pods and pods on missing nodes.
whole='all(abs(sum(amount(row, r, f) or 0 for row in document[document["by"] + "s"])
  - sum(amount(summary[part], r, f) or 0 for part in ("onNodes", "pending", "onMissingNodes"))) < 0.001
  for r in ("cpu", "memory", "pods") for f in ("requested", "limits"))'
parts='all(abs(sum(amount(row, r, f) or 0 for row in document[document["by"] + "s"])
  - (amount(summary["onNodes"], r, f) or 0)) < 0.001 for r in ("cpu", "memory", "pods")
  for f in ("requested", "limits", "allocatable", "free", "freeOnClosed"))'
for by in node namespace zone owner; do
  "$berth" top --synthetic nodes=60,zones=3,running=900,pods=70,workload=mixed,seed=3 --by $by -o json \
    >"$work/large_$by.json" || fail "large by $by"
  for document in $by large_$by; do
    case $by in
      node | zone) holds "$document" "$parts" ;;
      *) holds "$document" "$whole" ;;
    esac
  done
done

# rows by name; amount(ROW, RESOURCE, FIGURE) in cores, bytes or units, or None.
cat >"$work/holds.py" <<'PYTHON'
import json, re, sys
units = {"": 1, "m": 0.001, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 1e3, "M": 1e6, "G": 1e9}
Mi, Gi = 2**20, 2**30
def number(text):
    digits, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", text).groups()
    return round(float(digits) * units[unit], 3)
def amount(row, resource, figure):
    row = rows[row] if isinstance(row, str) else row
    for entry in row["resources"]:
        if entry["resource"] == resource:
            return number(entry[figure]) if figure in entry else None
wrong = 0
for line in open(sys.argv[1] + "/expressions"):
    name, expression = line.rstrip().split("\t")
    document = json.load(open(f"{sys.argv[1]}/{name}.json"))
    rows = {row["name"]: row for row in document.get(document["by"] + "s", [])}
    summary = document["summary"]
    if eval(expression) is not True:
        wrong += 1
        print(f"FAILED {name}: {expression}")
sys.exit(1 if wrong else 0)
PYTHON
if command -v python3 >/dev/null; then
  python3 "$work/holds.py" "$work" || fail figures
  python3 top_limits.py "$berth" 500 1 || fail "limits of random pods"
else
  echo "figures are not checked: no python3"
fi

# ---- inputs and widths ----

check top_empty 0 "$berth" top -f - <<<'{"kind": "List", "apiVersion": "v1", "items": []}'
check top_empty_owner 0 "$berth" top --by owner -f - <<<'{"kind": "List", "apiVersion": "v1", "items": []}'
check top_manifest 0 "$berth" top -n team --by owner -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, resources: {requests: {cpu: 250m, memory: 1Gi}, limits: {memory: 2Gi}}}]}
YAML

# With names like those of EKS, first the shared domain is left out, then the limits of nodes; -o
# wide shows everything.
nodes() { # SUFFIX
  for i in 1 2 11; do
    printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: ip-10-0-4-%s%s}\n' $i "$1"
    printf 'status: {allocatable: {cpu: 15890m, memory: 30123Mi, pods: "234"}}\n'
  done
}
nodes .eu-central-1.compute.internal >"$work/eks.yaml"
nodes -eu-central-1-compute-internal >"$work/long.yaml"
for input in eks long; do
  check top_$input 0 "$berth" top -f "$work/$input.yaml"
  (($(wc -L <"$work/out") <= 100)) || fail "top_$input: too wide"
done
grep -q '^ip-10-0-4-11\.eu-central-1\.compute\.internal ' <("$berth" top -f "$work/eks.yaml" -o wide) ||
  fail "top_eks: -o wide cuts names"

# Sums beyond the largest amount stay at it.
for node in n1 n2; do
  printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s}\n' $node
  printf 'status: {allocatable: {cpu: 4, memory: 8Ei, pods: 10, x.com/r: "9223372036854775807"}}\n'
  printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: p-%s}\n' $node
  printf 'spec: {nodeName: %s, containers: [{name: c, resources: {requests: {x.com/r: "9223372036854775807"}}}]}\n' \
    $node
done | sed 's/8Ei/7Ei/' >"$work/largest.yaml"
check top_largest 0 "$berth" top -f "$work/largest.yaml"
check schedule_largest 0 "$berth" schedule -f "$work/largest.yaml" -o json
"$berth" report -f "$work/largest.yaml" -o - >"$work/out" || fail "report_largest: exit code $?"
grep -q '"[a-zA-Z]*": -[0-9]' "$work/out" && fail "report_largest: $(grep -o '"[a-zA-Z]*": -[0-9]*' "$work/out")"

complains top_namespace_of_nodes 2 "--only-namespace needs --by namespace or --by owner" \
  "${top[@]}" --only-namespace data
complains top_resource 3 "no node or pod of the input names the resource 'example.com/tpu'" \
  "${top[@]}" --resource example.com/tpu
complains top_by 2 "none of: node, namespace, zone, owner" "${top[@]}" --by pod
complains top_no_input 2 "no input" "$berth" top
# The same in the tables of other commands: names are complete if they fit, and with -o wide.
sed -E 's/name: (n[0-9]+)/name: \1.eu-central-1.compute.internal/; s/nodeName: (n[0-9]+)/nodeName: \1.eu-central-1.compute.internal/' \
  data/top.yaml >"$work/cloud.yaml"
for command in "drain --all" "schedule"; do
  # shellcheck disable=SC2086
  COLUMNS=60 "$berth" $command -f "$work/cloud.yaml" >"$work/out" 2>/dev/null
  grep -qF "Node names are shown without .eu-central-1.compute.internal;" "$work/out" || fail "names of $command"
  grep -qE '(^| )n1( |$)' "$work/out" || fail "names of $command: $(cat "$work/out")"
  # Apart from that note, the tables are those of nodes with short names.
  # shellcheck disable=SC2086
  short=$(COLUMNS=60 "$berth" $command -f data/top.yaml 2>/dev/null | grep -v '^$')
  [[ $(grep -v '^$\|shown without\|has them whole' "$work/out") == "$short" ]] || fail "width of $command"
  # shellcheck disable=SC2086
  for wide in "-o wide" ""; do
    COLUMNS=${wide:+60} "$berth" $command -f "$work/cloud.yaml" $wide >"$work/out" 2>/dev/null
    grep -qF "shown without" "$work/out" && [[ -n $wide ]] && fail "names of $command $wide"
  done
done
# A message is broken into lines, so that it does not shorten names as long as it has 24 columns.
for width in 77 78; do
  COLUMNS=$width "$berth" schedule -f "$work/cloud.yaml" >"$work/out" 2>/dev/null
  whole=$(grep -cF " n1.eu-central-1.compute.internal" "$work/out")
  [[ $whole == $((width - 77)) ]] || fail "a message beside names, $width columns: $(cat "$work/out")"
done
# Commands accept the short name, unless two nodes have it.
"$berth" drain -f "$work/cloud.yaml" n1 >"$work/out" 2>/dev/null
grep -q '^n1\.eu-central-1\.compute\.internal ' "$work/out" || fail "a short name: $(cat "$work/out")"
complains short_of_two 3 "node 'n7' is not in the input" "$berth" drain -f - n7 <<'YAML'
{kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: Node, metadata: {name: n7.a}}, {apiVersion: v1, kind: Node, metadata: {name: n7.b}}]}
YAML
finish
