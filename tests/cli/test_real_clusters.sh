#!/usr/bin/env bash
# Real clusters, manifests and a trace, where they are at hand ($BERTH_SHARED): all are read and
# scheduled, and each pod that is not placed has a reason.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

traces=${BERTH_SHARED:-}/traces
if [[ ! -d $traces ]]; then
  echo "skipped: no $traces"
  exit 77
fi

# place NAME FILE...: bound + not placed + passed over = pending, and every reason is a sentence
place() {
  name=$1
  shift
  run 0 "$berth" schedule "$@" --summary -o yaml
  awk '/^  (pending|bound|notPlaced|passedOver): / { n[$1] = $2 }
       /message: ""/ { exit 1 }
       END { exit n["pending:"] != n["bound:"] + n["notPlaced:"] + n["passedOver:"] }' \
    "$work/out" || fail "$name: the summary does not add up: $(head -n 8 "$work/out")"
}

for snapshot in "$traces"/kube-manifests/snapshots/*/; do
  place "snapshot $snapshot" -f "$snapshot/nodes.json" "$snapshot/pods.json"
done
for nodes in "$traces"/kube-manifests/nodes/*-[0-9]*.json; do
  place "nodes $nodes" -f "$nodes" "$traces"/kube-manifests/workloads/scheduler-perf/*
done

openb=$traces/alibaba-openb-2023
for pods in "$openb"/pods*.csv; do
  "$berth" import openb "$openb/nodes.csv" "$pods" >"$work/openb.json" || fail "import $pods"
  place "trace $pods" -f "$work/openb.json"
done
finish
