#!/usr/bin/env bash
# Checks the protocol of snapshots (engine/base/history.h) exhaustively with spin, and that each of its
# parts is necessary: without it the checker must find an error.
# Usage: test_history_model.sh [READERS PINS SNAPSHOTS]
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=$here/history.pml
readers=${1:-2}
pins=${2:-2}
snapshots=${3:-3}
for tool in spin gcc; do
  command -v "$tool" >/dev/null || {
    echo "skipped: $tool is not installed"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4

# check MUTANT: prints the number of errors that the checker found, and the number of states.
check() {
  if ! {
    spin -a "-DMUTANT=$1" "-DREADERS=$readers" "-DPINS=$pins" "-DSNAPSHOTS=$snapshots" "$model" \
      >spin.log 2>&1 &&
      gcc -O2 -w -DSAFETY -DNOCLAIM -DCOLLAPSE -DMEMLIM=4096 -o pan pan.c &&
      ./pan -m1000000 >pan.log 2>&1
  }; then
    cat spin.log pan.log >&2
    return 1
  fi
  if grep -qE 'max search depth too small|out of memory|reached -DMEMLIM' pan.log; then
    echo "the search was not exhaustive" >&2
    cat pan.log >&2
    return 1
  fi
  sed -nE 's/.*errors: ([0-9]+).*/\1/p' pan.log
}

status=0
errors=$(check none) || exit 1
states=$(sed -nE 's/ *([0-9.e+]+) states, stored.*/\1/p' pan.log)
echo "protocol: $readers readers, $pins pins each, 1 writer, $snapshots snapshots:" \
  "$states states, $errors errors"
if [[ $errors != 0 ]]; then
  cat pan.log
  exit 1
fi
mapfile -t mutants < <(sed -nE 's/^#define ([a-z_]+) [1-9].*/\1/p' "$model")
for mutant in "${mutants[@]}"; do
  errors=$(check "$mutant") || exit 1
  if [[ $errors == 0 ]]; then
    echo "FAILED: $mutant passes, so the check does not need that part of the protocol"
    status=1
  else
    echo "$mutant: refuted"
  fi
done
exit $status
