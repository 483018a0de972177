#!/usr/bin/env bash
# berth replay on the openb trace itself: every list of tasks is read, every task is accounted for, and the
# report is the same at any number of threads.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

trace=${BERTH_SHARED:-none}/traces/alibaba-openb-2023
if [[ ! -d $trace ]]; then
  echo "skipped: there is no $trace"
  exit 77
fi

# replays NAME TASKS THREADS ARGUMENT...: the outcomes add up to the list, and equal those of one thread at the
# other numbers of THREADS.
replays() {
  local name=$1 tasks=$2 others=$3
  shift 3
  for threads in 1 $others; do
    rm -rf "${work:?}/$threads"
    "$berth" replay --threads "$threads" --plots none --pods -o "$work/$threads" "$@" >"$work/text" ||
      fail "$name: exit code $?"
    grep -q "^Pods  *$tasks in" "$work/text" || fail "$name: not $tasks pods"
    [[ $(wc -l <"$work/$threads/pods.csv") == $((tasks + 1)) ]] || fail "$name: pods.csv"
    for file in report.json series.csv waits.csv pods.csv; do
      cmp "$work/1/$file" "$work/$threads/$file" || fail "$name: $file at $threads threads"
    done
  done
}

replays default 8152 "2 4" openb "$trace/nodes.csv" "$trace/pods.csv"
grep -q '"finished": 8152' "$work/1/report.json" || fail "default: not all finished"
replays failing 8152 4 --node-mtbf 3000000 --node-repair 50000 \
  openb "$trace/nodes.csv" "$trace/pods.csv"
grep -q '"finished": 8152' "$work/1/report.json" || fail "failing: not all finished"
grep -q '"failures": [1-9]' "$work/1/report.json" || fail "failing: no node failed"
for list in pods_cpu250:9420 pods_gpushare40:8152 pods_gpuspec33:8152; do
  replays "${list%:*}" "${list#*:}" 4 openb "$trace/nodes_gpu_only.csv" "$trace/${list%:*}.csv"
done
replays stay 8152 4 --no-departures openb "$trace/nodes.csv" "$trace/pods.csv"
grep -q '"running": 8113' "$work/1/report.json" || fail "stay: not 8113 placed"
replays timeless 9061 4 openb "$trace/nodes_gpu_only.csv" "$trace/pods_multigpu50.csv"
finish
