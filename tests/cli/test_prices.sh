#!/usr/bin/env bash
# --prices: the costs of nodes, the share of each owner, and the costs of a plan.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

nodes=(-f data/prices_nodes.yaml)
prices=(--prices data/prices.csv)
for by in node namespace zone owner; do
  check "prices_top_$by" 0 "$berth" top -q "${nodes[@]}" "${prices[@]}" --by $by
done
check prices_top_sorted 0 "$berth" top -q "${nodes[@]}" "${prices[@]}" --sort cost -o csv
check prices_top_json 0 "$berth" top -q "${nodes[@]}" "${prices[@]}" --by namespace -o json
check prices_warning 0 "$berth" top "${nodes[@]}" "${prices[@]}" --sort cost -o name
complains prices_strict 3 "1 node has no price: instance type x9.huge (n4)" \
  "$berth" top "${nodes[@]}" "${prices[@]}" --strict

# n1 on demand 0.096, n2 spot 0.0335, n3 in zone b 0.107: 0.2365. Pod a has half of n1's cpu and a quarter of its
# memory: 0.036. Pod b has all of n2's cpu and a quarter of its memory: 0.0209375. So 0.1795625 is idle.
"$berth" top -q "${nodes[@]}" "${prices[@]}" --by owner -o json >"$work/owner.json"
for text in '"perHour": 0.2365,' '"requestedPerHour": 0.0569375,' '"idlePerHour": 0.1795625,' \
  '"perMonth": 172.645,' '"costPerHour": 0.0209375,' '"costPerHour": 0.036,' '"nodesWithoutPrice": 2'; do
  grep -qF -- "$text" "$work/owner.json" || fail "top: no $text"
done
"$berth" report -q "${nodes[@]}" "${prices[@]}" -o "$work/page.html" || fail report
grep -qF '"cost": {"perHour": 0.2365, "idlePerHour": 0.1795625, "perMonth": 172.645, "idlePerMonth": 131.080625, "nodesWithoutPrice": 2}' \
  "$work/page.html" || fail "report: cost"

# The same prices as a map, in YAML and in JSON.
printf -- '---\n# by hand\nm5.large: 0.096 # on demand\n"x9.huge": 3\n' >"$work/map.yaml"
printf '{"m5.large": 0.096,\n "x9.huge": 3}\n' >"$work/map.json"
printf '\xef\xbb\xbfPrice per hour;Instance type\n' | tr ';' ',' >"$work/titles.csv"
printf '0.096,m5.large\r\n"3","x9.huge"\n' >>"$work/titles.csv"
for file in map.yaml map.json titles.csv; do
  "$berth" top -q "${nodes[@]}" --prices "$work/$file" >"$work/$file.out" || fail "$file"
  same "prices $file" "$work/map.yaml.out" "$work/$file.out"
done
grep -q '^Cost  *3.288 per hour' "$work/map.yaml.out" || fail "map: $(grep Cost "$work/map.yaml.out")"

# ---- grow ----

printf 'four: 1\neight: 1.9\n' >"$work/shapes.yaml"
packing=(-q -f data/grow_packing.yaml --prices "$work/shapes.yaml")
four=(--shape "four=cpu=4,memory=16Gi,type=four")
check prices_grow 0 "$berth" grow "${packing[@]}" "${four[@]}" --shape eight=cpu=8,memory=32Gi,type=eight
check prices_grow_json 0 "$berth" grow "${packing[@]}" "${four[@]}" --shape eight=cpu=8,memory=32Gi,type=eight \
  --summary -o json
check prices_grow_own 0 "$berth" grow "${packing[@]}" "${four[@]}" --shape eight=cpu=8,memory=32Gi,price=2.5 --summary
check prices_grow_nodes 0 "$berth" grow -q "${nodes[@]}" "${prices[@]}" --summary
complains prices_shape_unknown 3 "there is no price of instance type nine, which shape eight has" \
  "$berth" grow "${packing[@]}" "${four[@]}" --shape eight=cpu=8,memory=32Gi,type=nine
