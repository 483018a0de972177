#!/usr/bin/env bash
# berth replay: malformed traces, each reported with the line and the reason, and wrong command lines.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

# refused NAME TEXT LINE...: the last line is wrong.
refused() {
  local name=$1 text=$2
  shift 2
  printf '%s\n' "$@" >"$work/trace.jsonl"
  complains "replay_$name" 3 "trace.jsonl:$#: $text" "$berth" replay "$work/trace.jsonl"
}

pod='"object": {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}'
node='"object": {"kind": "Node", "metadata": {"name": "n"}}'
template='{"event": "pod_template", "name": "t", "object": {"spec": {"containers": []}}}'

refused not_json "expected one JSON object on a line of its own" 'time 0'
refused broken "expected one JSON object on a line of its own" '' '{"time": 0, "event": "pod_add"'
refused trailing "expected one JSON object on a line of its own" '{"event": "pod_remove"} x'
refused comma "expected one JSON object on a line of its own" '{"time": 0 "event": "pod_add"}'
refused member "'when' is no member of an event" '{"when": 0, "event": "pod_add"}'
refused twice "time: given twice" '{"time": 0, "time": 1, "event": "node_remove", "name": "n"}'
refused no_event "event: missing" '{"time": 0}'
refused event "event: 'boom' is no event" '{"time": 0, "event": "boom"}'
refused event_type "event: expected a string" '{"time": 0, "event": 7}'
refused no_time "time: missing, and pod_remove needs it" '{"event": "pod_remove", "name": "p"}'
for time in '"0"' -1 1.2.3 1e 9e99 00x 7000000000 null; do
  refused time "time: expected a number of seconds" \
    "{\"time\": $time, \"event\": \"pod_remove\", \"name\": \"p\"}"
done
refused backwards "time: earlier than the line before" "{\"time\": 5, \"event\": \"pod_add\", $pod}" \
  '{"time": 4.999, "event": "pod_remove", "name": "p"}'
refused duration "duration: expected a number of seconds" \
  "{\"time\": 0, \"event\": \"pod_add\", $pod, \"duration\": \"long\"}"
refused no_name "name: missing, and pod_remove needs it" '{"time": 0, "event": "pod_remove"}'
refused empty_name "name: expected a string, and not an empty one" \
  '{"time": 0, "event": "pod_remove", "name": ""}'
refused surplus "labels: pod_remove takes none" \
  '{"time": 0, "event": "pod_remove", "name": "p", "labels": {}}'
refused no_object "object: missing, and pod_update needs it" '{"time": 0, "event": "pod_update"}'
refused object_type "object: expected an object" '{"time": 0, "event": "pod_add", "object": 5}'
refused neither "pod_add takes either an object, or a template and a name" '{"time": 0, "event": "pod_add"}'
refused both "pod_add takes either an object, or a template and a name" "$template" \
  "{\"time\": 0, \"event\": \"pod_add\", $pod, \"template\": \"t\"}"
refused half "pod_add needs both template and name" "$template" \
  '{"time": 0, "event": "pod_add", "template": "t"}'
refused no_template "no line before this one makes a Pod template 'x'" "$template" \
  '{"time": 0, "event": "pod_add", "template": "x", "name": "p"}'
refused node_of_pod "no line before this one makes a Node template 't'" "$template" \
  '{"time": 0, "event": "node_add", "template": "t", "name": "n"}'
refused template_twice "there is a template 't' already" "$template" "$template"
refused template_kind "a Pod is nothing for node_template" \
  "{\"event\": \"node_template\", \"name\": \"t\", $pod}"
refused template_nothing "no object that pod_template takes" \
  '{"event": "pod_template", "name": "t", "object": {"kind": "Event"}}'
refused count "count: expected a whole number of 1 or more" "$template" \
  '{"time": 0, "event": "pod_add", "template": "t", "name": "p", "count": 0}'
refused labels "labels: expected an object" "$template" \
  '{"time": 0, "event": "pod_add", "template": "t", "name": "p", "labels": {"a": 1}}'
refused node_as_pod "a Node is nothing for pod_add" "{\"time\": 0, \"event\": \"pod_add\", $node}"
refused pod_as_node "a Pod is nothing for node_add" "{\"time\": 0, \"event\": \"node_add\", $pod}"
refused pod_as_object "a Pod is nothing for object_add" \
  "{\"time\": 0, \"event\": \"object_add\", $pod}"
