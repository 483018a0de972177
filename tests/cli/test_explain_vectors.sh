#!/usr/bin/env bash
# berth explain agrees with kube-scheduler's recorded decisions, node by node and score by score.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

command -v python3 >/dev/null || {
  echo "skipped: no python3"
  exit 77
}
name=explain_vectors
run 0 python3 explain_vectors.py "$berth" 5 ../vectors/v1.36/*.jsonl.gz ../vectors/v1.32/*.jsonl.gz
agreed=0
if [[ $(tail -n 1 "$work/out") =~ ^([0-9]+)\ decisions\ agree,\ 0\ differ$ ]]; then
  agreed=${BASH_REMATCH[1]}
fi
((agreed >= 100)) || fail "$name: $(tail -n 3 "$work/out")"
finish
