#!/usr/bin/env bash
# Every benchmark runs, and what bench/run makes of them is whole. The figures are not looked at.
# BERTH_BUILD: the build tree.
set -euo pipefail
run=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../bench" && pwd)/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build"
ln -s "${BERTH_BUILD:?the build tree}/bin" "$work/build/bin"

complain() {
  echo "FAILED $1"
  exit 1
}

"$run" --smoke --no-build --build "$work/build" --out "$work/out"
for file in RESULTS.md figures.tsv; do
  [[ -s $work/out/$file ]] || complain "no $file"
done
! grep -q $'\terror\t' "$work/out/figures.tsv" || complain "a benchmark ended with an error"
for name in decide/basic cold/rules memory/ load/mixed kernel/fit filter/NodeResourcesFit \
  score/ImageLocality tree/ask journal_follow \
  transaction_group loop/churn index_repair commit_spread workers_wake quantity_parse json_pods; do
  grep -q "^$name" "$work/out/figures.tsv" || complain "no figures of $name"
done
for heading in Goals Decisions 'Through the scheduling loop' Memory Loading; do
  grep -q "^## $heading" "$work/out/RESULTS.md" || complain "RESULTS.md lacks '$heading'"
done
if command -v gnuplot >/dev/null; then
  for plot in throughput latency memory; do
    grep -q '</svg>' "$work/out/plots/$plot.svg" || complain "plot $plot is not whole"
  done
fi

# The table of README comes from figures that are there.
printf 'decide/basic/nodes:5000/running:0/sampling:all/path:auto/threads:1\t%s\t%s\t%s\n' \
  items_per_second 1234567 1300000 p50_us 0.75 0.7 >"$work/out/figures.tsv"
"$run" --readme --out "$work/out" >"$work/readme"
grep -qF '| basic | all 5,000 | auto, 1 | 1,230,000 | 0.75 µs | 108 | 11,400 |' "$work/readme" ||
  complain "the table of README: $(cat "$work/readme")"

code=0
"$run" --nonsense 2>"$work/err" || code=$?
[[ $code == 2 ]] || complain "a wrong option: exit code $code"
grep -q "unknown option '--nonsense'" "$work/err" || complain "a wrong option"
code=0
"$run" --report --out "$work/nowhere" 2>"$work/err" || code=$?
[[ $code == 3 ]] || complain "no figures to report: exit code $code"
grep -q "run bench/run first" "$work/err" || complain "no figures to report"
echo "benchmarks run"
