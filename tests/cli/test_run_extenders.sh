#!/usr/bin/env bash
# berth run and HTTP extenders: the questions that extenders get, and the effects of their answers,
# against a server that notes writes.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT

# cluster NODES PODS: nodes of four cores and pods of one; a pod "NAME/4" requests four and has
# priority 10; a node "NAME+POD" has a running pod that fills it.
cluster() {
  python3 - "$@" >"$work/cluster.json" <<'PY'
import json
import sys

items = []


def pod(name, node=None):
    name, _, cores = name.partition("/")
    spec = {"schedulerName": "default-scheduler",
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cores or "1"}}}]}
    spec.update({"nodeName": node, "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "4"}}}]}
                if node else {})
    spec.update({"priority": 10} if cores else {})
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": "3",
                         "managedFields": [{"manager": "kubectl"}]},
            "spec": spec, "status": {"phase": "Running" if node else "Pending"}}


for word in sys.argv[1].split():
    name, _, runs = word.partition("+")
    items.append({"apiVersion": "v1", "kind": "Node",
                  "metadata": {"name": name, "uid": name, "resourceVersion": "1"},
                  "status": {"allocatable": {"cpu": "4", "pods": "110"}, "nodeInfo": {"kubeletVersion": "v1.36.2"}}})
    items.extend([pod(runs, name)] if runs else [])
items.extend(pod(name) for name in sys.argv[2].split())
json.dump({"apiVersion": "v1", "kind": "List", "items": items}, sys.stdout)
PY
}

# configuration LINES...: a configuration with one extender; LINES are its members.
configuration() {
  {
    printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
      'leaderElection: {leaderElect: false}' 'extenders:' "- urlPrefix: $scheme://127.0.0.1:$extender_port/"
    printf '  %s\n' "$@"
  } >"$work/c.yaml"
}

# serve_extender [CERTIFICATE]
serve_extender() {
  : >"$work/asked"
  exec 4< <(exec python3 extender_server.py "$work/asked" "$@")
  extender=$!
  read -r extender_port <&4
}

# run_until SECONDS TEXT [OPTION...]: runs berth until a line of the server's log has the text, for SECONDS at most.
run_until() {
  run_berth_until "$1" "$2" 0.5 --kubernetes 1.36 --config "$work/c.yaml" "${@:3}"
}

# asked TEXT: checks that a line of the extender's log matches.
asked() {
  grep -qE "^$1\$" "$work/asked" || fail "the extender was not asked '$1': $(cat "$work/asked")"
}

written() {
  grep -qE "$1" "$work/log" || fail "no request '$1': $(grep -v ^GET "$work/log")"
}

# warned TEXT: checks that the last run warned of the filter with this message.
warned() {
  grep -q "\"$1\" extender=.* verb=\"filter\"" "$work/err" || fail "no warning '$1': $(cat "$work/err")"
}

scheme=http
serve_extender

# Nodes by name: one is refused, one is preferred.
cluster "bad1 good1 best1" "p"
configuration 'filterVerb: filter' 'prioritizeVerb: prioritize' 'weight: 5' 'nodeCacheCapable: true'
run_until 20 '^POST .*/pods/p/binding'
asked 'filter p names bad1 good1 best1'
asked 'prioritize p names good1 best1'
written '^POST .*/pods/p/binding'
[[ $(wc -l <"$work/asked") == 2 ]] || fail "asked more than once: $(cat "$work/asked")"

# The same, but the extender receives whole nodes instead of names.
: >"$work/asked"
configuration 'filterVerb: filter' 'prioritizeVerb: prioritize' 'weight: 5'
run_until 20 '^POST .*/pods/p/binding'
asked 'filter p whole bad1 good1 best1'
asked 'prioritize p whole good1 best1'

# No node is left: the condition has the extender's words.
: >"$work/asked"
cluster "bad1 worse1" "p"
configuration 'filterVerb: filter' 'nodeCacheCapable: true'
run_until 20 '^PATCH .*/pods/p/status'
written '^PATCH .*/pods/p/status'
[[ $(wc -l <"$work/asked") == 1 ]] || fail "an attempt asks once: $(cat "$work/asked")"

# An extender that fails, and one whose failures are ignorable.
for pod in broken down; do
  : >"$work/asked"
  cluster "good1" "$pod"
  configuration 'filterVerb: filter' 'nodeCacheCapable: true'
  run_until 20 "^PATCH .*/pods/$pod/status"
  written "^PATCH .*/pods/$pod/status"
  ! grep -q "^POST .*/pods/$pod/binding" "$work/log" || fail "$pod is bound"
  warned 'an extender failed'
  configuration 'filterVerb: filter' 'nodeCacheCapable: true' 'ignorable: true'
  run_until 20 "^POST .*/pods/$pod/binding"
  written "^POST .*/pods/$pod/binding"
  warned 'an extender failed and is left out'
