#!/usr/bin/env bash
# berth drain: do the pods of these nodes fit elsewhere?
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cluster=(-f data/drain.yaml)
check drain_all 0 "$berth" drain "${cluster[@]}" --all
check drain_moves 0 "$berth" drain "${cluster[@]}" --moves old-b old-a old-b
check drain_together 0 "$berth" drain "${cluster[@]}" old-a old-c --together
check drain_json 0 "$berth" drain "${cluster[@]}" --all -o json
check drain_together_json 0 "$berth" drain "${cluster[@]}" --all --together -o json
check drain_yaml 0 "$berth" drain "${cluster[@]}" old-b -o yaml
check drain_summary 0 "$berth" drain "${cluster[@]}" --all --summary
check drain_summary_json 0 "$berth" drain "${cluster[@]}" --all --summary -o json
check drain_config 0 "$berth" drain "${cluster[@]}" --all --config data/most.yaml

# A budget that allows nothing keeps its pods, and so do two budgets.
sed 's/disruptionsAllowed: 1/disruptionsAllowed: 0/' data/drain.yaml >"$work/none.yaml"
check drain_forbidden 0 "$berth" drain -f "$work/none.yaml" old-a
{
  cat data/drain.yaml
  printf -- '---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all, namespace: default}\n'
  printf 'spec: {selector: {matchExpressions: [{key: app, operator: Exists}]}}\nstatus: {disruptionsAllowed: 9}\n'
} >"$work/two.yaml"
check drain_two_budgets 0 "$berth" drain -f "$work/two.yaml" old-a

# The answer is the same at every number of threads and on every path.
figures() {
  grep -v -e '"seconds"' -e '"nodesPer'
}
synthetic=(--synthetic "nodes=120,pods=0,running=1500,workload=mixed")
"$berth" drain "${synthetic[@]}" --all -o json --threads 1 | figures >"$work/one"
"$berth" drain "${synthetic[@]}" --all -o json --threads 2 | figures >"$work/two"
"$berth" drain "${synthetic[@]}" --all -o json --path scan | figures >"$work/scan"
same drain_threads "$work/one" "$work/two"
same drain_path "$work/one" "$work/scan"

# Each node is drained as if only this node were cordoned and had lost its pods, independently of
# earlier drains.
"$berth" generate --nodes 40 --zones 3 --pods 0 --running 500 --workload mixed --seed 3 \
  >"$work/cluster.json"
"$berth" drain -f "$work/cluster.json" node-7 node-31 node-12 -o json >"$work/drained.json"
pods() {
  sed -n 's/^ *\({"namespace".*}\),\{0,1\}$/\1/p' |
    sed -e 's/, "bare": true//' -e 's/ preemption: [^"]*//'
}
for node in node-7 node-31 node-12; do
  sed -n "/\"node\": \"$node\",/,/^    }/p" "$work/drained.json" | pods >"$work/moved"
  sed -e "/\"kind\": \"Node\".*\"name\": \"$node\"/{s/\"spec\": {/\"spec\": {\"unschedulable\": true, /;t;s/, \"status\": {/, \"spec\": {\"unschedulable\": true}&/}" \
    -e "s/\"nodeName\": \"$node\", //" "$work/cluster.json" |
    "$berth" schedule -f - -o json | pods >"$work/scheduled"
  same "drain_as_schedule_$node" "$work/moved" "$work/scheduled"
  [[ -s $work/moved ]] || fail "drain_as_schedule_$node: no pod was moved"
done

# A cordoned node is tainted: for spread constraints that honor taints it is no domain any more, so
# its pod may join one elsewhere. Constraints that ignore taints still count it, with no pod.
spread_over() {
  local node
  for node in one two; do
    cat <<YAML
apiVersion: v1
kind: Node
metadata: {name: $node, labels: {kubernetes.io/hostname: $node}}
status: {allocatable: {cpu: 4, memory: 4Gi, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata: {name: on-$node, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: w, controller: true}]}
spec:
  nodeName: $node
  containers: [{name: c}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: $1, labelSelector: {matchLabels: {app: web}}}
status: {phase: Running}
---
YAML
  done
}
spread_over Honor >"$work/honor.yaml"
spread_over Ignore >"$work/ignore.yaml"
"$berth" drain -f "$work/honor.yaml" one --exit-code >"$work/out" || fail "drain_honor: $(cat "$work/out")"
code=0
"$berth" drain -f "$work/ignore.yaml" one --exit-code >"$work/out" || code=$?
((code == 1)) || fail "drain_ignore: $code"
"$berth" drain -f "$work/honor.yaml" --all -o json | grep -c '"placed": 1' | grep -qx 2 || fail "drain_honor_each"
code=0
"$berth" drain -f "$work/honor.yaml" --all --together --exit-code >"$work/out" || code=$?
((code == 1)) || fail "drain_honor_together: $code"

