#!/usr/bin/env bash
# berth explain of workloads, of all pending pods, and of pods that are not where they were sought.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

explain=("$berth" explain -q -f data/explain_owner.yaml)

# A pod that has finished is in the input, though the engine does not keep it.
gone="pod 'shop/old' has finished (Succeeded): it holds no node, and no scheduler takes it up"
complains owner_finished 3 "$gone" "${explain[@]}" shop/old
complains owner_finished_alone 3 "$gone" "${explain[@]}" old
complains owner_finished_named 3 "$gone" "${explain[@]}" -n shop pod/old
complains owner_failed 3 "pod 'shop/load-1' has finished (Failed)" "${explain[@]}" shop/load-1

# A suggestion says in which namespace the pod is.
complains owner_elsewhere 3 "pod 'db-0' is not in namespace default; did you mean 'shop/db-0'?" \
  "${explain[@]}" -n default db-0
complains owner_elsewhere_slash 3 "pod 'default/db-0' is not in the input; did you mean 'shop/db-0'?" \
  "${explain[@]}" default/db-0
complains owner_alone 3 "pod 'db-1' is not in the input; did you mean 'shop/db-0'?" "${explain[@]}" db-1
complains owner_like 3 "pod 'lon' is not in namespace ops; did you mean 'ops/lone'?" "${explain[@]}" -n ops lon

# A node as -o name and kubectl write it.
"${explain[@]}" shop/db-0 --node node/n2 | grep -q '^Node  *n2 fits' || fail owner_node_kubectl
finish
