#!/usr/bin/env bash
# The tour shows what its commands print, and every cluster of the examples is in it or runs.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

mkdir "$work/bin"
ln -s "$(realpath "$berth")" "$work/bin/berth"
export PATH=$work/bin:$PATH
tour=../../tools/TOUR.md
clusters=../../tools/examples/clusters
renew=()
[[ ${BERTH_UPDATE:-} == 1 ]] && renew=(--renew)
python3 tour.py "$tour" "$clusters" "${renew[@]}" || fail "the tour"
for file in "$clusters"/*; do
  grep -qF "$(basename "$file")" "$tour" || fail "$file is not in the tour"
done
finish
