#!/usr/bin/env bash
# berth verify: it finds no difference if there is none, and finds each kind of difference once the
# vectors are changed accordingly.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

vectors=${BERTH_SOURCE:?}/tests/vectors/v1.32
zcat "$vectors/taints.jsonl.gz" | head -n 2 >"$work/good.jsonl"
gzip -c "$work/good.jsonl" >"$work/packed.jsonl.gz"

name=verify_good
run 0 "$berth" verify "$work/good.jsonl" "$work/packed.jsonl.gz"
sed -E 's/decisions=[1-9][0-9]* mismatches=0$/ok/' "$work/out" >"$work/masked"
printf '%s ok\n' "$work/good.jsonl" "$work/packed.jsonl.gz" | diff - "$work/masked" || fail $name

# spoil NAME SED MEMBER: checks that this change causes a mismatch that names MEMBER.
spoil() {
  name=verify_$1
  sed -E "$2" "$work/good.jsonl" >"$work/bad.jsonl"
  cmp -s "$work/good.jsonl" "$work/bad.jsonl" && fail "$name: nothing changed"
  run 1 "$berth" verify "$work/bad.jsonl"
  grep -qE ' decisions=[0-9]+ mismatches=[1-9][0-9]*$' "$work/out" || fail "$name: no mismatch"
  grep -qE "^    $3" "$work/out" || {
    fail "$name: $3 is not told"
    head -c 2000 "$work/out"
  }
}

node='"(n[0-9]+)"'
spoil start '1s/"start":0/"start":1/' start
spoil next '1s/"next":0/"next":3/' next
spoil order "1s/\"order\":\[$node,$node/\"order\":[\"\2\",\"\1\"/" order
spoil feasible_order "1s/\"feasible\":\[$node,$node/\"feasible\":[\"\2\",\"\1\"/" feasible
spoil feasible_missing "1s/\"feasible\":\[$node,/\"feasible\":[/" feasible
spoil plugin '1s/"plugin":"TaintToleration"/"plugin":"NodeName"/' "failed n"
spoil code '1s/"code":"UnschedulableAndUnresolvable"/"code":"Unschedulable"/' "failed n"
spoil reason '1s/"reasons":\["node/"reasons":["a node/' "failed n"
spoil reasons '1s/"reasons":\[/"reasons":["Insufficient patience",/' "failed n"
spoil score '1s/"ImageLocality":\[0/"ImageLocality":[1/' "scores ImageLocality"
spoil plugin_set '1s/"ImageLocality":/"ImageTaste":/' "scores ImageTaste"
spoil total '1s/"total":\[/"total":[7,/' total
spoil best "1s/\"best\":\[/\"best\":[\"n99\",/" best
spoil pre_filter '1s/"feasible":/"preFilter":"no",&/' preFilter
spoil message '1s/"feasible":/"message":"no",&/' message
spoil nominated '1s/"feasible":/"nominated":"n0",&/' nominated
spoil victims '1s/"feasible":/"victims":["a\/b"],&/' victims
spoil error '1s/"feasible":/"error":"no",&/' error
spoil outcome "1s/\"bound\":\"/\"best\":[],&/" "withoutExplanation best"
spoil not_taken '1s/"cpu":"[^"]*"/"cpu":"much"/' ".*expected a quantity"

# Sequences: events happen, victims leave and nominations stay; a difference in any of these is reported.
zcat "$vectors/../v1.37/events.jsonl.gz" | head -n 5 >"$work/good.jsonl"
name=verify_events
run 0 "$berth" verify "$work/good.jsonl"
spoil event_lost '1,5s/"do":"put","kind":"Node"/"do":"delete","kind":"Node"/g' feasible
spoil event_late '1,5s/"before":[0-9]+/"before":99/g' feasible
zgrep '"nominated"' "$vectors/../v1.37/evictions.jsonl.gz" | head -n 5 >"$work/good.jsonl"
name=verify_evictions
run 0 "$berth" verify "$work/good.jsonl"
spoil victim_stays '1,5s/"victims":\[[^]]*\]/"victims":[]/g' ".*"
zgrep '"name":"evictions-99-' "$vectors/../v1.37/evictions.jsonl.gz" >"$work/good.jsonl"
name=verify_unnominated
run 0 "$berth" verify "$work/good.jsonl"
spoil nomination_kept 's/"unnominated":\[[^]]*\]/"unnominated":[]/g' ".*"
zgrep '"nominated"' "$vectors/../v1.37/evictions.jsonl.gz" | head -n 5 >"$work/good.jsonl"
broken() {
  sed -E "1!d;$2" "$work/good.jsonl" >"$work/bad.jsonl"
  name=verify_$1
  run 1 "$berth" verify "$work/bad.jsonl"
  grep -qF "$3" "$work/out" || fail "$name: '$3' is not told"
}
broken event_before 's/"before":[0-9]+/"before":"soon"/' "events[].before: not the index of a pending pod"
broken event_before_negative 's/"before":[0-9]+/"before":-1/' "events[].before: not the index"
broken event_do 's/"do":"put"/"do":"move"/' "events[].do: neither 'put' nor 'delete'"
broken event_kind 's/"kind":"(Pod|Node)","object"/"kind":"Cow","object"/' "events[].kind: not the name of a kind"
broken event_object 's/"kind":"(Pod|Node)","object"/"kind":"\1","objekt"/' "events[].object: absent"
broken event_node 's/"nominated":"[^"]*"/"nominated":"n99"/' "nominated to node 'n99', which is not there"
zcat "$vectors/taints.jsonl.gz" | head -n 2 >"$work/good.jsonl"

