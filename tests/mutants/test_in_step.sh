#!/usr/bin/env bash
# The mutants match the sources: each patch applies to the file that it names, and says what it removes; some
# test builds each mutant; the exhaustive model also has each mutant of the publication protocol.
# Usage: test_in_step.sh NAME=FILE...
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
model=$here/../spin/history.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
fail() {
  echo "FAILED: $*"
  status=1
}

for mutant in "$@"; do
  name=${mutant%%=*}
  file=${mutant#*=}
  patch=$here/$name.patch
  read -r first <"$patch" || fail "$name.patch is not there"
  [[ $first == *:* && $first != ---* ]] || fail "$name.patch does not say what it removes"
  grep -q "^--- a/$file\$" "$patch" || fail "$name.patch is not one of $file"
  if ! output=$(patch --batch --fuzz=0 --reject-file=- --output="$work/copy" \
    "$root/$file" "$patch" 2>&1); then
    fail "$name.patch does not apply to $file any more: $output"
  elif cmp -s "$work/copy" "$root/$file"; then
    fail "$name.patch changes nothing"
  fi
  [[ $name != history_* ]] || grep -q "^#define ${name#history_} [1-9]" "$model" ||
    fail "$name is missing in tests/spin/history.pml"
done
for patch in "$here"/*.patch; do
  name=$(basename "$patch" .patch)
  [[ " $* " == *" $name="* ]] || fail "no test is built with $name.patch"
done
echo "$# mutants"
exit $status
