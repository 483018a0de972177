#!/usr/bin/env bash
# The tour and README.md show the output of their commands, and the tour uses every cluster of the examples.
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

# README's commands run from the folder of a fresh clone after the build.
mkdir -p "$work/clone/build/bin"
ln -s "$(realpath "$berth")" "$work/clone/build/bin/berth"
ln -s "$(realpath ../../tools)" "$work/clone/tools"
ln -s "$(realpath ..)" "$work/clone/tests"
python3 tour.py ../../README.md "$work/clone" --only 'build/bin/berth ' || fail "README.md"
finish
