#!/usr/bin/env bash
# Missing and odd parts of an input are reported on standard error, each once and counted.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check honest_schedule 0 "$berth" schedule data/honest.yaml --summary
check honest_drain 0 "$berth" drain -f data/honest.yaml --all --summary
check honest_expand 0 "$berth" schedule data/honest.yaml --summary --expand
complains honest_strict 3 "which --strict makes errors" "$berth" schedule data/honest.yaml --strict

# Nothing is said of a whole cluster, and --strict lets it pass.
"$berth" generate --nodes 20 --zones 2 --pods 30 --running 40 --workload mixed >"$work/whole.json"
"$berth" schedule --strict "$work/whole.json" >/dev/null 2>"$work/err" || fail "honest_whole: exit code"
[[ ! -s $work/err ]] || fail "honest_whole: $(head -n 3 "$work/err")"

# A thing that comes again is told with both places.
sed -n '2,5p' data/honest.yaml >"$work/node.yaml"
printf -- '---\n# a comment\n' >"$work/again.yaml"
cat "$work/node.yaml" >>"$work/again.yaml"
for text in "again.yaml:3: Node n1" "the first is at $work/node.yaml:1"; do
  complains honest_twice 3 "$text" "$berth" schedule "$work/node.yaml" "$work/again.yaml"
done
complains honest_twice_stdin 3 "the first is at standard input:1" \
  "$berth" schedule - "$work/again.yaml" <"$work/node.yaml"

# A workload that has no pods by its status lacks none: a DaemonSet that no node admits, a Job that is over
# or suspended, a CronJob between its runs. One that its controller has yet to see has none to tell of.
cat data/honest_idle.yaml "$work/node.yaml" >"$work/idle.yaml"
"$berth" top -f "$work/idle.yaml" --summary >/dev/null 2>"$work/err"
for name in "DaemonSet default/new" "Job default/running" "Job default/new" "CronJob default/running"; do
  grep -q "warning: $name comes from an API server" "$work/err" || fail "honest_idle: no word of $name"
done
[[ $(wc -l <"$work/err") == 4 ]] || fail "honest_idle: $(cat "$work/err")"

# capacity counts pods of a workload as an API server shows it.
sed -n '/name: api/,/template/p' data/honest.yaml |
  sed '1i apiVersion: apps/v1\nkind: Deployment' >"$work/api.yaml"
"$berth" capacity -f "$work/node.yaml" --podspec "$work/api.yaml" >"$work/out" 2>"$work/err"
grep -qE '^Deployment prod/api +20 ' "$work/out" || fail "honest_template: $(cat "$work/out" "$work/err")"
finish
