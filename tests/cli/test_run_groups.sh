#!/usr/bin/env bash
# berth run and PodGroups, against a server that notes writes: all pods of a group are bound or none, and the group
# gets its condition.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT

# cluster MINIMUM PODS: starts a cluster with a node of three cores and a group whose pods need one
# core each.
cluster() {
  python3 - "$@" >"$work/cluster.json" <<'PY'
import json
import sys

minimum, pods = int(sys.argv[1]), int(sys.argv[2])
node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n", "resourceVersion": "1"},
        "status": {"allocatable": {"cpu": "3", "pods": "110"}, "nodeInfo": {"kubeletVersion": "v1.37.2"}}}
group = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
         "metadata": {"name": "g", "namespace": "default", "uid": "g", "resourceVersion": "2"},
         "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}}}
members = [{"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"p{i}", "namespace": "default", "uid": f"p{i}", "resourceVersion": "3"},
            "spec": {"schedulerName": "default-scheduler", "schedulingGroup": {"podGroupName": "g"},
                     "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
            "status": {"phase": "Pending"}} for i in range(pods)]
json.dump({"apiVersion": "v1", "kind": "List", "items": [node, group, *members]}, sys.stdout)
PY
}

# run_on SECONDS TEXT: runs berth until a line of the server's log has the text, for SECONDS at most.
run_on() {
  run_berth_until "$1" "$2" 2 --kubernetes 1.37 --feature-gates GenericWorkload=true
}

bindings() {
  grep -c '^POST .*/pods/p[0-9]*/binding' "$work/log"
}

condition='^PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups/g/status'

cluster 3 3
run_on 20 "$condition"
grep -q "$condition" "$work/log" || fail "the group got no condition: $(grep -v ^GET "$work/log")"
[[ $(bindings) == 3 ]] || fail "$(bindings) of 3 pods are bound"

cluster 4 4 # there is room for three
run_on 20 "$condition"
grep -q "$condition" "$work/log" || fail "the group that does not fit got no condition"
[[ $(bindings) == 0 ]] || fail "$(bindings) pods of a group that does not fit are bound"
[[ $(grep -c '^PATCH .*/pods/p[0-9]*/status' "$work/log") == 4 ]] ||
  fail "not each pod got its condition: $(grep -v ^GET "$work/log")"

cluster 3 2 # a pod is missing
run_on 2 "$condition"
[[ $(grep -cv ^GET "$work/log") == 0 ]] || fail "an incomplete group: $(grep -v ^GET "$work/log")"
finish
