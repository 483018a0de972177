#!/usr/bin/env bash
# Specifications that were taken from a running pod: what the pod got since it was created does not count for
# further ones.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

berth_options=()
# fits FILE...: how many more pods of a specification fit, and how many of these on each node.
fits() {
  local specs=()
  for file in "$@"; do
    specs+=(--podspec "$work/$file.yaml")
  done
  "$berth" capacity -q "${berth_options[@]}" -f "$work/cluster.yaml" "${specs[@]}" -o json |
    python3 -c 'import json, sys
one = json.load(sys.stdin)["podspecs"][0]
print(one["fit"], *sorted("%s:%d" % (n["node"], n["pods"]) for n in one["nodes"]))'
}

# expect WANTED FILE...
expect() {
  local wanted=$1 got
  shift
  got=$(fits "$@")
  [[ $got == "$wanted" ]] || fail "$*: '$got', not '$wanted'"
}

# nodes_and_class NAME PROVISIONER
nodes_and_class() {
  for node in n1 n2; do
    cat <<TEXT
apiVersion: v1
kind: Node
metadata: {name: $node, labels: {at: $node}}
status: {allocatable: {cpu: 8, pods: 20}}
---
TEXT
  done
  cat <<TEXT
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: $1}
provisioner: $2
volumeBindingMode: WaitForFirstConsumer
---
TEXT
}

nodes_and_class fast csi.example.com >"$work/cluster.yaml"
cat >>"$work/cluster.yaml" <<'TEXT'
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv1}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  claimRef: {namespace: default, name: data-web-0, uid: u1}
  csi: {driver: csi.example.com, volumeHandle: h1}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: at, operator: In, values: [n1]}]}]}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n2-gpu}
spec:
  driver: gpu.example.com
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}, {name: gpu-2}]
TEXT

# A claim that is bound to a volume of n1, before and after the pod, and with its class in the old annotation. A claim
# of another volume, of another pod or of another namespace is not the pod's own, so its further pods share it.
claim() { # NAME NAMESPACE
  cat <<TEXT
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: $1
  namespace: $2
  uid: u1
  annotations:
    pv.kubernetes.io/bind-completed: "yes"
    volume.kubernetes.io/selected-node: n1
    volume.beta.kubernetes.io/storage-class: fast
spec: {accessModes: [ReadWriteOnce], volumeName: pv1, resources: {requests: {storage: 1Gi}}}
status: {phase: Bound}
---
TEXT
}
web() { # CLAIM
  cat <<TEXT
apiVersion: v1
kind: Pod
metadata: {name: web-0}
spec:
  nodeName: n1
  containers: [{name: c, resources: {requests: {cpu: 2}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: $1}}]
---
TEXT
}
{ claim data-web-0 default && web data-web-0; } >"$work/before.yaml"
{ web data-web-0 && claim data-web-0 default; } >"$work/after.yaml"
{ claim data-web-0 default && web data-web-0 && claim data-web-0 default; } >"$work/twice.yaml"
web data-web-0 >"$work/pod.yaml"
claim data-web-0 default >"$work/claim.yaml"
expect "8 n1:4 n2:4" before
expect "8 n1:4 n2:4" after
expect "8 n1:4 n2:4" twice
expect "8 n1:4 n2:4" pod claim
expect "8 n1:4 n2:4" claim pod
# The claim is in the cluster alone: a warning says that it is shared.
cp "$work/cluster.yaml" "$work/without"
{ echo --- && claim data-web-0 default; } >>"$work/cluster.yaml"
expect "4 n1:4" pod
shared() {
  "$berth" capacity -f "$work/cluster.yaml" --podspec "$1" >"$work/out" 2>"$work/err"
  grep -q 'all pods share claim data-web-0,' "$work/err"
}
shared "$work/pod.yaml" || fail "nothing is said about a shared claim"
! shared "$work/before.yaml" || fail "something is said about a claim that is not shared"
mv "$work/without" "$work/cluster.yaml"
{ claim data-web-0 default && claim data-web-0 other && web data-web-0; } >"$work/other.yaml"
expect "8 n1:4 n2:4" other
sed -i 's/name: data-web-0, uid/name: data-web-1, uid/' "$work/cluster.yaml"
{ claim data-web-1 default && web data-web-1; } >"$work/shared.yaml"
expect "4 n1:4" shared

# Devices that the pod's claim has got are not taken twice, and do not bind further pods to it: these get claims of the
# template, also in another namespace than the default one.
cat >"$work/gpu.yaml" <<'TEXT'
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train-gpu
  uid: c1
  ownerReferences: [{apiVersion: v1, kind: Pod, name: train, uid: p1, controller: true}]
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status:
  allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n2, device: gpu-0}]}}
  reservedFor: [{resource: pods, name: train, uid: p1}]
---
apiVersion: v1
kind: Pod
metadata: {name: train, uid: p1}
spec:
  nodeName: n2
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: train-gpu}]}
TEXT
cat >>"$work/cluster.yaml" <<'TEXT'
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
TEXT
expect "3 n2:3" gpu
berth_options=(-n team)
expect "3 n2:3" gpu
berth_options=()

# Amounts that the pod has still got before it is resized.
cat >"$work/resized.yaml" <<'TEXT'
apiVersion: v1
kind: Pod
metadata: {name: small}
spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 2}}}]}
status:
  phase: Running
  containerStatuses: [{name: c, allocatedResources: {cpu: 4}, resources: {requests: {cpu: 4}}}]
TEXT
expect "8 n1:4 n2:4" resized

# --scale: copies of a StatefulSet's pod, whose claim has its class in the old annotation. Local volumes of that class
# are on n2 alone.
nodes_and_class local kubernetes.io/no-provisioner >"$work/scale.yaml"
cat >>"$work/scale.yaml" <<'TEXT'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, annotations: {volume.beta.kubernetes.io/storage-class: local}}
spec: {accessModes: [ReadWriteOnce], volumeName: pv0, resources: {requests: {storage: 1Gi}}}
status: {phase: Bound}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, uid: s1}
spec: {replicas: 1, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: db-0, labels: {app: db}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: s1, controller: true}]}
spec:
  nodeName: n1
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: db}
spec: {minReplicas: 1, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}}
TEXT
for i in 1 2; do
  cat <<TEXT
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv$i}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: /$i}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: at, operator: In, values: [n2]}]}]}}
TEXT
done >>"$work/scale.yaml"
got=$("$berth" schedule -q -f "$work/scale.yaml" --scale max -o json |
  python3 -c 'import json, sys
print(*("%s:%s" % (p["name"], p.get("node")) for p in json.load(sys.stdin)["placements"]))')
[[ $got == "db-1:n2 db-2:n2 db-3:None" ]] || fail "scale: $got"
finish
