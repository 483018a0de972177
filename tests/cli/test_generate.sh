#!/usr/bin/env bash
# berth generate: the objects of each workload; --synthetic schedules the same objects.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

for workload in ordinary basic spread anti affinity preferred mixed distinct volumes; do
  check "generate_$workload" 0 "$berth" generate --nodes 3 --zones 2 --pods 2 --running 3 \
    --workload $workload --seed 5
  spec=nodes=40,zones=3,pods=60,running=50,workload=$workload,seed=7
  "$berth" generate --nodes 40 --zones 3 --pods 60 --running 50 --workload $workload --seed 7 |
    "$berth" schedule -f - -o json | grep digest >"$work/file"
  "$berth" schedule --synthetic "$spec" -o json | grep digest >"$work/spec"
  same "generate_synthetic_$workload" "$work/file" "$work/spec"
done

"$berth" generate --nodes 50 --pods 50 --running 50 --seed 1 >"$work/one"
"$berth" generate --nodes 50 --pods 50 --running 50 --seed 1 >"$work/again"
"$berth" generate --nodes 50 --pods 50 --running 50 --seed 2 >"$work/two"
same generate_repeatable "$work/one" "$work/again"
cmp -s "$work/one" "$work/two" && fail "generate_seed: two seeds give the same cluster"

# With indentation: the same objects, one value per line, four spaces per level.
"$berth" generate --nodes 50 --pods 50 --running 50 --seed 1 --indent >"$work/indented"
tr -d ' \n' <"$work/one" >"$work/one.bare"
tr -d ' \n' <"$work/indented" >"$work/indented.bare"
same generate_indent "$work/one.bare" "$work/indented.bare"
grep -qx '                "name": "node-7",' "$work/indented" || fail "generate_indent: no line of a name"
! grep -qE '[{,[] *[^ },]' "$work/indented" || fail "generate_indent: two values on a line"
complains generate_indent_trace 2 "--indent does not go with --trace" \
  "$berth" generate --trace --indent

complains generate_full 3 "running pods do not fit on 2 nodes: there is room for" \
  "$berth" generate --nodes 2 --running 1000
finish
