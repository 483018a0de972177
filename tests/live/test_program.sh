#!/usr/bin/env bash
# Tests the program of the test bed: its formatting, `go vet`, its unit tests, and wrong usage.
set -euo pipefail
cd "$(dirname "$0")"
live=$(./build) || exit $?
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS=-buildvcs=false GOTOOLCHAIN=local GOWORK=off CGO_ENABLED=0
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "not as gofmt has it: $unformatted"; exit 1; }
go vet ./...
go test ./...

# expect CODE COMMAND...: checks that the command ends with this exit code.
expect() {
  local code=0
  "${@:2}" >/dev/null 2>&1 || code=$?
  [[ $code == "$1" ]] || { echo "${*:2}: exit code $code instead of $1"; exit 1; }
}
expect 2 "$live"
expect 2 "$live" explode
expect 2 "$live" proxy --explode
expect 3 "$live" proxy
expect 3 "$live" fake
expect 3 "$live" load --dir /nowhere
expect 3 "$live" load --dir /nowhere --pods 50001
expect 3 "$live" check --dir /nowhere
expect 3 "$live" bed --dir /nowhere --tell stop
expect 3 "$live" faults
expect 3 "$live" measure --kubernetes /nowhere --dir /nowhere --nodes 10001
expect 0 "$live" faults --list
expect 2 ./bed
expect 2 ./bed start
expect 2 ./kubernetes/build 1.2
