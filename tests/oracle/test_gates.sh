#!/usr/bin/env bash
# Compares the feature gates that berth accepts with those of kube-scheduler: each setting of each
# gate, and gates that need others. Berth may refuse more, but only as not implemented.
# Usage: test_gates.sh VERSION
set -euo pipefail
version=${1:?usage: test_gates.sh VERSION, such as 1.37}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$source/../.." && pwd)
berth=${BERTH:-${BERTH_BUILD:-$root/build}/bin/berth}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '{apiVersion: v1, kind: Node, metadata: {name: a}}\n' >"$folder/cluster.yaml"

# Prints accepted, unimplemented, unknown or refused.
answer_of() {
  local settings=$1
  if "$berth" schedule --kubernetes "$version" --feature-gates "$settings" "$folder/cluster.yaml" \
    >/dev/null 2>"$folder/error"; then
    echo accepted
    return
  fi
  case $(<"$folder/error") in
    *"feature gate"*"not implemented"*) echo unimplemented ;;
    *"has no feature gate"*) echo unknown ;;
    *"feature gate"*) echo refused ;;
    *) cat "$folder/error" ;;
  esac
}

# The names of all releases that berth knows.
sed -n 's/^    {"\([A-Za-z0-9]*\)", 3.*/\1/p' "$root"/engine/model/{behaviours,other_gates}.c | sort -u >"$folder/names"
(($(wc -l <"$folder/names") > 200)) || { echo "the gates of berth were not found"; exit 1; }

code=0
oracle=$("$source/build" "$version") || code=$?
((code == 0)) || exit "$code"
"$oracle" gates >"$folder/gates"
(($(wc -l <"$folder/gates") > 300)) || { echo "the oracle lists too few gates"; exit 1; }
bad=0
while read -r settings theirs; do
  ours=$(answer_of "$settings")
  case $theirs/$ours in
    accepted/accepted | accepted/unimplemented | refused/refused | refused/unimplemented) ;;
    *) echo "$settings: kube-scheduler $theirs, berth $ours"; bad=1 ;;
  esac
done <"$folder/gates"
sed 's/[=,].*//' "$folder/gates" | sort -u | comm -13 - "$folder/names" >"$folder/foreign"
while read -r name; do
  [[ $(answer_of "$name=true") == unknown ]] || { echo "$name is no gate of kube-scheduler $version"; bad=1; }
done <"$folder/foreign"
echo "$version: $(wc -l <"$folder/gates") settings, $(wc -l <"$folder/foreign") names of other releases"
exit "$bad"
