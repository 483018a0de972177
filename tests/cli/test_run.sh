#!/usr/bin/env bash
# berth run: errors in its command line, files and server are reported before anything else happens.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

"$berth" run --help >"$work/help" 2>&1 || {
  echo "skipped: $(head -n 1 "$work/help")"
  exit 77
}
check usage_help_run 0 "$berth" run --help
check usage_option_run 2 "$berth" run --no-such-option

unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
complains run_operand 2 "unexpected 'x'" "$berth" run x
complains run_nowhere 3 "this is no pod" "$berth" run
complains run_no_file 3 "/no/such/file" "$berth" run --kubeconfig /no/such/file
complains run_no_config 3 "/no/such/file" "$berth" run --kubeconfig /dev/null --config /no/such/file
echo 'kind: Pod' >"$work/pod"
complains run_wrong_file 3 "expected a kubeconfig" "$berth" run --kubeconfig "$work/pod"
KUBECONFIG=$work/pod complains run_environment 3 "expected a kubeconfig" "$berth" run
complains run_lost_context 3 'that could have the context "c"' "$berth" run --context c
complains run_master 3 "is not an http or https URL" "$berth" run --master here
echo 'leaderElection: {leaseDuration: soon}' >"$work/config"
complains run_wrong_config 3 "leaderElection.leaseDuration" "$berth" run --config "$work/config"

# ---- configurations, checked before any connection ----

config() {
  printf 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n%s\n' "$1" >"$work/config"
}
config 'profiles:
- plugins:
    permit:
      enabled:
      - name: Coscheduling'
complains run_foreign 3 "config:7: profiles[0].plugins.permit.enabled[0].name: kube-scheduler has no plugin \"Coscheduling\"" \
  "$berth" run --config "$work/config" --master http://127.0.0.1:1
config 'profiles: [{plugins: {postFilter: {enabled: [{name: DefaultPremption}]}}}]'
complains run_misspelt 3 "did you mean DefaultPreemption?" \
  "$berth" run --config "$work/config" --master http://127.0.0.1:1
config 'profiles: [{plugins: {bind: {enabled: [{name: NodeName}]}}}]'
complains run_wrong_point 3 'plugin "NodeName" does not extend bind' \
  "$berth" run --config "$work/config" --master http://127.0.0.1:1
config 'percentageOfNodesToScore: 200'
complains run_percentage 3 "percentageOfNodesToScore" \
  "$berth" run --config "$work/config" --master http://127.0.0.1:1
complains run_gate 3 'no feature gate "Nonsense"' \
  "$berth" run --feature-gates Nonsense=true --master http://127.0.0.1:1
complains run_gate_unfollowed 3 "cannot place PodGroups (GenericWorkload); berth schedule, replay and run without --dry-run can" \
  "$berth" run --dry-run --feature-gates GenericWorkload=true --master http://127.0.0.1:1
cat >"$work/kubeconfig" <<'YAML'
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {username: jane, password: x}}]
YAML
complains run_password 3 "username" "$berth" run --kubeconfig "$work/kubeconfig"

# ---- wrong values ----

sed -i 's/^users:.*/users: [{name: u, user: {}}]/' "$work/kubeconfig"
live=("$berth" run --kubeconfig "$work/kubeconfig")
complains run_context 3 'no context "d": the contexts are c' "${live[@]}" --context d
complains run_time 2 "'soon' is no time" "${live[@]}" --leader-elect-retry-period soon
complains run_times 2 "renewDeadline must be longer" "${live[@]}" --leader-elect-retry-period 9s
complains run_lease_times 2 "leaseDuration must be longer" "${live[@]}" --leader-elect-lease-duration 9s
complains run_lock 2 "'endpoints' is not leases" "${live[@]}" --leader-elect-resource-lock endpoints
complains run_lease_name 2 "is no name of a Lease" "${live[@]}" --leader-elect-resource-name a/b
complains run_pool_time 2 "'-5m' is no time" "${live[@]}" --pod-max-in-unschedulable-pods-duration -5m
complains run_number 2 "'many' is no number up to 1000000" "${live[@]}" --kube-api-qps many
complains run_number 2 "'1e9' is no number up to 1000000" "${live[@]}" --kube-api-qps 1e9
complains run_port 2 "secure-port" "${live[@]}" --secure-port 65536
complains run_form 2 "logging-format" "${live[@]}" --logging-format xml
complains run_level 2 "--v is 11" "${live[@]}" --v 11
complains run_version 3 "1.99" "${live[@]}" --kubernetes 1.99

