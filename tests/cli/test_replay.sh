#!/usr/bin/env bash
# berth replay: the fate of each pod, the result files, and that both are repeatable.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

# replayed NAME ARGUMENT...: checks the text, and the files that are the same in every run.
replayed() {
  local label=$1 out=$work/files
  shift
  rm -rf "$out"
  check "replay_$label" 0 "$berth" replay --plots none --pods --sample-interval 10 -o "$out" "$@"
  for file in report.json series.csv pods.csv; do
    compare "expected/replay_${label}_$file" "$out/$file"
  done
}

replayed life data/replay_life.jsonl
# A gang waits for its last pod, then for room; another one comes in between. Refused, it waits in backoff.
replayed groups --kubernetes 1.37 --feature-gates GenericWorkload=true data/replay_groups.jsonl
replayed preempt data/replay_preempt.jsonl
replayed preempt_drop --lost-pods drop data/replay_preempt.jsonl
replayed latency --bind-latency 2.5 data/replay_preempt.jsonl
replayed until --until 1700000038 data/replay_preempt.jsonl
replayed openb --sample-interval 1000000 openb data/openb_nodes.csv data/openb_pods.csv
replayed draw --draw 150 --seed 3 openb data/openb_nodes.csv data/openb_pods.csv
replayed leaving data/replay_leaving.jsonl
replayed cluster --no-departures -f data/nodes.yaml -f data/pods_only.yaml data/replay_life.jsonl
check replay_json 0 "$berth" replay --format json data/replay_preempt.jsonl

# The same result from standard input and through gzip.
"$berth" replay -o "$work/plain" --plots none data/replay_life.jsonl >/dev/null
gzip -c data/replay_life.jsonl >"$work/life.jsonl.gz"
"$berth" replay -o "$work/packed" --plots none "$work/life.jsonl.gz" >/dev/null
"$berth" replay -o "$work/piped" --plots none - <data/replay_life.jsonl >/dev/null
same replay_gzip "$work/plain/series.csv" "$work/packed/series.csv"
same replay_stdin "$work/plain/series.csv" "$work/piped/series.csv"
[[ ! -e $work/plain/pods.csv && ! -e $work/plain/plots.gp ]] || fail "replay_files: too many"

# The same result at any number of threads, on either path, and from a trace that was written to a file.
spec=nodes=60,zones=3,pods=3000,running=100,workload=mixed
wild=(--node-mtbf 20000 --node-repair 900 --bind-latency 0.5 --pods --plots none --seed 4)
rates=(--pod-duration 2000 --arrivals-per-hour 4000)
"$berth" replay --threads 1 "${wild[@]}" "${rates[@]}" -o "$work/one" --synthetic $spec >/dev/null
grep -q '"failures": [1-9]' "$work/one/report.json" || fail "replay_wild: no node failed"
grep -q '"restarts": [1-9]' "$work/one/report.json" || fail "replay_wild: no pod restarted"
for threads in 1 2 4; do
  for path in auto scan; do
    rm -rf "$work/other"
    "$berth" replay --threads $threads --path $path "${wild[@]}" "${rates[@]}" -o "$work/other" \
      --synthetic $spec >/dev/null
    for file in report.json series.csv waits.csv pods.csv; do
      same "replay_threads_${threads}_${path}_$file" "$work/one/$file" "$work/other/$file"
    done
  done
done
"$berth" generate --trace --nodes 60 --zones 3 --pods 3000 --running 100 --workload mixed --seed 4 \
  "${rates[@]}" >"$work/trace.jsonl"
"$berth" replay --threads 1 "${wild[@]}" -o "$work/other" "$work/trace.jsonl" >/dev/null
same replay_written "$work/one/pods.csv" "$work/other/pods.csv"
same replay_written_report "$work/one/report.json" "$work/other/report.json"
rm -rf "$work/other"
"$berth" replay "${wild[@]}" "${rates[@]}" --seed 5 -o "$work/other" --synthetic $spec >/dev/null
cmp -s "$work/one/pods.csv" "$work/other/pods.csv" && fail "replay_seed: another seed, the same pods"
for workload in basic volumes; do
  "$berth" generate --trace --nodes 5 --pods 40 --workload $workload --seed 2 >"$work/trace.jsonl"
  "$berth" replay "$work/trace.jsonl" >"$work/text" || fail "replay_$workload"
  grep -q '40  finished' "$work/text" || fail "replay_$workload: not all pods finished"
done

# Replays end even if some node is always down, and even if no run is short enough to fit between two failures.
"$berth" replay --node-mtbf 3000 --node-repair 3000 --pod-duration 2000 \
  --synthetic nodes=60,pods=3000,workload=basic \
  >"$work/text" || fail "replay_often: exit code $?"
grep -q '^ *3000  finished' "$work/text" || fail "replay_often: not all pods finished"
"$berth" replay --node-mtbf 10 --node-repair 5 --pod-duration 20000 --synthetic nodes=5,pods=20 \
  >"$work/text" || fail "replay_short_lived: exit code $?"
grep -q '^ *20  finished' "$work/text" || fail "replay_short_lived: not all pods finished"
complains replay_never 3 "beyond the latest possible time" \
  "$berth" replay --bind-latency 6.2e9 data/replay_far.jsonl
"$berth" replay -f data/nodes.yaml -f data/pods_only.yaml --until 5000 --node-mtbf 1000 - \
  </dev/null >"$work/text" || fail "replay_fail_until: exit code $?"