refused kind "kind: no kind that a scheduler reads" \
  '{"time": 0, "event": "object_remove", "kind": "Pod", "name": "p"}'
refused quantity "Pod default/p: " \
  '{"time": 0, "event": "node_add", "object": {"kind": "Node", "metadata": {"name": "n"}}}' \
  '{"time": 0, "event": "pod_add", "object": {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "much"}}}]}}}'
refused orphan "Pod default/p: spec.nodeName: node 'gone' is not in the cluster" \
  '{"time": 0, "event": "pod_add", "object": {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "gone", "containers": [{"name": "c"}]}}}'

# Lines that change nothing are counted; an option makes them an error.
{
  echo "{\"time\": 0, \"event\": \"node_add\", $node}"
  echo "{\"time\": 0, \"event\": \"node_add\", $node}"
  echo '{"time": 1, "event": "node_return", "name": "n"}'
  echo '{"time": 1, "event": "node_fail", "name": "x"}'
  echo '{"time": 1, "event": "object_remove", "kind": "Service", "name": "s"}'
  echo "{\"time\": 1, \"event\": \"pod_update\", $pod}"
} >"$work/trace.jsonl"
name=replay_refused
run 0 "$berth" replay "$work/trace.jsonl"
grep -q '^Refused      5 events .*trace.jsonl:2: Node n: ' "$work/out" || {
  fail $name
  cat "$work/out"
}
complains replay_refused_strict 3 "trace.jsonl:2: Node n: " \
  "$berth" replay --strict "$work/trace.jsonl"

printf '\x1f\x8b\x08\x00broken' >"$work/broken.gz"
complains replay_gzip 3 "broken.gz:1: " "$berth" replay "$work/broken.gz"
complains replay_missing 3 "nosuch.jsonl: No such file" "$berth" replay nosuch.jsonl
complains replay_directory 3 "Is a directory" "$berth" replay .
complains replay_cluster 3 "nosuch.yaml" "$berth" replay -f nosuch.yaml data/replay_life.jsonl
: >"$work/empty.jsonl"
name=replay_empty
run 0 "$berth" replay "$work/empty.jsonl"

sed 's/427061,12902960,427061/427061,x,427061/' data/openb_pods.csv >"$work/times.csv"
complains replay_openb_times 3 "times.csv:3: deletion_time: 'x' is not a whole number" \
  "$berth" replay openb data/openb_nodes.csv "$work/times.csv"
grep -E 'name|,0,0,,' data/openb_pods.csv >"$work/plain.csv"
complains replay_draw_nothing 3 "no task of the list requests a GPU" \
  "$berth" replay --draw 50 openb data/openb_nodes.csv "$work/plain.csv"

complains replay_none 2 "no trace: name one, or give --synthetic" "$berth" replay
complains replay_two 2 "one trace at a time" "$berth" replay a b
complains replay_openb_files 2 "openb takes two files" "$berth" replay openb a
complains replay_exclusive 2 "exclude each other" "$berth" replay --synthetic nodes=1 a
complains replay_spec 2 "--synthetic: 'nodes=x'" "$berth" replay --synthetic nodes=x
complains replay_rates 2 "need --synthetic" "$berth" replay --pod-duration 5 a
complains replay_draw 2 "--draw needs the openb trace" "$berth" replay --draw 5 a
complains replay_pods 2 "need --output-dir" "$berth" replay --pods a
complains replay_format 2 "'json' is a format: '--format json' prints the report as JSON" \
  env -C "$work" "$berth" replay --synthetic nodes=3,pods=3 -o json
[[ ! -e $work/json ]] || fail "replay_format: a folder of that name"
complains replay_repair 2 "--node-repair needs --node-mtbf" "$berth" replay --node-repair 5 a
for option in sample-interval bind-latency until node-mtbf; do
  complains replay_$option 2 "--$option takes a number of seconds, not 'x'" \
    "$berth" replay --$option x a
done
complains replay_interval 2 "takes a number of seconds, not '0'" \
  "$berth" replay --sample-interval 0 a
complains generate_rates 2 "need --trace" "$berth" generate --pod-duration 5
finish