# said NAME CODE TEXT COMMAND...: like complains, for a program that also logs.
said() {
  local name=$1 wanted=$2 text=$3
  shift 3
  run "$wanted" timeout "${patience:-30}" "$@"
  grep -qF -- "$text" "$work/err" || fail "$name: no '$text' in: $(head -c 500 "$work/err")"
}

# ---- served pages ----

said run_address 2 "is no address to serve at" "${live[@]}" --serve nowhere
said run_no_certificate 3 "/no/such/file" "${live[@]}" --serve 127.0.0.1:0 \
  --tls-cert-file /no/such/file --tls-private-key-file /no/such/file
said run_no_authority 3 "/no/such/file" "${live[@]}" --serve 127.0.0.1:0 --client-ca-file /no/such/file
said run_bad_authority 3 "has no certificate in PEM" "${live[@]}" --serve 127.0.0.1:0 --client-ca-file "$work/pod"
said run_open_paths 2 "a '*' is not at the end of a path" "${live[@]}" --authorization-always-allow-paths "/a*b,/c"
said run_plain_clients 2 'over plain HTTP" option="authorization-always-allow-paths"' "${live[@]}" \
  --serve http://nowhere --authorization-always-allow-paths /livez
said run_plain_authority 2 "is plain HTTP" "${live[@]}" --serve http://127.0.0.1:0 --client-ca-file /no/such/file
for whose in authentication authorization; do
  said "run_no_$whose" 3 "/no/such/file" "${live[@]}" "--$whose-kubeconfig" /no/such/file
done
said run_wrong_ttl 2 "webhook-cache-unauthorized-ttl: 'soon' is no time" "${live[@]}" \
  --authorization-webhook-cache-unauthorized-ttl soon
said run_half_certificate 2 "given together" "${live[@]}" --serve 127.0.0.1:0 --tls-cert-file "$work/pod"
said run_wrong_certificate 3 "can't serve with this certificate" "${live[@]}" --serve 127.0.0.1:0 \
  --tls-cert-file "$work/pod" --tls-private-key-file "$work/pod"

# ---- kube-scheduler's options ----

# data/kube-scheduler-flags.txt lists the flags of kube-scheduler 1.32 to 1.37, with their types.
options=()
while read -r name type; do
  grep -qE -- "--$name( |\$)" "$work/help" || fail "run_flags: the help lacks --$name"
  case $name in # flags with a special value, or tested elsewhere
  bind-address | config | kubeconfig | master | write-config-to | secure-port | feature-gates | emulated-version | \
    authentication-kubeconfig | authorization-kubeconfig | leader-elect* | logging-format | tls-cert-file | tls-private-key-file | v) continue ;;
  esac
  case $type in
  bool) options+=("--$name" "--$name=true" "--$name=false") ;;
  duration) options+=("--$name=10s") ;;
  *) options+=("--$name=1") ;;
  esac
done <data/kube-scheduler-flags.txt
said run_flags 3 'no context "d"' "${live[@]}" "${options[@]}" --context d
for word in tls-min-version contention-profiling vmodule requestheader-uid-headers; do
  grep -qF "this option changes nothing here\" option=\"$word\"" "$work/err" || fail "run_flags: no warning of $word"
done
grep -c 'changes nothing here' "$work/err" | grep -qx 30 || fail "run_flags: not every option is warned of"

# ---- configurations, written: expected/ has what kube-scheduler 1.37.2 writes, and those of 1.36 and 1.32 ----

wrote() {
  local name=$1
  shift
  "$berth" run "$@" --write-config-to "$work/written" 2>"$work/err" || fail "$name: $(cat "$work/err")"
  compare "expected/$name.yaml" "$work/written"
}
wrote run_written --kubernetes 1.37
wrote run_written_1.32 --kubernetes 1.32
wrote run_written_file --kubernetes 1.37 --config data/scheduler_config.yaml
cp "$work/written" "$work/again"
wrote run_written_file --kubernetes 1.37 --config "$work/again"
wrote run_written_gates --kubernetes 1.37 \
  --feature-gates GenericWorkload=true,TopologyAwareWorkloadScheduling=true,StorageCapacityScoring=false --profiling=false --leader-elect=false --kube-api-qps 7.5 --kube-api-burst 9
