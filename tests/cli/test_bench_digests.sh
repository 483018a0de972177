#!/usr/bin/env bash
# berth bench: every workload's placements are the same on every path, at 1, 2 and 4 threads, sampled
# and with all nodes scored, whichever rule breaks ties.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

digest() {
  "$berth" bench --nodes 400 --pods 1200 --running 200 --seed 5 --json "$@" |
    grep -oE '"bound": [0-9]+|"digest": "[0-9a-f]{16}"'
}

for workload in ordinary basic spread anti affinity preferred mixed distinct volumes; do
  for setting in "0 first" "100 first" "0 kubernetes" "100 kubernetes"; do
    read -r percentage tie <<<"$setting"
    options=(--workload "$workload" --percentage "$percentage" --tie "$tie")
    digest "${options[@]}" --path scan --threads 1 >"$work/one"
    [[ $(wc -l <"$work/one") == 2 ]] || fail "digest_$workload: no digest"
    for path in scan index auto; do
      for threads in 1 2 4; do
        [[ $path$threads == scan1 ]] && continue
        digest "${options[@]}" --path $path --threads $threads >"$work/other"
        same "${workload}_${percentage}_${tie}_${path}_$threads" "$work/one" "$work/other"
      done
    done
  done
done
finish
