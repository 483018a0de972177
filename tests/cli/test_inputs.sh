#!/usr/bin/env bash
# Which files are read: folders, lists with commas, and the options under kubectl's names.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

node() {
  printf '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s"},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}\n' "$1"
}
pod() {
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c}]}\n' "$1"
}

folder=$work/all
mkdir -p "$folder/sub/deeper" "$folder/z.yaml" "$work/empty" "$work/above/sub"
node n1 >"$folder/10-node.json"
pod b >"$folder/20-b.yaml"
pod a >"$folder/30-a.yml"
pod zipped | gzip >"$folder/05-zipped.yaml.gz"
pod hidden >"$folder/sub/pod.yaml"
pod deep >"$folder/sub/deeper/pod.json.yaml"
pod notes >"$folder/notes.txt"
pod late >"$folder/z.yaml/late.yaml"
pod comma >"$work/a,b.yaml"
ln -s ../all "$folder/loop"
ln -s sub/pod.yaml "$folder/40-link.yaml"
pod above >"$work/above/sub/pod.yaml"

# names WANTED ARGUMENT...: checks the pods that are placed, in the order of the input.
names() {
  local wanted=$1 found
  shift
  found=$("$berth" schedule -q -o name "$@" | sed 's|.*/||' | tr '\n' ' ')
  [[ $found == "$wanted " ]] || fail "names: $*: '$found', not '$wanted'"
}
names "zipped b a hidden" -f "$folder"
names "zipped b a hidden" -f "$folder/"
names "zipped b a hidden" "$folder"
names "zipped b a hidden" --file "$folder"
names "zipped b a hidden" --filename="$folder"
names "zipped b a hidden comma" -f "$folder" -f "$work/a,b.yaml"
names "b a" -f "$folder/10-node.json,$folder/20-b.yaml,$folder/30-a.yml"
names "b zipped a" -f "$folder/20-b.yaml" --filename "$folder/05-zipped.yaml.gz,$folder/30-a.yml"
rm "$folder/40-link.yaml"
names "zipped b a deep hidden late" -R -f "$folder"
names "zipped b a deep hidden late" --recursive "$folder"
names "above" --recursive "$work/above"

# Files of a folder that contain no object are skipped, as in kubectl apply.
mkdir "$work/blank" "$work/blanks"
: >"$work/blank/empty.json"
printf '# a chart that is switched off\n\n---\n  # %05000d\n--- # more\n...\n' 0 >"$work/blank/comments.yaml"
printf '\xef\xbb\xbf# marked\r\n---\r\n' >"$work/blank/mark.yml"
gzip </dev/null >"$work/blank/zipped.yaml.gz"
printf '%05000d' 0 | tr 0 ' ' >"$work/blank/spaces.yaml"
cp "$work"/blank/* "$work/blanks"
node n1 >"$work/blank/node.json"
{
  printf '# %05000d\n%05000d\n---\n' 0 0 | sed '2s/0/ /g'
  pod p
} >"$work/blank/pod.yaml"
names "p" -f "$work/blank"
complains inputs_blank 3 "blanks: no file of the folder holds an object" "$berth" schedule -f "$work/blanks"
printf '# n1 \n---\n\0' >"$work/blank/zero.yaml"
complains inputs_zero 3 "zero.yaml" "$berth" schedule -f "$work/blank"
rm "$work/blank/zero.yaml"
printf '%05000d[' 0 | tr 0 ' ' >"$work/blank/late.yaml"
complains inputs_late 3 "late.yaml" "$berth" schedule -f "$work/blank"
rm "$work/blank/late.yaml"
# A mark has three characters.
for text in '--' '----' $'---\n.'; do
  printf '%s' "$text" >"$work/blank/dashes.yaml"
  complains "inputs_mark $text" 3 "dashes.yaml" "$berth" schedule -f "$work/blank"
done
rm "$work/blank/dashes.yaml"
printf '\xef\xbb\n\n' >"$work/blank/half.yaml" # no byte order mark
complains inputs_half 3 "half.yaml" "$berth" schedule -f "$work/blank"
complains inputs_named 3 "empty.json: the input is empty" "$berth" schedule -f "$work/blank/empty.json"

# The version of the cluster is also found in a folder.
mkdir "$work/old"
node n1 | sed 's/"status": {/&"nodeInfo": {"kubeletVersion": "v1.33.1"}, /' >"$work/old/n.json"
pod p >"$work/old/p.yaml"
"$berth" schedule "$work/old" | grep -q '1\.33' || fail "the version of a folder"

# The commands that the program suggests name the folder, not each file.
sed -i 's/{name: c}/{name: c, resources: {requests: {cpu: "9"}}}/' "$work/old/p.yaml"
"$berth" schedule -R -f "$work/old" >"$work/out"
advice=$(sed -n "s/.*What would help: berth/berth/p" "$work/out")
[[ $(sed -n '/What would help/,/^Passed\|^$/p' "$work/out") == *"-R -f $work/old"* ]] ||
  fail "advice: '$advice'"

complains inputs_empty 3 "empty: the folder has no file to read: expected names that end in .json, .yaml or .yml, or in one of these and .gz" \
  "$berth" schedule -f "$work/empty"
complains inputs_above 3 "(--recursive reads its subfolders, too)" "$berth" schedule -f "$work/above"
complains inputs_no_name 3 "as a list it has an empty name" "$berth" schedule -f "$folder/10-node.json,"
complains inputs_missing 3 "nosuch.yaml: cannot open: No such file" "$berth" schedule -f "$folder/10-node.json,nosuch.yaml"
complains inputs_stdin_twice 2 "only once" "$berth" schedule -f -,-

# The other commands with inputs.
"$berth" capacity -q -f "$folder/10-node.json" --podspec "$folder/20-b.yaml,$folder/30-a.yml" --summary >"$work/out" ||
  fail capacity
grep -qF default/a "$work/out" || fail "capacity: $(cat "$work/out")"
mkdir "$work/specs"
pod one >"$work/specs/1.yaml"
pod two >"$work/specs/2.yaml"
"$berth" capacity -q -f "$folder/10-node.json" --podspec "$work/specs" --summary >"$work/out" || fail capacity
grep -qF default/two "$work/out" || fail "capacity: $(cat "$work/out")"
complains inputs_capacity_empty 3 "no file to read" "$berth" capacity -f "$folder" --podspec "$work/empty"
"$berth" compare -q --before "$work/old" --after "$work/old,$work/specs" >"$work/out" || fail compare
grep -q '^Pods  *1  *3$' "$work/out" || fail "compare: $(cat "$work/out")"
complains inputs_compare_empty 3 "no file to read" "$berth" compare --before "$work/old" --after "$work/empty"
"$berth" top -q -f "$folder" -o name >"$work/out" || fail top
grep -qx node/n1 "$work/out" || fail "top: $(cat "$work/out")"
"$berth" replay -q -f "$work/old" --until 10 - </dev/null >"$work/out" || fail replay
complains inputs_replay_empty 3 "no file to read" "$berth" replay -f "$work/empty" --until 10 -
finish
