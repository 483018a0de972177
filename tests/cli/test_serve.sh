#!/usr/bin/env bash
# berth serve: its answers equal those of the program on the same cluster, follow the watches, and
# have limits; the API server decides who may ask.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT TOKEN
export HOME=$work
servers=()
service=
trap 'kill "${servers[@]}" $service 2>/dev/null; rm -rf "$work"' EXIT
port=$(python3 free_port.py)

# cluster FILE [OPTION...]: starts an API server with these objects; its port is $api.
cluster() {
  exec 3< <(exec python3 live_server.py "$1" "$work/requests" "${@:2}")
  servers+=($!)
  read -r api <&3
}
# start ADDRESS OPTION...: starts berth serve with ~/.kube/config.
start() {
  mkdir -p "$HOME/.kube"
  cat >"$HOME/.kube/config" <<YAML
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here}}]
clusters: [{name: here, cluster: {server: 'http://127.0.0.1:$api'}}]
YAML
  : >"$work/log"
  "$berth" serve --listen "$@" 2>"$work/log" &
  service=$!
  for ((tries = 600; tries > 0; tries--)); do
    ! grep -qF "the copy is complete" "$work/log" || return 0
    sleep 0.1
  done
  fail "the copy is not complete: $(head -c 2000 "$work/log")"
}
stop() {
  kill "$service"
  wait "$service" || fail "berth serve ends with $?: $(tail -n 60 "$work/log")"
  service=
}
# ask STATUS METHOD PATH [BODY]: sends a request; the answer's body is in $work/answer.
ask() {
  python3 ask_page.py "$2" "${scheme:-http}://127.0.0.1:$port$3" "${@:4}" >"$work/page" || fail "$3: no answer"
  grep -q "^$1 " "$work/page" || fail "$3: $(head -c 300 "$work/page")"
  sed "1s/^[0-9]* //" "$work/page" >"$work/answer"
}
# says TEXT: checks that the last answer contains the text.
says() {
  grep -qF -- "$1" "$work/answer" || fail "no '$1' in $(head -c 500 "$work/answer")"
}
# same NAME: checks that the last answer equals the program's output, except for times.
same() {
  local masks='s/"(seconds|decisionsPerSecond|nodesPerSecond)": [0-9.]+/"\1": 0/'
  diff <(sed -E "$masks" "$work/answer" | grep .) <(sed -E "$masks" "$work/out") >"$work/diff" ||
    fail "$1: $(head -n 20 "$work/diff")"
}

"$berth" generate --nodes 12 --zones 3 --pods 60 --running 20 --workload ordinary --seed 1 >"$work/made.json"
python3 live_cluster.py "$work/plain.json" v1.36.2 <"$work/made.json"
# Rules for new pods are in two namespaces.
python3 - "$work" <<'PYTHON'
import json, sys
work = sys.argv[1]
with open(work + "/plain.json") as file:
    cluster = json.load(file)
def add(api, kind, name, namespace=None, **rest):
    metadata = {"name": name, "uid": "uid-" + name, "resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:00Z"}
    if namespace:
        metadata["namespace"] = namespace
    cluster["items"].append({"apiVersion": api, "kind": kind, "metadata": metadata, **rest})
add("scheduling.k8s.io/v1", "PriorityClass", "high", value=1000)
add("node.k8s.io/v1", "RuntimeClass", "heavy", handler="x", overhead={"podFixed": {"cpu": "500m"}})
add("v1", "Namespace", "small")
add("v1", "LimitRange", "defaults", "small",
    spec={"limits": [{"type": "Container", "defaultRequest": {"cpu": "700m"}, "max": {"memory": "4Gi"}}]})
add("v1", "ResourceQuota", "few", "small", spec={"hard": {"pods": "3"}}, status={"hard": {"pods": "3"}, "used": {"pods": "0"}})
# For drains: pods that stay, pods that lose data, pods without a controller, and a budget that
# allows one eviction.
running = [i for i in cluster["items"] if i["kind"] == "Pod" and i["spec"].get("nodeName")]
def owned(pod, kind):
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": "uid-o", "controller": True}]
for pod in running:
    owned(pod, "ReplicaSet")
    pod["metadata"].setdefault("labels", {})["guarded"] = "yes"
