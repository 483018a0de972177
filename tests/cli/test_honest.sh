#!/usr/bin/env bash
# Missing and odd parts of an input are reported on standard error, each once and counted.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check honest_schedule 0 "$berth" schedule data/honest.yaml --summary
check honest_drain 0 "$berth" drain -f data/honest.yaml --all --summary
check honest_expand 0 "$berth" schedule data/honest.yaml --summary --expand
complains honest_strict 3 "which --strict makes errors" "$berth" schedule data/honest.yaml --strict

# Nothing is reported about a complete cluster, and --strict accepts it.
"$berth" generate --nodes 20 --zones 2 --pods 30 --running 40 --workload mixed >"$work/whole.json"
"$berth" schedule --strict "$work/whole.json" >/dev/null 2>"$work/err" || fail "honest_whole: exit code"
[[ ! -s $work/err ]] || fail "honest_whole: $(head -n 3 "$work/err")"

# A duplicate is reported with both positions.
sed -n '2,5p' data/honest.yaml >"$work/node.yaml"
printf -- '---\n# a comment\n' >"$work/again.yaml"
cat "$work/node.yaml" >>"$work/again.yaml"
for text in "again.yaml:3: Node n1" "the first is at $work/node.yaml:1"; do
  complains honest_twice 3 "$text" "$berth" schedule "$work/node.yaml" "$work/again.yaml"
done
complains honest_twice_stdin 3 "the first is at standard input:1" \
  "$berth" schedule - "$work/again.yaml" <"$work/node.yaml"

# A workload whose status shows no pods lacks none: a DaemonSet that no node admits, a Job that is finished or
# suspended, a CronJob between its runs. If its controller has not seen it yet, its pods count as missing.
cat data/honest_idle.yaml "$work/node.yaml" >"$work/idle.yaml"
"$berth" top -f "$work/idle.yaml" --summary >/dev/null 2>"$work/err"
for name in "DaemonSet default/new" "Job default/running" "Job default/new" "CronJob default/running"; do
  grep -q "warning: $name comes from an API server" "$work/err" || fail "honest_idle: no word of $name"
done
[[ $(wc -l <"$work/err") == 4 ]] || fail "honest_idle: $(cat "$work/err")"

# capacity counts the pods of a workload that comes from an API server.
sed -n '/name: api/,/template/p' data/honest.yaml |
  sed '1i apiVersion: apps/v1\nkind: Deployment' >"$work/api.yaml"
"$berth" capacity -f "$work/node.yaml" --podspec "$work/api.yaml" >"$work/out" 2>"$work/err"
grep -qE '^Deployment prod/api +20 ' "$work/out" || fail "honest_template: $(cat "$work/out" "$work/err")"
finish
