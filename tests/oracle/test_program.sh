#!/usr/bin/env bash
# Runs the unit tests of the Go program, its formatting check and `go vet`. Parts that need no
# modules of Kubernetes are tested wherever Go is installed; the others only if the modules are
# available.
set -euo pipefail
cd "$(dirname "$0")"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "skipped: Go is not installed"; exit 77; }
export GOFLAGS='-buildvcs=false -gcflags=all=-dwarf=false' GOTOOLCHAIN=local GOWORK=off # as in tests/oracle/build
[[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 24 ]] || {
  echo "skipped: $(go env GOVERSION) is older than go1.24"
  exit 77
}
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "not as gofmt has it: $unformatted"; exit 1; }
plain=(./internal/vector ./internal/compare ./internal/generate ./internal/minimize)
go vet "${plain[@]}"
go test "${plain[@]}"
