#!/usr/bin/env bash
# The gate fails exactly when it must: a count above its limit fails and names the functions that
# grew; a count within the limits passes.
set -u
folder=$(mktemp -d)
# shellcheck disable=SC2034 # test_instructions.sh reads it
BERTH_GATE_TABLE=$folder
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/gate/test_instructions.sh
. "$here/test_instructions.sh"
trap 'rm -rf "$folder" "$work"' EXIT

complain() {
  echo "FAILED $1"
  exit 1
}

mkdir "$folder/functions"
printf 'filter\t600\nscore\t400\n' >"$folder/functions/some.txt"
printf 'filter\t900\nscore\t401\nnew_part\t50\n' >"$work/functions"

judge some 1099 1000 >"$work/out" || complain "9.9 % above is within bounds"
judge some 880 1000 >"$work/out" || complain "cheaper is no failure"
grep -q 'has become cheaper' "$work/out" || complain "cheaper is not told"
judge some 1351 1000 >"$work/out" && complain "35 % above passes"
cat >"$work/expected" <<'TEXT'
some: 1351 instructions each, 1000 committed
FAILED: some costs over 10 % more than its committed number
  grown since functions/some.txt:
  +300  filter: 900, was 600
  +50  new_part: 50, was 0
TEXT
diff "$work/expected" "$work/out" || complain "the report differs"

# Instructions by function: callees are counted once, copies with their original.
cat >"$work/callgrind" <<'TEXT'
fl=engine/scan/search.c
fn=walk
10 5
+2 7
cfn=score.isra.0
calls=3 20
12 900
fn=score.isra.0
20 800
* 100
totals: 912
TEXT
awk -f "$here/functions.awk" "$work/callgrind" | sort >"$work/out"
printf 'search.c:score\t900\nsearch.c:walk\t12\n' | diff - "$work/out" || complain "functions are counted wrongly"
echo "the gate reports"
