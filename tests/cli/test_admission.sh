#!/usr/bin/env bash
# LimitRanges, ResourceQuotas and RuntimeClasses are applied to pods of manifests, as an API server would.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check admission_schedule 0 "$berth" schedule data/admission.yaml -o json

# What has met an API server has got all that already.
sed -e 's/{name: large, /{name: large, uid: l, /' -e 's/^metadata: {name: vm}$/metadata: {name: vm, uid: v}/' \
  data/admission.yaml >"$work/seen.yaml"
"$berth" schedule "$work/seen.yaml" -o json >"$work/out" 2>"$work/err"
grep -q '"name": "large", "node"' "$work/out" || fail "admission_seen: large was refused"
grep -q 'RuntimeClass' "$work/err" && fail "admission_seen: $(cat "$work/err")"

# A quota's used amounts are the API server's; a pod has to say what a quota counts.
cat >"$work/quota.yaml" <<'TEXT'
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, uid: u}
spec: {hard: {memory: 1Gi, count/pods: 2}}
status: {used: {memory: 1000Mi, count/pods: "1"}}
---
apiVersion: v1
kind: Pod
metadata: {name: silent}
spec: {containers: [{name: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: small}
spec: {containers: [{name: c, resources: {requests: {memory: 20Mi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: more}
spec: {containers: [{name: c, resources: {requests: {memory: 1Mi}}}]}
TEXT
"$berth" schedule -f data/nodes_only.yaml -f "$work/quota.yaml" -o json >"$work/out"
for text in '"silent", "passedOver": "failed quota: q: must specify memory"' '"small", "node"' \
  '"more", "passedOver": "exceeded quota: q, requested: count/pods=1, used: count/pods=2, limited: count/pods=2"'; do
  grep -qF "$text" "$work/out" || fail "admission_quota lacks $text: $(cat "$work/out")"
done
finish
