#!/usr/bin/env bash
# berth run decides when a pod arrives. The deciding thread looks for itself once a second, so if the network's
# thread did not wake it, forty pods, each of which arrives after the last one was bound, would take too long.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
python3 - >"$work/cluster.json" <<'PY'
import json
import sys

node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n", "resourceVersion": "1"},
        "status": {"allocatable": {"cpu": "90", "pods": "110"}, "nodeInfo": {"kubeletVersion": "v1.36.2"}}}
pod = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "first", "namespace": "default", "uid": "first", "resourceVersion": "2"},
       "spec": {"schedulerName": "default-scheduler",
                "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
       "status": {"phase": "Pending"}}
json.dump({"apiVersion": "v1", "kind": "List", "items": [node, pod]}, sys.stdout)
PY
# shellcheck disable=SC2034 # used in cases.sh
server_options=(keep next=40)
run_berth_until 20 '/pods/next-40/binding' 0
[[ $(grep -c '^POST .*/binding$' "$work/log") == 41 ]] ||
  fail "$(grep -c '^POST .*/binding$' "$work/log") of 41 pods are bound: $(tail -n 3 "$work/err")"
finish
