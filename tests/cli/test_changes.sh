#!/usr/bin/env bash
# Manifests for a cluster that already has their workloads: they replace the running pods instead of adding
# more.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

# A cluster as an API server returns it: four nodes, web with two pods, set with two, agent on each node, a Job
# with one, a Service and a bare pod.
pod() { # NAME OWNER_KIND OWNER_NAME NODE LABELS CPU
  cat <<TEXT
---
apiVersion: v1
kind: Pod
metadata:
  name: $1
  namespace: shop
  uid: uid-$1
  labels: {$5}
  ownerReferences: [{apiVersion: apps/v1, kind: $2, name: $3, uid: uid-$3, controller: true}]
spec:
  nodeName: $4
  containers: [{name: c, image: web:1, resources: {requests: {cpu: $6}}}]
status: {phase: Running}
TEXT
}
{
  for n in 1 2 3 4; do
    cat <<TEXT
---
apiVersion: v1
kind: Node
metadata: {name: n$n, uid: uid-n$n, labels: {kubernetes.io/hostname: n$n}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
TEXT
    pod agent-x$n DaemonSet agent n$n "app: agent" 100m
  done
  cat <<TEXT
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: uid-web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {creationTimestamp: null, labels: {app: web}}
    spec:
      containers:
      - {name: c, image: "web:1", imagePullPolicy: IfNotPresent, resources: {requests: {cpu: 500m}}}
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, uid: uid-service}
spec: {selector: {app: web}}
TEXT
  pod web-5d9f-a ReplicaSet web-5d9f n1 "app: web, pod-template-hash: 5d9f" 500m
  pod web-5d9f-b ReplicaSet web-5d9f n2 "app: web, pod-template-hash: 5d9f" 500m
  pod set-0 StatefulSet set n1 "app: set" 200m
  pod set-1 StatefulSet set n2 "app: set" 200m
  pod job-q Job job n3 "app: job" 200m
} >"$work/cluster.yaml"

# A running Deployment: manifest REPLICAS CPU.
deployment() {
  cat <<TEXT
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
$([[ $1 == - ]] || echo "  replicas: $1")
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: "web:1", resources: {requests: {cpu: $2}}}]
TEXT
}
set_of() { # KIND NAME REPLICAS CPU
  cat <<TEXT
apiVersion: ${5:-apps/v1}
kind: $1
metadata: {name: $2, namespace: shop}
spec:
$([[ $3 == - ]] || echo "  replicas: $3")
  selector: {matchLabels: {app: $2}}
  template:
    metadata: {labels: {app: $2}}
    spec:
      containers: [{name: c, image: "web:1", resources: {requests: {cpu: $4}}}]
TEXT
}

# says NAME TEXT PENDING OPTION...: checks the message about the change, and the number of pods to be placed.
says() {
  name=$1
  local text=$2 pending=$3
  shift 3
  run 0 "$berth" schedule --summary "$@"
  grep -qF "$text" "$work/out" || fail "$name: expected \"$text\": $(cat "$work/out" "$work/err")"
  grep -qE "^Bound +$pending of $pending " "$work/out" || fail "$name: $(grep Bound "$work/out")"
}

deployment 5 0.5 >"$work/more.yaml"
says more "Deployment shop/web: 2 running, 5 wanted, 3 more to place" 3 -f "$work/cluster.yaml" -f "$work/more.yaml"
says more_first "Deployment shop/web: 2 running, 5 wanted, 3 more to place" 3 -f "$work/more.yaml" -f "$work/cluster.yaml"
deployment 1 500m >"$work/fewer.yaml"
says fewer "Deployment shop/web: 2 running, 1 wanted, 1 to leave" 0 -f "$work/cluster.yaml" -f "$work/fewer.yaml"
deployment - 500m >"$work/open.yaml"
says open "Deployment shop/web: 2 running, 2 wanted, nothing changes" 0 -f "$work/cluster.yaml" -f "$work/open.yaml"
deployment 3 700m >"$work/other.yaml"
says other "Deployment shop/web: 2 running, 3 wanted of another template: 2 to leave, 3 to place" 3 \
  -f "$work/cluster.yaml" -f "$work/other.yaml"

