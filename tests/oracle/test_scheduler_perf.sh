#!/usr/bin/env bash
# Kubernetes' scheduler benchmark, read from its module and performed in process: the smallest
# workloads run and place their pods, what cannot be performed says why, and mistakes are reported.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$source/../.." && pwd)
build=${BERTH_BUILD:-$root/build}
version=1.37
[[ -x $build/bin/scheduler_perf ]] || {
  echo "skipped: built without benchmarks; to run it: cmake -DBERTH_BENCH=ON $build"
  exit 77
}
code=0
"$source/build" "$version" >/dev/null || code=$?
((code == 0)) || exit "$code"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED $*"
  cat "$work/out"
  exit 1
}

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS='-buildvcs=false -gcflags=all=-dwarf=false' GOTOOLCHAIN=local GOWORK=off # as in build
(cd "$source" && go test -modfile="versions/v$version.mod" -tags kube1_37 ./internal/schedulerperf)

perf=$root/bench/scheduler_perf
"$perf" --build "$build" --version "$version" --label '' 5Nodes >"$work/out"
grep -qE '^misc/SchedulingBasic/5Nodes +10 +[1-9][0-9]* +- +-' "$work/out" || fail "ten pods should be placed"
grep -qE '^default_preemption/PreemptionBasic/5Nodes +5 ' "$work/out" || fail "five pods should preempt"
"$perf" --build "$build" --version "$version" --label '' /fast >"$work/out"
grep -qE 'SchedulingWithResourceClaim/fast +[1-9]' "$work/out" || fail "pods with claims should be placed"
grep -q 'none was placed' "$work/out" && fail "each row has a pod that is placed"
"$perf" --build "$build" --version "$version" --label '' volumes/ >"$work/out"
grep -qE 'SchedulingCSIPVs/5Nodes +10 +[1-9]' "$work/out" || fail "pods with volumes should be placed"

for line in 'nonsense' 'workload a' 'add {}' 'workload a 0 - -
delete Pod'; do
  code=0
  "$build/bin/scheduler_perf" "$version" <<<"$line" >"$work/out" 2>&1 || code=$?
  [[ $code == 2 ]] || fail "exit code $code for: $line"
  grep -q 'is not understood' "$work/out" || fail "no message for: $line"
done
printf 'workload a 0 - -\nadd {"kind": "Pod"}\nplace\nworkload b 0 - None=true\n' |
  "$build/bin/scheduler_perf" "$version" >"$work/out"
grep -q '^a  *refused: add: ' "$work/out" || fail "a bad object should be refused"
grep -q '^b  *refused: cannot be set up: ' "$work/out" || fail "an unknown gate should be refused"
for option in --nonsense --threads; do
  code=0
  "$perf" $option >"$work/out" 2>&1 || code=$?
  [[ $code == 2 ]] || fail "exit code $code for $option"
done
