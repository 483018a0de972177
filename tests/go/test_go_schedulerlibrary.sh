#!/usr/bin/env bash
# Runs the scheduler library's own tests on our packages, compares both on random questions, and
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

# The library's own tests of its simulator, states and snapshots pass on ours.
library=$(go list -m -f '{{.Dir}}' sigs.k8s.io/scheduler-library)
scenarios/overlay.sh "$library" "$BERTH_BUILD/go/scenarios" >"$BERTH_BUILD/go/overlay.json"
go test -overlay "$BERTH_BUILD/go/overlay.json" -count 1 -v ./scenarios/... >"$BERTH_BUILD/go/scenarios.log" || {
  grep -v '^[EIW][0-9]' "$BERTH_BUILD/go/scenarios.log" | cut -c 1-2000
  exit 1
}
passed=$(grep -c '^ *--- PASS' "$BERTH_BUILD/go/scenarios.log")
((passed >= 60)) || {
  echo "only $passed scenarios of the library were run"
  exit 1
}
echo "$passed scenarios of the library"
go test -p 2 -count 1 -v . >"$BERTH_BUILD/go/schedulerlibrary.log" || {
  grep -v '^[EI][0-9]' "$BERTH_BUILD/go/schedulerlibrary.log" | cut -c 1-2000
  exit 1
}
grep -E '^seeds|answers compared|^FIGURE' "$BERTH_BUILD/go/schedulerlibrary.log"
