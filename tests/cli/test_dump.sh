#!/usr/bin/env bash
# berth dump: prints the kubectl command that fetches the objects that the plugins of a configuration read.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check dump 0 "$berth" dump
check dump_why 0 "$berth" dump --why --to all.json
few_plugins
check dump_few 0 "$berth" dump --config "$work/few.yaml"
complains dump_operand 2 "there is nothing to name" "$berth" dump x
complains dump_config 3 "nosuch: cannot open" "$berth" dump --config nosuch

# The printed command works: this kubectl prints its arguments, and its server lists the kinds that it has; the
# list has no spaces. This server has no devices.
mkdir "$work/bin"
cat >"$work/bin/kubectl" <<'TEXT'
#!/bin/sh
if [ "$1" = api-resources ]; then
  printf '%s\n' bindings namespaces nodes pods services replicasets.apps deployments.apps events.events.k8s.io
else
  printf '%s\n' "$@"
fi
TEXT
chmod +x "$work/bin/kubectl"
(cd "$work" && PATH=$work/bin:$PATH sh -c "$("$berth" dump)")
[[ $(wc -l <"$work/cluster.json") == 5 ]] || fail "dump_runs: $(cat "$work/cluster.json")"
grep -qx 'namespaces,nodes,services,replicasets.apps,deployments.apps,pods' "$work/cluster.json" || fail "dump_runs: $(cat "$work/cluster.json")"
finish
