#!/usr/bin/env bash
# berth compare: the same pods under several configurations, versions or clusters.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cluster=(-f data/nodes.yaml -f data/pods.json)
both=(--config default --config data/most.yaml)
days=(--before data/compare_before.yaml --after data/compare_after.yaml)
check compare_configs 0 "$berth" compare "${cluster[@]}" "${both[@]}"
check compare_configs_json 0 "$berth" compare "${cluster[@]}" "${both[@]}" -o json
check compare_configs_yaml 0 "$berth" compare "${cluster[@]}" "${both[@]}" -o yaml --summary
check compare_days 0 "$berth" compare "${days[@]}"
check compare_days_json 0 "$berth" compare "${days[@]}" -o json
check compare_same 0 "$berth" compare "${cluster[@]}" --config default --config default
check compare_three 0 "$berth" compare "${cluster[@]}" --kubernetes 1.32 --kubernetes 1.34 \
  --kubernetes 1.36 --summary
check compare_anew 0 "$berth" compare "${days[@]}" --anew

# A node is removed while pods are still bound to it: the answer reports this instead of saying that
# nothing has changed.
without_node() { # FILE NODE
  awk -v node="name: $2[,}]" 'BEGIN { RS = "---\n"; ORS = "---\n" }
    !(/kind: Node/ && $0 ~ node)' "$1"
}
without_node data/compare_before.yaml m-2 >"$work/minus.yaml"
gone=(--before data/compare_before.yaml --after "$work/minus.yaml")
check compare_node_gone 0 "$berth" compare "${gone[@]}"
check compare_node_gone_json 0 "$berth" compare "${gone[@]}" -o json
check compare_node_gone_twice 0 "$berth" compare --before "$work/minus.yaml" --after "$work/minus.yaml"