owned(running[0], "DaemonSet")
owned(running[1], "Node")
running[1]["metadata"].setdefault("annotations", {})["kubernetes.io/config.mirror"] = "x"
running[2]["spec"].setdefault("volumes", []).append({"name": "scratch", "emptyDir": {}})
running[3]["spec"].setdefault("volumes", []).append({"name": "scratch", "emptyDir": {}})
del running[3]["metadata"]["ownerReferences"]
add("policy/v1", "PodDisruptionBudget", "guard", running[4]["metadata"]["namespace"],
    spec={"maxUnavailable": 1, "selector": {"matchLabels": {"guarded": "yes"}}},
    status={"disruptionsAllowed": 1, "currentHealthy": 9, "desiredHealthy": 8, "expectedPods": 9})
for item in cluster["items"]:
    item["metadata"]["resourceVersion"] = "2" # older than live_server.py's versions
with open(work + "/cluster.json", "w") as file:
    json.dump(cluster, file)
PYTHON
# deployment NAME REPLICAS SPEC
deployment() {
  cat >"$work/$1.yaml" <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1}}
    spec: {$3}
YAML
}
deployment web 5 "containers: [{name: c, image: nginx, resources: {requests: {cpu: 3, memory: 1Gi}}}]"
deployment huge 3 "containers: [{name: c, image: nginx, resources: {requests: {cpu: 1000}}}]"
deployment bare 2 "priorityClassName: high, runtimeClassName: heavy, containers: [{name: c, image: nginx}]"
deployment fat 1 "containers: [{name: c, image: nginx, resources: {requests: {memory: 5Gi}, limits: {memory: 5Gi}}}]"
body() { cat "$work/$1.yaml"; }

# ---- the answers of the program ----

cluster "$work/cluster.json"
start "http://127.0.0.1:$port" --answering-threads 2
ask 200 GET /readyz
here=(-f "$work/cluster.json" --kubernetes 1.36)
for spec in web huge bare fat; do
  for place in default small; do
    ask 200 POST "/v1/capacity?max=9&namespace=$place" "$(body $spec)"
    "$berth" capacity "${here[@]}" -n $place --podspec "$work/$spec.yaml" --max 9 -o json >"$work/out" 2>"$work/err"
    same "capacity of $spec in $place"
  done
done
ask 200 POST "/v1/capacity?together=true&summary=true" "$(body web; echo ---; body bare)"
"$berth" capacity "${here[@]}" --podspec "$work/web.yaml" --podspec "$work/bare.yaml" --together --summary -o json \
  >"$work/out" 2>"$work/err"
same "capacity together"
# Pods that wait, pods that run, and pods that fit nowhere.
for pod in $(python3 - "$work/cluster.json" <<'PYTHON'
import json, sys
pods = [i for i in json.load(open(sys.argv[1]))["items"] if i["kind"] == "Pod"]
waits = [p for p in pods if not p["spec"].get("nodeName")]
runs = [p for p in pods if p["spec"].get("nodeName")]
print(*(p["metadata"]["namespace"] + "/" + p["metadata"]["name"] for p in waits[:6] + runs[:3]))
PYTHON
); do
  ask 200 GET "/v1/explain?pod=$pod&nodes=3"
  "$berth" explain "${here[@]}" "$pod" --nodes 3 -o json >"$work/out" 2>"$work/err"
  same "explain $pod"
done

# ---- drains ----

