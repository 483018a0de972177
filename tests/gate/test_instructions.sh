#!/usr/bin/env bash
# Instructions a pod, against the committed numbers of instructions.txt: a gate that neither a busy
# nor a slow machine can move. More than 10 % above a number fails; more than 10 % below asks to
# renew it.
#
# Usage: test_instructions.sh [--renew]
# BERTH: the program; BERTH_GATE: why there is nothing to compare in this build, if so.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
berth=${BERTH:-$here/../../build/bin/berth}
table=$here/instructions.txt
few=2000
many=6000
tolerance=10

skip() {
  echo "skipped: $1"
  exit 77
}
[[ -z ${BERTH_GATE:-} ]] || skip "$BERTH_GATE"
command -v valgrind >/dev/null || skip "valgrind is not installed"

# count PODS OPTION...: instructions of one run.
count() {
  local pods=$1 log
  shift
  log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$berth" bench --pods "$pods" \
    --threads 1 --seed 1 --json "$@" 2>&1 >/dev/null) || {
    echo "$log" >&2
    return 1
  }
  sed -nE 's/.*Collected : ([0-9]+).*/\1/p' <<<"$log"
}

status=0
renewed=()
while read -r name committed options; do
  read -ra words <<<"$options"
  low=$(count "$few" "${words[@]}") && high=$(count "$many" "${words[@]}") || exit 1
  each=$(((high - low) / (many - few)))
  renewed+=("$name $each $options")
  if [[ ${1:-} == --renew ]]; then
    echo "$name: $committed -> $each instructions a pod"
    continue
  fi
  echo "$name: $each instructions a pod, $committed committed"
  if ((each * 100 > committed * (100 + tolerance))); then
    echo "FAILED: $name costs over $tolerance % more than its committed number"
    status=1
  elif ((each * 100 < committed * (100 - tolerance))); then
    echo "$name has become cheaper: renew its number (see instructions.txt)"
  fi
done < <(grep -v '^#' "$table")

if [[ ${1:-} == --renew ]]; then
  comments=$(grep '^#' "$table")
  printf '%s\n' "$comments" "${renewed[@]}" >"$table"
fi
exit $status
