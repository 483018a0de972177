#!/usr/bin/env bash
# The examples in the help of every command run, on files with the names used there.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

# ---- the files ----

mkdir "$work/bin" "$work/shop"
ln -s "$(realpath "$berth")" "$work/bin/berth"
cat >"$work/bin/kubectl" <<'END'
#!/bin/sh
[ "$1" = get ] && cat server.json || echo nodes
END
chmod +x "$work/bin/kubectl"
export PATH=$work/bin:$PATH

cp data/openb_nodes.csv "$work/shop/nodes.csv"
cp data/openb_nodes.csv "$work/shop/nodes_gpu_only.csv"
cp data/openb_pods.csv "$work/shop/pods.csv"
cp ../../tools/examples/clusters/shapes.yaml "$work/shop/"
for name in scheduler packed now next; do
  cp data/most.yaml "$work/shop/$name.yaml"
done
mkdir -p "$work/shop/tests/vectors/v1.32"
cp ../vectors/v1.32/resources.jsonl.gz "$work/shop/tests/vectors/v1.32/"
cd "$work/shop" || exit 1

node() {
  printf 'apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {topology.kubernetes.io/zone: %s}}\n' "$1" "$2"
  printf 'status: {allocatable: {cpu: "16", memory: 64Gi, ephemeral-storage: 50Gi, pods: "110"}}\n---\n'
}
pod() {
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s}\n' "$2" "$1"
  printf 'spec: {%scontainers: [{name: c, resources: {requests: {cpu: "1", memory: 1Gi}}}]}\n---\n' "${3:-}"
}
workload() {
  printf 'apiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: %s}\n' "$1" "$2" "$4" "$3"
  printf 'spec: {replicas: 2, selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}},\n'
  printf '  spec: {containers: [{name: c, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}}}\n---\n'
}
{
  node node-17 a
  node node-18 b
  node worker-17 b
} >nodes.json
{
  cat nodes.json
  pod default web-0
  pod prod web-0
  pod shop cart 'nodeName: node-17, '
  workload apps/v1 Deployment prod web
} >cluster.json
cp cluster.json server.json
cp cluster.json monday.json
cp cluster.json tuesday.json
workload apps/v1 Deployment shop sale >deployment.yaml
workload apps/v1 Deployment shop web >web.yaml
workload apps/v1 StatefulSet shop db >db.yaml
pod shop more >pod.yaml
printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {template: {spec: {containers: [{name: c}]}}}\n' >job.yaml
printf 'm5.large,0.096\nm5.xlarge,0.192\n' >prices.csv
for folder in manifests main branch; do
  mkdir $folder
  cp web.yaml $folder/
done
"$work/bin/berth" generate --trace --nodes 3 --pods 20 --workload basic | gzip >trace.jsonl.gz

# ---- the examples ----

export HOME=$work
unset KUBECONFIG KUBERNETES_SERVICE_HOST

# Examples with thousands of nodes are made a thousand times smaller.
examples() {
  berth "$1" --help | sed -n '/^Examples:$/,/^$/s/^  //p' |
    sed -E 's/(nodes|pods)([= ])([0-9]+)000\>/\1\2\3/g' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta'
}
mapfile -t commands < <(berth --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -vx 'run\|serve\|completion')
((${#commands[@]} > 10)) || fail "commands: ${commands[*]}"
for command in "${commands[@]}"; do
  count=0
  while read -r example; do
    count=$((count + 1))
    timeout 60 bash -c "set -o pipefail; $example" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    if [[ $example =~ --(live|context) ]]; then # test_live_read.sh has a server
      grep -q 'there is no kubeconfig' "$work/err" || fail "$example: $code: $(cat "$work/err")"
      continue
    fi
    [[ $code == 0 || ($code == 1 && $example == *--exit-code*) ]] ||
      fail "$example: exit code $code: $(head -n 5 "$work/err")"
    grep -q "berth $command" <<<"$example" || fail "$example: is not about $command"
  done < <(examples "$command")
  ((count >= 3 && count <= 6)) || fail "$command: $count examples"
done
bash -c "$(examples completion | head -n 1) && complete -p berth" >/dev/null || fail "completion of bash"
finish