# With --exit-code, 1 means that some pod is worse off; a pod that newly fits does not count.
exits() { # NAME CODE COMMAND...
  name=$1
  run "${@:2}"
}
exits compare_exit_same 0 "$berth" compare "${cluster[@]}" --config default --config default --exit-code
exits compare_exit_gone 1 "$berth" compare "${gone[@]}" --exit-code --summary
exits compare_exit_gone_json 1 "$berth" compare "${gone[@]}" --exit-code -o json
exits compare_exit_back 0 "$berth" compare --before "$work/minus.yaml" --after "$work/minus.yaml" --exit-code
few='{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}'
many=${few//'"4"'/'"9"'}
pod() { # NAME NODE CPU
  printf -- '---\n{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "%s"}, "spec": {%s' "$1" \
    "${2:+\"nodeName\": \"$2\", }"
  printf '"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%s"}}}]}}\n' "$3"
}
{ echo "$few" && pod big "" 6; } >"$work/few.yaml"
{ echo "$many" && pod big "" 6; } >"$work/many.yaml"
{ echo "$many" && pod big "" 6 && pod other "" 1; } >"$work/more.yaml"
{ echo "$many" && pod big "" 6 && pod other "" 4; } >"$work/crowd.yaml"
exits compare_exit_newly_fits 0 "$berth" compare --before "$work/few.yaml" --after "$work/many.yaml" --exit-code
exits compare_exit_no_longer 1 "$berth" compare --before "$work/many.yaml" --after "$work/few.yaml" --exit-code
exits compare_exit_new 0 "$berth" compare --before "$work/many.yaml" --after "$work/more.yaml" --exit-code
exits compare_exit_new_unplaced 1 "$berth" compare --before "$work/many.yaml" --after "$work/crowd.yaml" --exit-code
exits compare_exit_missing 1 "$berth" compare --before "$work/more.yaml" --after "$work/many.yaml" --exit-code
exits compare_exit_moved 1 "$berth" compare "${days[@]}" --exit-code
exits compare_exit_off 0 "$berth" compare "${days[@]}"

# Standard input is read once and serves every side.
"$berth" compare "${cluster[@]}" "${both[@]}" -o json >"$work/files"
"$berth" compare -f - -f data/pods.json "${both[@]}" -o json <data/nodes.yaml >"$work/standard"
mask "$work/files"
mask "$work/standard"
same compare_standard_input "$work/files" "$work/standard"
complains compare_standard_twice 2 "only once" "$berth" compare --before - --after -
complains compare_standard_bad 3 "standard input:" "$berth" compare -f - "${both[@]}" < <(echo '{"kind": ')

# Each side is what berth schedule prints for it, at any number of threads and on each path.
"$berth" generate --nodes 30 --zones 3 --pods 400 --running 100 --workload mixed --seed 5 \
  >"$work/cluster.json"
placements() {
  sed -n 's/^ *{"namespace": "\([^"]*\)", "name": "\([^"]*\)", "node": "\([^"]*\)"}.*/\1 \2 \3/p'
}
"$berth" schedule -f "$work/cluster.json" -o json | placements >"$work/default"
"$berth" schedule -f "$work/cluster.json" --config data/most.yaml -o json | placements >"$work/most"
join_sides() { # pods that both sides place, on different nodes
  awk 'NR == FNR { on[$1 " " $2] = $3; next }
    ($1 " " $2) in on && on[$1 " " $2] != $3 { print $1, $2, on[$1 " " $2], $3 }' \
    "$work/default" "$work/most" | sort
}
moved() {
  sed -n 's/.*"namespace": "\([^"]*\)", "name": "\([^"]*\)", "change": "moved", "nodes": {"A": "\([^"]*\)", "B": "\([^"]*\)"}.*/\1 \2 \3 \4/p' |
    sort
}
"$berth" compare -f "$work/cluster.json" "${both[@]}" -o json >"$work/compared.json"
join_sides >"$work/expected"
moved <"$work/compared.json" >"$work/moved"
same compare_as_schedule "$work/expected" "$work/moved"
[[ -s $work/moved ]] || fail "compare_as_schedule: no pod moved"
for option in "--threads 1" "--threads 2" "--path scan"; do
  # shellcheck disable=SC2086 # two words
  "$berth" compare -f "$work/cluster.json" "${both[@]}" $option -o json >"$work/other.json"
  mask "$work/compared.json"
  mask "$work/other.json"
  same "compare $option" "$work/compared.json" "$work/other.json"
done

complains compare_one_side 2 "there is one side only" "$berth" compare "${cluster[@]}"
complains compare_one_config 2 "there is one side only" "$berth" compare "${cluster[@]}" --config default
complains compare_half 2 "go together, unless -f or --live" "$berth" compare --before data/nodes.yaml
cat >"$work/more.yaml" <<'TEXT'
apiVersion: v1
kind: Node
metadata: {name: spare}
status: {allocatable: {cpu: "64", memory: 256Gi, pods: "110"}}
TEXT
# With -f, one of --before and --after is enough; the other side is then the cluster itself.
name=compare_after_alone
run 0 "$berth" compare -q -f data/explain.yaml --after "$work/more.yaml" --summary
cp "$work/out" "$work/alone"
echo 'kind: List' >"$work/nothing.yaml"
run 0 "$berth" compare -q -f data/explain.yaml --before "$work/nothing.yaml" --after "$work/more.yaml" --summary
diff <(grep -v '^before ' "$work/alone") <(grep -v '^before ' "$work/out") ||
  fail "$name: not as with an empty --before"
name=compare_before_alone
run 0 "$berth" compare -q -f data/explain.yaml --before "$work/more.yaml" --summary
complains compare_uneven 2 "2 times for 3 sides" "$berth" compare "${cluster[@]}" "${both[@]}" \
  --kubernetes 1.32 --kubernetes 1.33 --kubernetes 1.34
complains compare_no_input 2 "no input" "$berth" compare "${both[@]}"
complains compare_missing 3 "No such file" "$berth" compare -f nosuch "${both[@]}"
complains compare_no_config 3 "nosuch" "$berth" compare "${cluster[@]}" --config default --config nosuch
complains compare_version 3 "1.12" "$berth" compare "${cluster[@]}" --kubernetes 1.12 --kubernetes 1.36
finish
