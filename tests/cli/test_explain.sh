#!/usr/bin/env bash
# berth explain: verdicts, scores, preemption, shortfalls and remedies.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

explain=("$berth" explain -f data/explain.yaml)
check explain_fits 0 "${explain[@]}" fits
check explain_fits_json 0 "${explain[@]}" fits -o json
check explain_wide 0 "${explain[@]}" fits -o wide
check explain_preempts 0 "${explain[@]}" hi1
check explain_nowhere 0 "${explain[@]}" big
check explain_nowhere_json 0 "${explain[@]}" big -o json
check explain_nowhere_yaml 0 "${explain[@]}" big -o yaml --nodes 1
check explain_pair 0 "${explain[@]}" two-needs --nodes 2
check explain_all 0 "${explain[@]}" two-needs --all --no-remedies
check explain_gated 0 "${explain[@]}" gated
check explain_running 0 "${explain[@]}" prod/web-0
check explain_leaving 0 "${explain[@]}" prod/twin
check explain_node_fits 0 "${explain[@]}" fits --node n1
check explain_node_refuses 0 "${explain[@]}" fits --node g1
check explain_node_json 0 "${explain[@]}" fits --node g1 -o json
check explain_node_unseen 0 "$berth" explain --synthetic nodes=300,pods=1,workload=basic pod-0 \
  --node node-250 --percentage 1
check explain_node_unseen_json 0 "$berth" explain --synthetic nodes=300,pods=1,workload=basic pod-0 \
  --node node-250 --percentage 1 --nodes 0 -o json
check explain_no_nodes 0 "$berth" explain -f data/pods_only.yaml lonely

# With --in-turn, no pod comes before it any more.
"${explain[@]}" big --in-turn | grep -q 'come before it' && fail explain_in_turn
check explain_in_turn 0 "$berth" explain -f data/nodes.yaml -f data/pods.json plain --in-turn --nodes 1

# The devices of a pod that was placed in turn are written into the claim that another pod shares.
"$berth" explain -q -f data/devices.yaml -f data/devices_both.yaml s2 --in-turn | grep -q 'it goes to g2' ||
  fail explain_in_turn_shares

# A name alone means the namespace default, or the only namespace that has the name.
"${explain[@]}" web-0 -o json >"$work/alone"
"${explain[@]}" -n prod web-0 -o json >"$work/named"
"${explain[@]}" pod/web-0 -o json >"$work/kubectl"
same explain_alone "$work/alone" "$work/named"
same explain_kubectl "$work/alone" "$work/kubectl"

# The same input gives the same bytes at every number of threads.
for threads in 1 2 4; do
  "${explain[@]}" big -o json --threads $threads >"$work/threads$threads"
done
same explain_threads_2 "$work/threads1" "$work/threads2"
same explain_threads_4 "$work/threads1" "$work/threads4"

# The remedies work: each one is applied to the input, and the pod then goes to the promised node.
helps() {
  name=explain_helps_$1
  "$berth" explain -f "$work/changed.yaml" "$2" -o json | grep -q "\"node\": \"$3\"" ||
    fail "$name: it does not go to $3"
}
sed -e '/name: big}/{n;s/cpu: "2"/cpu: 1500m/}' data/explain.yaml >"$work/changed.yaml"
helps request big n2
sed -e '/name: big}/{n;s/cpu: "2"/cpu: 1501m/}' data/explain.yaml >"$work/changed.yaml"
"$berth" explain -f "$work/changed.yaml" big --exit-code >/dev/null
[[ $? == 1 ]] || fail "explain_helps_least: more than was said would do, too"
sed -e '/name: big}/{n;s/{containers/{tolerations: [{key: dedicated, value: gpu, effect: NoSchedule}], containers/}' \
  data/explain.yaml >"$work/changed.yaml"
helps toleration big g1
sed -e 's/unschedulable: true/unschedulable: false/' data/explain.yaml >"$work/changed.yaml"
helps uncordon big n3
# A cordoned node also has a taint, which uncordoning removes.
sed -e 's/unschedulable: true/unschedulable: true, taints: [{key: node.kubernetes.io\/unschedulable, effect: NoSchedule}]/' \
  data/explain.yaml >"$work/changed.yaml"
"$berth" explain -f "$work/changed.yaml" big | grep -q "uncordon node n3: it goes to n3" || fail explain_cordon_taint
sed -e '/name: big}/{n;s/{containers/{priority: 6, containers/}' data/explain.yaml >"$work/changed.yaml"
"$berth" explain -f "$work/changed.yaml" big | grep -q 'on n1 by evicting default/low1' ||
  fail explain_helps_priority
sed -e '/name: big}/{n;s/{containers/{priority: 5, containers/}' data/explain.yaml >"$work/changed.yaml"
"$berth" explain -f "$work/changed.yaml" big | grep -q 'makes room' && fail explain_priority_less
sed -e '/name: two-needs/,$ { s/disk: tape/disk: ssd/; s/cpu: "19"/cpu: "0"/; s/cpu: "1"/cpu: 400m/ }' \
  data/explain.yaml >"$work/changed.yaml"
helps pair two-needs n1

# --exit-code
run 0 "${explain[@]}" fits --exit-code
name=explain_exit_code
run 1 "${explain[@]}" big --exit-code

# Causes that messages leave open. A DaemonSet's pod belongs to its node, so its search was not cut
# short.
hints=("$berth" explain -q -f data/explain_hints.yaml)
check explain_daemon 0 "${hints[@]}" agent
check explain_by_name 0 "${hints[@]}" by-name --percentage 100
check explain_racks 0 "${hints[@]}" racks
check explain_same_nodes 0 "${hints[@]}" large
check explain_no_class 0 "${hints[@]}" stores
check explain_no_class_json 0 "${hints[@]}" stores -o json
sed 's/WaitForFirstConsumer/Immediate/' data/explain_hints.yaml >"$work/immediate.yaml"
check explain_immediate 0 "$berth" explain -q -f "$work/immediate.yaml" stores
# The advice works: with a named class or a default one.
sed 's/accessModes: .ReadWriteOnce./storageClassName: fast, &/' data/explain_hints.yaml >"$work/changed.yaml"
helps class stores n1
sed 's|name: fast|&, annotations: {storageclass.kubernetes.io/is-default-class: "true"}|' \
  data/explain_hints.yaml >"$work/changed.yaml"
helps default_class stores n1

complains explain_none 2 "no pod named" "${explain[@]}"
complains explain_two 2 "unexpected argument 'b'" "${explain[@]}" a b
complains explain_format 2 "none of: table, json, yaml, wide" "${explain[@]}" a -o name
complains explain_input 2 "no input" "$berth" explain a
complains explain_unknown 3 "pod 'bg' is not in the input; did you mean 'big'?" "${explain[@]}" bg
complains explain_unlike 3 "pod 'default/zzzzzz' is not in the input" "${explain[@]}" default/zzzzzz
complains explain_namespace 3 "did you mean 'default/low1'?" "${explain[@]}" batch/low1
complains explain_several 3 "2 pods are named 'twin': batch/twin, prod/twin" "${explain[@]}" twin
complains explain_foreign 3 'Pod batch/twin: no profile serves scheduler "other"' \
  "${explain[@]}" batch/twin
complains explain_no_node 3 "node 'n4' is not in the input; did you mean 'n1'?" \
  "${explain[@]}" big --node n4
complains explain_no_file 3 "none.yaml" "$berth" explain -f none.yaml a
name=explain_full_disk
"${explain[@]}" big >/dev/full 2>"$work/err"
[[ $? == 4 ]] || fail "$name: exit code"
finish
