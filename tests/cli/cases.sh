#!/usr/bin/env bash
# Shared by the command-line tests; each test_*.sh sources it and runs with this folder current.
#
#   check NAME CODE COMMAND...
#       runs COMMAND and compares exit code, standard output and standard error with
#       expected/NAME.out and expected/NAME.err (no file: nothing is written). Figures of speed
#       are masked.
#   complains NAME CODE TEXT COMMAND...
#       runs COMMAND, which must print nothing, exit with CODE and say TEXT on standard error.
#   says SECONDS FILE TEXT
#       waits until a line of FILE, which a process writes, contains TEXT.
#
# BERTH_UPDATE=1 writes the expected files instead; check the difference before keeping it.
set -uo pipefail
export LC_ALL=C
unset COLUMNS NO_COLOR
# shellcheck disable=SC2034 # the tests use it
berth=${BERTH:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# needs_live: skips the test if berth was built without berth run, or if there is no python3 to
# serve a cluster.
needs_live() {
  "$berth" run --help >"$work/help" 2>&1 || {
    echo "skipped: $(head -n 1 "$work/help")"
    exit 77
  }
  command -v python3 >/dev/null || {
    echo "skipped: there is no python3 to serve a cluster"
    exit 77
  }
}

# run_berth_until SECONDS TEXT PAUSE [OPTION...]: runs berth against a server of $work/cluster.json until a line of
# the server's log, $work/log, has the text, for SECONDS at most; then PAUSE seconds longer, for further writes.
# The server has the options of server_options.
server_options=()
run_berth_until() {
  local wanted=$2 pause=$3 tries=$(($1 * 10)) server scheduler port
  : >"$work/log"
  exec 3< <(exec python3 live_server.py "$work/cluster.json" "$work/log" "${server_options[@]}")
  server=$!
  read -r port <&3
  "$berth" run --master "http://127.0.0.1:$port" "${@:4}" 2>"$work/err" &
  scheduler=$!
  for (( ; tries > 0; tries--)); do
    ! grep -q "$wanted" "$work/log" || break
    sleep 0.1
  done
  sleep "$pause"
  kill "$scheduler" "$server"
  wait "$scheduler" || fail "berth run ends with $?: $(tail -n 3 "$work/err")"
}

# list_workloads: sets workloads to those of berth bench, as its help has them.
list_workloads() {
  workloads=$("$berth" bench --help | sed -nE 's/^ +--workload NAME .*\((.*)\)$/\1/p' | tr -d ,)
  [[ $workloads == *gpu*preempt* ]] || fail "no list of workloads: $workloads"
}

# few_plugins: writes a configuration with NodeResourcesFit as the only filter and score to $work/few.yaml.
few_plugins() {
  cat >"$work/few.yaml" <<'TEXT'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 1},
    {name: PrioritySort}, {name: DefaultBinder}]}}
TEXT
}

fail() {
  echo "FAILED $*"
  failures=$((failures + 1))
}

says() {
  local tries
  for ((tries = $1 * 10; tries > 0; tries--)); do
    ! grep -qsF -- "$3" "$2" || return 0
    sleep 0.1
  done
  fail "no '$3' in: $(head -c 2000 "$2")"
}

run() {
  local wanted=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  local code=$?
  if [[ $code != "$wanted" ]]; then
    fail "$name: exit code $code, expected $wanted"
    head -c 2000 "$work/err"
  fi
}

mask() {
  sed -E -i \
    -e "s#$work/#WORK/#g" \
    -e 's/^(Decisions +[0-9]+) in .*/\1 in T s, R a second/' \
    -e 's/^( *"?(seconds|decisionSeconds|decisionsPerSecond|nodesPerSecond)"?: )[0-9.]+/\1N/' \
    -e 's/"(seconds|pods_per_second|[a-z]+_rss_bytes|(cluster|working)_bytes|bytes_a_(node|pod))": [0-9.]+/"\1": N/g' \
    -e 's/"arena_[a-z]+_bytes": [0-9]+, //g' \
    -e 's/"(p50_us|p99_us|p999_us|max_us)": [0-9.]+/"\1": N/g' \
    "$1"
}

compare() {
  local expected=$1 found=$2
  if [[ ${BERTH_UPDATE:-} == 1 ]]; then
    rm -f "$expected"
    if [[ -s $found ]]; then
      cp "$found" "$expected"
    fi
    return
  fi
  [[ -e $expected ]] || expected=/dev/null
  diff -u "$expected" "$found" >"$work/diff" || {
    fail "$name: output differs"
    head -n 60 "$work/diff"
  }
}

check() {
  name=$1
  run "${@:2}"
  mask "$work/out"
  compare "expected/$name.out" "$work/out"
  compare "expected/$name.err" "$work/err"
}

complains() {
  name=$1
  local code=$2 text=$3
  run "$code" "${@:4}"
  grep -qF -- "$text" "$work/err" || {
    fail "$name: standard error lacks '$text'"
    head -c 2000 "$work/err"
  }
  [[ ! -s $work/out ]] || fail "$name: something was written to standard output"
}

# Checks that two files are equal.
same() {
  name=$1
  cmp "$2" "$3" || fail "$name: $2 and $3 differ"
}

finish() {
  ((failures == 0)) || {
    echo "$failures failed"
    exit 1
  }
}
