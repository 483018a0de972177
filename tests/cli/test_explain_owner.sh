#!/usr/bin/env bash
# berth explain of workloads, of all pending pods, and of pods that do not exist under the given name.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

explain=("$berth" explain -q -f data/explain_owner.yaml)

# A finished pod is in the input, although the engine does not keep it.
gone="pod 'shop/old' has finished (Succeeded): it holds no node, and no scheduler takes it up"
complains owner_finished 3 "$gone" "${explain[@]}" shop/old
complains owner_finished_alone 3 "$gone" "${explain[@]}" old
complains owner_finished_named 3 "$gone" "${explain[@]}" -n shop pod/old
complains owner_failed 3 "pod 'shop/load-1' has finished (Failed)" "${explain[@]}" shop/load-1

# A suggested pod comes with its namespace.
complains owner_elsewhere 3 "pod 'db-0' is not in namespace default; did you mean 'shop/db-0'?" \
  "${explain[@]}" -n default db-0
complains owner_elsewhere_slash 3 "pod 'default/db-0' is not in the input; did you mean 'shop/db-0'?" \
  "${explain[@]}" default/db-0
complains owner_alone 3 "pod 'db-1' is not in the input; did you mean 'shop/db-0'?" "${explain[@]}" db-1
complains owner_like 3 "pod 'lon' is not in namespace ops; did you mean 'ops/lone'?" "${explain[@]}" -n ops lon

# A node in the form of -o name and kubectl.
"${explain[@]}" shop/db-0 --node node/n2 | grep -q '^Node  *n2 fits' || fail owner_node_kubectl

# A workload: where its pods run, why others do not, and one of these in full; or one more pod.
check owner_waits 0 "${explain[@]}" -n shop deploy/web
check owner_waits_json 0 "${explain[@]}" deploy/shop/web -o json
check owner_runs 0 "${explain[@]}" sts/db
check owner_job 0 "${explain[@]}" job/load
check owner_daemons 0 "${explain[@]}" ds/agent
check owner_nodes 0 "${explain[@]}" deploy/web --nodes 1 --no-remedies
"${explain[@]}" deploy/web >"$work/short"
for form in deployment/web deployments/web deployments.apps/web Deployment/web "deploy web"; do
  # shellcheck disable=SC2086 # a kind and a name
  "${explain[@]}" $form >"$work/long"
  same "owner_form $form" "$work/short" "$work/long"
done
"${explain[@]}" pod db-0 --node n2 | grep -q '^Node  *n2 fits' || fail owner_pod_kind
"${explain[@]}" rs/web-6c7e | grep -q '0 on nodes, 2 pending' || fail owner_replica_set
"${explain[@]}" cronjob/night | grep -q '0 on nodes, 1 pending' || fail owner_cron_job
"${explain[@]}" job/jobs-pod | grep -q '^Pod  *job/jobs-pod, pending' || fail owner_namespace_of_a_kind
name=owner_exit_code
run 1 "${explain[@]}" deploy/web --exit-code
run 0 "${explain[@]}" sts/db --exit-code
run 0 "${explain[@]}" deploy/web
complains owner_unknown 3 "no pod of Job 'lod' is in the input; did you mean 'load'?" "${explain[@]}" job/lod
complains owner_other_namespace 3 "no pod of Job 'ops/load' is in the input" "${explain[@]}" -n ops job/load
complains owner_several 3 "'db': ops, shop; give -n NAMESPACE" "${explain[@]}" \
  -f <(sed -n '/name: db-0/,/^---/p' data/explain_owner.yaml |
    sed -e 's/name: db-0/name: db-1/; s/shop/ops/; s/uid: p9/uid: p99/; 1i apiVersion: v1\nkind: Pod\nmetadata:') sts/db
complains owner_no_name 3 "expected the name of a Deployment, as in deploy/NAME; the input has shop/web" "${explain[@]}" deploy
complains owner_no_name_none 3 "as in rc/NAME; the input has no pod of one" "${explain[@]}" -n ops rc
for words in svc/web services/shop/web "service web"; do
  # shellcheck disable=SC2086 # words
  complains "owner_${words%%[/ ]*}" 3 "a Service has no pods of its own to place: name the workload behind it" "${explain[@]}" $words
done
complains owner_two_names 2 "unexpected argument 'b'" "${explain[@]}" deploy web b

# All pending pods by reason; the command of each group explains its example.
check pending 0 "${explain[@]}" --pending
check pending_json 0 "${explain[@]}" --pending -o json
check pending_nodes 0 "${explain[@]}" --pending --nodes 1
check pending_refused 0 "$berth" explain -q -f data/refused.yaml --pending
check pending_preempts 0 "$berth" explain -q -f data/explain.yaml --pending
check pending_none 0 "$berth" explain -q -f data/nodes.yaml --pending
name=pending_exit_code
run 1 "${explain[@]}" --pending --exit-code
command=$("${explain[@]}" --pending | sed -n 's/^ *berth \(explain .*web-6c7e-a\)$/\1/p')
# shellcheck disable=SC2086 # words of a command
"$berth" $command -q | grep -q '^Pod  *shop/web-6c7e-a, pending' || fail pending_command
complains pending_name 2 "a name and --pending exclude each other" "${explain[@]}" --pending a
complains pending_node 2 "--node and --pending exclude each other" "${explain[@]}" --pending --node n1
finish
