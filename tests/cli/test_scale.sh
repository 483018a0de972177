#!/usr/bin/env bash
# --scale: workloads with the maximum or minimum of pods that their autoscalers allow.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cluster=(-f data/scale.yaml)
check scale_max 0 "$berth" schedule "${cluster[@]}" --scale max
check scale_min 0 "$berth" schedule "${cluster[@]}" --scale min
check scale_json 0 "$berth" schedule -q "${cluster[@]}" --scale max -o json --summary
check scale_grow 0 "$berth" grow -q "${cluster[@]}" --scale max --shape m=cpu=4,memory=8Gi --keep-nodes --summary
check scale_top 0 "$berth" top -q "${cluster[@]}" --scale min --by owner -o csv
"$berth" schedule -q "${cluster[@]}" >"$work/without"
"$berth" schedule -q "${cluster[@]}" --scale current >"$work/current"
same current "$work/without" "$work/current"
"$berth" schedule "${cluster[@]}" 2>&1 | grep -q 'HPA\|Autoscaler' && fail "without --scale nothing is said"

# The 3 + 2 + 1 pods, including the pending one, request 6.5 of 8 cpu; with --scale max, pods are
# added until all 8 are used.
echo '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
  "spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}]}}' >"$work/pod.json"
fits() {
  "$berth" capacity -q "${cluster[@]}" --podspec "$work/pod.json" "$@" -o json | sed -n 's/.*"fits\{0,1\}": \([0-9]*\).*/\1/p' | head -1
}
[[ $(fits) == 4 && $(fits --scale min) == 4 && $(fits --scale max) == 0 ]] ||
  fail "capacity: $(fits), $(fits --scale min), $(fits --scale max)"

# Workloads of manifests: a quota refuses pods, and a change is applied before its autoscaler.
cat >"$work/manifest.yaml" <<'END'
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: api, namespace: shop}
spec: {minReplicas: 1, maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: shop}
spec: {hard: {pods: "4"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec: {replicas: 2, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}, spec: {containers: [{name: c, image: api, resources: {requests: {cpu: 500m}}}]}}}
END
check scale_manifest_max 0 "$berth" schedule -q -f "$work/manifest.yaml" --scale max
check scale_manifest_min 0 "$berth" schedule -q -f "$work/manifest.yaml" --scale min
cat >"$work/change.yaml" <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "web:2", resources: {requests: {cpu: 500m, memory: 1Gi}}}]}}}
END
check scale_change 0 "$berth" schedule -q "${cluster[@]}" -f "$work/change.yaml" --scale max
check scale_add 0 "$berth" schedule -q "${cluster[@]}" -f "$work/change.yaml" --scale max --add -o name

# ---- autoscalers that are not applied ----

# refused NAME SPEC MESSAGE
refused() {
  printf '{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "x", "namespace": "shop"}, "spec": %s}' \
    "$2" >"$work/$1.json"
  complains "scale_$1" 3 "$3" "$berth" schedule "${cluster[@]}" -f "$work/$1.json" --scale max --strict
}
reference='"scaleTargetRef": {"kind": "ReplicaSet", "name": "rs2"}'
refused targetless '{"maxReplicas": 2}' "scaleTargetRef needs a kind and a name"
refused mostless "{$reference}" "maxReplicas is not a whole number from 1 to 1000000"
refused zero "{\"maxReplicas\": 0, $reference}" "maxReplicas is not a whole number from 1 to 1000000"
refused many "{\"maxReplicas\": 1000001, $reference}" "maxReplicas is not a whole number from 1 to 1000000"
refused negative "{\"minReplicas\": -1, \"maxReplicas\": 2, $reference}" "minReplicas is not a whole number from 0"
refused above "{\"minReplicas\": 3, \"maxReplicas\": 2, $reference}" "minReplicas is not a whole number from 0"
refused unknown "{\"maxReplicas\": 1000000, $reference}" "its target ReplicaSet shop/rs2 is not in the input"
refused twice '{"maxReplicas": 2, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}' \
  "HPA web and HPA x of namespace shop both scale Deployment web: neither is applied"
cat >"$work/claims.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: s-0, uid: s0, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: s, uid: s, controller: true}]}
spec:
  containers: [{name: c, image: x}]
  volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: s}
spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: s}}
END
complains scale_claims 3 "HPA s is not applied: pods of StatefulSet default/s have volumes or claims that go with" \
  "$berth" schedule "${cluster[@]}" -f "$work/claims.yaml" --scale max --strict
# A ReplicaSet whose name is nothing but the hash has no Deployment.
cat >"$work/alone.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata:
  name: alone-a
  namespace: shop
  uid: alone
  labels: {pod-template-hash: alone}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: alone, uid: a, controller: true}]
spec: {nodeName: n1, containers: [{name: c, image: x}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: alone, namespace: shop}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: alone}}
END
name=scale_alone
run 0 "$berth" schedule -q "${cluster[@]}" -f "$work/alone.yaml" --scale max -o name
[[ $(grep -c '^pod/shop/alone-scaled-' "$work/out") == 2 ]] || fail "scale_alone: $(cat "$work/out")"
# With fewer pods, none is copied.
sed 's/^metadata: {name: s-0, uid: s0/metadata: {name: s-1, uid: s1/' "$work/claims.yaml" | sed '/^---$/,$d' >"$work/claims2.yaml"
name=scale_claims_min
run 0 "$berth" schedule "${cluster[@]}" -f "$work/claims.yaml" -f "$work/claims2.yaml" --scale min
grep -q 'HPA s is not applied' "$work/err" && fail "$name: $(cat "$work/err")"
complains scale_none 3 "the input has no HorizontalPodAutoscaler that could be applied: --scale changes nothing" \
  "$berth" schedule --synthetic nodes=3,pods=3 --scale max --strict
complains scale_word 2 "max" "$berth" schedule "${cluster[@]}" --scale most
"$berth" dump | grep -q horizontalpodautoscalers.autoscaling || fail dump
finish
