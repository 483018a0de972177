#!/usr/bin/env bash
# What perf/RESULTS.md and README.md say is what perf/figures.tsv has.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ ! -e $root/perf/figures.tsv ]] || ! grep -q '^<!-- bench/run' "$root/README.md"; then
  echo "skipped: there is no perf/figures.tsv, or README.md has no marks for its figures"
  exit 77
fi
"$root/bench/run" --check
