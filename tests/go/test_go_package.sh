#!/usr/bin/env bash
# Package berth: format, go vet, the tests with the race detector, and without it, when they print the
# figures.
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
enter .
formed
go vet ./...
go test -p 2 -race ./...
go test -p 2 -count 1 -v . >"$BERTH_BUILD/go/test.log" || {
  cat "$BERTH_BUILD/go/test.log"
  exit 1
}
grep -o 'FIGURE.*' "$BERTH_BUILD/go/test.log"
