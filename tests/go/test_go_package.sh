#!/usr/bin/env bash
# Package berth: form, go vet, tests with the race detector, tests without, which print the figures.
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
