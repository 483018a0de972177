#!/usr/bin/env bash
# Real clusters, manifests and a trace, if available ($BERTH_SHARED): all are read and scheduled, and each
# pod that is not placed has a reason.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

traces=${BERTH_SHARED:-}/traces
if [[ ! -d $traces ]]; then
  echo "skipped: no $traces"
  exit 77
fi

# place NAME FILE...: bound + not placed + ignored = pending, and every reason is a sentence
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

# explain NAME FILE...: for a pod that is too large for any node, the remedies are found in time
cat >"$work/giant.yaml" <<'TEXT'
{kind: Pod, apiVersion: v1, metadata: {name: giant}, spec: {containers: [
  {name: c, image: x, resources: {requests: {cpu: "3000", memory: 20Ti}}}]}}
TEXT
sed -i '1s/^/---\n/' "$work/giant.yaml"
explain() {
  name="explain $1"
  local began=$EPOCHREALTIME
  run 0 "$berth" explain -f "$work/giant.yaml" -f "${@:2}" giant
  local took=$(((${EPOCHREALTIME/./} - ${began/./}) / 1000))
  grep -q 'a new node of cpu 3k, memory 20Ti' "$work/out" || fail "$name: $(tail -n 5 "$work/out")"
  (($(wc -L <"$work/out") <= 100)) || fail "$name: too wide"
  ((took < 2000)) || fail "$name: $took ms"
}
for nodes in "$traces"/kube-manifests/nodes/*-[0-9]*.json; do
  explain "$nodes" "$nodes"
done
for snapshot in "$traces"/kube-manifests/snapshots/*/; do
  explain "$snapshot" "$snapshot/nodes.json" -f "$snapshot/pods.json"
done

openb=$traces/alibaba-openb-2023
for pods in "$openb"/pods*.csv; do
  "$berth" import openb "$openb/nodes.csv" "$pods" >"$work/openb.json" || fail "import $pods"
  place "trace $pods" -f "$work/openb.json"
  explain "trace $pods" "$work/openb.json"
done
finish
