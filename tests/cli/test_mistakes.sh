#!/usr/bin/env bash
# Probable typing errors, and objects that an API server would refuse, are warnings; with --strict they are
# errors.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cat >"$work/cluster.yaml" <<'TEXT'
apiVersion: v1
kind: Namespace
metadata: {name: db, uid: u}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
TEXT
# warns NAME TEXT [OPTION...] <FILE: a warning, which --strict makes an error; without --strict there is an
# answer.
warns() {
  name=$1
  local text=$2
  shift 2
  cat >"$work/in.yaml"
  run 0 "$berth" schedule -f "$work/cluster.yaml" -f "$work/in.yaml" "$@"
  grep -qF -- "warning: $text" "$work/err" || fail "$name lacks $text: $(cat "$work/err")"
  run 3 "$berth" schedule --strict -f "$work/cluster.yaml" -f "$work/in.yaml" "$@"
}
tells() { # tells NAME TEXT <FILE: a note; --strict accepts it
  name=$1
  cat >"$work/in.yaml"
  run 0 "$berth" schedule --strict -f "$work/cluster.yaml" -f "$work/in.yaml"
  grep -qF -- "schedule: $2" "$work/err" || fail "$name lacks $2: $(cat "$work/err")"
}
silent() { # NAME <FILE
  name=$1
  cat >"$work/in.yaml"
  run 0 "$berth" schedule --strict -f "$work/cluster.yaml" -f "$work/in.yaml"
  [[ -s $work/err ]] && fail "$name: $(cat "$work/err")"
}
pod() { # REQUESTS [LIMITS]
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {requests: {%s}%s}}]}\n' \
    "$1" "${2:+, limits: {$2\}}"
}
in=$work/in.yaml

at="$in:1: Pod default/p: spec.containers[0].resources"
pod 'cpu: 1, memroy: 1Gi' | warns resource "$at.requests.memroy: no node offers such a resource: expected cpu, memory, ephemeral-storage, hugepages-SIZE, or a name with a domain: did you mean memory?"
pod '' 'gpu: 1' | warns resource_limit "$at.limits.gpu: no node offers such a resource"
pod 'memory: 100m' | warns milli "$at.requests.memory: expected whole bytes, found 100m: did you mean 100Mi?"
pod '' 'ephemeral-storage: 1500m' | warns milli_limit "$at.limits.ephemeral-storage: expected whole bytes, found 1500m: did you mean 1500Mi?"
pod 'example.com/gpu: 500m' | warns half "$at.requests.example.com/gpu: expected a whole number, found 500m"
pod 'cpu: 100m, memory: 1.5Gi, hugepages-2Mi: 4Mi, ephemeral-storage: 1G' | silent amounts

cat >"$work/config.yaml" <<'TEXT'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourceFit
    args: {scoringStrategy: {type: MostAllocated}}
TEXT
text="$work/config.yaml:5: profiles[0].pluginConfig[0].name: kube-scheduler has no plugin \"NodeResourceFit\" and ignores its arguments: did you mean NodeResourcesFit?"
pod 'cpu: 1' | warns plugin "$text" --config "$work/config.yaml"
for command in "dump" "replay /dev/null" "bench --nodes 1 --pods 1"; do # these read no cluster
  name=plugin_${command%% *}
  # shellcheck disable=SC2086 # words
  run 0 "$berth" $command --config "$work/config.yaml"
  grep -qxF -- "berth ${command%% *}: warning: $text" "$work/err" || fail "$name: $(cat "$work/err")"
done

warns twice "$in:7: Pod default/p: spec.containers[0].resources: the key \"resources\" stands there more than once" <<'TEXT'
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - resources: {requests: {cpu: "1"}}
    resources: {requests: {cpu: "3"}}
TEXT
warns twice_in_map "$in:1: Pod default/p: metadata.labels.app: the key \"app\" stands there more than once" <<'TEXT'
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"app": "a", "b": "c", "app": "b"}},
 "spec": {"containers": []}}
TEXT
warns twice_amount "${at/:1:/:4:}.requests.cpu: the key \"cpu\" stands there more than once" <<<"$(pod 'cpu: 1, memory: 1Gi, cpu: 2')"

