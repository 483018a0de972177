#!/usr/bin/env bash
# berth is killed at each system call that changes something, in turn. Files: the old one or the new one is there,
# complete, and the next run succeeds. Cluster: the next berth run finishes the work, and no pod is bound or evicted twice.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

for tool in strace python3; do
  command -v "$tool" >/dev/null || {
    echo "skipped: there is no $tool"
    exit 77
  }
done
strace -q -o "$work/trace" true 2>"$work/said" || {
  echo "skipped: strace cannot trace: $(head -n 1 "$work/said")"
  exit 77
}
killed=0

# killing CALL NUMBER COMMAND...: runs COMMAND, killed as it enters its call with this number. Returns its exit code.
killing() {
  # In a shell of its own, which does not report the kill.
  bash -c 'strace "$@"; exit $?' - -f -q -o "$work/trace" -e trace="$1" -e inject="$1":signal=SIGKILL:when="$2" "${@:3}" \
    >/dev/null 2>"$work/said"
}

# ---- files ----

# crashes NAME FOLDER FILES COMMAND...: FILES of FOLDER are all old or new after every crash of COMMAND, each by itself.
crashes() {
  local name=$1 folder=$2 call number file runs=0
  local -a files
  read -ra files <<<"$3"
  shift 3
  mkdir -p "$folder" "$work/new"
  "$@" >/dev/null 2>&1 || fail "$name: exit code $?"
  for file in "${files[@]}"; do
    cp "$folder/$file" "$work/new/$file" || fail "$name writes no $file"
  done
  for call in openat write fsync renameat; do
    for ((number = 1; ; number++)); do
      rm -f "$folder"/*
      for file in "${files[@]}"; do
        echo old >"$folder/$file"
      done
      ! killing "$call" "$number" "$@" || break
      runs=$((runs + 1))
      for file in "${files[@]}"; do
        [[ $(head -c 4 "$folder/$file") == old ]] || cmp -s "$folder/$file" "$work/new/$file" ||
          fail "$name, killed at $call $number: $file is neither old nor new"
      done
    done
    for file in "${files[@]}"; do
      cmp -s "$folder/$file" "$work/new/$file" || fail "$name: $file after the last run"
    done
    ((number > 1)) || fail "$name: not killed at any $call"
  done
  killed=$((killed + runs))
}

crashes report "$work/page" page.html "$berth" report -f data/nodes.yaml -o "$work/page/page.html"
crashes replay "$work/replay" "series.csv waits.csv pods.csv" \
  "$berth" replay --pods -o "$work/replay" data/replay_life.jsonl
if "$berth" run --help >/dev/null 2>&1; then
  crashes configuration "$work/config" c.yaml "$berth" run --write-config-to "$work/config/c.yaml"
fi
echo "files: killed $killed times"

# ---- a cluster ----

"$berth" run --help >/dev/null 2>&1 || finish
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
python3 crash_cluster.py >"$work/cluster.json"
printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
  'leaderElection: {leaderElect: false}' >"$work/c.yaml"
pods=/api/v1/namespaces/default/pods
wanted='POST .*/pods/(high|web0|web1|web2)/binding|PATCH .*/pods/huge/status'

# whole: whether each pod has its answer.
whole() {
  (($(grep -E "^ANSWERED 20[01] ($wanted)" "$work/log" | sort -u | wc -l) == 5))
}

# until_whole PROCESS: waits until the cluster is whole or the process ends. Returns whether the cluster is whole.
until_whole() {
  local tries=300
  for (( ; tries > 0; tries--)); do
    ! whole || return 0
    kill -0 "$1" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

# serve: a new cluster.
serve() {
  : >"$work/log"
  exec 3< <(exec python3 live_server.py "$work/cluster.json" "$work/log" keep)
  server=$!
  read -r port <&3
  scheduler=("$berth" run --kubernetes 1.36 --config "$work/c.yaml" --master "http://127.0.0.1:$port")
}

killed=0
for call in sendto recvfrom; do
  for ((number = 1; number < 200; number++)); do
    serve
    killing "$call" "$number" "${scheduler[@]}" &
    first=$!
    if until_whole "$first" && sleep 0.1 && kill -0 "$first" 2>/dev/null; then
      # If berth is alive after all of its work, later calls are only for events and idle
      # connections.
      kill -KILL "$(head -n 1 "$work/trace" | cut -d " " -f 1)"
      kill "$server"
      wait "$first" "$server"
      break
    fi
    wait "$first"
    killed=$((killed + 1))
    sleep 0.1 # the server finishes the requests from before the kill
    "${scheduler[@]}" 2>"$work/err" &
    second=$!
    until_whole "$second" || fail "killed at $call $number: the next run does not finish: $(grep ANSWERED "$work/log")"
    # berth has seen everything and might write more.
    for ((tries = 0; tries < 200; tries++)); do
      ! grep -q "all lists are whole" "$work/err" || break
      sleep 0.05
    done
    sleep 0.2
    kill "$second"
    wait "$second" || fail "killed at $call $number: the next run ends with $?: $(tail -n 3 "$work/err")"
    kill "$server"
    wait "$server"
    # The server would refuse to do the same twice; check that nothing is requested twice.
    for pod in high web0 web1 web2; do
      [[ $(grep "^ANSWERED .* POST .*/$pod/binding" "$work/log") == "ANSWERED 201 POST $pods/$pod/binding" ]] ||
        fail "killed at $call $number: $pod is not bound once: $(grep ANSWERED "$work/log")"
    done
    [[ $(grep "^ANSWERED .* DELETE" "$work/log") == "ANSWERED 200 DELETE $pods/low" ]] ||
      fail "killed at $call $number: evicted: $(grep DELETE "$work/log")"
  done
  ((number > 10)) || fail "killed at $number of $call only"
done
echo "cluster: killed $killed times"
finish
