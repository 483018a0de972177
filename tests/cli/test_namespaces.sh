#!/usr/bin/env bash
# -n is the namespace of objects without one, as in kubectl apply -n; --only-namespace limits what is listed.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cat >"$work/cluster.yaml" <<'TEXT'
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "10"}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], claimRef: {namespace: db, name: data}, storageClassName: ""}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: db, uid: c, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: v, accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: db, uid: d}
spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  {name: web-0, namespace: db, uid: w, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: d, controller: true}]}
spec: {nodeName: n1, containers: [{name: c}]}
TEXT
cat >"$work/app.yaml" <<'TEXT'
apiVersion: v1
kind: Pod
metadata: {name: reader}
spec: {containers: [{name: c}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: shop}
spec: {containers: [{name: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: moved, uid: from-another-cluster}
spec: {containers: [{name: c}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: []}}}
---
apiVersion: v1
kind: Pod
metadata: {name: claimer}
spec: {containers: [{name: c}], resourceClaims: [{name: r, resourceClaimTemplateName: t}]}
TEXT
input=(-f "$work/cluster.yaml" -f "$work/app.yaml")
has() { # NAME TEXT...
  name=$1
  shift
  local text
  for text in "$@"; do
    grep -qF -- "$text" "$work/out" || fail "$name lacks $text: $(cat "$work/out" "$work/err")"
  done
}

name=given
run 0 "$berth" schedule "${input[@]}" -n db -o json
has given '{"namespace": "db", "name": "reader", "node": "n1"}' '{"namespace": "shop", "name": "other", "node": "n1"}' \
  '{"namespace": "db", "name": "claimer", "node": "n1"}' \
  '{"namespace": "db", "name": "moved", "node": "n1"}' '"namespace": "db", "name": "web-'
name=default
run 0 "$berth" schedule "${input[@]}" -o json
has default '{"namespace": "default", "name": "reader", "message"' 'persistentvolumeclaim \"data\" not found'

# A workload of the manifest replaces the cluster's one in that namespace.
name=change
run 0 "$berth" schedule "${input[@]}" --namespace db --summary
has change 'StatefulSet db/web: 1 running, 2 wanted, 1 more to place'

# The list does not depend on -n.
name=listed
run 0 "$berth" schedule "${input[@]}" -n db --only-namespace shop -o name
has listed 'pod/shop/other'
grep -q pod/db "$work/out" && fail "listed: $(cat "$work/out")"

# Errors name the object as it would be created; capacity and explain use the namespace, too.
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: [{name: c, resources: {requests: {cpu: x}}}]}\n' >"$work/bad.yaml"
complains refused 3 'Pod db/bad' "$berth" schedule -f "$work/cluster.yaml" -f "$work/bad.yaml" -n db
name=capacity
run 0 "$berth" capacity -f "$work/cluster.yaml" --podspec "$work/app.yaml" -n db -o name
has capacity 'pod/db/reader' 'pod/shop/other' 'statefulset/db/web'
name=explain
run 0 "$berth" explain "${input[@]}" -n db reader
has explain 'Pod        db/reader, pending' 'it goes to n1'
name=hint
run 0 "$berth" schedule -f "$work/app.yaml" -n db --summary
has hint '-n db'
# A mistyped namespace lists nothing, which must not look like a good answer.
for command in schedule "drain --all" "top --by owner"; do
  # shellcheck disable=SC2086
  "$berth" $command -f data/top.yaml --only-namespace shpo >/dev/null 2>"$work/err"
  grep -qF "the input has no namespace 'shpo', so nothing is listed: did you mean 'shop'?" "$work/err" ||
    fail "$command: $(cat "$work/err")"
  # shellcheck disable=SC2086
  "$berth" $command -f data/top.yaml --only-namespace shop >/dev/null 2>"$work/err"
  grep -qF "has no namespace" "$work/err" && fail "$command: $(cat "$work/err")"
done
finish
