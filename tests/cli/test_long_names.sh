#!/usr/bin/env bash
# Names of any length: with 1,500 further letters before every name of a cluster, each command answers the same but for
# these letters. Names that were cut off would be equal; names beyond the room kept for them would show other memory.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

python3 -c 'import yaml' 2>/dev/null || {
  echo "skipped: there is no python3 with yaml to write the clusters"
  exit 77
}

# masked FILE: without the letters, and without what is measured or depends on names by a hash
masked() {
  sed -E "s/z{1500}//g; s/-[0-9a-f]{8}-/-HASH-/g" "$1" | grep -vE '"(seconds|[a-z]*PerSecond|digest|made)"|/(short|long)[.]json'
}

# same CLUSTER ARGUMENT...: INPUT stands for the cluster
same() {
  local cluster=$1 length code=(0 0) at=0
  shift
  for length in short long; do
    name="$cluster $*"
    "$berth" "${@//INPUT/$work/$length.json}" >"$work/$length.out" 2>"$work/$length.err"
    code[at++]=$?
    ((code[at - 1] < 3)) || fail "$name: exit code ${code[at - 1]}: $(tail -c 500 "$work/$length.err")"
    masked "$work/$length.out" >"$work/$length.masked"
  done
  [[ ${code[0]} == "${code[1]}" ]] || fail "$name: exit codes ${code[*]}"
  cmp -s "$work/short.masked" "$work/long.masked" ||
    fail "$name: $(diff "$work/short.masked" "$work/long.masked" | cut -c 1-300 | head -n 6)"
}

# read_cluster CLUSTER: short.json and long.json of a file in data
read_cluster() {
  python3 long_names.py "data/$1.yaml" 0 >"$work/short.json"
  python3 long_names.py "data/$1.yaml" 1500 >"$work/long.json"
}

for cluster in admission compare_before devices_extended drain drain_local explain_owner groups groups_racks grow honest \
  most report_nodes top workloads; do
  read_cluster "$cluster"
  same "$cluster" schedule -f INPUT --expand -o json
  same "$cluster" top -f INPUT -o json
  same "$cluster" top -f INPUT --by namespace -o json
  # The message about another scheduler has limited room.
  [[ $cluster == drain ]] || same "$cluster" drain -f INPUT --all -o json
  same "$cluster" grow -f INPUT -o json
  same "$cluster" report -f INPUT --output "$work/page.html"
done

# Rows by owner, where no name is made from another one.
for cluster in compare_before drain groups report_nodes; do
  read_cluster "$cluster"
  same "$cluster" top -f INPUT --by owner -o json
done

# A node shape, and the copies of a workload.
read_cluster grow
letters=$(head -c 1500 /dev/zero | tr '\0' z)
for name in shape "$letters"; do
  run 0 "$berth" grow -f "$work/short.json" --shape "$name=cpu=64,memory=256Gi,zone=a+b" -o json
  grep -qF "\"$name-a\"" "$work/out" || fail "shape: $(head -c 500 "$work/out")"
done
read_cluster scale
name=scale
run 0 "$berth" schedule -f "$work/long.json" --scale max -o json
for copy in rs-scaled-1 db-3; do
  grep -qF "\"$letters$copy\"" "$work/out" || fail "scale: no $copy: $(head -c 500 "$work/out")"
done

# A mistyped pod, workload and namespace, and a name that is not cut off in what is suggested.
read_cluster explain_owner
for what in "$letters" "$letters/$letters" "deployment/$letters" deployment; do
  "$berth" explain -f "$work/long.json" "$what" >"$work/out" 2>"$work/err"
  grep -q "^berth explain: " "$work/err" || fail "explain $what"
done

# Victims whose names have no room are counted.
read_cluster explain
name=evicting
run 0 "$berth" explain -f "$work/long.json" "${letters}big" -o json
grep -qF '"evicting": "1 pod"' "$work/out" || fail "evicting: $(grep evicting "$work/out" | cut -c 1-300)"

# A replay has limited room, and says so.
cat >"$work/replay.jsonl" <<TEXT
{"time": 0, "event": "node_add", "object": {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}}}
{"time": 1, "event": "pod_add", "object": {"kind": "Pod", "metadata": {"name": "$letters"}, "spec": {"containers": [{"name": "c"}]}}}
TEXT
complains replay 3 "names and namespaces of pods of at most 511 bytes" "$berth" replay "$work/replay.jsonl"
sed -i "s/z\{989\}\"}/\"}/" "$work/replay.jsonl"
name=replay_most
run 0 "$berth" replay "$work/replay.jsonl"
finish
