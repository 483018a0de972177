#!/usr/bin/env bash
# The scheduler library's interface against the library itself, on random questions, and the figures of both. The
# library is fetched; it builds with the kube-scheduler of tests/oracle/versions/v1.36.mod.
# SEED and COUNT repeat what a run printed.
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
enter ../../../tests/go/schedulerlibrary
formed
go vet ./...
go test -p 2 -count 1 -v . >"$BERTH_BUILD/go/schedulerlibrary.log" || {
  grep -v '^[EI][0-9]' "$BERTH_BUILD/go/schedulerlibrary.log" | cut -c 1-2000
  exit 1
}
grep -E '^seeds|answers compared|^FIGURE' "$BERTH_BUILD/go/schedulerlibrary.log"
