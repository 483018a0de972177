#!/usr/bin/env bash
# berth run: what is wrong with its command line, files and server is said before anything else is done.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

"$berth" run --help >"$work/help" 2>&1 || {
  echo "skipped: $(head -n 1 "$work/help")"
  exit 77
}
check usage_help_run 0 "$berth" run --help
check usage_option_run 2 "$berth" run --no-such-option

unset KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
complains run_operand 2 "unexpected 'x'" "$berth" run x
complains run_nowhere 3 "this is no pod" "$berth" run
complains run_no_file 3 "/no/such/file" "$berth" run --kubeconfig /no/such/file
complains run_no_config 3 "/no/such/file" "$berth" run --kubeconfig /dev/null --config /no/such/file
echo 'kind: Pod' >"$work/pod"
complains run_wrong_file 3 "expected a kubeconfig" "$berth" run --kubeconfig "$work/pod"
echo 'leaderElection: {leaseDuration: soon}' >"$work/config"
complains run_wrong_config 3 "leaderElection.leaseDuration" "$berth" run --config "$work/config"
cat >"$work/kubeconfig" <<'YAML'
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {username: jane, password: x}}]
YAML
complains run_password 3 "username" "$berth" run --kubeconfig "$work/kubeconfig"
finish