# The message is broken where the line ends, at any width.
for width in {70..80}; do
  COLUMNS=$width "$berth" schedule -q --summary -f "$work/cluster.yaml" -f "$work/other.yaml" >"$work/out"
  widest=$(grep -A1 '^Changes' "$work/out" | wc -L)
  ((widest <= width)) || fail "changes_narrow: $widest columns of $width"
done

# Pods alone also show what is running: kubectl get nodes,pods.
awk 'BEGIN { RS = "---\n"; ORS = "---\n" } !/kind: Deployment\nmetadata: \{name: web/' "$work/cluster.yaml" >"$work/pods.yaml"
says pods "Deployment shop/web: 2 running, 5 wanted, 3 more to place" 3 -f "$work/pods.yaml" -f "$work/more.yaml"
says pods_other "Deployment shop/web: 2 running, 3 wanted of another template: 2 to leave, 3 to place" 3 \
  -f "$work/pods.yaml" -f "$work/other.yaml"

# The StatefulSet's own object may be in the input, too, before or after the manifest.
set_of StatefulSet set 3 200m >"$work/set.yaml"
set_of StatefulSet set 2 200m | sed 's/^metadata: {name: set/&, uid: s/; s/^  name: set$/&\n  uid: s/' >"$work/seen_set.yaml"
grep -q 'uid: s' "$work/seen_set.yaml" || fail "seen_set: $(cat "$work/seen_set.yaml")"
says set_seen "StatefulSet shop/set: 2 running, 3 wanted, 1 more to place" 1 \
  -f "$work/cluster.yaml" -f "$work/seen_set.yaml" -f "$work/set.yaml"
says set_seen_late "StatefulSet shop/set: 2 running, 3 wanted, 1 more to place" 1 \
  -f "$work/cluster.yaml" -f "$work/set.yaml" -f "$work/seen_set.yaml"
# StatefulSets are matched by name, DaemonSets by node, Jobs not at all.
set_of StatefulSet set 3 200m >"$work/set.yaml"
says set "StatefulSet shop/set: 2 running, 3 wanted, 1 more to place" 1 -f "$work/cluster.yaml" -f "$work/set.yaml"
set_of StatefulSet set 1 200m >"$work/set1.yaml"
says set_fewer "StatefulSet shop/set: 2 running, 1 wanted, 1 to leave" 0 -f "$work/cluster.yaml" -f "$work/set1.yaml"
set_of StatefulSet set 2 300m >"$work/set2.yaml"
says set_other "StatefulSet shop/set: 2 running, 2 wanted of another template: 2 to leave, 2 to place" 2 \
  -f "$work/cluster.yaml" -f "$work/set2.yaml"
set_of DaemonSet agent - 100m >"$work/agent.yaml"
says agent "DaemonSet shop/agent: 4 running, 4 wanted, nothing changes" 0 -f "$work/cluster.yaml" -f "$work/agent.yaml"
set_of DaemonSet agent - 200m >"$work/agent2.yaml"
says agent_other "DaemonSet shop/agent: 4 running, 4 wanted of another template: 4 to leave, 4 to place" 4 \
  -f "$work/cluster.yaml" -f "$work/agent2.yaml"
set_of Job job - 200m batch/v1 >"$work/job.yaml"
says job "Job shop/job: is there already, and a Job's pods do not change" 0 -f "$work/cluster.yaml" -f "$work/job.yaml"

# Of many changes the first are listed, and the others counted.
name=many_changes
for number in {10..22}; do
  echo ---
  pod "s$number-0" StatefulSet "s$number" n3 "app: s$number" 10m
done >"$work/many_pods.yaml"
for number in {10..22}; do
  echo ---
  set_of StatefulSet "s$number" 2 10m
done >"$work/many_sets.yaml"
run 0 "$berth" schedule --summary -f "$work/cluster.yaml" -f "$work/many_pods.yaml" -f "$work/many_sets.yaml"
grep -qF ": and 3 more changes, 3 times" "$work/err" || fail "many_changes: $(cat "$work/err")"

