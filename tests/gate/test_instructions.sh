#!/usr/bin/env bash
# Compares instruction counts with the committed ones in instructions.txt; neither the load nor the speed of
# the machine matters. More than 10 % above a count fails and names the functions that grew; more than 10 %
# below prints a request to renew the counts. The same build has the same count on every processor
# with AVX2. With another compiler, or a processor without AVX2, the test is skipped with a reason.
#
# Usage: test_instructions.sh [--renew [NAME]...]
# BERTH, BERTH_GATE_SCENARIOS: the programs; BERTH_GATE: why there is nothing to compare in this build,
# if so; BERTH_GATE_TABLE: the folder of instructions.txt and functions/.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
berth=${BERTH:-$here/../../build/bin/berth}
scenarios=${BERTH_GATE_SCENARIOS:-$here/../../build/bin/gate_scenarios}
folder=${BERTH_GATE_TABLE:-$here}
table=$folder/instructions.txt
tolerance=10
functions_kept=40
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
  echo "skipped: $1"
  exit 77
}

# count OUT NUMBER WORD...: counts one run, by function, into OUT; prints the sum.
count() {
  local out=$1 number=$2 command
  shift 2
  if [[ $1 == bench ]]; then
    command=("$berth" "$@" --pods "$number" --threads 1 --seed 1 --json)
  else
    command=("$scenarios" "$1" "$number")
  fi
  # simdjson, too, chooses its code by processor.
  SIMDJSON_FORCE_IMPLEMENTATION=haswell valgrind --tool=callgrind --compress-strings=no \
    --callgrind-out-file="$out" "${command[@]}" >/dev/null 2>"$out.log" || {
    cat "$out.log" >&2
    return 1
  }
  awk -f "$here/functions.awk" "$out" >"$out.functions"
  sed -nE 's/^totals: ([0-9]+).*/\1/p' "$out"
}

# by_function FEW MANY: prints the instructions of each function for one more repetition, the
# largest first.
by_function() {
  awk -F'\t' -v few="$1" -v many="$2" '
    NR == FNR { low[$1] = $2; next }
    { each = ($2 - low[$1]) / (many - few); if (each >= 1) printf "%s\t%.0f\n", $1, each }
  ' "$work/few.functions" "$work/many.functions" | sort -t$'\t' -k2,2nr -k1,1 |
    head -n "$functions_kept"
}

# Prints functions that have grown since the committed list by more than a hundredth of the total,
# the largest first.
print_growth() {
  local name=$1 each=$2 kept=$folder/functions/$1.txt
  [[ -e $kept ]] || return
  echo "  grown since functions/$name.txt:"
  awk -F'\t' -v limit=$((each / 100)) '
    NR == FNR { old[$1] = $2; next }
    $2 - old[$1] > limit { printf "%d\t  %+d  %s: %d, was %d\n", $2 - old[$1], $2 - old[$1], $1, $2, old[$1] }
  ' "$kept" "$work/functions" | sort -nr | cut -f2-
}

# judge NAME EACH COMMITTED: prints the verdict on one scenario; fails if it costs more.
judge() {
  local name=$1 each=$2 committed=$3
  echo "$name: $each instructions each, $committed committed"
  if ((each * 100 > committed * (100 + tolerance))); then
    echo "FAILED: $name costs over $tolerance % more than its committed number"
    print_growth "$name" "$each"
    return 1
  elif ((each * 100 < committed * (100 - tolerance))); then
    echo "$name has become cheaper: renew its number (see instructions.txt)"
  fi
}

main() {
  local renew=0 status=0 name committed few many words low high each
  if [[ ${1:-} == --renew ]]; then
    renew=1
    shift
  fi
  [[ -z ${BERTH_GATE:-} ]] || skip "$BERTH_GATE"
  command -v valgrind >/dev/null || skip "valgrind is not installed"
  grep -qw avx2 /proc/cpuinfo || skip "the numbers are those of the AVX2 kernels"
  while read -r name committed few many words; do
    if (($# > 0)) && [[ " $* " != *" $name "* ]]; then
      continue
    fi
    # shellcheck disable=SC2086 # words
    count "$work/few" "$few" $words >"$work/low" & # in parallel with the other run
    # shellcheck disable=SC2086 # words
    { high=$(count "$work/many" "$many" $words) && wait $! && low=$(<"$work/low"); } || exit 1
    each=$(((high - low) / (many - few)))
    by_function "$few" "$many" >"$work/functions"
    if ((renew)); then
      echo "$name: $committed -> $each"
      sed -i -E "s|^$name [0-9]+ |$name $each |" "$table"
      mkdir -p "$folder/functions"
      cp "$work/functions" "$folder/functions/$name.txt"
    else
      judge "$name" "$each" "$committed" || status=1
    fi
  done < <(grep -v '^#' "$table")
  exit $status
}

# If a test of the verdicts sources this script, it only defines functions.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