# drained QUESTION ARGUMENT...
drained() {
  ask 200 GET "/v1/drain?$1"
  "$berth" drain "${here[@]}" "${@:2}" -o json >"$work/out" 2>"$work/err"
  same "drain $1"
}
drained all=true --all
says '"emptyDir": true'
says '"bare": true'
says '"budget": "default/guard"'
says '"daemons": 1'
says '"mirrors": 1'
drained "nodes=node-1,node-2&together=true" node-1 node-2 --together
drained "selector=topology.kubernetes.io/zone%3Dzone-1&summary=true" -l topology.kubernetes.io/zone=zone-1 --summary
ask 400 GET /v1/drain
says "one of nodes=NAME,NAME, selector=SELECTOR and all=true is needed"
ask 400 GET "/v1/drain?nodes=,"
ask 400 GET "/v1/drain?selector=a%3D%3D%3D"
ask 404 GET "/v1/drain?nodes=nowhere"

# ---- growth ----

# grown QUESTION ARGUMENT...
grown() {
  ask 200 GET "/v1/grow?$1"
  "$berth" grow "${here[@]}" "${@:2}" -o json >"$work/out" 2>"$work/err"
  same "grow $1"
}
grown "shape=m%3Dcpu%3D64%2Cmemory%3D256Gi%2Cprice%3D1&shape=l%3Dlike%3Dnode-1%2Cprice%3D0.3" \
  --shape m=cpu=64,memory=256Gi,price=1 --shape l=like=node-1,price=0.3
grown "" --effort 1000
grown "shape=m%3Dcpu%3D4%2Cmemory%3D8Gi&keep-nodes=true&summary=true&effort=10" --shape m=cpu=4,memory=8Gi --keep-nodes --summary --effort 10
# With a manifest.
# grown_for BODY QUESTION ARGUMENT...
grown_for() {
  ask 200 POST "/v1/grow?$2" "$1"
  printf '%s\n' "$1" >"$work/more.yaml"
  "$berth" grow "${here[@]}" -f "$work/more.yaml" "${@:3}" -o json >"$work/out" 2>"$work/err"
  same "grow $2 with a manifest"
}
grown_for "$(body web)" "shape=m%3Dcpu%3D64%2Cmemory%3D256Gi" --shape m=cpu=64,memory=256Gi
grown_for "$(body huge; echo ---; body bare)" "shape=m%3Dcpu%3D1200%2Cmemory%3D8Gi%2Cprice%3D2" \
  --shape m=cpu=1200,memory=8Gi,price=2
grown_for "$(body fat)" "shape=m%3Dcpu%3D4%2Cmemory%3D8Gi&namespace=small" --shape m=cpu=4,memory=8Gi -n small
deployment apart 2 "schedulerName: another, containers: [{name: c, image: nginx}]"
grown_for "$(body apart)" "shape=m%3Dcpu%3D4%2Cmemory%3D8Gi" --shape m=cpu=4,memory=8Gi
# A limit range refuses `fat`, a quota two of `five`, and no profile serves `apart`.
deployment five 5 "containers: [{name: c, image: nginx}]"
grown_for "$(body five)" "namespace=small&summary=true" -n small --summary
ask 400 POST /v1/grow
says "there is no manifest in the request"
ask 422 POST /v1/grow "$(printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: new}')"
says "there are no pods in the manifest"
ask 400 POST "/v1/grow?keep-nodes=true" "$(body web)"
ask 400 GET "/v1/grow?keep-nodes=true"
says "nothing is asked"
ask 400 GET "/v1/grow?shape=/etc/passwd"
says "is no shape such as"
ask 422 GET "/v1/grow?shape=m%3Dcpu%3Dmany"

# ---- whether a manifest fits ----

