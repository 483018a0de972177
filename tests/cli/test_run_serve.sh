#!/usr/bin/env bash
# What berth run serves: HTTPS by default, pages about the process, a new configuration on SIGHUP; and a quiet cluster
# causes no warnings.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
touch "$work/devices"
exec 3< <(exec python3 version_server.py 37 "$work/devices")
server=$!
read -r api <&3
port=$(python3 free_port.py)

# start ADDRESS OPTION...
start() {
  : >"$work/log"
  "$berth" run --master "http://127.0.0.1:$api" --serve "$@" 2>"$work/log" &
  scheduler=$!
  logs "all lists are whole"
}
stop() {
  kill "$scheduler"
  wait "$scheduler" || fail "berth run ends with $?"
}
# logs TEXT: waits until a line of the log contains the text.
logs() {
  says 60 "$work/log" "$1"
}
# page STATUS TEXT METHOD PATH [BODY]
page() {
  local status=$1 text=$2 method=$3 path=$4
  shift 4
  python3 ask_page.py "$method" "${scheme:-https}://127.0.0.1:$port$path" "$@" >"$work/page" || fail "$path: no answer"
  grep -q "^$status " "$work/page" || fail "$path: $(head -c 300 "$work/page")"
  grep -qF -- "$text" "$work/page" || fail "$path: no '$text' in $(head -c 300 "$work/page")"
}

# soon STATUS TEXT METHOD PATH: waits until the page gives this answer, because values that a timer
# sets may be late on a busy machine.
soon() {
  for ((tries = 100; tries > 0; tries--)); do
    python3 ask_page.py "$3" "${scheme:-https}://127.0.0.1:$port$4" >"$work/page" || fail "$4: no answer"
    ! { grep -q "^$1 " "$work/page" && grep -qF -- "$2" "$work/page"; } || return 0
    sleep 0.1
  done
  fail "$4: no '$2' with status $1 in $(head -c 300 "$work/page")"
}

# ---- pages ----

export TOKEN=ops
start "127.0.0.1:$port" --v 2 --leader-elect-resource-name odd --feature-gates SchedulerAsyncAPICalls=false
page 200 ok GET /livez
page 200 ok GET /readyz
page 200 "Emulation version: 1.37" GET /statusz
page 200 "leader-elect-resource-name=odd" GET /flagz
page 200 "profiles:" GET /debug/pprof/
page 404 "perf record" GET /debug/pprof/profile
page 200 "" GET /debug/flags/v
page 200 "verbosity to 4" PUT /debug/flags/v 4
page 200 "v=2" GET /flagz
page 400 "from 0 to 10" PUT /debug/flags/v eleven
page 405 "not allowed" PUT /livez 1
page 200 'kubernetes_build_info{major="1",minor="37",git_version="berth-' GET /metrics
page 200 'kubernetes_feature_enabled{name="SchedulerAsyncAPICalls",stage=""} 0' GET /metrics
page 200 "rest_client_requests_total{code=\"200\",host=\"127.0.0.1:$api\",method=\"GET\"} " GET /metrics
if grep -q jemalloc < <(ldd "$berth"); then
  page 200 "Begin jemalloc statistics" GET "/debug/pprof/heap?debug=1"
  page 404 "MALLOC_CONF=prof:true" GET /debug/pprof/heap
fi
# The API server decides who may read what.
unset TOKEN
page 200 ok GET /livez
page 403 'forbidden: User \"system:anonymous\" cannot get path \"/livez/ping\": no rule' GET /livez/ping
page 403 '"reason": "Forbidden"' GET /metrics
page 403 'User \"system:anonymous\" cannot put path' PUT /debug/flags/v 2
TOKEN=reader page 200 kubernetes_build_info GET /metrics
TOKEN=reader page 403 'User \"reader\" cannot get path \"/metrics/slis\"' GET /metrics/slis
TOKEN=forged page 401 '"message": "Unauthorized"' GET /metrics
export TOKEN=ops
! grep -E '^[WE][0-9]' "$work/log" || fail "a quiet cluster causes warnings"
! grep -F "is silent" "$work/log" || fail "a list was not asked for at once"
kill -HUP "$scheduler"
logs "there is no configuration file to read again"
stop

if grep -q jemalloc < <(ldd "$berth"); then
  MALLOC_CONF=prof:true start "127.0.0.1:$port"
  page 200 "heap_v2/" GET /debug/pprof/heap
  stop
fi

scheme=http
start "http://127.0.0.1:$port" --profiling=false
page 200 ok GET /livez
page 200 "profiling=" GET /flagz
page 404 "not found" GET /debug/pprof/
stop
scheme=https
run 2 "$berth" run --master "http://127.0.0.1:$api" --serve "http://127.0.0.1:$port" \
  --tls-cert-file x --tls-private-key-file x
