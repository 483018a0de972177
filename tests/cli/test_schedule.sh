#!/usr/bin/env bash
# berth schedule on a small cluster: every form of input and output.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

both=(-f data/nodes.yaml -f data/pods.json)
check schedule_table 0 "$berth" schedule "${both[@]}"
check schedule_json 0 "$berth" schedule "${both[@]}" -o json
check schedule_yaml 0 "$berth" schedule "${both[@]}" --output=yaml
check schedule_summary 0 "$berth" schedule "${both[@]}" --summary
check schedule_summary_json 0 "$berth" schedule "${both[@]}" --summary -ojson
check schedule_config 0 "$berth" schedule "${both[@]}" --config data/most.yaml
check schedule_workloads 0 "$berth" schedule data/nodes.yaml data/workloads.yaml
check schedule_nothing_to_do 0 "$berth" schedule data/nodes.yaml
check schedule_no_nodes 0 "$berth" schedule data/pods_only.yaml
check schedule_synthetic 0 \
  "$berth" schedule --synthetic nodes=4,zones=2,pods=6,running=4,workload=basic

# PodGroups are placed whole or not at all.
groups=(--kubernetes 1.37 --feature-gates GenericWorkload=true data/groups.yaml)
check schedule_groups 0 "$berth" schedule "${groups[@]}"
check schedule_groups_json 0 "$berth" schedule "${groups[@]}" -o json
check schedule_groups_preempt 0 "$berth" schedule "${groups[@]}" data/groups_preempt.yaml
check schedule_groups_passed_over 0 "$berth" schedule --kubernetes 1.37 --feature-gates GenericWorkload=true \
  data/groups_passed_over.yaml
check schedule_groups_never 0 "$berth" schedule --kubernetes 1.37 \
  --feature-gates GenericWorkload=true,PodGroupPreemptionPolicy=true data/groups_never.yaml
check schedule_groups_composite 0 "$berth" schedule --kubernetes 1.37 --feature-gates \
  GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true data/groups_composite.yaml
check schedule_groups_racks 0 "$berth" schedule --kubernetes 1.37 \
  --feature-gates GenericWorkload=true,TopologyAwareWorkloadScheduling=true data/groups_racks.yaml

# The answer is the same from standard input, compressed or not, and at every number of threads.
"$berth" schedule "${both[@]}" -o json | grep -v -e '"seconds"' -e '"decisionsPer' >"$work/files"
"$berth" schedule -f data/nodes.yaml - -o json <data/pods.json |
  grep -v -e '"seconds"' -e '"decisionsPer' >"$work/standard"
same schedule_stdin "$work/files" "$work/standard"
gzip -c data/pods.json | "$berth" schedule -f data/nodes.yaml -f - -o json |
  grep -v -e '"seconds"' -e '"decisionsPer' >"$work/packed"
same schedule_gzip "$work/files" "$work/packed"
for threads in 1 2 4; do
  "$berth" schedule --synthetic nodes=300,pods=500,workload=mixed -o json --threads $threads |
    grep -v -e '"seconds"' -e '"decisionsPer' >"$work/threads$threads"
done
same schedule_threads_2 "$work/threads1" "$work/threads2"
same schedule_threads_4 "$work/threads1" "$work/threads4"

# Random ties depend on the seed.
for seed in 1 1 2; do
  "$berth" schedule --synthetic nodes=50,pods=20,workload=basic --tie random --seed $seed -o json |
    grep digest >>"$work/digests"
done
[[ $(sort -u "$work/digests" | wc -l) == 2 ]] || fail "schedule_seed: $(cat "$work/digests")"

# v1.15's environment variable for the volume limit: values that are not positive numbers are ignored.
cat >"$work/policy.json" <<'TEXT'
{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "MaxGCEPDVolumeCount"}], "priorities": []}
TEXT
cat >"$work/disks.yaml" <<'TEXT'
{kind: Node, apiVersion: v1, metadata: {name: n1}, status: {allocatable: {pods: 9}}}
---
{kind: Pod, apiVersion: v1, metadata: {name: p}, spec: {containers: [], volumes: [
  {name: a, gcePersistentDisk: {pdName: a}}, {name: b, gcePersistentDisk: {pdName: b}}]}}
TEXT
sed -i '1s/^/---\n/' "$work/disks.yaml"
limits=("=1" "1=0" "2=1" "+1=0" "0=1" "1x=1" "-1=1")
"$berth" schedule --config "$work/policy.json" -f "$work/disks.yaml" 2>"$work/err" >/dev/null
if grep -q 'built without v1.15' "$work/err"; then
  limits=()
fi
for limit in "${limits[@]}"; do
  KUBE_MAX_PD_VOLS=${limit%=*} "$berth" schedule --config "$work/policy.json" -f "$work/disks.yaml" \
    -o json >"$work/out"
  grep -qE "\"bound\": ${limit#*=},?$" "$work/out" ||
    fail "schedule_volumes_max ${limit%=*}: $(head -c 2000 "$work/out")"
done

# A full disk is an internal failure, reported on standard error.
name=schedule_full_disk
"$berth" schedule "${both[@]}" >/dev/full 2>"$work/err"
[[ $? == 4 ]] || fail "$name: exit code"
grep -q "standard output: No space left on device" "$work/err" || fail "$name: $(cat "$work/err")"
# Equal pods are explained once, and again after a pod was placed, because it may have filled a node.
pod() { printf '{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: [{name: c, resources: {requests: {cpu: %s}}}]}},' "$@"; }
{
  printf '{kind: List, apiVersion: v1, items: ['
  pod large-1 3 && pod large-2 3 && pod small 1 && pod large-3 3
  printf '{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 2, memory: 1Gi, pods: 1}}}]}'
} >"$work/equal.yaml"
"$berth" schedule -f "$work/equal.yaml" -o csv >"$work/out" 2>"$work/err"
for row in 'large-1,-,.*: 1 Insufficient cpu' 'large-2,-,.*: 1 Insufficient cpu' 'large-3,-,.*: 1 Insufficient cpu, 1 Too many pods'; do
  grep -q "$row\\." "$work/out" || fail "equal pods: no $row in $(cat "$work/out")"
done
# One of one is all.
"$berth" schedule -f "$work/equal.yaml" 2>"$work/err" | grep -qE ' pods +1 +1 +100\.0%$' || fail "one of one"
finish
