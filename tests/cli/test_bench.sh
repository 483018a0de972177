#!/usr/bin/env bash
# berth bench: its figures are present, and its digest depends only on the input.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check bench_json 0 "$berth" bench --workload basic --nodes 50 --zones 2 --pods 100 --running 30 \
  --threads 1 --path scan --json

digest() {
  "$berth" bench --nodes 300 --pods 400 --running 200 --json "$@" |
    grep -oE '"bound": [0-9]+|"digest": "[0-9a-f]{16}"'
}

for workload in basic mixed volumes; do
  digest --workload $workload --threads 1 >"$work/one"
  [[ $(wc -l <"$work/one") == 2 ]] || fail "bench_digest_$workload: no digest"
  for threads in 1 2 4; do
    digest --workload $workload --threads $threads >"$work/other"
    same "bench_${workload}_threads_$threads" "$work/one" "$work/other"
  done
  digest --workload $workload --threads 2 --path scan >"$work/other"
  same "bench_${workload}_scan" "$work/one" "$work/other"
  digest --workload $workload --threads 1 --seed 9 >"$work/other"
  cmp -s "$work/one" "$work/other" && fail "bench_${workload}_seed: another seed, the same digest"
done

# More topology domains than one word has bits, pods that leave, and so many nodes that the best
# are found by class, with few pods of each app and with many: by index as by scan.
for options in "racks --nodes 2000" "churn --apps 7" "ordinary --zones 40" "mixed --zones 100" \
  "churn --nodes 7000 --pods 3000" "ordinary --nodes 7000 --pods 3000 --apps 3" \
  "preferred --nodes 7000 --pods 3000" "local --nodes 700"; do
  for percentage in 0 100; do
    # shellcheck disable=SC2086 # several options
    {
      digest --workload $options --percentage $percentage --threads 1 >"$work/one"
      digest --workload $options --percentage $percentage --threads 2 --path scan >"$work/other"
    }
    same "bench_${options// /_}_$percentage" "$work/one" "$work/other"
  done
done
name=bench_racks
run 0 "$berth" bench --workload racks --nodes 2000 --pods 1000 --percentage 100 --json
grep -qE '"indexed": (9[0-9]{2}|1000),' "$work/out" || fail "$name: fewer than 900 by index"
name=bench_local
run 0 "$berth" bench --workload local --nodes 300 --pods 1000 --json
grep -qE '"indexed": (9[5-9][0-9]|1000),' "$work/out" || fail "$name: fewer than 950 by index"
run 0 "$berth" bench --workload local --nodes 20 --pods 100 --running 100
grep -q '^bound  *100 ' "$work/out" || fail "$name: not all pods were bound"
name=bench_churn
run 0 "$berth" bench --workload churn --nodes 100 --pods 500
grep -q '^bound  *500 ' "$work/out" || fail "$name: not all pods were bound"
run 2 "$berth" bench --workload churn --loop
grep -q 'workload churn cannot be combined with --loop' "$work/err" || fail "$name: no reason"

# A wave of pods with higher priority: each one evicts another pod.
digest --workload preempt --threads 1 --running 0 >"$work/one"
digest --workload preempt --threads 2 --running 0 --path scan >"$work/other"
same bench_preempt_scan "$work/one" "$work/other"
name=bench_preempt
run 0 "$berth" bench --workload preempt --nodes 50 --pods 100
grep -q '^loop .* 100 pods evicted$' "$work/out" || fail "$name: 100 pods should be evicted"

# Through the queue: the same placements.
digest --workload basic --threads 1 >"$work/one"
digest --workload basic --threads 1 --loop >"$work/other"
same bench_loop "$work/one" "$work/other"

name=bench_text
run 0 "$berth" bench --workload basic --nodes 20 --pods 30
for word in basic bound latency memory digest; do
  grep -q "^$word" "$work/out" || fail "$name: no line '$word'"
done
# The program runs on jemalloc, unless sanitizers watch the C library's malloc.
if ldd "$berth" | grep -q libjemalloc; then
  pattern='^jemalloc [0-9.]+ MiB allocated, [0-9.]+ active, [0-9.]+ resident, [0-9.]+ of metadata$'
  grep -qE "$pattern" "$work/out" || fail "$name: no line 'jemalloc'"
  run 0 "$berth" bench --workload basic --nodes 20 --pods 30 --json
  for word in allocated active resident metadata; do
    grep -qE "\"arena_${word}_bytes\": [1-9]" "$work/out" || fail "$name: no member for $word"
  done
fi

name=bench_load
"$berth" generate --workload mixed --nodes 40 --pods 60 --running 30 >"$work/cluster.json"
run 0 "$berth" bench --load "$work/cluster.json" --threads 1
grep -q "^load: 40 nodes, 30 pods running, 60 to place" "$work/out" || fail "$name: no heading"
grep -qE "^read .* 130 objects in .* MB a second" "$work/out" || fail "$name: no rate"
grep -q "^memory" "$work/out" || fail "$name: no memory"
bytes=$(wc -c <"$work/cluster.json")
run 0 "$berth" bench --load "$work/cluster.json" --threads 1 --json
grep -q "\"read_bytes\": $bytes, " "$work/out" || fail "$name: not all of the file was read"
grep -oE '"digest": "[0-9a-f]+"' "$work/out" >"$work/read"
"$berth" bench --workload mixed --nodes 40 --pods 60 --running 30 --json |
  grep -oE '"digest": "[0-9a-f]+"' >"$work/made"
same bench_load_digest "$work/made" "$work/read"
run 0 "$berth" bench --workload basic --nodes 20 --pods 30 --huge-pages all --bind
grep -q "^huge" "$work/out" || fail "bench_huge: no line 'huge'"
mkdir "$work/folder" "$work/empty"
"$berth" generate --workload mixed --nodes 40 --pods 60 --running 30 >"$work/folder/all.json"
"$berth" bench --load "$work/folder" --json | grep -oE '"digest": "[0-9a-f]+"' >"$work/read"
same bench_load_folder "$work/made" "$work/read"
complains bench_load_empty 3 "the folder has no file to read" "$berth" bench --load "$work/empty"
complains bench_load_none 3 "cannot open" "$berth" bench --load "$work/none.json"
printf '{"kind":"Node","apiVersion":"v1","metadata":{"name":""}}' >"$work/bad.json"
complains bench_load_bad 3 "bad.json:1" "$berth" bench --load "$work/bad.json"
complains bench_full 3 "do not fit on 2 nodes" "$berth" bench --nodes 2 --running 1000 --pods 1
finish
