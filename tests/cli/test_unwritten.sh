#!/usr/bin/env bash
# berth bench under valgrind: in no workload does a decision depend on memory that was never written. Embedders
# run valgrind on their programs, and would read reports about ours.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

command -v valgrind >/dev/null || {
  echo "skipped: there is no valgrind; to run it: tools/setup"
  exit 77
}
export SIMDJSON_FORCE_IMPLEMENTATION=haswell # valgrind has no AVX-512

list_workloads
for workload in $workloads; do
  size=(--running 100)
  [[ $workload != preempt ]] || size=() # its cluster is full without more pods
  for setting in "scan random" "index kubernetes"; do
    read -r path tie <<<"$setting"
    valgrind --quiet --error-exitcode=9 "$berth" bench --workload "$workload" --nodes 150 --pods 60 "${size[@]}" \
      --threads 1 --path "$path" --tie "$tie" >"$work/out" 2>&1 || fail "$workload, $setting: $(tail -n 20 "$work/out")"
  done
done
finish
