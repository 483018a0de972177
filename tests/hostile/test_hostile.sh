#!/usr/bin/env bash
# Loads, decides, binds and prints each case of hostile_cases at N and 4 N with berth schedule.
# Beyond the costs of an empty input, the longer list may cost at most 5 times as much as the
# shorter one: in instructions (callgrind), and at 8 N and 32 N in memory (the peak resident size,
# with 10 MiB to spare).
#
# Usage: test_hostile.sh [CASE]...
# BERTH, BERTH_HOSTILE_CASES: the programs; BERTH_HOSTILE: why there is nothing to measure in this build.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
berth=${BERTH:-$here/../../build/bin/berth}
cases=${BERTH_HOSTILE_CASES:-$here/../../build/bin/hostile_cases}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
  echo "skipped: $1"
  exit 77
}

# instructions FILE: prints the instructions of berth schedule on the file.
instructions() {
  SIMDJSON_FORCE_IMPLEMENTATION=haswell valgrind --tool=callgrind --callgrind-out-file="$1.callgrind" \
    "$berth" schedule -f "$1" --threads 1 -o json -q >/dev/null 2>"$1.log" || return 1
  sed -nE 's/^totals: ([0-9]+).*/\1/p' "$1.callgrind"
}

# resident FILE: prints the peak resident size of berth schedule on the file, in KiB.
resident() {
  python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$berth" schedule -f "$1" --threads 1 -o json -q
}

# one CASE N: prints the costs of a case; fails if they are more than 5 times as high for 4 times
# the size.
one() {
  local name=$1 n=$2 few many small large status=0
  for k in 1 4 8 32; do
    "$cases" "$name" $((k * n)) >"$work/$name.$k"
  done
  { few=$(instructions "$work/$name.1") && many=$(instructions "$work/$name.4") &&
    small=$(resident "$work/$name.8") && large=$(resident "$work/$name.32"); } || {
    echo "FAILED: $name: $(tail -n 1 "$work/$name".*.log)"
    return 1
  }
  printf '%s: %d instructions for %d, %d for %d; %d KiB, %d KiB\n' "$name" $((few - base)) "$n" \
    $((many - base)) $((4 * n)) $((small - base_kib)) $((large - base_kib))
  if ((many - base > 5 * (few - base))); then
    echo "FAILED: $name: over 5 times the work for 4 times the size"
    status=1
  fi
  if ((large - base_kib > 5 * (small - base_kib) + 10240)); then
    echo "FAILED: $name: over 5 times the memory for 4 times the size"
    status=1
  fi
  rm -f "$work/$name".*
  return $status
}

[[ -z ${BERTH_HOSTILE:-} ]] || skip "$BERTH_HOSTILE"
command -v valgrind >/dev/null || skip "valgrind is not installed"
grep -qw avx2 /proc/cpuinfo || skip "valgrind needs a processor that it knows"
echo '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}' \
  >"$work/base"
if ! { base=$(instructions "$work/base") && base_kib=$(resident "$work/base"); }; then
  echo "FAILED: $(cat "$work/base.log")"
  exit 1
fi
failures=0
while read -r name n; do
  if (($# > 0)) && [[ " $* " != *" $name "* ]]; then
    continue
  fi
  one "$name" "$n" || failures=$((failures + 1))
done < <("$cases" --list)
echo "$failures failed"
((failures == 0))
