#!/usr/bin/env bash
# berth schedule --rollout: simulates rollouts step by step, and shows where they get stuck.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

node() { # NAME CPU
  printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s, uid: n%s, labels: {kubernetes.io/hostname: %s}}\nstatus: {allocatable: {cpu: "%s", pods: "30"}}\n' \
    "$1" "$1" "$1" "$2"
}
# workload KIND REPLICAS CPU STRATEGY [UID]: prints a workload named "w".
workload() {
  local key=updateStrategy
  [[ $1 == Deployment ]] && key=strategy
  printf -- '---\napiVersion: apps/v1\nkind: %s\nmetadata: {name: w%s}\nspec:\n  selector: {matchLabels: {app: w}}\n' "$1" "${5:+, uid: $5}"
  [[ $2 == - ]] || printf '  replicas: %s\n' "$2"
  [[ -z $4 ]] || printf '  %s: {%s}\n' $key "$4"
  printf '  template: {metadata: {labels: {app: w}}, spec: {containers: [{name: c, image: "i:1", resources: {requests: {cpu: "%s"}}}]}}\n' "$3"
}
pod() { # NAME OWNER_KIND OWNER NODE CPU
  printf -- '---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: %s\n  uid: u-%s\n  labels: {app: w, pod-template-hash: h}\n' "$1" "$1"
  printf '  ownerReferences: [{apiVersion: apps/v1, kind: %s, name: %s, uid: x, controller: true}]\n' "$2" "$3"
  printf 'spec: {nodeName: %s, containers: [{name: c, image: "i:1", resources: {requests: {cpu: "%s"}}}]}\n' "$4" "$5"
}
# deployed CPU REPLICAS: prints a node with CPU cpu, and a Deployment with REPLICAS pods of 1 cpu
# running on it.
deployed() {
  local i
  node n1 "$1"
  workload Deployment "$2" 1 '' d
  for ((i = 0; i < $2; i++)); do
    pod "w-h-$i" ReplicaSet w-h n1 1
  done
}
# rolls NAME CODE TEXT OPTION...: checks the exit code and the report of the rollout.
rolls() {
  name=$1
  local code=$2 text=$3
  shift 3
  run "$code" "$berth" schedule --rollout --exit-code --summary -f "$work/cluster.yaml" -f "$work/change.yaml" "$@"
  tr -s ' \n' ' ' <"$work/out" >"$work/line"
  grep -qE -- "$text" "$work/line" || fail "$name lacks $text: $(cat "$work/out" "$work/err")"
}

# Ten pods of 1 cpu change their size: at most 25 % more pods at a time, at least 75 % running.
deployed 13 10 >"$work/cluster.yaml"
workload Deployment 10 1.1 '' >"$work/change.yaml"
rolls room 0 'Rollouts Deployment default/w goes through: 10 of 10 replaced; 13 pods at most, 8 running at least'
deployed 10 10 >"$work/cluster.yaml"
workload Deployment 10 900m '' >"$work/change.yaml"
rolls full 0 'goes through: 10 of 10 replaced; 13 pods at most, 8 running at least'
# No pod may be missing, and there is no room for one more.
workload Deployment 10 900m 'rollingUpdate: {maxSurge: 1, maxUnavailable: 0}' >"$work/change.yaml"
rolls stuck 1 'gets stuck: 0 of 10 replaced, 10 old pods stay; default/w-[0-9a-f]+-0 finds no node; 11 pods at most, 10 running at least'
rolls stuck_list 1 'Insufficient cpu'
# One percent of one pod is rounded up to one.
deployed 2 1 >"$work/cluster.yaml"
workload Deployment 1 900m 'rollingUpdate: {maxSurge: 1%, maxUnavailable: 0}' >"$work/change.yaml"
rolls percent 0 'goes through: 1 of 1 replaced; 2 pods at most, 1 running at least'
deployed 10 10 >"$work/cluster.yaml"
workload Deployment 10 900m 'rollingUpdate: {maxSurge: 1, maxUnavailable: 0}' >"$work/change.yaml"
# The state after the rollout is a separate question.
name=after
run 0 "$berth" schedule --exit-code --summary -f "$work/cluster.yaml" -f "$work/change.yaml"
# Half-way: removed pods make room for smaller ones; larger ones run out of room.
workload Deployment 10 2 'rollingUpdate: {maxSurge: 0, maxUnavailable: 40%}' >"$work/change.yaml"
rolls half 1 'gets stuck: 3 of 10 replaced, 3 old pods stay; default/w-[0-9a-f]+-3 finds no node; 10 pods at most, 6 running at least'
workload Deployment 10 1 'type: Recreate' | sed 's/"i:1"/"i:2"/' >"$work/change.yaml"
rolls recreate 0 'goes through: 10 of 10 replaced; 10 pods at most, 0 running at least'
# Both are 0: as in the controller, one pod may be missing.
workload Deployment 10 1 'rollingUpdate: {maxSurge: 0, maxUnavailable: 0}' | sed 's/"i:1"/"i:2"/' >"$work/change.yaml"
rolls zeros 0 'goes through: 10 of 10 replaced; 10 pods at most, 9 running at least'
# The same template is no rollout: only the additional pods are placed.
workload Deployment 12 1 '' >"$work/change.yaml"
name=same
run 1 "$berth" schedule --rollout --exit-code --summary -f "$work/cluster.yaml" -f "$work/change.yaml"
grep -q Rollouts "$work/out" && fail "same: $(cat "$work/out")"
# Larger pods, and more of them.
deployed 20 10 >"$work/cluster.yaml"
workload Deployment 15 1 '' | sed 's/"i:1"/"i:2"/' >"$work/change.yaml"
rolls more 0 'goes through: 15 of 15 replaced'
workload Deployment 4 1 '' | sed 's/"i:1"/"i:2"/' >"$work/change.yaml"
rolls fewer 0 'goes through: 4 of 4 replaced'
name=fewer_left
run 0 "$berth" schedule --rollout -f "$work/cluster.yaml" -f "$work/change.yaml" -o json
tr -d ' \n' <"$work/out" | grep -qF '"rollouts":[{"kind":"Deployment","namespace":"default","name":"w","toReplace":4,"replaced":4,"oldLeft":0,"mostPods":10,"fewestRunning":3,"stuck":false}]' ||
  fail "fewer_left: $(cat "$work/out")"

