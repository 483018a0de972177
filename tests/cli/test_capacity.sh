#!/usr/bin/env bash
# berth capacity: how many pods fit, where, and what prevents one more.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cluster=(-f data/nodes.yaml -f data/pods.json)
specs=(--podspec data/podspecs.yaml)
check capacity_table 0 "$berth" capacity "${cluster[@]}" "${specs[@]}"
check capacity_json 0 "$berth" capacity "${cluster[@]}" "${specs[@]}" -o json
check capacity_yaml 0 "$berth" capacity "${cluster[@]}" "${specs[@]}" -o yaml --summary
check capacity_together 0 "$berth" capacity "${cluster[@]}" "${specs[@]}" --together
check capacity_max 0 "$berth" capacity "${cluster[@]}" "${specs[@]}" --max 2 --summary
check capacity_excluded 0 \
  "$berth" capacity "${cluster[@]}" "${specs[@]}" --exclude-nodes small-a,large-b --exclude-nodes infra
check capacity_config 0 \
  "$berth" capacity "${cluster[@]}" "${specs[@]}" --config data/most.yaml --max 3
check capacity_no_nodes 0 "$berth" capacity -f data/podspecs.yaml "${specs[@]}" --summary

# The counts do not depend on the order of files, standard input or the number of threads.
figures() {
  grep -v -e '"seconds"' -e '"decisionsPer'
}
"$berth" capacity "${cluster[@]}" "${specs[@]}" -o json | figures >"$work/files"
"$berth" capacity "${cluster[@]}" --podspec - -o json <data/podspecs.yaml | figures >"$work/standard"
same capacity_stdin "$work/files" "$work/standard"
for threads in 1 2; do
  "$berth" capacity --synthetic nodes=300,pods=0,running=600,workload=mixed "${specs[@]}" -o json \
    --threads $threads | figures >"$work/threads$threads"
done
same capacity_threads "$work/threads1" "$work/threads2"
"$berth" capacity --synthetic nodes=300,pods=0,running=600,workload=mixed "${specs[@]}" -o json \
  --path scan | figures >"$work/scan"
same capacity_path "$work/threads1" "$work/scan"

# Each pod of a StatefulSet has its own claims: as many fit as there are volumes, one per node.
{
  for node in a b c; do
    printf 'apiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: {allocatable: {cpu: 8, memory: 8Gi, pods: 9}}\n---\n' $node
    printf 'apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv-%s}\nspec:\n  capacity: {storage: 1Gi}\n' $node
    printf '  accessModes: [ReadWriteOnce]\n  storageClassName: local\n  nodeAffinity: {required: {nodeSelectorTerms: [\n'
    printf '    {matchFields: [{key: metadata.name, operator: In, values: [%s]}]}]}}\n---\n' $node
  done
  printf 'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: local}\n'
  printf 'provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer\n'
} >"$work/volumes.yaml"
cat >"$work/set.yaml" <<'TEXT'
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c}]}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
TEXT
check capacity_claims 0 "$berth" capacity -f "$work/volumes.yaml" --podspec "$work/set.yaml"

# As many as the scheduler places, on the same nodes.
sed 's/replicas: 0/replicas: 500/' data/podspecs.yaml | head -n 11 >"$work/web.yaml"
"$berth" capacity -f data/nodes.yaml --podspec "$work/web.yaml" -o json |
  sed -n 's/.*{"node": "\(.*\)", "pods": \([0-9]*\)}.*/\2 \1/p' | sort >"$work/counted"
"$berth" schedule -f data/nodes.yaml -f "$work/web.yaml" -o json |
  sed -n 's/.*"node": "\([^"]*\)".*/\1/p' | sort | uniq -c | sed 's/^ *//' | sort >"$work/placed"
same capacity_scheduled "$work/counted" "$work/placed"
[[ -s $work/placed ]] || fail "capacity_scheduled: nothing was placed"

# The count ends although nothing limits it; with a limit, it goes as far as the node has room.
cat >"$work/wide.yaml" <<'TEXT'
apiVersion: v1
kind: Node
metadata: {name: wide}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 3000}}
TEXT
echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x"}]}}' \
  >"$work/bare.json"
cat >"$work/unlimited.yaml" <<'TEXT'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}}]
TEXT
"$berth" capacity -f "$work/wide.yaml" --podspec "$work/bare.json" >"$work/out"
grep -q '^Pod default/p *3000 *1 *.*Too many pods' "$work/out" || fail "capacity_wide: $(cat "$work/out")"
"$berth" capacity -f "$work/wide.yaml" --podspec "$work/bare.json" --config "$work/unlimited.yaml" >"$work/out"
grep -q '^Pod default/p *4096 *1 *nothing: no filter' "$work/out" || fail "capacity_endless: $(cat "$work/out")"

complains capacity_no_podspec 2 "no pod to count" "$berth" capacity "${cluster[@]}"
complains capacity_no_cluster 2 "no input" "$berth" capacity "${specs[@]}"
complains capacity_stdin_twice 2 "only once" "$berth" capacity -f - --podspec -
complains capacity_max_wrong 2 "a whole number" "$berth" capacity "${cluster[@]}" --max x
complains capacity_no_pod 3 "neither a pod nor a pod template" \
  "$berth" capacity "${cluster[@]}" --podspec data/nodes_only.yaml
complains capacity_missing 3 "No such file" "$berth" capacity "${cluster[@]}" --podspec nosuch
complains capacity_unknown_node 3 "Node nosuch" \
  "$berth" capacity "${cluster[@]}" "${specs[@]}" --exclude-nodes nosuch
echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"schedulerName":"other",' \
  '"containers":[{"name":"c","image":"x"}]}}' >"$work/other.json"
complains capacity_other_scheduler 3 'no profile serves scheduler "other"' \
  "$berth" capacity "${cluster[@]}" --podspec "$work/other.json"
sed 's/"1"/"-1"/;s/500m/-5/' data/podspecs.yaml >"$work/negative.yaml"
complains capacity_negative 3 "resources.requests.cpu" \
  "$berth" capacity "${cluster[@]}" --podspec "$work/negative.yaml"
finish
