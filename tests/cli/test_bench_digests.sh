#!/usr/bin/env bash
# berth bench: the placements of every workload are the same on every path, at 1, 2 and 4 threads, sampled
# and with all nodes scored, for every rule that breaks ties.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

digest() {
  "$berth" bench --nodes 400 --pods 1200 "${size[@]}" --seed 5 --json "$@" |
    grep -oE '"(bound|evictions)": [0-9]+|"digest": "[0-9a-f]{16}"'
}

list_workloads
for workload in $workloads; do
  size=(--running 200)
  [[ $workload != preempt ]] || size=() # its cluster is full without more pods
  for setting in "0 first" "100 first" "0 kubernetes" "100 kubernetes"; do
    read -r percentage tie <<<"$setting"
    options=(--workload "$workload" --percentage "$percentage" --tie "$tie")
    digest "${options[@]}" --path scan --threads 1 >"$work/one"
    grep -q digest "$work/one" || fail "digest_$workload: no digest"
    if [[ $workload == preempt ]] && ! grep -q 'evictions": [1-9]' "$work/one"; then
      fail "digest_$workload: nobody was evicted"
    fi
    for path in scan index auto; do
      for threads in 1 2 4; do
        [[ $path$threads == scan1 ]] && continue
        digest "${options[@]}" --path $path --threads $threads >"$work/other"
        same "${workload}_${percentage}_${tie}_${path}_$threads" "$work/one" "$work/other"
      done
    done
  done
done

# One node less than some words of 64 bits hold, and one more.
size=()
for nodes in 127 129 319; do
  options=(--workload gpu --nodes "$nodes" --percentage 100 --threads 1)
  digest "${options[@]}" --path scan >"$work/one"
  grep -q digest "$work/one" || fail "gpu_$nodes: no digest"
  digest "${options[@]}" --path index >"$work/other"
  same "gpu_$nodes" "$work/one" "$work/other"
done
finish
