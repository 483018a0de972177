#!/usr/bin/env bash
# Claims for devices, by name and by template, in every command.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cluster=(--kubernetes 1.36 -f data/devices.yaml)
check devices_schedule 0 "$berth" schedule "${cluster[@]}"
check devices_schedule_json 0 "$berth" schedule "${cluster[@]}" -o json

# explain: what each node's devices lack, which ones would be chosen, and changes of claims that would help.
pod() {
  "$berth" explain -q --kubernetes 1.36 "$@"
}
check devices_explain_wide 0 pod -f data/devices.yaml wide
check devices_explain_wide_json 0 pod -f data/devices.yaml wide -o json
check devices_explain_fits 0 pod -f data/devices.yaml train-98b82246-0
check devices_explain_fits_json 0 pod -f data/devices.yaml train-98b82246-0 -o json
check devices_explain_running 0 pod -f data/devices.yaml busy
for name in together three either; do
  check devices_explain_$name 0 pod -f data/devices_apart.yaml $name
done
# Devices that back an extended resource: the claim for them does not exist yet.
check devices_explain_extended 0 pod -f data/devices_extended.yaml many
check devices_explain_extended_json 0 pod -f data/devices_extended.yaml many -o json

# capacity: one claim for each pod of a template, or one for all pods that name it; the devices that limit the
# number are described.
specs=(--podspec data/devices_podspecs.yaml)
check devices_capacity 0 "$berth" capacity -q "${cluster[@]}" "${specs[@]}"
check devices_capacity_together 0 "$berth" capacity -q "${cluster[@]}" "${specs[@]}" --together -o json

# drain: the devices of pods that leave become free; a claim that several pods share is released with the last
# of them.
check devices_drain 0 "$berth" drain -q "${cluster[@]}" --all --moves
cat >"$work/share.yaml" <<'TEXT'
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: default}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: s1}, spec: {containers: [{name: c}], resourceClaims: [{name: g, resourceClaimName: shared}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: s2}, spec: {containers: [{name: c}], resourceClaims: [{name: g, resourceClaimName: shared}]}}
TEXT
check devices_schedule_shared 0 "$berth" schedule -q "${cluster[@]}" -f "$work/share.yaml"
sed -e 's/^  reservedFor: .*/  reservedFor: [{resource: pods, name: b1}, {resource: pods, name: b2}]/' \
  -e '/^kind: Pod/,$d' data/devices.yaml | sed '$d' | sed '$d' >"$work/running.yaml"
for pod in b1 b2; do
  printf -- '---\n{apiVersion: v1, kind: Pod, metadata: {name: %s, uid: %s}, spec: {nodeName: g1, containers: [{name: c}], resourceClaims: [{name: g, resourceClaimName: busy}]}}\n' $pod $pod
done >>"$work/running.yaml"
check devices_drain_shared 0 "$berth" drain -q --kubernetes 1.36 -f "$work/running.yaml" g1 --moves

# replay: pods use one device in turn, through a named claim, a template's claim, and the same named claim
# again.
"$berth" replay -q -f data/replay_devices.yaml --pods -o "$work/out.d" data/replay_devices.jsonl >/dev/null ||
  fail "devices_replay: exit code"
name=devices_replay
compare expected/devices_replay_pods.csv "$work/out.d/pods.csv"

# replay: two pods share a claim that has its device in the input. The last of them gives it back.
cat data/replay_devices.yaml - >"$work/shared.yaml" <<'YAML'
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, uid: s}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status:
  allocation: {devices: {results: [{request: gpu, driver: x, pool: g1, device: d0}]}}
  reservedFor: [{resource: pods, name: first, uid: u1}, {resource: pods, name: second, uid: u2}]
YAML
# event TIME DURATION METADATA CLAIM
event() {
  printf '{"time": %s, "event": "pod_add", "duration": %s, "object": {"apiVersion": "v1", "kind": "Pod",' "$1" "$2"
  printf ' "metadata": {%s}, "spec": {"containers": [{"name": "c"}],' "$3"
  printf ' "resourceClaims": [{"name": "g", %s}]}}}\n' "$4"
}
{
  event 0 10 '"name": "first", "uid": "u1"' '"resourceClaimName": "shared"'
  event 1 29 '"name": "second", "uid": "u2"' '"resourceClaimName": "shared"'
  event 2 10 '"name": "own"' '"resourceClaimTemplateName": "one"'
} >"$work/shared.jsonl"
"$berth" replay -q -f "$work/shared.yaml" --pods -o "$work/out.s" "$work/shared.jsonl" >/dev/null ||
  fail "devices_replay_shared: exit code"
[[ $(cut -d, -f2,5,6 "$work/out.s/pods.csv" | tr '\n' ' ') == "name,placed,ended first,0,10 second,1,30 own,30,40 " ]] ||
  fail "devices_replay_shared: $(cat "$work/out.s/pods.csv")"

# API versions of any Kubernetes release are accepted silently; an unknown one is reported.
sed -e 's,resource.k8s.io/v1beta2,resource.k8s.io/v1beta3,' -e '/^kind: ResourceSlice/s/Slice/Slcie/' \
  data/devices.yaml >"$work/odd.yaml"
"$berth" schedule "$work/odd.yaml" >"$work/out" 2>"$work/err"
for text in 'found "resource.k8s.io/v1beta3"' 'did you mean ResourceSlice?' 'no ResourceSlice: no node'; do
  grep -qF "$text" "$work/err" || fail "devices_odd lacks $text: $(cat "$work/err")"
done
finish
