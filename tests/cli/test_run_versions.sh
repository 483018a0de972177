#!/usr/bin/env bash
# berth run on API servers of several versions: one newer than the rules, and one without resource.k8s.io.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

needs_live

# start MINOR: starts a server of this version, and berth run on it.
start() {
  exec 3< <(exec python3 version_server.py "$1" "$work/devices")
  server=$!
  read -r port <&3
  "$berth" run --master "http://127.0.0.1:$port" --v 2 2>"$work/log" &
  scheduler=$!
}
stop() {
  kill "$scheduler" "$server"
  wait "$scheduler" || fail "berth run ends with $?"
}
# logs SECONDS TEXT: waits until a line of the log contains the text.
logs() {
  says "$1" "$work/log" "$2"
}
silent() {
  ! grep -F -- "$1" "$work/log" || fail "it says: $1"
}

touch "$work/devices"
start 37
logs 20 "all lists are whole"
silent "newer than the newest rules"
silent "left out"
stop

rm "$work/devices"
start 38
logs 20 'newer than the newest rules known: these decide" kubernetes="1.38" rules="1.37"'
logs 20 'it is left out" resource="resourceclaims.resource.k8s.io"'
logs 20 "all lists are whole"
silent "no answer to go on with"
touch "$work/devices"
logs 50 'that was left out" resource="resourceclaims.resource.k8s.io"'
logs 50 'that was left out" resource="devicetaintrules.resource.k8s.io"'
stop
finish
