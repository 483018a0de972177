#!/usr/bin/env bash
# A dump of a real API server and a live read of it have the same answers, byte for byte.
# Usage: tests/live/test_dump_reads.sh [--ready] VERSION
#   --ready   skips where kube-apiserver is not built yet, instead of building it
# The dump is kubectl's, by the command that `berth dump` prints; bed_kubectl.py stands in for
# kubectl if it is missing. The program is $BERTH, or build/bin/berth. Exit codes: 0 no difference,
# 1 a difference, 2 usage, 3 failure, 77 skipped with a reason.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 3
export BERTH_BUILD=${BERTH_BUILD:-$PWD/../../build}
export BERTH=${BERTH:-$BERTH_BUILD/bin/berth}
ready=()
[[ ${1:-} != --ready ]] || {
  ready=(--ready)
  shift
}
version=${1:?usage: tests/live/test_dump_reads.sh [--ready] VERSION}
# shellcheck source=tests/cli/cases.sh
. ../cli/cases.sh

for needed in etcd python3; do
  command -v "$needed" >/dev/null || {
    echo "live: skipped: $needed is not installed"
    exit 77
  }
done
"$berth" run --help >"$work/help" 2>&1 || {
  echo "live: skipped: $(head -n 1 "$work/help")"
  exit 77
}
kubernetes/build "${ready[@]}" "$version" >"$work/program" 2>&1 || {
  code=$?
  cat "$work/program"
  exit "$code"
}
unset KUBECONFIG
export HOME=$work BED=$work/bed

# ---- the cluster ----

flags=()
# In 1.32, devices are off by default and have an older form.
[[ $version != 1.32 ]] ||
  flags=(--runtime-config=resource.k8s.io/v1beta1=true --feature-gates=DynamicResourceAllocation=true)
./bed start --version "$version" --dir "$BED" --owner $$ -- "${flags[@]}" >"$work/started" || exit 3
trap './bed stop --dir "$BED"; rm -rf "$work"' EXIT
release=v$(sed -n 's,^\(require\)\?\s*k8s.io/kubernetes v\([0-9.]*\)$,\2,p' "kubernetes/versions/v$version.mod")
python3 varied_cluster.py "$BED" "$release" || exit 3
live=(--kubeconfig "$BED/admin.kubeconfig")
server=$(<"$BED/server")

mkdir "$work/bin"
if ! command -v kubectl >/dev/null; then
  printf '#!/bin/sh\nexec python3 %q "$@"\n' "$PWD/bed_kubectl.py" >"$work/bin/kubectl"
  chmod +x "$work/bin/kubectl"
fi
(cd "$work" && PATH=$work/bin:$PATH KUBECONFIG=$BED/admin.kubeconfig \
  sh -c "$("$berth" dump --to dump.json)") || exit 3

# ---- the questions ----

# ask NAME ARGUMENT...: writes the answer, the messages and the exit code, without times and without
# the cluster's source.
ask() {
  local to=$work/$1
  shift
  "$berth" "$@" </dev/null >"$to.out" 2>"$to.err"
  echo "exit code $?" >>"$to.err"
  mask "$to.out"
  sed -zEi "s#(-f $work/dump.json|-f WORK/dump.json|--kubeconfig (WORK|$work)/bed/admin.kubeconfig)[ \n\\\\]+# INPUT #g" \
    "$to.out" "$to.err"
  sed -Ei "s#($work/dump.json|$server)(:[0-9]+)?#INPUT#g" "$to.out" "$to.err"
}

# alike NAME COMMAND ARGUMENT...: checks that the dump and the server have the same answer.
alike() {
  name=$1
  ask dump "$2" -f "$work/dump.json" "${@:3}"
  ask live "$2" "${live[@]}" "${@:3}"
  [[ -s $work/live.out ]] || fail "$name: no output: $(cat "$work/live.err")"
  grep -q 'exit code [01]$' "$work/live.err" || fail "$name: $(cat "$work/live.err")"
  for stream in out err; do
    diff "$work/dump.$stream" "$work/live.$stream" >"$work/diff" || fail "$name: $(head -n 20 "$work/diff")"
  done
}

cat >"$work/change.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {priorityClassName: high, containers: [{name: c, image: 'web:2', resources: {requests: {cpu: 1}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: template, namespace: batch}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}
YAML
sed '1,/^---/d' "$work/change.yaml" >"$work/podspec.yaml"
for form in table json; do
  alike "schedule $form" schedule -o "$form"
  alike "schedule a change, $form" schedule -f "$work/change.yaml" --rollout -o "$form"
  for pod in batch/huge batch/urgent batch/patient batch/card batch/pair-1 batch/gated shop/db-1 shop/web-5d4f7c9b8-2abcd; do
    alike "explain $pod, $form" explain "$pod" -o "$form"
  done
  alike "explain deploy/web, $form" explain -n shop deploy/web -o "$form"
  alike "explain --pending, $form" explain --pending -o "$form"
  alike "capacity $form" capacity --podspec "$work/podspec.yaml" -o "$form"
  alike "drain $form" drain --all -o "$form"
  alike "grow $form" grow --shape big=cpu=16,memory=64Gi,price=1 -o "$form"
  for what in node namespace zone owner; do
    alike "top $what, $form" top --by "$what" -o "$form"
  done
done
if grep -q ResourceSlice "$work/dump.json"; then
  for claim in held wanted more; do
    alike "explain train-$claim" explain "batch/train-$claim" -o json
  done
else
  fail "the server has no devices"
fi
alike "report" report --title same -o -
finish