grep -qF "is plain HTTP, which needs no certificate" "$work/err" || fail "plain HTTP with a certificate"

# ---- the log ----

cat >"$work/cluster.json" <<'JSON'
{"items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "n", "resourceVersion": "1"},
   "status": {"allocatable": {"cpu": "2", "memory": "2Gi", "pods": "10"}}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "small", "namespace": "shop", "uid": "a", "resourceVersion": "2"},
   "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "large", "namespace": "shop", "uid": "b", "resourceVersion": "3"},
   "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c", "resources": {"requests": {"cpu": "8"}}}]}}]}
JSON
exec 4< <(exec python3 live_server.py "$work/cluster.json" "$work/requests")
other=$!
read -r api_of_pods <&4
of_versions=$api
api=$api_of_pods
unset TOKEN
start "127.0.0.1:$port" --v 3 --authorization-always-allow-paths "/debug/*,/metrics"
logs 'all lists are whole" seconds="0.'
logs 'attempt to schedule a pod" pod="shop/small" result="placed" node="n1" attempt="1" seconds="0.'
logs 'attempt to schedule a pod" pod="shop/large" result="unschedulable" node="" attempt="1" seconds="0.'
soon 200 'scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1' GET /metrics
# Its watches say nothing of the pod that is placed now, so a fresh list differs. A second
# comparison begins when the first is over.
for _ in 1 2; do
  : >"$work/log"
  kill -USR2 "$scheduler"
  logs 'is different" object="shop/small" what="the pod is on another node"'
  logs 'caches compared" differences="1" nodes="1" pods="2"'
done
page 200 "verbosity to 2" PUT /debug/flags/v 2
page 500 "the API server answers" GET /configz # this API server makes no reviews
TOKEN=ops page 401 Unauthorized GET /configz
logs "a SubjectAccessReview failed"
logs "a TokenReview failed"
kill "$scheduler"
wait "$scheduler" || true

# ---- kubeadm's command line; and reviews by another server ----

# kubeconfig NAME PORT
kubeconfig() {
  cat >"$work/$1" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:$2"}}]
users: [{name: u, user: {}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
YAML
}
kubeconfig scheduler.conf "$api_of_pods"
kubeconfig reviewer.conf "$of_versions"
# started_with AUTHENTICATION AUTHORIZATION
started_with() {
  : >"$work/log"
  "$berth" run --authentication-kubeconfig="$work/$1" --authorization-kubeconfig="$work/$2" --bind-address=127.0.0.1 \
    --kubeconfig="$work/scheduler.conf" --leader-elect=true --secure-port="$port" 2>"$work/log" &
  scheduler=$!
  logs "all lists are whole"
}
started_with scheduler.conf scheduler.conf
page 200 ok GET /livez
page 200 ok GET /readyz
page 500 "the API server answers" GET /metrics
kill "$scheduler"
wait "$scheduler" || true
started_with reviewer.conf reviewer.conf
TOKEN=reader page 200 kubernetes_build_info GET /metrics
page 403 Forbidden GET /metrics
kill "$scheduler"
wait "$scheduler" || true
started_with reviewer.conf scheduler.conf
TOKEN=reader page 500 "the API server answers" GET /metrics
kill "$scheduler"
wait "$scheduler" || true
started_with scheduler.conf reviewer.conf
TOKEN=reader page 401 Unauthorized GET /metrics
page 403 Forbidden GET /metrics
kill "$scheduler"
wait "$scheduler" || true
kill "$other"
api=$of_versions
export TOKEN=ops

# ---- SIGHUP ----

config() {
  printf 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n%s\n' "$1" >"$work/config"
}
config 'leaderElection: {leaderElect: false}
profiles: [{schedulerName: first}]'
start "127.0.0.1:$port" --config "$work/config"
page 200 '"SchedulerName":"first"' GET /configz
config 'profiles: [{schedulerName: second, plugins: {filter: {enabled: [{name: Nonsense}]}}}]'
kill -HUP "$scheduler"
logs 'the configuration is wrong; the old one stays'
logs 'kube-scheduler has no plugin \"Nonsense\"'
page 200 '"SchedulerName":"first"' GET /configz
soon 200 'berth_config_reloads_total{result="error"} 1' GET /metrics
config 'leaderElection: {leaderElect: false}
profiles: [{schedulerName: second}]'
: >"$work/log"
kill -HUP "$scheduler"
logs 'the configuration has been read again'
logs "all lists are whole"
page 200 '"SchedulerName":"second"' GET /configz
soon 200 'berth_config_reloads_total{result="success"} 1' GET /metrics
soon 200 'berth_config_reloads_total{result="error"} 1' GET /metrics
rm "$work/config"
kill -HUP "$scheduler"
logs 'the old one stays'
page 200 ok GET /readyz
stop
kill "$server"
finish