ask 200 POST "/v1/fits?namespace=shop" "$(body web)"
says '"fits": true'
says '"placed": 5'
says '"namespace": "shop"'
ask 200 POST "/v1/fits?summary=true" "$(body huge)"
says '"fits": false'
says '"placed": 0'
says "0/12 nodes are available: 12 Insufficient cpu."
ask 200 POST "/v1/fits?namespace=small" "$(deployment five 5 "containers: [{name: c, image: nginx}]"; body five)"
says '"wanted": 5'
says '"placed": 3'
says "exceeded quota: few"
ask 200 POST "/v1/fits?namespace=small" "$(body fat)"
says '"placed": 0'
says "maximum memory usage per Container is 4Gi"
# Of pods that were taken from a cluster, only the specification counts.
taken() {
  cat <<YAML
---
apiVersion: v1
kind: Pod
metadata: {name: $1, uid: $1, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec:
  nodeName: gone
  nodeSelector: {kubernetes.io/hostname: node-9}
  containers: [{name: c, image: nginx, resources: {requests: {cpu: 100m}}}]
status:
  phase: Succeeded
  containerStatuses: [{name: c, allocatedResources: {cpu: 1000}, resources: {requests: {cpu: 1000}}}]
YAML
}
ask 200 POST /v1/fits "$(taken one; taken two)"
says '"fits": true'
says '"placed": 2'
# The nodes are those that the program finds on a cluster without pending pods.
stop
python3 - "$work" <<'PYTHON'
import json, sys
work = sys.argv[1]
with open(work + "/cluster.json") as file:
    cluster = json.load(file)
cluster["items"] = [i for i in cluster["items"] if i["kind"] != "Pod" or i["spec"].get("nodeName")]
with open(work + "/settled.json", "w") as file:
    json.dump(cluster, file)
PYTHON
cluster "$work/settled.json"
start "http://127.0.0.1:$port"
for spec in web bare; do
  ask 200 POST /v1/fits "$(body $spec)"
  "$berth" schedule -f "$work/settled.json" -f "$work/$spec.yaml" --kubernetes 1.36 --add -o json >"$work/out" 2>"$work/err"
  python3 - "$work" "$spec" <<'PYTHON' || fail "other nodes than those of berth schedule"
import json, sys
work, spec = sys.argv[1:]
ours = {p["name"]: p["node"] for p in json.load(open(work + "/answer"))["pods"]}
theirs = {p["name"]: p.get("node") for p in json.load(open(work + "/out"))["placements"]}
sys.exit(ours != theirs or len(ours) == 0 and "nothing to compare")
PYTHON
done

# ---- refusals ----

ask 404 GET /v1/nothing
says '"reason": "NotFound"'
ask 405 GET /v1/fits
says "this question is asked by POST"
ask 405 POST "/v1/explain?pod=x" x
ask 400 POST /v1/fits ""
says "there is no manifest in the request"
ask 400 POST /v1/fits "a: ["
says "manifest:2:1: not YAML"
ask 422 POST /v1/fits '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}'
says "there are no pods in the manifest"
ask 400 POST /v1/fits '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
  "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "many"}}}]}}'
says "spec.containers[0].resources.requests.cpu"
ask 404 POST /v1/capacity '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}'
# As many questions may wait as LIMITS.md says; those that were answered do not count.
python3 - "$port" <<'PYTHON' || fail "600 questions one after the other"
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
for _ in range(600):
    connection.request("GET", "/v1/drain?nodes=nowhere")
    answer = connection.getresponse()
    answer.read()
    if answer.status != 404:
        sys.exit(1)
PYTHON
ask 400 POST "/v1/capacity?max=-1" "$(body web)"
says "max: '-1' is no number from 0 to 4294967295"
ask 400 POST "/v1/capacity?together=yes" "$(body web)"
says "together: 'yes' is neither true nor false"
ask 400 GET /v1/explain
says "no pod named"
ask 404 GET "/v1/explain?pod=nobody"
says '"reason": "NotFound"'
ask 200 POST "/v1/fits" "$(body huge)"
cp "$work/answer" "$work/fits"
ask 200 POST "/v1/capacity?max=2" "$(body web)"
cp "$work/answer" "$work/capacity"
ask 200 GET /openapi.json
python3 - "$work" <<'PYTHON' || fail "the interface's document"
import json, sys
def read(name):
    with open(sys.argv[1] + "/" + name) as file:
        return json.load(file)
document = read("answer")
paths = ["/", "/openapi.json", "/v1/capacity", "/v1/changes", "/v1/drain", "/v1/explain", "/v1/fits", "/v1/grow",
         "/v1/report"]
if sorted(document["paths"]) != paths:
    sys.exit("its paths")
types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
def check(schema, value, place):
    if not isinstance(value, types[schema["type"]]):
        sys.exit(place + " is no " + schema["type"])
    if schema["type"] == "array":
        for one in value:
            check(schema["items"], one, place + "[]")
    if "properties" not in schema:
        return
    missing = set(schema.get("required", [])) - set(value)
    more = set(value) - set(schema["properties"])
    if missing or more:
        sys.exit(f"{place}: without {missing}, with {more}")
    for name, one in value.items():
        check(schema["properties"][name], one, place + "." + name)
schemas = document["components"]["schemas"]
check(schemas["Fits"], read("fits"), "fits")
check(schemas["Capacity"], read("capacity"), "capacity")
PYTHON
ask 200 GET /metrics
says 'berth_questions_total{question="fits",code="422"} 1'
says 'berth_question_duration_seconds_count{question="capacity"}'
! grep -qF scheduler_ "$work/answer" || fail "it shows a scheduler's metrics"
run 2 "$berth" serve --master "http://127.0.0.1:$api" --listen nowhere
run 2 "$berth" serve --deadline soon
run 2 "$berth" serve --questions-of-client 0
run 2 "$berth" serve extra
run 3 "$berth" serve --master "http://127.0.0.1:$port" --listen "http://127.0.0.1:0"
stop

# With the fewest file descriptors that the program is loaded with, there are too few for the network.
for command in "run" "serve --listen 127.0.0.1:$port"; do
  code=127
  for ((limit = 4; limit < 30 && code == 127; limit++)); do
    code=0
    # shellcheck disable=SC2086 # words
    (ulimit -n $limit && exec timeout 20 "$berth" $command --master "http://127.0.0.1:$api") \
      2>"$work/said" || code=$?
  done
  ((code == 4)) || fail "berth $command with $((limit - 1)) descriptors: exit code $code"
  grep -qF "berth ${command%% *}: the network can't be used: Too many open files" "$work/said" ||
    fail "berth $command with $((limit - 1)) descriptors: $(cat "$work/said")"
done

# ---- the report ----

cluster "$work/cluster.json" keep
start "http://127.0.0.1:$port"
ask 200 GET /v1/report
"$berth" report "${here[@]}" --title x -o - 2>"$work/err" |
  sed -n 's,.*<script type="application/json" id="data">\(.*\),\1,p' | sed 's,</script>$,,' >"$work/out"
python3 - "$work" <<'PYTHON' || fail "another report than that of berth report"
import json, sys
def read(name):
    with open(sys.argv[1] + "/" + name) as file:
        report = json.load(file)
    del report["title"]
    # The program adds resources in the order in which it reads nodes.
    return report
ours, theirs = read("answer"), read("out")
for key in sorted(set(ours) | set(theirs)):
    if ours.get(key) != theirs.get(key):
        sys.exit(f"{key}: {str(ours.get(key))[:300]} is not {str(theirs.get(key))[:300]}")
PYTHON
ask 200 GET /v1/changes
says "data: "
seen=$(sed -n 's/^id: //p' "$work/answer")
browser=$(command -v chromium || true)
if [[ -z $browser ]]; then
  echo "without chromium the page is not opened"
else
  # Uses only the keyboard: nothing is clicked.
  manifest='apiVersion: v1\nkind: Pod\nmetadata: {name: asked}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: CPU}}}]}'
  cat >"$work/expressions" <<EXPRESSIONS
document.querySelector('#state').textContent.startsWith('The cluster as of')
[...document.querySelectorAll('h2')].map(h => h.textContent).includes('Will it fit?')
document.querySelector('.cards').innerText.includes('12')
document.querySelectorAll('input, textarea, button').length >= 3
[...document.querySelectorAll('textarea, form input')].every(e => document.querySelector('label[for="' + e.id + '"]'))
do document.querySelector('#manifest').value = '${manifest/CPU/1}'
do document.querySelector('form').requestSubmit()
document.querySelector('#answer').innerText.includes('The pod fits.')
document.querySelector('#answer').innerText.includes('default/asked')
document.querySelector('#answer').getAttribute('aria-live') == 'polite'
do document.querySelector('#manifest').value = '${manifest/CPU/1000}'
do document.querySelector('form').requestSubmit()
document.querySelector('#answer').innerText.includes('0 of 1 pods fit.')
document.querySelector('#answer').innerText.includes('12 Insufficient cpu')
do document.querySelector('#manifest').value = 'a: ['
do document.querySelector('form').requestSubmit()
document.querySelector('#answer').innerText.includes('not YAML')
EXPRESSIONS
  python3 browse.py "$browser" "$work/profile" "http://127.0.0.1:$port/" <"$work/expressions" >"$work/said" ||
    fail "the page: $(cat "$work/said")"
fi

# ---- what changes in the cluster changes the answers ----

pod=$(python3 - "$work/cluster.json" <<'PYTHON'
import json, sys
pods = [i for i in json.load(open(sys.argv[1]))["items"] if i["kind"] == "Pod" and not i["spec"].get("nodeName")]
print(pods[0]["metadata"]["name"])
PYTHON
)
ask 200 GET "/v1/explain?pod=$pod"
! grep -qF '"runningOn"' "$work/answer" || fail "the pod runs already"
# Three clients wait for the change; each of them is told.
python3 - "$port" "$seen" >"$work/told" <<'PYTHON' &
import http.client, sys
waiting = []
for _ in range(3):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    connection.request("GET", "/v1/changes", headers={"Last-Event-ID": sys.argv[2]})
    waiting.append(connection)
print(*(connection.getresponse().status for connection in waiting))
PYTHON
told=$!
sleep 0.5
python3 ask_page.py POST "http://127.0.0.1:$api/api/v1/namespaces/default/pods/$pod/binding" \
  '{"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "x"}, "target": {"kind": "Node", "name": "node-3"}}' >"$work/page"
for ((tries = 100; tries > 0; tries--)); do
  ask 200 GET "/v1/explain?pod=$pod"
  ! grep -qF "node-3" <(grep -F '"runningOn"' "$work/answer") || break
  sleep 0.1
done
((tries > 0)) || fail "the binding is not seen: $(head -c 400 "$work/answer")"
ask 200 GET /v1/changes
[[ $(sed -n 's/^id: //p' "$work/answer") != "$seen" ]] || fail "the change has no number of its own"
wait "$told"
[[ $(<"$work/told") == "200 200 200" ]] || fail "clients are told of the change: $(<"$work/told")"
stop

# ---- limits ----

"$berth" generate --nodes 3000 --pods 0 --workload basic --seed 1 >"$work/made.json"
python3 live_cluster.py "$work/large.json" v1.36.2 <"$work/made.json"
cluster "$work/large.json"
deployment tiny 1 "containers: [{name: c, image: nginx, resources: {requests: {cpu: 1m}}}]"
start "http://127.0.0.1:$port" --deadline 100ms
ask 504 POST /v1/capacity "$(body tiny)"
says "the time for an answer is up"
deployment many 2000000000 "containers: [{name: c, image: nginx, resources: {requests: {cpu: 1m}}}]"
ask 504 POST /v1/fits "$(body many)"
stop
start "http://127.0.0.1:$port" --answering-threads 1 --questions-of-client 1
ask 200 GET /v1/changes
# A question that waits for changes also counts towards the limit while it waits. It is asked again if another question
# was counted first.
python3 - "$port" "$(sed -n 's/^id: //p' "$work/answer")" >"$work/waits" <<'PYTHON' &
import http.client, sys, time
status = 429
while status == 429:
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    connection.request("GET", "/v1/changes", headers={"Last-Event-ID": sys.argv[2]})
    status = connection.getresponse().status
    time.sleep(0.05)
print(status)
PYTHON
waits=$!
for ((tries = 100; tries > 0; tries--)); do
  python3 ask_page.py POST "http://127.0.0.1:$port/v1/fits" "$(body web)" >"$work/page"
  ! grep -q "^429 " "$work/page" || break
  sleep 0.1
done
grep -q "too many questions of one client" "$work/page" || fail "one client gets every answer: $(head -c 300 "$work/page")"
kill "$waits" # the question stays until its time comes, or the server ends
stop
start "http://127.0.0.1:$port" --answering-threads 1
# The server ends at once, although a question is being answered.
python3 ask_page.py POST "http://127.0.0.1:$port/v1/capacity" "$(body tiny)" >"$work/page" 2>&1 &
last=$!
sleep 0.2
stop
wait "$last" || true

# ---- who may ask ----

touch "$work/devices"
exec 3< <(exec python3 version_server.py 37 "$work/devices")
servers+=($!)
read -r api <&3
scheme=https
start "127.0.0.1:$port"
ask 200 GET /readyz
ask 403 POST /v1/fits "$(body web)"
says 'User \"system:anonymous\" cannot post path \"/v1/fits\"'
TOKEN=forged ask 401 POST /v1/fits "$(body web)"
TOKEN=reader ask 403 POST /v1/fits "$(body web)"
TOKEN=ops ask 200 POST "/v1/fits?summary=true" "$(body web)"
says "no nodes available to schedule pods"
# The same for a long manifest, which arrives in pieces, and for one that is too long.
TOKEN=ops ask 200 POST "/v1/fits?summary=true" "$(head -c 100000 /dev/zero | tr '\0' '#'; echo; body web)"
ask 403 POST /v1/fits "$(head -c 100000 /dev/zero | tr '\0' '#')"
# A manifest of the greatest length is read; this one holds no object.
python3 - "$port" <<'PYTHON' || fail "a manifest of the greatest length, or one that is too long"
import http.client, ssl, sys
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
most = 16 << 20
for token, length, status in (("ops", most, 400), ("ops", most + 1, 413), ("forged", most + 1, 401)):
    connection = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context)
    connection.request("POST", "/v1/fits", b"#" * length, {"Authorization": "Bearer " + token})
    if connection.getresponse().status != status:
        sys.exit(1)
