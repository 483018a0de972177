#!/usr/bin/env bash
# berth grow: nodes that pending pods need, and nodes that can be removed.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cluster=(-f data/grow.yaml)
shapes=(--shape "m=cpu=4,memory=16Gi,price=0.2" --shape "l=cpu=16,memory=64Gi,price=0.72"
  --shape "g=cpu=8,memory=32Gi,example.com/gpu=1,price=2.5,taint:gpu=yes:PreferNoSchedule")
check grow_table 0 "$berth" grow "${cluster[@]}" "${shapes[@]}"
check grow_json 0 "$berth" grow "${cluster[@]}" "${shapes[@]}" -o json
check grow_yaml 0 "$berth" grow "${cluster[@]}" "${shapes[@]}" -o yaml --summary
check grow_shrink 0 "$berth" grow "${cluster[@]}"
check grow_like 0 "$berth" grow "${cluster[@]}" --shape x=like=old-1,zone=one+two --keep-nodes
check grow_max 0 "$berth" grow "${cluster[@]}" --shape m=cpu=4,memory=16Gi,max=2 --summary
check grow_drain 0 "$berth" grow -f data/drain.yaml

# The best plan can be found by hand: each pod of 7 cpu needs a node of 8; two pairs of pods of 3
# cpu share a node of 8 each, which is cheaper than two nodes of 4; the fifth pod of 3 cpu gets a
# node of 4. The price is 8.6. With at most three nodes of 8, it is 8.7.
check grow_packing 0 "$berth" grow -f data/grow_packing.yaml --shape data/grow_shapes.yaml
check grow_packing_free 0 "$berth" grow -f data/grow_packing.yaml \
  --shape four=cpu=4,memory=16Gi,price=1 --shape eight=cpu=8,memory=32Gi,price=1.9

# The plan works with real nodes: berth schedule places as many pods, each on the same node; with one node
# fewer, some pod has no place.
"$berth" generate --nodes 1 --pods 150 --workload mixed --seed 4 |
  sed 's/"allocatable": {[^}]*}/"allocatable": {"cpu": "0", "memory": "0", "pods": "0"}/' \
    >"$work/cluster.json"
pods() {
  sed -n 's/^ *{"namespace": "\([^"]*\)", "name": "\([^"]*\)", "node": "\([^"]*\)"}.*/\1 \2 \3/p' | sort
}
node() {
  cat <<END
---
apiVersion: v1
kind: Node
metadata: {name: $1, labels: {kubernetes.io/hostname: $1, kubernetes.io/os: linux, kubernetes.io/arch: amd64, topology.kubernetes.io/zone: zone-0}}
status: {allocatable: {cpu: "32", memory: 128Gi, pods: "110", nvidia.com/gpu: "8"}}
END
}
"$berth" grow -f "$work/cluster.json" --keep-nodes -o json \
  --shape n=cpu=32,memory=128Gi,nvidia.com/gpu=8,zone=zone-0 >"$work/plan.json"
pods <"$work/plan.json" >"$work/planned"
count=$(sed -n 's/.*"shape": "n", "price": [0-9.]*, "add": \([0-9]*\),.*/\1/p' "$work/plan.json")
for ((i = 1; i <= count; i++)); do node "n-$i"; done >"$work/nodes.yaml"
"$berth" schedule -f "$work/cluster.json" -f "$work/nodes.yaml" -o json | pods >"$work/placed"
same grow_as_schedule "$work/planned" "$work/placed"
[[ $count -gt 3 && -s $work/planned ]] || fail "grow_as_schedule: $count nodes"
for ((i = 1; i < count; i++)); do node "n-$i"; done >"$work/nodes.yaml"
"$berth" schedule -f "$work/cluster.json" -f "$work/nodes.yaml" -o json | pods >"$work/fewer"
[[ $(wc -l <"$work/fewer") -lt $(wc -l <"$work/planned") ]] || fail "grow_least: one node fewer does"

