#!/usr/bin/env bash
# Compares the scheduler library's interface with the library itself on random questions, and
# prints the figures of both.
# The library is downloaded; it builds with the kube-scheduler of tests/oracle/versions/v1.36.mod.
# SEED and COUNT repeat a run that printed them.
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
