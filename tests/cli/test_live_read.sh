#!/usr/bin/env bash
# Live reads: a cluster read from its API server has the same answers, byte for byte, as its dump by
# kubectl; every failure on the way is reported.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
export HOME=$work
server=
stop() {
  [[ -z $server ]] || kill "$server"
  server=
}
trap 'stop; rm -rf "$work"' EXIT

# serve CLUSTER [OPTION...]: starts a server on a free port and a kubeconfig that names it.
serve() {
  stop
  : >"$work/log"
  exec 3< <(exec python3 live_server.py "$1" "$work/log" "${@:2}")
  server=$!
  read -r port <&3
  cat >"$work/kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: here, context: {cluster: here, namespace: shop}}
- {name: nowhere, context: {cluster: nowhere}}
clusters:
- {name: here, cluster: {server: 'http://127.0.0.1:$port'}}
- {name: nowhere, cluster: {server: 'http://127.0.0.1:1'}}
YAML
}

# always STATUS BODY: starts a server that gives this answer to all requests; the kubeconfig names it.
always() {
  stop
  exec 3< <(exec python3 run_server.py "$1" "$2")
  server=$!
  read -r port <&3
  sed -i "s,127.0.0.1:[0-9]*,127.0.0.1:$port," "$work/kubeconfig"
}

"$berth" generate --nodes 12 --zones 3 --pods 60 --running 20 --workload ordinary --seed 1 >"$work/made.json"
python3 live_cluster.py "$work/cluster.json" v1.36.2 <"$work/made.json"
serve "$work/cluster.json" page=7
live=(--kubeconfig "$work/kubeconfig")

# ---- the dump ----

# Uses the command that berth dump prints, if kubectl is installed; otherwise writes the file that
# the command would write.
if command -v kubectl >/dev/null; then
  (cd "$work" && KUBECONFIG=$work/kubeconfig sh -c "$("$berth" dump --to dump.json)") || fail "kubectl"
else
  python3 - "$work" "$("$berth" dump --why)" <<'PYTHON'
import json, sys
kinds = [line.split()[1].split(".")[0] for line in sys.argv[2].splitlines() if line.startswith("#")]
with open(sys.argv[1] + "/cluster.json") as file:
    items = json.load(file)["items"]
def plural(item):
    kind = item["kind"].lower()
    return kind + ("es" if kind.endswith("s") else "s")
items.sort(key=lambda item: kinds.index(plural(item)))
for item in items:
    del item["metadata"]["managedFields"]
with open(sys.argv[1] + "/dump.json", "w") as file:
    json.dump({"apiVersion": "v1", "items": items, "kind": "List"}, file, indent=4)
PYTHON
fi

# alike NAME CODE COMMAND ARGUMENT...: with the dump as with the server the command has the same
# output. Standard input is $input.
input=/dev/null
alike() {
  name=$1
  local code=$2 command=$3
  shift 3
  run "$code" "$berth" "$command" -f "$work/dump.json" -n shop "$@" <"$input"
  mv "$work/out" "$work/out_dump"
  mv "$work/err" "$work/err_dump"
  run "$code" "$berth" "$command" "${live[@]}" "$@" <"$input"
  mask "$work/out"
  mask "$work/out_dump"
  sed -zEi 's# (-f WORK/dump.json|--kubeconfig WORK/kubeconfig)[ \n\\]+# INPUT #g' "$work"/out "$work/out_dump"
  sed -Ei "s#($work/dump.json|http://127.0.0.1:$port)(:[0-9]+)?#INPUT#" "$work/err" "$work/err_dump"
  [[ -s $work/out ]] || fail "$name: no output"
  diff "$work/out_dump" "$work/out" >"$work/diff" || fail "$name: $(head -n 20 "$work/diff")"
  diff "$work/err_dump" "$work/err" >"$work/diff" || fail "$name: $(head -n 20 "$work/diff")"
}

cat >"$work/change.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {priorityClassName: high, containers: [{name: c, image: 'web:2', resources: {requests: {cpu: 1}}}]}
YAML
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, %s}]}\n' \
  'resources: {requests: {cpu: 2}}' >"$work/podspec.yaml"
