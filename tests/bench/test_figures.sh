#!/usr/bin/env bash
# The figures in perf/RESULTS.md and README.md are those of perf/figures.tsv.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ ! -e $root/perf/figures.tsv ]] || ! grep -q '^<!-- bench/run' "$root/README.md"; then
  echo "skipped: there is no perf/figures.tsv, or README.md has no marks for its figures"
  exit 77
fi
"$root/bench/run" --check
