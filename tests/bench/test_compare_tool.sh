#!/usr/bin/env bash
# Google Benchmark's comparison tool reads the output of the benchmarks.
# BERTH_BUILD: the build tree.
set -euo pipefail
tool=/usr/share/benchmark/compare.py # of Debian's libbenchmark-tools
python=/usr/bin/python3              # the interpreter to which Debian's modules belong
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ ! -e $tool ]] || ! "$python" -c 'import scipy' 2>/dev/null; then
  echo "skipped: libbenchmark-tools or python3-scipy is not installed"
  exit 77
fi

complain() {
  echo "FAILED $1"
  exit 1
}

for half in before after; do
  "${BERTH_BUILD:?the build tree}/bin/bench_macro" --suite=smoke --benchmark_repetitions=2 \
    '--benchmark_filter=^(loop/step|decide/basic/.*/path:auto)' \
    "--benchmark_out=$work/$half.json" --benchmark_out_format=json >/dev/null 2>"$work/err" ||
    complain "bench_macro: $(tail -n 3 "$work/err")"
done
PYTHONDONTWRITEBYTECODE=1 "$python" "$tool" --no-color benchmarks "$work/before.json" \
  "$work/after.json" >"$work/out" || complain "compare.py: exit code $?"
for name in decide/basic/nodes:100/running:0/sampling:default/path:auto/threads:1 loop/step/basic; do
  grep -q "^$name" "$work/out" || complain "no comparison of $name: $(cat "$work/out")"
done
echo "compare.py reads it"