alike live_schedule 0 schedule -o json
alike live_schedule_table 0 schedule
alike live_schedule_change 0 schedule -f "$work/change.yaml" -o json
alike live_schedule_rollout 0 schedule -f "$work/change.yaml" --rollout
input=$work/change.yaml alike live_schedule_stdin 0 schedule -f -
alike live_explain 0 explain huge
alike live_explain_devices 0 explain train
alike live_explain_owner 0 explain deploy/web -o json
alike live_explain_pending 0 explain --pending -o yaml
alike live_capacity 0 capacity --podspec "$work/podspec.yaml"
alike live_drain 0 drain --all -o json
alike live_top 0 top
alike live_top_owner 0 top --by owner -o json
alike live_grow 0 grow --shape big=cpu=16,memory=64Gi,price=1 -o json
alike live_compare_change 0 compare --before data/nodes_only.yaml --after "$work/change.yaml" -o json
alike live_compare 0 compare --kubernetes 1.32 --kubernetes 1.36 -o json
"$berth" report "${live[@]}" -q -o "$work/live.html"
"$berth" report -f "$work/dump.json" -q --title "http://127.0.0.1:$port" -o "$work/dump.html"
same live_report "$work/live.html" "$work/dump.html"
if grep -qv '^GET ' "$work/log" || grep -q 'watch=' "$work/log"; then
  fail "live_get_only: $(grep -v '^GET ' "$work/log" | head -n 3)"
fi
grep -q 'pods?limit=500&continue=a%2Bb%26%2F7' "$work/log" || fail "live_pages: $(cat "$work/log")"

# ---- which cluster ----

"$berth" top "${live[@]}" >"$work/top"
# finds NAME COMMAND...: the cluster of the kubeconfig is found.
finds() {
  name=$1
  run 0 "${@:2}"
  same "$name" "$work/out" "$work/top"
}
mkdir -p "$work/.kube" "$work/bin"
finds live_all "$berth" top "${live[@]}" -A
finds live_context "$berth" top "${live[@]}" --context here
KUBECONFIG=$work/kubeconfig finds live_environment "$berth" top --live
cat >"$work/first" <<YAML
current-context: first
contexts: [{name: first, context: {cluster: here}}]
YAML
KUBECONFIG=$work/first:/no/such/file:$work/kubeconfig finds live_merged "$berth" top --live
complains live_none 3 "there is no kubeconfig" "$berth" top --live
KUBECONFIG=/no/such/a:/no/such/b complains live_no_list 3 "none of the files that KUBECONFIG names" \
  "$berth" top --live
cp "$work/kubeconfig" "$work/.kube/config"
finds live_home "$berth" top --live
cat >"$work/more.yaml" <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: spare}
status: {allocatable: {cpu: "64", memory: 256Gi, pods: "110"}}
YAML
name=live_compare_after # the second side is the live cluster with the file's changes
run 0 "$berth" compare -q --live --after "$work/more.yaml" --summary -o json
[[ $(grep -cE '"nodes": (12|13)' "$work/out") == 2 ]] || fail "$name: $(grep '"nodes"' "$work/out")"
ln -s "$(realpath "$berth")" "$work/bin/kubectl-berth"
finds live_plugin "$work/bin/kubectl-berth" top
if command -v kubectl >/dev/null; then
  PATH=$work/bin:$PATH finds live_kubectl kubectl berth top -A
fi
rm "$work/.kube/config"
name=live_plugin_files # with other input, the plugin of kubectl reads no live cluster
run 0 "$work/bin/kubectl-berth" top "$work/more.yaml"
run 0 "$work/bin/kubectl-berth" top --synthetic nodes=3

complains live_wrong_context 3 'no context "prod": the contexts are here, nowhere' \
  "$berth" top "${live[@]}" --context prod
complains live_lost_context 3 'that could have the context "prod"' "$berth" top --context prod
complains live_no_file 3 "/no/such/file: cannot read it" "$berth" top --kubeconfig /no/such/file
complains live_synthetic 2 "exclude each other" "$berth" schedule --live --synthetic nodes=3
complains live_none_given 2 "no input" "$berth" schedule
complains live_refused 3 "http://127.0.0.1:1: the API server does not answer" \
  "$berth" top "${live[@]}" --context nowhere

# ---- which plugins ----