# Nodes are selected by label as in kubectl.
sed -e '/hostname: old-a/s/labels: {/labels: {zone: one, size: "4", spot: "", /' \
  -e '/hostname: old-b/s/labels: {/labels: {zone: two, size: "8", /' \
  -e '/hostname: old-c/s/labels: {/labels: {zone: one, size: "x", example.com\/pool: db, /' \
  data/drain.yaml >"$work/labels.yaml"
selects() { # SELECTOR NODE...
  name="drain_selects $1"
  "$berth" drain -f "$work/labels.yaml" -l "$1" -o json 2>"$work/err" |
    sed -n 's/^ *"node": "\([^"]*\)",$/\1/p' | tr '\n' ' ' >"$work/found"
  [[ $(<"$work/found") == "${*:2} " ]] || fail "$name: $(<"$work/found") $(<"$work/err")"
}
selects zone=one old-a old-c
selects zone==two old-b
selects 'zone!=one' old-b old-d
selects ' zone = one , size = 4 ' old-a
selects 'zone in (one, two),size notin (8)' old-a old-c
selects 'zone in(two)' old-b
selects 'zone notin (one,two)' old-d
selects 'zone' old-a old-b old-c
selects '!zone' old-d
selects 'zone, !spot' old-b old-c
selects 'spot=' old-a
selects 'spot in (,x)' old-a
selects 'size>4' old-b
selects 'size<8' old-a
selects 'example.com/pool=db' old-c
selects 'kubernetes.io/hostname in (old-d, old-b)' old-b old-d
check drain_selector 0 "$berth" drain -f "$work/labels.yaml" --selector zone=one --together
while IFS='|' read -r selector problem; do
  complains "drain_selector $selector" 2 "$problem" "$berth" drain "${cluster[@]}" -l "$selector"
done <<'END'
|a label's name is missing at its end
zone=one,|a label's name is missing at its end
=one|a label's name is missing before '=one'
zone in one|'(' is missing before 'one'
zone in (one|')' is missing at its end
zone one|a comma is missing before 'one'
size>big|a whole number is missing
!zone=one|a comma is missing before '=one'
END
complains drain_selector_none 3 "no node's labels match 'zone=nine'" \
  "$berth" drain "${cluster[@]}" -l zone=nine
complains drain_selector_and_all 2 "exclude each other" "$berth" drain "${cluster[@]}" -l zone --all
complains drain_selector_and_names 2 "exclude each other" "$berth" drain "${cluster[@]}" -l zone old-a

# Names may be in the form of kubectl and -o name; for an unknown one, the nearest is suggested.
"$berth" drain "${cluster[@]}" old-a old-c -o name >"$work/plain" 2>/dev/null
"$berth" drain "${cluster[@]}" node/old-a nodes/old-c -o name >"$work/typed" 2>/dev/null
same drain_typed_names "$work/plain" "$work/typed"
[[ -s $work/typed ]] || fail "drain_typed_names: no node"
complains drain_typed_unknown 3 "node 'old-z' is not in the input; did you mean 'old-a'?" \
  "$berth" drain "${cluster[@]}" node/old-z

# Pods with a volume that only their node reaches are named even if they fit elsewhere.
check drain_local 0 "$berth" drain -f data/drain_local.yaml --all
check drain_local_json 0 "$berth" drain -f data/drain_local.yaml --all -o json

complains drain_no_node 2 "no node to drain" "$berth" drain "${cluster[@]}"
complains drain_names_and_all 2 "exclude each other" "$berth" drain "${cluster[@]}" --all old-a
complains drain_no_cluster 2 "no input" "$berth" drain old-a
complains drain_unknown_node 3 "node 'nosuch' is not in the input" \
  "$berth" drain "${cluster[@]}" nosuch
complains drain_missing 3 "No such file" "$berth" drain -f nosuch --all
# Data in emptyDir volumes is lost; a null emptyDir is ignored.
cat >"$work/empty.yaml" <<'TEXT'
apiVersion: v1
kind: Pod
metadata: {name: cache, uid: e}
spec: {nodeName: old-a, containers: [{name: c}], volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}, {name: w, emptyDir: }]}
---
apiVersion: v1
kind: Pod
metadata: {name: none, uid: u}
spec: {nodeName: old-a, containers: [{name: c}], volumes: [{name: v, configMap: {name: x}}, {name: w, emptyDir: }]}
TEXT
name=empty_dir
run 0 "$berth" drain "${cluster[@]}" -f "$work/empty.yaml" old-a -o json
grep -qE '"name": "cache".*"emptyDir": true' "$work/out" || fail "empty_dir: $(cat "$work/out")"
grep -q '"podsWithEmptyDirs": 1' "$work/out" || fail "empty_dir: $(cat "$work/out")"
run 0 "$berth" drain "${cluster[@]}" -f "$work/empty.yaml" old-a --moves
grep -q 'emptyDir data is lost; no controller' "$work/out" || fail "empty_dir: $(cat "$work/out")"
grep -q '^Data lost    1 pod has emptyDir volumes' "$work/out" || fail "empty_dir: $(cat "$work/out")"
finish
