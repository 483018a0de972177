#!/usr/bin/env bash
# Every JSON document matches its schema, and the same input gives the same bytes, except for times.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

schemas=../../tools/schemas
documents=()

# document NAME COMMAND...: runs it twice, with different numbers of threads
document() {
  name=json_$1
  shift
  "$@" -o json >"$work/$name.json" || fail "$name: exit code"
  "$@" -o json --threads 3 >"$work/again.json"
  cp "$work/$name.json" "$work/first.json"
  mask "$work/first.json"
  mask "$work/again.json"
  same "$name" "$work/first.json" "$work/again.json"
  documents+=("$work/$name.json")
}

both=(-f data/nodes.yaml -f data/pods.json)
document schedule "$berth" schedule "${both[@]}"
document schedule_preempts "$berth" schedule -f data/explain.yaml
document schedule_summary "$berth" schedule "${both[@]}" --summary
document schedule_large "$berth" schedule --synthetic nodes=300,zones=3,pods=2000,workload=mixed
document explain_fits "$berth" explain "${both[@]}" plain
document explain_nowhere "$berth" explain -f data/explain.yaml big --all
document explain_preempts "$berth" explain -f data/explain.yaml hi1
document explain_gated "$berth" explain -f data/explain.yaml gated
document explain_running "$berth" explain -f data/explain.yaml prod/web-0
document explain_leaving "$berth" explain -f data/explain.yaml prod/twin
document explain_unseen "$berth" explain --synthetic nodes=300,pods=1,workload=basic pod-0 \
  --node node-250 --percentage 1
document explain_devices "$berth" explain -q -f data/devices.yaml wide --all
document explain_devices_extended "$berth" explain -q -f data/devices_extended.yaml many
document explain_devices_chosen "$berth" explain -q -f data/devices.yaml train-98b82246-0
document explain_cause "$berth" explain -q -f data/explain_hints.yaml stores
document explain_owner "$berth" explain -q -f data/explain_owner.yaml -n shop deploy/web
document explain_owner_runs "$berth" explain -q -f data/explain_owner.yaml sts/db
document explain_owner_devices "$berth" explain -q -f data/devices.yaml deploy/train
document explain_pending "$berth" explain -q -f data/explain_owner.yaml --pending
document explain_pending_preempts "$berth" explain -f data/explain.yaml --pending
document schedule_devices "$berth" schedule -q -f data/devices.yaml
document capacity "$berth" capacity -f data/nodes.yaml --podspec data/podspecs.yaml
document capacity_max "$berth" capacity -f data/nodes.yaml --podspec data/podspecs.yaml --max 1 --summary
for by in node namespace zone owner; do
  document top_$by "$berth" top -q -f data/top.yaml --by $by --resource ephemeral-storage
done
document top_summary "$berth" top -q -f data/top.yaml --summary
document top_prices "$berth" top -q -f data/prices_nodes.yaml --prices data/prices.csv
document grow_prices "$berth" grow -q -f data/prices_nodes.yaml --prices data/prices.csv --shape like=like=n1
echo '{"kind": "List", "apiVersion": "v1", "items": []}' >"$work/empty"
document top_empty "$berth" top -f "$work/empty"
document drain "$berth" drain -f data/drain.yaml --all
document drain_together "$berth" drain -f data/drain.yaml --all --together --moves
document drain_local "$berth" drain -f data/drain_local.yaml --all
document drain_summary "$berth" drain -f data/drain.yaml --all --summary
document compare "$berth" compare "${both[@]}" --config default --config data/most.yaml --kubernetes 1.35 \
  --feature-gates MatchLabelKeysInPodAffinity=true
document compare_days "$berth" compare --before data/compare_before.yaml --after data/compare_after.yaml
document grow "$berth" grow -f data/grow.yaml --shape "m=cpu=4,memory=16Gi,price=1"
document grow_nodes "$berth" grow -f data/drain.yaml --summary

# Each schema is used by a document here, and is valid JSON itself.
for schema in "$schemas"/*.json; do
  name=json_${schema##*/}
  ls "$work/${name%.json}"*.json >/dev/null || fail "$name: no document of it is checked"
done

command -v python3 >/dev/null || {
  echo "not checked against the schemas: no python3"
  finish
  exit
}
name=json_schemas
python3 check_schema.py "$schemas" "${documents[@]}" || fail "$name"

# The check itself: a member too many, one too few, one of another type.
for change in 's/"fit": /"more": 1, "fit": /' 's/"together": false,//' 's/"together": false/"together": 0/'; do
  sed "$change" "$work/json_drain.json" >"$work/bad.json"
  python3 check_schema.py "$schemas" "$work/bad.json" >/dev/null && fail "$name: '$change' passes"
done
finish