# Other objects: a Service takes the manifest's state, a running pod stays.
printf 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: other}}\n' \
  >"$work/service.yaml"
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: job-q, namespace: shop}\nspec: {containers: [{name: c}]}\n' \
  >"$work/pod.yaml"
for order in "$work/cluster.yaml -f $work/service.yaml -f $work/pod.yaml" \
  "$work/service.yaml -f $work/pod.yaml -f $work/cluster.yaml"; do
  name=twins
  # shellcheck disable=SC2086
  run 0 "$berth" schedule --summary -f $order
  grep -qE '^Bound +0 of 0 ' "$work/out" || fail "twins: $(grep Bound "$work/out")"
done

# --add adds the pods to the existing ones.
name=add
run 0 "$berth" schedule --summary --add -f "$work/cluster.yaml" -f "$work/more.yaml"
grep -qE '^Bound +5 of 5 ' "$work/out" || fail "add: $(grep Bound "$work/out")"
grep -q running, "$work/out" && fail "add: a change was told"
name=json
run 0 "$berth" schedule -o json -f "$work/cluster.yaml" -f "$work/other.yaml"
grep -qF '{"kind": "Deployment", "namespace": "shop", "name": "web", "running": 2, "wanted": 3, "leaving": 2, "toPlace": 3, "anotherTemplate": true}' \
  "$work/out" || fail "json: $(grep -A3 changes "$work/out")"
# As with kubectl apply, the later of two objects with the same name counts; a warning says so.
name=twice
run 0 "$berth" schedule --summary -f "$work/cluster.yaml" -f "$work/more.yaml" -f "$work/other.yaml"
grep -qF "Deployment shop/web: 2 running, 3 wanted of another template" "$work/out" || fail "twice: $(cat "$work/out")"
grep -qE "other.yaml:1: Deployment shop/web: it replaces an earlier one, at .*/more.yaml:1" "$work/err" ||
  fail "twice: $(cat "$work/err")"
complains twice_strict 3 "which --strict makes an error" "$berth" schedule --strict -f "$work/cluster.yaml" \
  -f "$work/more.yaml" -f "$work/other.yaml"
for port in 80 81; do
  printf 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n'
  printf 'spec: {selector: {app: web}, ports: [{port: %s}]}\n---\n' "$port"
done >"$work/services.yaml"
run 0 "$berth" schedule --summary -f "$work/cluster.yaml" -f "$work/services.yaml"
grep -qE "Service shop/web: it replaces one of an earlier manifest$" "$work/err" || fail "twice: $(cat "$work/err")"
for number in {1..12} {1..12}; do
  printf 'apiVersion: v1\nkind: Service\nmetadata: {name: s%s, namespace: shop}\n' "$number"
  printf 'spec: {selector: {app: web}, ports: [{port: 80}]}\n---\n'
done >"$work/services.yaml"
run 0 "$berth" schedule --summary -f "$work/cluster.yaml" -f "$work/services.yaml"
grep -qF "and 2 more values that an API server refuses, 2 times" "$work/err" || fail "many: $(cat "$work/err")"

# --exit-code considers the pods of manifests and the listed namespace.
{
  cat "$work/cluster.yaml"
  printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: stuck, namespace: other, uid: uid-stuck}\n'
  printf 'spec: {containers: [{name: c, resources: {requests: {cpu: "99"}}}]}\n'
} >"$work/stuck.yaml"
deployment 5 99 >"$work/large.yaml"
exits() { # NAME CODE OPTION...
  name=$1
  local code=$2
  shift 2
  run "$code" "$berth" schedule --exit-code --summary "$@"
}
exits stuck 1 -f "$work/stuck.yaml"
exits stuck_elsewhere 0 -f "$work/stuck.yaml" --only-namespace shop
exits stuck_before 0 -f "$work/stuck.yaml" -f "$work/more.yaml"
exits large 1 -f "$work/stuck.yaml" -f "$work/large.yaml"

# Every command that reads a cluster answers for the state after the change.
name=capacity
run 0 "$berth" drain --all --summary -f "$work/cluster.yaml" -f "$work/other.yaml"
grep -q "2 to leave, 3 to place" "$work/err" || fail "drain: $(cat "$work/err")"
finish
