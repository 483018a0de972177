#!/usr/bin/env bash
# The profiled command, and functions that the scripts of this folder share; each of them sources
# this file.
#
# Arguments of a script: its own options, then, after "--" or from the first word that is not one of
# them, the options of `berth bench`. Without any: basic pods on 5,000 nodes by the scan path, one
# thread.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BERTH_BUILD:-$root/build}
results=$build/perf
script=perf/$(basename "$0")

fail() {
  echo "$script: $1" >&2
  exit "${2:-4}"
}

say() {
  echo "$script: $1" >&2
}

# Sets `subject` to the command line that is profiled. `pods` is the default number of pods: a
# profile under valgrind is some fifty times slower and needs fewer.
set_subject() {
  local pods=$1
  shift
  [[ ${1:-} != -- ]] || shift
  if (($# == 0)); then
    set -- --workload basic --nodes 5000 --pods "$pods" --threads 1 --path scan
  fi
  # shellcheck disable=SC2034 # the scripts use it
  subject=("$build/bin/berth" bench "$@")
  if [[ ! -x $build/bin/berth ]]; then
    "$root/tools/build" "$build" --target berth -DCMAKE_BUILD_TYPE=Release
  fi
  mkdir -p "$results"
}

# help_if_asked TEXT ARGUMENT...: prints TEXT and ends the script if the first argument requests
# help.
help_if_asked() {
  case ${2:-} in
    -h | --help)
      printf '%s\n' "$1"
      echo
      echo "Options after -- are those of berth bench; the default is basic pods on 5,000 nodes,"
      echo "the scan path, one thread. BERTH_BUILD names the build tree (default: build)."
      exit 0
      ;;
  esac
}

need_perf() {
  command -v perf >/dev/null || fail "perf is not installed: tools/setup --perf installs it" 3
  perf stat -e cpu-clock true >/dev/null 2>&1 ||
    fail "the kernel does not let perf measure: as root, sysctl kernel.perf_event_paranoid=1" 3
}

need_valgrind() {
  command -v valgrind >/dev/null || fail "valgrind is not installed: tools/setup installs it" 3
}

# Whether the processor's counters can be read; a virtual machine often has none.
has_counters() {
  perf stat -x, -e cycles:u true 2>&1 | grep -Eq '^[0-9]+,'
}

# Prints the event for sampling: cycles if the counter exists, else the timer.
sampling_event() {
  if has_counters; then
    echo cycles
  else
    say "no hardware counters here: sampling by cpu-clock, which shows time and no misses"
    echo cpu-clock
  fi
}
