#!/usr/bin/env bash
# Checks, on a sample of the families, that kube-scheduler still gives the committed answers.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vectors=$source/../vectors
for version in 1.32 1.36 1.37; do
  [[ -d $vectors/v$version ]] || continue
  code=0
  oracle=$("$source/build" "$version") || code=$?
  ((code == 0)) || exit "$code"
  "$oracle" check "$vectors/v$version"/{mixed,preemptmix,volumes,profiles}.jsonl.gz
done