# The plan is the same whether or not nodes may be removed: pods that would move are listed separately.
plan() { # the new nodes and the placements
  sed -n '/"newNodes"/,/"without"/p'
}
table() {
  sed -n '/^NEW NODE/,/^$/p'
}
filled=(-f "$work/filled.yaml" --shape "m=cpu=4,memory=16Gi")
{
  for node in a b; do
    printf 'apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n' $node
    printf 'status: {allocatable: {cpu: "1", memory: 4Gi, pods: "9"}}\n---\n'
    printf 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: on-%s\n' $node
    printf '  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]\n'
    printf 'spec: {nodeName: %s, containers: [{name: c, image: i, resources: {requests: {cpu: 700m}}}]}\n---\n' $node
  done
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: big}\n'
  printf 'spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}\n'
} >"$work/filled.yaml"
check grow_moves 0 "$berth" grow "${filled[@]}"
check grow_moves_json 0 "$berth" grow "${filled[@]}" -o json
same_plan() { # NAME OPTION...
  "$berth" grow "${@:2}" -o json 2>/dev/null | plan >"$work/asked"
  "$berth" grow "${@:2}" --keep-nodes -o json 2>/dev/null | plan >"$work/kept"
  same "$1_json" "$work/asked" "$work/kept"
  "$berth" grow "${@:2}" 2>/dev/null | table >"$work/asked"
  "$berth" grow "${@:2}" --keep-nodes 2>/dev/null | table >"$work/kept"
  same "$1" "$work/asked" "$work/kept"
  [[ -s $work/kept ]] || fail "$1: no new node"
}
same_plan grow_same_plan_moves "${filled[@]}"
same_plan grow_same_plan "${cluster[@]}" "${shapes[@]}"

# With --exit-code, 1 means that a pending pod has no place in the end.
exits() { # NAME CODE COMMAND...
  name=$1
  run "${@:2}"
}
exits grow_exit_fits 0 "$berth" grow "${filled[@]}" --exit-code
exits grow_exit_no_shape_takes 1 "$berth" grow -f "$work/filled.yaml" --shape s=cpu=1,memory=1Gi --exit-code
exits grow_exit_some_left 1 "$berth" grow "${cluster[@]}" "${shapes[@]}" --exit-code -o json
exits grow_exit_off 0 "$berth" grow "${cluster[@]}" "${shapes[@]}"
exits grow_exit_no_shape 1 "$berth" grow -f "$work/filled.yaml" --exit-code
exits grow_exit_nothing_pending 0 "$berth" grow -f data/nodes.yaml --exit-code

# The answer is the same at every number of threads and on every path.
figures() {
  grep -v '"seconds"'
}
"$berth" grow "${cluster[@]}" "${shapes[@]}" -o json | figures >"$work/one"
for option in "--threads 1" "--threads 2" "--path scan"; do
  # shellcheck disable=SC2086 # two words
  "$berth" grow "${cluster[@]}" "${shapes[@]}" $option -o json | figures >"$work/other"
  same "grow $option" "$work/one" "$work/other"
done

complains grow_nothing 2 "nothing is asked" "$berth" grow "${cluster[@]}" --keep-nodes
complains grow_no_input 2 "no input" "$berth" grow --shape m=cpu=1,memory=1Gi
complains grow_no_memory 3 "shape m: a shape needs cpu and memory" "$berth" grow "${cluster[@]}" --shape m=cpu=1
complains grow_amount 3 "not 'many'" "$berth" grow "${cluster[@]}" --shape m=cpu=many,memory=1Gi
complains grow_price 3 "a price is a number above 0, not '-1'" "$berth" grow "${cluster[@]}" \
  --shape m=cpu=1,memory=1Gi,price=-1
complains grow_prices 3 "shape b has no price" "$berth" grow "${cluster[@]}" \
  --shape a=cpu=1,memory=1Gi,price=1 --shape b=cpu=1,memory=1Gi
complains grow_twice 3 "two shapes of the name 'a'" "$berth" grow "${cluster[@]}" \
  --shape a=cpu=1,memory=1Gi --shape a=cpu=2,memory=1Gi
complains grow_like_nobody 3 "there is no node 'nosuch'" "$berth" grow "${cluster[@]}" --shape a=like=nosuch
complains grow_taint 3 "a taint is KEY=VALUE:EFFECT" "$berth" grow "${cluster[@]}" \
  --shape a=cpu=1,memory=1Gi,taint:x
complains grow_no_file 3 "No such file" "$berth" grow "${cluster[@]}" --shape ./nosuch.yaml
complains grow_no_node 3 "there is no Node in it" "$berth" grow "${cluster[@]}" --shape data/podspecs.yaml
finish