deployment() { # SELECTOR LABELS [KIND]
  printf 'apiVersion: apps/v1\nkind: %s\nmetadata: {name: d}\nspec: {selector: %s, template: {metadata: {labels: %s}, spec: {containers: [{name: c}]}}}\n' \
    "${3:-Deployment}" "$1" "$2"
}
selector="$in:1: Deployment default/d: its selector does not match the labels of its template"
deployment '{matchLabels: {app: foo}}' '{app: bar}' | warns selector "$selector"
deployment '{matchLabels: {app: foo, x: w}}' '{app: foo}' | warns selector_more "$selector"
deployment '{matchExpressions: [{key: app, operator: In, values: [a, b]}]}' '{app: c}' | warns selector_in "$selector"
deployment '{matchExpressions: [{key: app, operator: DoesNotExist}]}' '{app: c}' | warns selector_not "$selector"
deployment '{matchLabels: {a: b}}' '{}' DaemonSet | warns selector_daemons "$in:1: DaemonSet default/d: its selector"
deployment '{matchLabels: {app: c}, matchExpressions: [{key: app, operator: In, values: [c]}, {key: q, operator: NotIn, values: [r]}]}' \
  '{app: c, z: w}' | silent selector_right

warns priority '1 pod names PriorityClass high, which is not in the input: its priority is taken as 0' <<'TEXT'
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {priorityClassName: high, containers: [{name: c}]}
TEXT
warns home '1 new pod is in Namespace dbx (did you mean db?), which is not in the input: an API server refuses it' <<'TEXT'
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: dbx}
spec: {containers: [{name: c}]}
TEXT
warns home_option '1 new pod is in Namespace other, which is not in the input' -n other <<<"$(pod 'cpu: 1')"

warns replicas "$in:1: Deployment default/d: it wants 30000000 pods, more than the nodes take by their allocatable pods: the first 100001 are tried, the others would fit no better than the last" <<'TEXT'
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {replicas: 30000000, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}}
TEXT
# Nodes that are still to be added may take the pods.
name=replicas_grow
sed -i 's/30000000/100003/' "$in"
run 0 "$berth" grow -f "$work/cluster.yaml" -f "$in" --shape big=cpu=4,memory=8Gi,pods=60000
[[ $(<"$work/err") == *'it wants'* ]] && fail "replicas_grow: $(cat "$work/err")"

# Kinds that create pods that Berth cannot know; if they come from an API server, the dump has the
# pods.
printf 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n' |
  warns config "$in:1: KubeSchedulerConfiguration default/(unnamed): it configures a scheduler: give the file to --config"
tells operator "$in:1: Prometheus default/p: Berth does not know which pods the operator of Prometheus.monitoring.coreos.com creates" <<'TEXT'
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: p}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c}]}
TEXT
name=operator_seen
sed 's/metadata: {name: p}/metadata: {name: p, uid: u}/' "$in" >"$work/seen.yaml"
run 0 "$berth" schedule --strict -f "$work/cluster.yaml" -f "$work/seen.yaml"
grep -q 'do not affect placement: 1 Prometheus' "$work/err" || fail "operator_seen: $(cat "$work/err")"
tells no_daemons "$in:1: DaemonSet default/d: no node admits its pods" <<'TEXT'
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: d}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {no: such}}}}
TEXT
# Objects that only a server has: the message says how to fetch them.
name=incomplete
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, persistentVolumeClaim: {claimName: q}}], containers: [{name: c}]}\n' >"$in"
run 0 "$berth" schedule -f "$work/cluster.yaml" -f "$in"
grep -qF 'this fetches all that count: sh -c ' "$work/err" || fail "incomplete: $(cat "$work/err")"

# Texts that are not manifests.
printf 'apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n' >"$work/cut.yaml"
complains cut 3 'cut.yaml:1: the list has no kind, which stands behind its items: the text was cut off' \
  "$berth" schedule "$work/cut.yaml"
for to in UTF-16 UTF-16LE UTF-16BE; do
  iconv -f UTF-8 -t $to "$work/cluster.yaml" >"$work/wide.yaml"
  complains "$to" 3 'wide.yaml: the text is UTF-16, expected UTF-8' "$berth" schedule "$work/wide.yaml"
done
printf '\xff\xfe' >"$work/wide.yaml" # a mark without a text
complains UTF-16_mark 3 'wide.yaml: the text is UTF-16, expected UTF-8' "$berth" schedule "$work/wide.yaml"
printf 'kind: Pod\nmetadata:\n  name: {{ include "x" . }}\n' >"$work/chart.yaml"
complains template 3 "chart.yaml:3:10: found a template's {{, expected YAML: \`helm template\` renders a chart" \
  "$berth" schedule "$work/chart.yaml"
printf '{{- if .Values.x }}\nkind: Pod\n{{- end }}\n' >"$work/chart.yaml"
complains template_first 3 "chart.yaml:1:3: found a template's {{" "$berth" schedule "$work/chart.yaml"
finish
