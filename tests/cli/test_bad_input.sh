#!/usr/bin/env bash
# Wrong input: exit code 3, and an error with the file and either the place or the object and field; no
# standard output, no crash.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

node='{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":'
node+='{"cpu":"4","memory":"8Gi","pods":"10"}}}'
echo "$node" >"$work/node.json"

# pod METADATA SPEC CPU: a pod with these fields added, each ended by a comma
pod() {
  echo '{"apiVersion":"v1","kind":"Pod","metadata":{'"$1"'"name":"p"},"spec":{'"$2"'"containers":' \
    '[{"name":"c","image":"x","resources":{"requests":{"cpu":'"$3"'}}}]}}'
}

# bad FILE TEXT...: a cluster with this file beside a good node is refused, saying each TEXT
bad() {
  local file=$1 text
  shift
  for text in "$file" "$@"; do
    complains "bad_$file" 3 "$text" timeout 100 "$berth" schedule -f "$work/node.json" "$work/$file"
  done
}

requests='spec.containers[0].resources.requests.cpu'
echo '{"apiVersion":"v1","kind":"List","items":[{"kind":"Node","metadata":{"name":' \
  >"$work/truncated.json"
printf 'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n   labels: {}\n' >"$work/indent.yaml"
pod '' '' '"12x"' >"$work/unknown.json"
pod '' '' '"-1"' >"$work/negative.json"
pod '' '' '"99999999999999999999"' >"$work/overflow.json"
pod '"labels":{"a":1},' '' '"1"' >"$work/label.json"
echo "$node" >"$work/duplicate.json"
: >"$work/empty.json"
mkdir "$work/folder"
echo 'a word' >"$work/word.txt"
printf '\x1f\x8b\x08 no gzip' >"$work/damaged.gz"
gzip -c "$work/node.json" | head -c 60 >"$work/cut.gz"
head -c 100000000 /dev/zero | tr '\0' '[' >"$work/brackets.json"

bad truncated.json
bad indent.yaml ':5:'
bad unknown.json 'Pod default/p' "$requests" '12x'
bad negative.json 'Pod default/p' "$requests"
bad overflow.json 'Pod default/p' "$requests"
bad label.json 'Pod default/p' 'metadata.labels.a' 'string'
bad duplicate.json 'Node n1'
bad empty.json empty
bad folder "the folder has no file to read"
bad word.txt
bad damaged.gz
bad cut.gz
bad brackets.json
bad nosuch 'No such file'

pod '' '"nodeName":"gone",' '"1"' >"$work/orphan.json"
complains bad_orphan 3 "1 pod is on node gone, which is not in the input" \
  "$berth" schedule --strict -f "$work/node.json" "$work/orphan.json"

complains bad_config_missing 3 "berth schedule: nosuch: cannot open" \
  "$berth" schedule -f "$work/node.json" --config nosuch
echo 'kind: Pod' >"$work/config.yaml"
complains bad_config 3 config.yaml \
  "$berth" schedule -f "$work/node.json" --config "$work/config.yaml"
finish