done
grep -q 'failed filter with extender at URL http.*/filter, code 500' "$work/err" || fail "no word about it: $(cat "$work/err")"

# An extender that does not answer: the attempt ends at the time-out, and a signal ends the program
# without waiting for the answer.
: >"$work/asked"
cluster "good1" "silent1"
configuration 'filterVerb: filter' 'nodeCacheCapable: true' 'httpTimeout: 1s'
run_until 20 '^PATCH .*/pods/silent1/status'
written '^PATCH .*/pods/silent1/status'
configuration 'filterVerb: filter' 'nodeCacheCapable: true' 'httpTimeout: 50s'
begun=$SECONDS
run_until 3 '^PATCH .*/pods/silent1/status'
((SECONDS - begun < 20)) || fail "the end waits for an extender: $((SECONDS - begun)) s"

# The extender is asked only about pods that request its resource.
: >"$work/asked"
cluster "bad1" "p"
configuration 'filterVerb: filter' 'nodeCacheCapable: true' 'managedResources: [{name: x.com/gpu}]'
run_until 20 '^POST .*/pods/p/binding'
written '^POST .*/pods/p/binding'
[[ ! -s $work/asked ]] || fail "asked about a pod that does not concern it: $(cat "$work/asked")"

# It binds.
: >"$work/asked"
cluster "good1" "p unbound1"
configuration 'bindVerb: bind'
run_until 20 '^PATCH .*/pods/unbound1/status'
asked 'bind default p uid-p good1'
asked 'bind default unbound1 uid-unbound1 good1'
! grep -q '^POST .*/binding' "$work/log" || fail "the API server was asked to bind: $(grep -v ^GET "$work/log")"
written '^PATCH .*/pods/unbound1/status'
configuration 'bindVerb: bind' 'ignorable: true'
run_until 20 '^POST .*/pods/unbound1/binding'
written '^POST .*/pods/unbound1/binding'

# The extender chooses where to preempt, by uid and by whole pods.
for capable in true false; do
  : >"$work/asked"
  cluster "a+one take1+two" "p/4"
  configuration 'preemptVerb: preempt' "nodeCacheCapable: $capable"
  run_until 20 '^DELETE .*/pods/two'
  asked 'preempt p a take1'
  written '^DELETE .*/pods/two'
  ! grep -q '^DELETE .*/pods/one' "$work/log" || fail "the other victim is evicted, too"
done
kill "$extender"

# HTTPS: with its CA, without one (as in kube-scheduler: not verified), and with another CA.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=extender \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=other \
  -keyout "$work/other.key" -out "$work/other.pem" 2>/dev/null
cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
scheme=https
serve_extender "$work/both.pem"
cluster "good1 bad1" "p"
for tls in "tlsConfig: {caFile: $work/cert.pem}" "tlsConfig: {caData: $(base64 -w 0 "$work/cert.pem")}" \
  "tlsConfig: {insecure: true}" "ignorable: false"; do
  : >"$work/asked"
  configuration 'filterVerb: filter' 'nodeCacheCapable: true' 'enableHTTPS: true' "$tls"
  run_until 20 '^POST .*/pods/p/binding'
  asked 'filter p names good1 bad1'
  written '^POST .*/pods/p/binding'
done
: >"$work/asked"
configuration 'filterVerb: filter' 'nodeCacheCapable: true' 'enableHTTPS: true' "tlsConfig: {caFile: $work/other.pem}"
run_until 20 '^PATCH .*/pods/p/status'
[[ ! -s $work/asked ]] || fail "a certificate of another CA is accepted"
kill "$extender"

# A dry run asks extenders, too; other commands refuse the configuration.
configuration 'filterVerb: filter'
complains refused 3 'extenders are called over HTTP' "$berth" schedule --config "$work/c.yaml" -f "$work/cluster.json"
configuration 'filterVerb: filter' 'enableHTTPS: true' "tlsConfig: {insecure: true, caFile: $work/cert.pem}"
complains two_ways 3 'one of them is too many' "$berth" run --config "$work/c.yaml" --master http://127.0.0.1:1
configuration 'filterVerb: filter' 'weights: 5'
complains unknown_member 3 'weights' "$berth" run --config "$work/c.yaml" --master http://127.0.0.1:1
finish
