#!/usr/bin/env bash
# Runs every benchmark and checks that the output of bench/run is complete. The figures are not checked.
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
for name in decide/basic cold/rules memory/ load/mixed dump/basic kernel/fit filter/NodeResourcesFit \
  score/ImageLocality tree/ask journal_follow \
  transaction_group publish/ snapshot_find branch/drop loop/churn index_repair commit_spread \
  workers_wake quantity_parse json_pods; do
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

# README's figures are made from existing ones, and a README with other figures is detected.
{
  printf '# %s\n' 'suite: smoke' 'machine: 2 cores'
  printf 'decide/basic/nodes:5000/running:0/sampling:default/path:auto/threads:1\t%s\t%s\t%s\n' \
    items_per_second 1234567 1300000 p50_us 0.75 0.7
} >"$work/out/figures.tsv"
printf '%s\n' before '<!-- bench/run: these figures are written by it -->' old \
  '<!-- bench/run: end -->' after >"$work/readme"
code=0
"$run" --check --out "$work/out" --readme-file "$work/readme" 2>"$work/err" || code=$?
[[ $code == 1 ]] || complain "old figures: exit code $code"
grep -q "run bench/run --report" "$work/err" || complain "old figures are not told"
"$run" --report --out "$work/out" --readme-file "$work/readme" 2>"$work/err"
grep -qF "| plain pods on 5,000 nodes; kube-scheduler's own algorithm places 1,080 a second | 1,300,000 | 0.70 µs |" \
  "$work/readme" || complain "the figures of README: $(cat "$work/readme")"
grep -qF '| basic | 500 of 5,000 (default) | auto, 1 | 1,300,000 | 0.70 µs | 1,080 | 1,200 |' "$work/out/RESULTS.md" ||
  complain "the table of RESULTS.md: $(grep '^| basic' "$work/out/RESULTS.md")"
grep -q '^Measured by bench/run --smoke on 2 cores; ' "$work/readme" ||
  complain "the facts of README: $(cat "$work/readme")"
[[ $(head -n 1 "$work/readme") == before && $(tail -n 1 "$work/readme") == after ]] ||
  complain "README around its figures"
! grep -qx old "$work/readme" || complain "old figures stay in README"
"$run" --check --out "$work/out" --readme-file "$work/readme" || complain "new figures are refused"
echo 'no marks' >"$work/readme"
code=0
"$run" --check --out "$work/out" --readme-file "$work/readme" 2>"$work/err" || code=$?
[[ $code == 1 ]] || complain "README without marks: exit code $code"
grep -q "has no marks" "$work/err" || complain "README without marks"

code=0
"$run" --nonsense 2>"$work/err" || code=$?
[[ $code == 2 ]] || complain "a wrong option: exit code $code"
grep -q "unknown option '--nonsense'" "$work/err" || complain "a wrong option"
code=0
"$run" --report --out "$work/nowhere" 2>"$work/err" || code=$?
[[ $code == 3 ]] || complain "no figures to report: exit code $code"
grep -q "run bench/run first" "$work/err" || complain "no figures to report"
echo "benchmarks run"