# Only as many differences are shown as requested; all are counted.
name=verify_show
sed 's/"start":0/"start":1/g' "$work/good.jsonl" >"$work/bad.jsonl"
run 1 "$berth" verify --show 2 "$work/bad.jsonl"
[[ $(grep -c '^  taints' "$work/out") == 2 ]] || fail "$name: not two shown"
grep -qE '^  and [0-9]+ more$' "$work/out" || fail "$name: the rest is not told"

# Lists of paths and threads: each combination runs once, and a mismatch in any of them counts.
name=verify_matrix
run 0 "$berth" verify --paths scan,index --threads 1,2,4 "$work/good.jsonl"
sed -E 's/^.*jsonl (path.*) decisions=[1-9][0-9]* mismatches=0$/\1/' "$work/out" >"$work/masked"
printf 'path=%s threads=%s\n' scan 1 scan 2 scan 4 index 1 index 2 index 4 |
  diff - "$work/masked" || fail $name
run 0 "$berth" verify --path index --threads 2 "$work/good.jsonl"
grep -q 'path=' "$work/out" && fail "$name: one setting is named"
run 1 "$berth" verify --paths index,scan --threads 0,1024 "$work/bad.jsonl"
[[ $(grep -cE 'mismatches=[1-9]' "$work/out") == 4 ]] || fail "$name: not four with mismatches"
paths="expected up to 8 of auto, scan, index, separated by commas"
threads="expected up to 16 numbers from 0 to 1024, separated by commas"
complains verify_paths 2 "--paths is 'scan,walk'; $paths" "$berth" verify --paths scan,walk "$work/good.jsonl"
complains verify_threads 2 "--threads is '1,1025'; $threads" "$berth" verify --threads 1,1025 "$work/good.jsonl"
complains verify_threads_empty 2 "--threads is '1,'; $threads" "$berth" verify --threads 1, "$work/good.jsonl"
eight=scan,scan,scan,scan,scan,scan,scan,scan
run 0 "$berth" verify --threads 1 --paths "$eight" "$work/good.jsonl"
complains verify_paths_nine 2 "$paths" "$berth" verify --paths "$eight,scan" "$work/good.jsonl"
sixteen=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
run 0 "$berth" verify --threads "$sixteen" "$work/good.jsonl"
complains verify_threads_many 2 "$threads" "$berth" verify --threads "$sixteen,1" "$work/good.jsonl"

# Files that are not vectors.
head -c 5000 "$work/good.jsonl" >"$work/cut.jsonl"
head -c -100 "$work/packed.jsonl.gz" >"$work/cut.jsonl.gz"
echo '{"scenario": {}, "expected": {}}' >"$work/bare.jsonl"
complains verify_cut 3 "cut.jsonl:1:" "$berth" verify "$work/cut.jsonl"
complains verify_cut_gzip 3 "cut.jsonl.gz:" "$berth" verify "$work/cut.jsonl.gz"
complains verify_bare 3 "bare.jsonl:1: expected.decisions is not a list" \
  "$berth" verify "$work/bare.jsonl"
complains verify_missing 3 "No such file" "$berth" verify "$work/nosuch"
complains verify_folder 3 "Is a directory" "$berth" verify "$work"
: >"$work/empty.jsonl"
name=verify_empty
run 0 "$berth" verify "$work/empty.jsonl"
grep -q ' decisions=0 mismatches=0$' "$work/out" || fail $name
finish
