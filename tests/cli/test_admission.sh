#!/usr/bin/env bash
# LimitRanges, ResourceQuotas and RuntimeClasses apply to pods of manifests as in an API server.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check admission_schedule 0 "$berth" schedule data/admission.yaml -o json

# Pods from an API server already have all of this.
sed -e 's/{name: large, /{name: large, uid: l, /' -e 's/^metadata: {name: vm}$/metadata: {name: vm, uid: v}/' \
  data/admission.yaml >"$work/seen.yaml"
"$berth" schedule "$work/seen.yaml" -o json >"$work/out" 2>"$work/err"
grep -q '"name": "large", "node"' "$work/out" || fail "admission_seen: large was refused"
grep -q 'RuntimeClass' "$work/err" && fail "admission_seen: $(cat "$work/err")"

# A quota's used amounts come from the API server; a pod must specify every resource that a quota
# counts.
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

# capacity and explain apply the same rules: the defaults of a LimitRange, and a quota, which limits
# the count.
cat >"$work/team.yaml" <<'TEXT'
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team}
spec: {hard: {requests.cpu: "1", pods: "3"}}
status: {used: {requests.cpu: 300m, pods: "1"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: lr, namespace: team}
spec: {limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 250m, memory: 64Mi}, max: {cpu: "2"}}]}
TEXT
cat >"$work/w.yaml" <<'TEXT'
apiVersion: apps/v1
kind: Deployment
metadata: {name: w, namespace: team}
spec:
  replicas: 5
  selector: {matchLabels: {app: w}}
  template: {metadata: {labels: {app: w}}, spec: {containers: [{name: c, image: x}]}}
TEXT
lacks() { # FILE TEXT...
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || fail "$file lacks $text: $(cat "$file")"
  done
}
exceeded='exceeded quota: q, requested: requests.cpu=250m, used: requests.cpu=800m, limited: requests.cpu=1'
"$berth" capacity -f data/nodes_only.yaml -f "$work/team.yaml" --podspec "$work/w.yaml" -o json >"$work/out" 2>&1
lacks "$work/out" '"fit": 2' "\"message\": \"$exceeded\"" '"admitted": false'
"$berth" schedule -f data/nodes_only.yaml -f "$work/team.yaml" -f "$work/w.yaml" --summary >"$work/out" 2>&1
lacks "$work/out" 'Bound        2 of 5' # the same answer
# With --together, both specifications count towards the quota; otherwise each is counted alone.
for both in --together ''; do
  "$berth" capacity -f data/nodes_only.yaml -f "$work/team.yaml" --podspec "$work/w.yaml" \
    --podspec "$work/w.yaml" ${both:+"$both"} -o json >"$work/out" 2>&1
  fit=$(grep -c '"fit": 2' "$work/out")
  [[ $fit == "$([[ -n $both ]] && echo 0 || echo 2)" ]] || fail "capacity $both: $(cat "$work/out")"
done
# The rules may be in the specification's file; the new pods of the input count there, too.
"$berth" capacity -f data/nodes_only.yaml --podspec "$work/team.yaml" --podspec "$work/w.yaml" \
  -o json >"$work/out" 2>&1
lacks "$work/out" '"fit": 2' "$exceeded"
cat "$work/w.yaml" - >"$work/late.yaml" <"$work/team.yaml"
sed -i 's/^apiVersion: v1$/---\n&/' "$work/late.yaml"
"$berth" capacity -f data/nodes_only.yaml --podspec "$work/late.yaml" -o json >"$work/out" 2>&1
lacks "$work/out" '"fit": 0' 'must specify requests.cpu' 'it stands behind 1 pod of its namespace'
# So it is beside the pods of others.
printf '%s\n' 'apiVersion: v1' 'kind: Pod' 'metadata: {name: other}' 'spec: {containers: [{name: c}]}' >"$work/other.yaml"
"$berth" capacity -f data/nodes_only.yaml -f "$work/other.yaml" --podspec "$work/late.yaml" -o json >"$work/out" 2>&1
lacks "$work/out" 'it stands behind 1 pod of its namespace'
# A LimitRange that admits no pod of the specification.
sed 's/image: x/image: x, resources: {limits: {cpu: 3}}/' "$work/w.yaml" >"$work/big.yaml"
"$berth" capacity -f data/nodes_only.yaml -f "$work/team.yaml" --podspec "$work/big.yaml" -o json >"$work/out" 2>&1
lacks "$work/out" '"fit": 0' 'LimitRange lr refuses it: maximum cpu usage per Container is 2' '"admitted": false'
# explain reports it first, and its exit code follows from it.
"$berth" schedule -f data/nodes_only.yaml -f "$work/team.yaml" -f "$work/w.yaml" -o name --pending >"$work/names"
"$berth" explain -f data/nodes_only.yaml -f "$work/team.yaml" -f "$work/w.yaml" --exit-code \
  "$(head -n 1 "$work/names")" >"$work/out" 2>&1
[[ $? == 1 ]] || fail "explain of a refused pod: exit code"
tr -s ' \n' ' ' <"$work/out" >"$work/line"
lacks "$work/line" "Answer an API server would not create it: $exceeded if it were created: it goes to"
finish