# A StatefulSet is replaced from the highest number down, one pod at a time, to its partition.
stateful() { # CPU_OF_NODE
  local i
  for i in 0 1 2; do node "n$i" "$1"; done
  workload StatefulSet 3 1 '' s
  for i in 0 1 2; do pod "w-$i" StatefulSet w "n$i" 1; done
}
stateful 2 >"$work/cluster.yaml"
workload StatefulSet 3 2 '' >"$work/change.yaml"
rolls set 0 'StatefulSet default/w goes through: 3 of 3 replaced; 3 pods at most, 2 running at least'
workload StatefulSet 3 3 '' >"$work/change.yaml"
rolls set_stuck 1 'gets stuck: 0 of 3 replaced, 2 old pods stay; default/w-2 finds no node; 3 pods at most, 2 running at least'
workload StatefulSet 3 2 'rollingUpdate: {partition: 2}' >"$work/change.yaml"
rolls partition 0 'goes through: 1 of 1 replaced'
name=partition_after
run 0 "$berth" schedule --summary -f "$work/cluster.yaml" -f "$work/change.yaml"
tr -s ' \n' ' ' <"$work/out" | grep -q '3 running, 3 wanted of another template: 1 to leave, 1 to place; the partition keeps 2' || fail "partition_after: $(cat "$work/out")"
workload StatefulSet 4 2 'rollingUpdate: {partition: 2}' >"$work/change.yaml"
name=partition_grows
run 0 "$berth" schedule --summary -f "$work/cluster.yaml" -f "$work/change.yaml"
tr -s ' \n' ' ' <"$work/out" | grep -q '3 running, 4 wanted of another template: 1 to leave, 2 to place; the partition keeps 2' || fail "partition_grows: $(cat "$work/out")"
workload StatefulSet 3 3 'type: OnDelete' >"$work/change.yaml"
name=on_delete
run 0 "$berth" schedule --rollout --exit-code --summary -f "$work/cluster.yaml" -f "$work/change.yaml"
tr -s ' \n' ' ' <"$work/out" | grep -q 'wait until old ones are deleted (OnDelete)' || fail "on_delete: $(cat "$work/out")"
workload StatefulSet 5 2 '' >"$work/change.yaml"
rolls set_more 1 'gets stuck: 0 of 5 replaced, 3 old pods stay; default/w-3 finds no node'
workload StatefulSet 2 2 '' >"$work/change.yaml"
rolls set_fewer 0 'goes through: 2 of 2 replaced; 2 pods at most, 1 running at least'

# A DaemonSet is replaced node by node; with a surge, the old pod is removed when the new one runs.
daemons() { # CPU_OF_NODE
  local i
  for i in 0 1 2; do node "n$i" "$1"; done
  workload DaemonSet - 1 '' s
  for i in 0 1 2; do pod "w-x$i" DaemonSet w "n$i" 1; done
}
daemons 2 >"$work/cluster.yaml"
workload DaemonSet - 2 '' >"$work/change.yaml"
rolls daemons 0 'DaemonSet default/w goes through: 3 of 3 replaced; 3 pods at most, 2 running at least'
workload DaemonSet - 3 '' >"$work/change.yaml"
rolls daemons_stuck 1 'gets stuck: 0 of 3 replaced, 2 old pods stay'
workload DaemonSet - 3 'rollingUpdate: {maxUnavailable: 2}' >"$work/change.yaml"
rolls daemons_two 1 'gets stuck: 0 of 3 replaced, 1 old pod stays'
workload DaemonSet - 1 'rollingUpdate: {maxSurge: 1, maxUnavailable: 0}' | sed 's/"i:1"/"i:2"/' >"$work/change.yaml"
rolls daemons_surge 0 'goes through: 3 of 3 replaced; 4 pods at most, 3 running at least'
workload DaemonSet - 2 'rollingUpdate: {maxSurge: 1, maxUnavailable: 0}' >"$work/change.yaml"
rolls daemons_surge_stuck 1 'gets stuck: 0 of 3 replaced, 3 old pods stay'
# Pods that admission refuses are never created: the rollout gets stuck.
deployed 20 4 >"$work/cluster.yaml"
{
  printf 'apiVersion: v1\nkind: LimitRange\nmetadata: {name: small, namespace: default}\n'
  printf 'spec: {limits: [{type: Container, max: {cpu: "1"}}]}\n'
  workload Deployment 4 2 ''
} >"$work/change.yaml"
rolls refused 1 'gets stuck: 0 of 4 replaced, 3 old pods stay; 4 pods at most, 3 running at least'
grep -q 'LimitRange small refuses it' "$work/err" || fail "refused: $(cat "$work/err")"

complains rollout_add 2 '--rollout: nothing is changed with --add' \
  "$berth" schedule --rollout --add -f "$work/cluster.yaml" -f "$work/change.yaml"
complains rollout_synthetic 2 '--rollout: nothing is changed' "$berth" schedule --rollout --synthetic nodes=3
"$berth" schedule --rollout -o json -f "$work/cluster.yaml" -f "$work/change.yaml" >"$work/json" 2>/dev/null
python3 check_schema.py ../../tools/schemas "$work/json" || fail schema
finish