grep -q 'in 01:23:20 of virtual time' "$work/text" || fail "replay_fail_until: ended elsewhere"
grep -q '^Nodes  *[1-9][0-9]* failed' "$work/text" || fail "replay_fail_until: no node failed"
name=replay_no_failures
run 0 "$berth" replay --node-mtbf 5 --no-departures -f data/nodes.yaml - </dev/null
grep -q "no node failed, because the trace ends" "$work/err" || fail "$name: does not say so"

# While a pod waits, the queue is at work every five minutes. Centuries of it are refused.
lines=("$(sed -n 1p data/replay_far.jsonl)" "$(sed -n 2p data/replay_far.jsonl)")
asking='"image": "i", "resources": {"requests": {"cpu": "1"}}'
{
  echo "${lines[0]/6e9/0}"
  for pod in a b; do
    line=${lines[1]/'"name": "a"'/'"name": "'$pod'"'}
    line=${line/6e9/1}
    line=${line/'"object"'/'"duration": 4294967296, "object"'}
    echo "${line/'"image": "i"'/$asking}"
  done
} >"$work/centuries.jsonl"
complains replay_idle 3 "retries of pods that wait: take shorter durations, or an earlier end" \
  timeout 100 "$berth" replay "$work/centuries.jsonl"
sed 's/4294967296/42949672/' "$work/centuries.jsonl" >"$work/year.jsonl"
name=replay_year
run 0 timeout 100 "$berth" replay "$work/year.jsonl"
grep -q '^ *2  finished' "$work/out" || fail "$name: not all pods finished"

# Sums of amounts at the limit, and names that CSV must quote or a spreadsheet would run.
largest=9223372036854775807
{
  for node in '=n,1' n2; do
    echo '{"time": 0, "event": "node_add", "object": {"kind": "Node", "metadata": {"name": "'$node'"},' \
      '"status": {"allocatable": {"pods": "10", "x.com/r": "'$largest'", "r,\"s\"": "1"}}}}'
  done
  cat <<'JSON'
{"time": 1, "event": "pod_add", "duration": 5, "object": {"kind": "Pod", "metadata": {"name": "=cmd|\"a\",\nb"}, "spec": {"containers": [{"name": "a", "image": "i", "resources": {"requests": {"x.com/r": "5"}}}]}}}
{"time": 2, "event": "pod_add", "duration": 5, "object": {"kind": "Pod", "metadata": {"name": "-.%"}, "spec": {"containers": [{"name": "a", "image": "i", "resources": {"requests": {"x.com/r": "5"}}}]}}}
JSON
} >"$work/csv.jsonl"
name=replay_csv
run 0 "$berth" replay --plots none --pods --no-departures --sample-interval 10 -o "$work/csv" "$work/csv.jsonl"
compare expected/replay_csv_pods.csv "$work/csv/pods.csv"
compare expected/replay_csv_series.csv "$work/csv/series.csv"
grep -q "\"allocatableAtEnd\": $largest" "$work/csv/report.json" || fail "$name: the sum of both nodes"
run 0 "$berth" report -f "$work/csv" -o "$work/csv.html"
grep -qF '"r,\"s\" share"' "$work/csv.html" || fail "$name: the titles of the report"

# Pictures.
if command -v gnuplot >/dev/null; then
  for kind in svg png; do
    "$berth" replay --plots $kind -o "$work/$kind" data/replay_life.jsonl >/dev/null 2>"$work/err" ||
      fail "replay_plots_$kind"
    [[ -s $work/err ]] && fail "replay_plots_$kind: $(cat "$work/err")"
    for picture in utilization fragmentation queue waits; do
      [[ -s $work/$kind/$picture.$kind ]] || fail "replay_plots_$kind: no $picture.$kind"
    done
  done
else
  echo "no gnuplot: pictures are not tested"
fi
mkdir "$work/bin"
name=replay_no_gnuplot
PATH=$work/bin run 0 "$berth" replay -o "$work/bare" data/replay_life.jsonl
grep -qF "there is no gnuplot" "$work/err" || fail "$name: does not say so"
[[ -s $work/bare/plots.gp && -s $work/bare/report.json ]] || fail "$name: files are missing"
name=replay_no_gnuplot_asked
PATH=$work/bin run 4 "$berth" replay --plots png -o "$work/bare" data/replay_life.jsonl
printf '#!/bin/sh\nexit 3\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
name=replay_gnuplot_fails
PATH=$work/bin:$PATH run 4 "$berth" replay -o "$work/bare" data/replay_life.jsonl
grep -qF "gnuplot failed" "$work/err" || fail "$name: does not say so"

if command -v gnuplot >/dev/null; then
  name=replay_plots_no_waits
  run 0 "$berth" replay -o "$work/svg" --no-departures -f data/nodes.yaml - </dev/null
  [[ -s $work/err ]] && fail "$name: $(cat "$work/err")"
fi

# Files that cannot be written.
mkdir -p "$work/taken/report.json"
name=replay_taken
run 4 "$berth" replay --plots none -o "$work/taken" data/replay_life.jsonl
grep -qF "report.json: Is a directory" "$work/err" || fail "$name: $(cat "$work/err")"
complains replay_folder 3 "No such file" "$berth" replay -o "$work/no/where" data/replay_life.jsonl
complains replay_samples 3 "take a longer --sample-interval" \
  "$berth" replay --sample-interval 0.00001 data/replay_life.jsonl

complains replay_strict 3 "life.jsonl:9: Pod default/nobody: there is no such pod" \
  "$berth" replay --strict data/replay_life.jsonl
finish
