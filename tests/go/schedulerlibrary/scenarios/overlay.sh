#!/usr/bin/env bash
# Prints an overlay for `go test -overlay` that adds the library's own tests to the packages here,
# after their imports are turned to ours. The tests come from the library's module and are kept in
# FOLDER only. Usage: overlay.sh LIBRARY FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$1 folder=$2
mkdir -p "$folder"

# The packages that the tests import, and what stands for them; helpers_test.go tests functions that
# are not part of the interface.
ours=berth/tests/schedulerlibrary/scenarios
imports=(
  -e "s|fwk \"k8s.io/kube-scheduler/framework\"|fwk \"berth/go/schedulerlibrary/framework\"|"
  -e "s|\"k8s.io/kubernetes/pkg/scheduler/backend/cache\"|\"$ours/cache\"|"
  -e "s|ft \"sigs.k8s.io/scheduler-library/pkg/framework/testing\"|ft \"$ours/testing\"|"
  -e "s|plugins \"k8s.io/kubernetes/pkg/scheduler/framework/plugins\"|plugins \"$ours/frames\"|"
  -e "s|frameworkruntime \"k8s.io/kubernetes/pkg/scheduler/framework/runtime\"|frameworkruntime \"$ours/frames\"|"
  -e "s|\"k8s.io/kubernetes/pkg/scheduler/profile\"|profile \"$ours/frames\"|"
  -e "s|\"sigs.k8s.io/scheduler-library/pkg/framework\"|framework \"$ours/frames\"|"
  -e "s|\"sigs.k8s.io/scheduler-library/pkg/upstreamsync\"|upstreamsync \"$ours/frames\"|"
  -e "s|\"sigs.k8s.io/scheduler-library/pkg/upstreamsync/snapshot\"|\"berth/go/schedulerlibrary/snapshot\"|"
  -e "s|\"sigs.k8s.io/scheduler-library/pkg/simulator\"|\"$ours/simulator\"|"
  -e "s|testutils \"k8s.io/kubernetes/test/integration/util\"|testutils \"$ours/testutils\"|"
)

# add PACKAGE TEST: turns one test file and prints its entry
comma=
add() {
  sed "${imports[@]}" "$library/$2" >"$folder/$1_test.go"
  printf '%s"%s/%s/library_test.go": "%s/%s_test.go"' "$comma" "$here" "$1" "$folder" "$1"
  comma=,
}

printf '{"Replace": {'
add snapshot pkg/upstreamsync/snapshot/snapshot_test.go
add state pkg/state/state_test.go
add simulator pkg/simulator/simulator_test.go
add integration test/integration/scheduler/simulator_integration_test.go
printf '}}\n'
