#!/usr/bin/env bash
# Decisions are those of the kube-scheduler version that the nodes run, unless another version is requested.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

nodes() { # VERSION...
  local n=0 version
  for version in "$@"; do
    n=$((n + 1))
    printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n%s}\nstatus:\n  allocatable: {cpu: "4", pods: "10"}\n' $n
    [[ $version == - ]] || printf '  nodeInfo: {kubeletVersion: %s}\n' "$version"
  done
}
# decides NAME TEXT OPTION...: which version decided, according to the summary and JSON.
decides() {
  name=$1
  local text=$2
  shift 2
  run 0 "$berth" schedule --summary "$@"
  grep -qF "Decided by   kube-scheduler $text" "$work/out" || fail "$name: $(grep 'Decided by' "$work/out")"
}

nodes v1.32.2 v1.32.2 >"$work/32.yaml"
decides same "1.32.2, the version of the nodes" -f "$work/32.yaml"
[[ -s $work/err ]] && fail "same: $(cat "$work/err")"
decides asked "1.36 (nodes: 2 of 1.32.2)" -f "$work/32.yaml" --kubernetes v1.36
nodes v1.36.2-gke.100 v1.35.1+k3s1 v1.36.2-gke.100 >"$work/mixed.yaml"
decides mixed "1.36.2 (nodes: 2 of 1.36.2, 1 of 1.35.1)" -f "$work/mixed.yaml"
grep -q "warning: the nodes run several versions" "$work/err" || fail "mixed: $(cat "$work/err")"
nodes v1.35.9 v1.36.2 v1.35.10 >"$work/patches.yaml"
decides patches "1.36.2 (nodes: 1 of 1.36.2, 1 of 1.35.10, 1 of 1.35.9)" -f "$work/patches.yaml"
nodes v1.29.3-eks-ae9a62a >"$work/old.yaml"
decides old "1.32, the version of the nodes" -f "$work/old.yaml" 2>/dev/null
grep -q "warning: the nodes run an unknown version (1 of 1.29.3)" "$work/err" || fail "old: $(cat "$work/err")"
nodes v1.99.0 >"$work/new.yaml"
decides new "1.37, the version of the nodes" -f "$work/new.yaml"
nodes - >"$work/none.yaml"
decides none "1.37, because no node reports its version" -f "$work/none.yaml"

# JSON, gzip and standard input; a version is found even if it crosses the end of a block.
name=stdin
run 0 "$berth" schedule -o json -f - <"$work/32.yaml"
grep -q '"kubernetes": "1.32.2"' "$work/out" || fail "stdin: $(grep kubernetes "$work/out")"
# A pipe, with more than a block.
{
  printf '{"apiVersion": "v1", "kind": "List", "items": [\n'
  for n in $(seq 1 9000); do
    printf '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n%s"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}, "nodeInfo": {"kubeletVersion": "v1.34.4"}}},\n' "$n"
  done
  printf '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "last"}}]}\n'
} >"$work/many.json"
name=pipe
# shellcheck disable=SC2002 # a pipe is what is tested
cat "$work/many.json" | "$berth" schedule --summary --kubernetes 1.34 -f - >"$work/out"
grep -qF "(nodes: 9000 of 1.34.4)" "$work/out" || fail "pipe: $(grep 'Decided by' "$work/out")"
gzip -k "$work/many.json"
decides gzip "1.34.4, the version of the nodes" -f "$work/many.json.gz"

# A custom kind with the name of a Kubernetes kind is ignored and is no error.
cat >"$work/foreign.yaml" <<'TEXT'
apiVersion: longhorn.io/v1beta2
kind: Node
metadata: {name: n1, namespace: longhorn-system}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec: {minAvailable: 3, tasks: []}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: hello}
TEXT
name=foreign
run 0 "$berth" schedule --strict --summary -f "$work/32.yaml" -f "$work/foreign.yaml"
for text in "1 Node.longhorn.io" "which pods the operator of Job.batch.volcano.sh" "which pods the operator of Service.serving.knative.dev"; do
  grep -q "$text" "$work/err" || fail "foreign lacks $text: $(cat "$work/err")"
done
finish
