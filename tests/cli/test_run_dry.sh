#!/usr/bin/env bash
# berth run --dry-run follows all kinds of objects, those that orders wait for among them, and writes nothing.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
python3 - >"$work/cluster.json" <<'PY'
import json
import sys

node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n", "resourceVersion": "1"},
        "status": {"allocatable": {"cpu": "4", "pods": "110"}, "nodeInfo": {"kubeletVersion": "v1.36.2"}}}
claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
         "metadata": {"name": "c", "namespace": "default", "uid": "c", "resourceVersion": "2"},
         "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
         "status": {"phase": "Pending"}}
devices = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
           "metadata": {"name": "d", "namespace": "default", "uid": "d", "resourceVersion": "3"},
           "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}
pod = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "p", "namespace": "default", "uid": "p", "resourceVersion": "4"},
       "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c", "image": "i"}]},
       "status": {"phase": "Pending"}}
json.dump({"apiVersion": "v1", "kind": "List", "items": [node, claim, devices, pod]}, sys.stdout)
PY
run_berth_until 20 '/resourceclaims?.*watch=' 1 --dry-run
grep -q '/resourceclaims?.*watch=' "$work/log" || fail "a dry run does not follow claims"
! grep -v '^GET ' "$work/log" || fail "a dry run writes"

# A pod that somebody deletes is forgotten.
: >"$work/log"
exec 3< <(exec python3 live_server.py "$work/cluster.json" "$work/log" keep)
server=$!
read -r port <&3
"$berth" run --master "http://127.0.0.1:$port" --dry-run 2>"$work/err" &
scheduler=$!
says 20 "$work/err" 'all lists are whole'
python3 - "$port" <<'PY' || fail "the pod is not deleted"
import sys
import urllib.request

urllib.request.urlopen(urllib.request.Request(
    f"http://127.0.0.1:{sys.argv[1]}/api/v1/namespaces/default/pods/p", b"{}", method="DELETE"))
PY
sleep 1
kill "$scheduler" "$server"
wait "$scheduler" || fail "a dry run ends with $? after a deletion"
finish