complains prices_shape_typeless 3 "shape eight has no price, and no instance type by which to find one" \
  "$berth" grow "${packing[@]}" "${four[@]}" --shape eight=cpu=8,memory=32Gi
printf 'four: 0\n' >"$work/free.yaml"
complains prices_shape_free 3 "instance type four of shape four costs nothing" \
  "$berth" grow -q -f data/grow_packing.yaml --prices "$work/free.yaml" "${four[@]}"

# ---- malformed files ----

# wrong NAME TEXT MESSAGE
wrong() {
  printf '%b' "$2" >"$work/$1"
  complains "prices_$1" 3 "$1$3" "$berth" top -q "${nodes[@]}" --prices "$work/$1"
}
# right NAME TEXT
right() {
  printf '%b' "$2" >"$work/$1"
  "$berth" top -q "${nodes[@]}" --prices "$work/$1" >"$work/out" || fail "prices $1"
}
wrong lone 'm5.large\n' ":1: 'm5.large' is not INSTANCE TYPE: PRICE"
wrong negative 'a,1\nm5.large,-1\n' ":2: the price of m5.large is '-1', not a number such as 0.096"
wrong word 'm5.large,free\n' ":1: the price of m5.large is 'free'"
wrong exponent 'm5.large: 1e3' ":1: the price of m5.large is '1e3'"
wrong pointless 'm5.large: 1.' ":1: the price of m5.large is '1.'"
wrong twice 'm5.large,1\n\n# x\nm5.large,2\n' ":4: m5.large has a price already, in line 1"
wrong twice_json '{"a": 1,\n"a": 2}' ":2: a has a price already, in line 1"
wrong comma '{"a": 1\n "b": 2}' ":2: expected ',' or '}'"
wrong member '{"a": 1,}' ':1: expected "INSTANCE TYPE": PRICE'
wrong behind '{"a": 1}\n{}' ":2: there is something behind the closing brace"
wrong text_json '{"a": "1"}' ":1: the price of a is '\"1\"'"
wrong kind 'a,1,preemptible\n' ":1: the capacity type of a is 'preemptible', not spot or on-demand"
wrong title 'instance type,cost\na,1\n' ":1: 'cost' is no title"
wrong titles 'type,price,price\n' ":1: there are two columns 'price'"
wrong priceless 'type,zone\n' ":1: a title is missing"
wrong wide 'a,1,spot,b,c\n' ":1: a row is INSTANCE TYPE,PRICE[,CAPACITY TYPE[,ZONE OR REGION]], but this one has 5"
wrong nameless ',1\n' ":1: there is no instance type in it"
wrong empty '' ": there are no prices in it"
wrong high 'a,1000000000.000000001\n' ":1: the price of a is above 1000000000 per hour"
wrong huge 'a,1000000000000000000000\n' ":1: the price of a is"
wrong fine 'a,0.1234567891\n' ":1: the price of a is '0.1234567891', not a number such as 0.096: digits, and at most 9"
right highest 'a,1000000000\n'
right finest 'a,0.123456789\nb,0\nc,00001\n'
wrong long "$(printf 'a%.0s' {1..700}),1" ":1: its names are longer than labels are, or broken"
complains prices_missing 3 "nosuch.csv: No such file" "$berth" top -q "${nodes[@]}" --prices nosuch.csv
complains prices_folder 3 "Is a directory" "$berth" top -q "${nodes[@]}" --prices "$work"
complains prices_sort 2 "--sort cost needs --prices FILE" "$berth" top -q "${nodes[@]}" --sort cost
"$berth" replay -o "$work/replayed" data/replay_life.jsonl >"$work/out" 2>&1
complains prices_replay 2 "a replay has no instance types" "$berth" report -f "$work/replayed" "${prices[@]}"

finish