PYTHON
stop

# ---- other versions: as berth run ----

# of MINOR: starts an API server of this version.
of() {
  exec 3< <(exec python3 version_server.py "$1" "$work/devices")
  servers+=($!)
  read -r api <&3
}
of 38
start "127.0.0.1:$port"
grep -qF 'newer than the newest rules known: these decide" kubernetes="1.38" rules="1.37"' "$work/log" ||
  fail "no warning about 1.38: $(cat "$work/log")"
stop
for minor in 39 31; do
  of $minor
  sed -i "s,server: '[^']*',server: 'http://127.0.0.1:$api'," "$HOME/.kube/config"
  run 3 "$berth" serve --listen "127.0.0.1:$port"
  grep -qF "is of Kubernetes 1.$minor, whose rules are not known; --kubernetes 1.32 to 1.37" "$work/err" ||
    fail "1.$minor is not refused: $(cat "$work/err")"
done
start "127.0.0.1:$port" --kubernetes 1.36
stop

# ---- what is no API server ends it ----

# ends_at STATUS BODY TEXT: berth serve ends with TEXT at a server that always gives this answer.
ends_at() {
  name=serve_at_$1
  exec 3< <(exec python3 run_server.py "$1" "$2")
  servers+=($!)
  read -r api <&3
  sed -i "s,server: '[^']*',server: 'http://127.0.0.1:$api'," "$HOME/.kube/config"
  run 3 timeout 20 "$berth" serve --listen "127.0.0.1:$port"
  grep -qF "$3" "$work/err" || fail "an answer with $1: $(cat "$work/err")"
}
ends_at 401 '{}' "does not accept the credentials (401)"
ends_at 404 'not here' "is no API server"
ends_at 200 'welcome' "is no API server"
finish
