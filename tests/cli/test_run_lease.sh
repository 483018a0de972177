#!/usr/bin/env bash
# berth run and its Lease, against a server that counts writes: none without the lease, and none after its
# deadline, even if the server is busy and each binding has to be repeated.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
"$berth" generate --nodes 3 --pods 2 --workload ordinary --seed 1 >"$work/made.json"
python3 live_cluster.py "$work/cluster.json" v1.36.2 <"$work/made.json"

# lead SECONDS CODE SERVER-OPTION... -- OPTION...: runs berth for SECONDS at most and expects its exit code.
lead() {
  local seconds=$1 code=$2 options=() got=0
  shift 2
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  : >"$work/log"
  exec 3< <(exec python3 live_server.py "$work/cluster.json" "$work/log" "${options[@]}")
  local server=$!
  read -r port <&3
  timeout -s TERM --preserve-status "$seconds" "$berth" run --master "http://127.0.0.1:$port" \
    --leader-elect "${@:2}" >"$work/out" 2>"$work/err" || got=$?
  kill "$server"
  [[ $got == "$code" ]] || fail "${options[*]}: code $got, not $code: $(tail -n 3 "$work/err")"
}

writes() {
  grep -cE '^(LATE )?(POST|PUT|PATCH|DELETE) ' "$work/log"
}

lead 5 0 lease=other --
grep -q 'GET .*/leases/' "$work/log" || fail "a follower does not look at the lease: $(cat "$work/err")"
[[ $(writes) == 0 ]] || fail "a follower writes: $(grep -v ^GET "$work/log")"

# A lease that cannot be renewed: writes end 3 s after the request for the lease, and the process
# ends 2.4 s later. The server counts from the arrival of the request and allows a second for
# transmission. A binding is tried after 0, 1, 2, 3 and some 4.7 s.
lead 60 1 lease= lost=4 -- --leader-elect-lease-duration 6s --leader-elect-renew-deadline 3s \
  --leader-elect-retry-period 2400ms
grep -q 'the lease is lost' "$work/err" || fail "the lease is not lost: $(tail -n 3 "$work/err")"
[[ $(grep -c '/binding$' "$work/log") -ge 4 ]] || fail "no bindings: $(cat "$work/log")"
grep '^LATE' "$work/log" && fail "bindings after the deadline"

# A process that releases its lease reads no configuration any more: the server holds its answer back until SIGHUP
# has come.
printf 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n' >"$work/config"
: >"$work/log"
exec 3< <(exec python3 live_server.py "$work/cluster.json" "$work/log" lease=)
server=$!
read -r port <&3
: >"$work/err" # that of the last process says who leads, too
"$berth" run --config "$work/config" --master "http://127.0.0.1:$port" --leader-elect 2>"$work/err" &
scheduler=$!
says 30 "$work/err" '"leading"'
kill -STOP "$server"
kill "$scheduler"
says 30 "$work/err" "a signal ends it"
kill -HUP "$scheduler"
sleep 0.5
kill -CONT "$server"
for ((tries = 100; tries > 0; tries--)); do
  kill -0 "$scheduler" 2>"$work/gone" || break
  if ((tries == 1)) || grep -q "has been read again" "$work/err"; then
    fail "a process that ends reads its configuration, or does not end"
    kill -KILL "$scheduler"
    break
  fi
  sleep 0.1
done
wait "$scheduler" || fail "berth run ends with $? after SIGTERM and SIGHUP"
kill "$server"

# A run that ends waits some seconds for the answers to its bindings.
: >"$work/log"
exec 3< <(exec python3 live_server.py "$work/cluster.json" "$work/log" late=2.5)
server=$!
read -r port <&3
"$berth" run --master "http://127.0.0.1:$port" 2>"$work/err" &
scheduler=$!
says 30 "$work/log" "/binding"
began=${EPOCHREALTIME/./}
kill "$scheduler"
wait "$scheduler" || fail "berth run ends with $? after SIGTERM"
((${EPOCHREALTIME/./} - began >= 1800000)) || fail "a binding on its way is not waited for"
kill "$server"
finish
