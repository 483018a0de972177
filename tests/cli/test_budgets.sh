#!/usr/bin/env bash
# PodDisruptionBudgets without a status allow the disruptions that the disruption controller would allow.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

# cluster SPEC [UNREADY [REPLICAS]]: four pods of Deployment web on node a, and a budget with that spec.
cluster() {
  local n
  for n in a b c; do
    printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n%s}\nstatus: {allocatable: {cpu: "4", pods: "10"}}\n' $n
  done
  printf -- '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, uid: d}\n'
  printf 'spec: {replicas: %s, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}\n' "${3:-4}"
  for n in 0 1 2 3; do
    printf -- '---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: web-5d-%s\n  uid: u%s\n  labels: {app: web}\n' $n $n
    printf '  ownerReferences: [{apiVersion: apps/v1, kind: %s, name: web-5d, uid: r, controller: true}]\n' "${4:-ReplicaSet}"
    printf 'spec: {nodeName: na, containers: [{name: c}]}\nstatus: {phase: Running, conditions: [{type: Ready, status: "%s"}]}\n' \
      "$([[ $n -lt ${2:-0} ]] && echo False || echo True)"
  done
  printf -- '---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {%s}\n' "$1"
}
# allows NAME COUNT SPEC [UNREADY [REPLICAS [KIND]]]: how many pods may be evicted at a time, and what drain
# reports then.
allows() {
  name=$1
  local count=$2
  shift 2
  cluster "$@" >"$work/in.yaml"
  run 0 "$berth" drain -f "$work/in.yaml" na -o json
  grep -q "must stay, so that $count may go at a time" "$work/err" || fail "$name: $(cat "$work/err")"
  grep -q '"forbidden": true' "$work/out" && [[ $count -gt 0 ]] && fail "$name: forbidden: $(cat "$work/out")"
  grep -q '"forbidden": true' "$work/out" || [[ $count -gt 0 ]] || fail "$name: allowed: $(cat "$work/out")"
}
web='selector: {matchLabels: {app: web}}'
allows min 1 "minAvailable: 3, $web"
allows min_all 0 "minAvailable: 4, $web"
allows min_more 0 "minAvailable: 9, $web"
allows min_share 1 "minAvailable: 75%, $web"
allows min_share_up 1 "minAvailable: 51%, $web"
allows min_whole 0 "minAvailable: 100%, $web"
allows max 2 "maxUnavailable: 2, $web"
allows max_none 0 "maxUnavailable: 0, $web"
allows max_more 4 "maxUnavailable: 7, $web"
allows max_share 1 "maxUnavailable: 25%, $web"
allows max_share_up 2 "maxUnavailable: 26%, $web"
allows neither 0 "$web"
allows everything 3 'minAvailable: 1, selector: {}'
# Pods that are not ready do not count as running; wanted pods that do not exist count as missing.
allows unready 1 "maxUnavailable: 2, $web" 1
allows unready_two 0 "minAvailable: 2, $web" 2
allows wanted_more 0 "maxUnavailable: 2, $web" 0 6
allows wanted_share 1 "minAvailable: 50%, $web" 0 6
allows wanted_share_up 0 "minAvailable: 67%, $web" 1 3
# A DaemonSet has no number of replicas from which to compute a percentage.
allows daemons 0 "maxUnavailable: 1, $web" 0 4 Job
allows daemons_min 1 "minAvailable: 3, $web" 0 4 Job

# An existing status is used, and a budget that matches nothing is not reported.
{
  cluster "minAvailable: 1, $web"
  printf 'status: {disruptionsAllowed: 0}\n'
} >"$work/status.yaml"
name=status
run 0 "$berth" drain -f "$work/status.yaml" na -o json
grep -q '"forbidden": true' "$work/out" || fail "status: $(cat "$work/out")"
grep -q PodDisruptionBudget "$work/err" && fail "status: $(cat "$work/err")"
cluster 'minAvailable: 1, selector: {matchLabels: {app: other}}' >"$work/none.yaml"
run 0 "$berth" drain -f "$work/none.yaml" na
grep -q PodDisruptionBudget "$work/err" && fail "none: $(cat "$work/err")"

# Preemption uses it, too: among full nodes it chooses the one whose pod may be evicted, even if that pod is the
# less important one.
preempts() { # NAME NODE SPEC
  name=$1
  local node=$2 n
  cluster "$3" | sed 's/containers: \[{name: c}\]/containers: [{name: c, resources: {requests: {cpu: "1"}}}]/' >"$work/in.yaml"
  {
    for n in b c; do
      printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: low-%s, uid: l%s}\n' $n $n
      printf 'spec: {nodeName: n%s, priority: 5, containers: [{name: c, resources: {requests: {cpu: "4"}}}]}\n' $n
    done
    printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: high}\n'
    printf 'spec: {priority: 10, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}\n'
  } >>"$work/in.yaml"
  run 0 "$berth" schedule -f "$work/in.yaml" -o json
  grep -q "\"nominatedNode\": \"$node\"" "$work/out" || fail "$name: $(cat "$work/out")"
}
preempts preempt_allowed na "minAvailable: 3, $web"
preempts preempt_violates nb "minAvailable: 4, $web"

for bound in '-1' '"25"' '"%"' '1.5' '"a%"' 'true' '99999999999'; do
  cluster "minAvailable: $bound, $web" >"$work/bad.yaml"
  complains "bound $bound" 3 'spec.minAvailable: expected a number of pods, or a percentage such as "25%"' \
    "$berth" drain -f "$work/bad.yaml" na
done
finish