few_plugins
: >"$work/log"
"$berth" schedule "${live[@]}" --config "$work/few.yaml" -q --summary >"$work/out" || fail live_few
if ! grep -q '/nodes?' "$work/log" || grep -q 'resourceslices\|/storage' "$work/log"; then
  fail "live_few: $(cat "$work/log")"
fi

# ---- what a server lacks, forbids, or delays ----

serve "$work/cluster.json" without=resource.k8s.io page=7 expire busy
live_schedule=("$berth" schedule "${live[@]}")
run 0 "${live_schedule[@]}" -q -o name
grep -q resource.k8s.io "$work/log" && fail "live_no_devices: $(cat "$work/log")"
mv "$work/out" "$work/first_out"
serve "$work/cluster.json" without=resource.k8s.io
run 0 "${live_schedule[@]}" -q -o name
same live_expired "$work/out" "$work/first_out"
serve "$work/cluster.json" forbid=nodes,resourceslices
complains live_forbidden 3 "lacks the verb list of nodes, resourceslices.resource.k8s.io" "${live_schedule[@]}"
serve "$work/cluster.json" nodiscovery
complains live_no_discovery 3 "lacks the verb get of the nonResourceURL /apis" "${live_schedule[@]}"

# ---- TLS, and credentials from a plugin ----

if openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=api -addext subjectAltName=IP:127.0.0.1 \
  -keyout "$work/key.pem" -out "$work/ca.pem" 2>"$work/openssl"; then
  cat "$work/key.pem" "$work/ca.pem" >"$work/both.pem"
  serve "$work/cluster.json" tls="$work/both.pem" token=secret
  printf '#!/bin/sh\necho '\''%s'\''\n' '{"kind": "ExecCredential", "status": {"token": "secret"},
    "apiVersion": "client.authentication.k8s.io/v1"}' >"$work/plugin"
  chmod +x "$work/plugin"
  sed -i "s#{server: 'http:.*:$port'#{certificate-authority: ca.pem, server: 'https://127.0.0.1:$port'#" \
    "$work/kubeconfig"
  complains live_no_token 3 "does not accept the credentials (401)" "${live_schedule[@]}"
  sed -i 's/context: {cluster: here,/context: {cluster: here, user: jane,/' "$work/kubeconfig"
  cat >>"$work/kubeconfig" <<'YAML'
users: [{name: jane, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin,
  interactiveMode: IfAvailable}}}]
YAML
  finds live_tls "$berth" top "${live[@]}"
  sed -i 's/certificate-authority: ca.pem, //' "$work/kubeconfig"
  complains live_unknown_authority 3 "the API server does not answer: SSL certificate" "${live_schedule[@]}"
fi

# If no node reports its version, the server's version decides.
python3 live_cluster.py "$work/silent.json" <"$work/made.json"
serve "$work/silent.json"
run 0 "${live_schedule[@]}" --summary
grep -q 'kube-scheduler 1.36.2, the version of the API server' "$work/out" ||
  fail "live_version: $(cat "$work/out")"
always 401 '{}'
complains live_401 3 "does not accept the credentials (401)" "${live_schedule[@]}"
always 200 'welcome'
complains live_no_api 3 "is no API server: it has no /version" "${live_schedule[@]}"
stop
# ---- autoscalers, which are listed only if they are applied ----

cat >"$work/scaled.json" <<'JSON'
{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "n1"},
   "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "rs-x", "namespace": "shop", "uid": "rs-x",
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": true}]},
   "spec": {"nodeName": "n1", "schedulerName": "default-scheduler", "containers": [{"name": "c", "image": "x"}]}},
  {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h", "namespace": "shop", "uid": "h"},
   "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs"}}}]}
JSON
serve "$work/scaled.json"
"$berth" schedule -q --kubeconfig "$work/kubeconfig" >"$work/out"
grep -q autoscalers "$work/log" && fail "autoscalers are listed without --scale"
"$berth" schedule -q --kubeconfig "$work/kubeconfig" --scale max >"$work/out"
grep -q "ReplicaSet shop/rs: 1 running, HPA h: 3 at most, 2 more to place" "$work/out" || fail "--scale: $(cat "$work/out")"
grep -q autoscalers "$work/log" || fail "--scale: autoscalers are not listed"
finish