wrote run_written_extenders --kubernetes 1.37 --config data/scheduler_extenders.yaml
cp "$work/written" "$work/again"
wrote run_written_extenders --kubernetes 1.37 --config "$work/again"
wrote run_written_odd_1.36 --kubernetes 1.36 --config data/scheduler_odd.yaml
config 'profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: 0s}}]}]'
"$berth" run --kubernetes 1.37 --config "$work/config" --write-config-to "$work/written"
grep -qx ' *filterTimeout: 0s' "$work/written" || fail run_written_no_timeout
config 'profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: 1000ms}}]}]'
"$berth" run --kubernetes 1.37 --config "$work/config" --write-config-to "$work/written"
grep -qx ' *filterTimeout: 1s' "$work/written" || fail run_written_whole_second
config 'clientConnection: {contentType: "a ", acceptContentTypes: "b:"}'
"$berth" run --kubernetes 1.37 --config "$work/config" --write-config-to "$work/written"
grep -qx " *contentType: 'a '" "$work/written" || fail run_written_blank
grep -qx " *acceptContentTypes: 'b:'" "$work/written" || fail run_written_colon
said run_written_nowhere 3 "no-such-folder" "$berth" run --write-config-to "$work/no-such-folder/x"
config 'profiles: [{plugins: {postFilter: {enabled: [{name: DefaultPremption}]}}}]'
said run_written_wrong 3 'did you mean DefaultPreemption' "$berth" run --config "$work/config" \
  --write-config-to "$work/x"
config 'profiles: [{plugins: {permit: {enabled: [{name: GangScheduling}]}}}]'
said run_written_gated 3 'only with --feature-gates GenericWorkload=true' "$berth" run --kubernetes 1.37 \
  --config "$work/config" --write-config-to "$work/x"
"$berth" run --kubernetes 1.37 --config "$work/config" --feature-gates GenericWorkload=true \
  --write-config-to "$work/x" || fail run_written_with_gate
"$berth" run --version | grep -q '^berth [0-9]' || fail run_version
said run_emulated 3 'kube-scheduler of Kubernetes 1.35 has no feature gate "NativeHistograms"' "${live[@]}" \
  --emulated-version kube=1.35 --feature-gates kube:WatchListClient=true,kube:NativeHistograms=true
said run_gates_add_up 3 'no feature gate "NativeHistograms"' "${live[@]}" --emulated-version 1.35 \
  --feature-gates NativeHistograms=true --feature-gates kube:WatchListClient=true
said run_gates 3 'no context "d"' "${live[@]}" --context d \
  --feature-gates kube:ComponentFlagz=false,WatchListClient=false

# ---- answers of the server ----

if command -v python3 >/dev/null; then
  # at STATUS BODY: starts a server that always gives this answer; the kubeconfig names it.
  at() {
    [[ -z ${server:-} ]] || kill "$server"
    exec 3< <(exec python3 run_server.py "$1" "$2")
    server=$!
    read -r port <&3
    sed -i "s,server: '[^']*',server: '${scheme:-http}://127.0.0.1:$port'," "$work/kubeconfig"
  }
  at 401 '{}'
  said run_401 3 "does not accept the credentials (401)" "${live[@]}"
  said run_master_alone 3 "(401)" "$berth" run --master "http://127.0.0.1:$port"
  said run_port_taken 3 "can't serve at '127.0.0.1:$port'" "${live[@]}" --serve "127.0.0.1:$port"
  said run_port_taken_in_two 3 "can't serve at '127.0.0.1:$port'" "${live[@]}" \
    --bind-address 127.0.0.1 --secure-port "$port"
  at 403 '{}'
  said run_403 3 "lacks the verb get of the nonResourceURL /version" "${live[@]}"
  at 404 'not here'
  said run_404 3 "is no API server" "${live[@]}"
  at 200 '{"major":"1","minor":"99+"}'
  said run_too_new 3 "is of Kubernetes 1.99, whose rules are not known" "${live[@]}"
  said run_too_new_known 3 "--kubernetes 1.32 to 1.37 says which to use" "${live[@]}"
  at 200 '{"major":"1","minor":"31"}'
  said run_too_old 3 "is of Kubernetes 1.31, whose rules are not known" "${live[@]}"
  at 200 '{"major":"1","minor":"39"}'
  said run_two_newer 3 "is of Kubernetes 1.39, whose rules are not known" "${live[@]}"
  at 200 '{"major":"1","minor":"38"}'
  patience=2 said run_one_newer 124 'kubernetes="1.38" rules="1.37"' "${live[@]}"
  at 200 'welcome'
  said run_no_api 3 "is no API server" "${live[@]}"
  scheme=https at 200 '{}'
  said run_no_tls 3 "SSL" "${live[@]}"
  kill "$server"
fi
finish
