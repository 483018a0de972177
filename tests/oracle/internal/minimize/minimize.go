// Package minimize makes the smallest scenario that still has a property.
package minimize

import (
	"bytes"
	"encoding/json"
)

// lists of a scenario, in the order in which they are cut: cutting the first ones makes the rest
// cheap.
var lists = []string{
	"events", "pending", "pods", "nodes", "namespaces", "services", "replicationControllers", "replicaSets", "statefulSets",
	"podDisruptionBudgets", "persistentVolumeClaims", "persistentVolumes", "storageClasses", "csiNodes",
	"csiDrivers", "csiStorageCapacities", "volumeAttachments", "resourceSlices", "resourceClaims", "deviceClasses", "deviceTaintRules",
}

// Keys without which an object would not be accepted by any API server, or would mean something
// else.
var required = map[string]bool{
	"name": true, "namespace": true, "uid": true, "containers": true, "key": true, "operator": true,
	"topologyKey": true, "maxSkew": true, "whenUnsatisfiable": true, "weight": true, "preference": true,
	"podAffinityTerm": true, "nodeSelectorTerms": true, "labelSelector": true, "effect": true, "values": true,
	"metadata": true, "spec": true, "status": true, "containerPort": true, "protocol": true, "provisioner": true,
	"accessModes": true, "resources": true, "storageClassName": true, "capacity": true, "allocatable": true,
	"cel": true, "expression": true, "controller": true, "driver": true, "volumeHandle": true, "claimName": true, "selector": true, "kind": true, "apiVersion": true,
	"schedulerName": true, "profiles": true, "args": true, "type": true, "resourceVersion": true, "phase": true,
	"volumeMode": true, "startTime": true, "nodeName": true,
	"nodes": true, "pending": true, "pods": true, "image": true,
	"events": true, "before": true, "do": true, "object": true,
}

// Keys of lists that may not become empty.
var nonEmpty = map[string]bool{
	"containers": true, "values": true, "nodeSelectorTerms": true, "profiles": true, "shape": true, "names": true,
	"pending": true, "nodes": true, "drivers": true, "monitors": true, "accessModes": true,
}

type minimizer struct {
	scenario map[string]any
	holds    func(scenario json.RawMessage) bool
	shrunk   bool
}

// Scenario drops parts of a scenario as long as `holds` reports that the property remains. The rest
// stays in order.
func Scenario(scenario json.RawMessage, holds func(json.RawMessage) bool) (json.RawMessage, error) {
	m := &minimizer{holds: holds}
	decoder := json.NewDecoder(bytes.NewReader(scenario))
	decoder.UseNumber() // keep numbers as they are written
	if err := decoder.Decode(&m.scenario); err != nil {
		return nil, err
	}
	for {
		m.shrunk = false
		m.cutLists()
		m.cutTree(m.scenario)
		if !m.shrunk {
			return json.Marshal(m.scenario)
		}
	}
}

// try keeps a change if the property remains, and undoes it otherwise.
func (m *minimizer) try(change, undo func()) bool {
	change()
	text, err := json.Marshal(m.scenario)
	if err == nil && m.holds(text) {
		m.shrunk = true
		return true
	}
	undo()
	return false
}

// cutLists drops runs of a list's elements, long ones first.
func (m *minimizer) cutLists() {
	for _, key := range lists {
		for run := m.length(key); run > 0; run /= 2 {
			for at := 0; at < m.length(key); {
				if !m.cutRun(key, at, run) {
					at += run
				}
			}
		}
	}
}

func (m *minimizer) length(key string) int {
	list, _ := m.scenario[key].([]any)
	return len(list)
}

func (m *minimizer) cutRun(key string, at, run int) bool {
	list := m.scenario[key].([]any)
	end := min(at+run, len(list))
	if end-at == len(list) && nonEmpty[key] {
		return false
	}
	left := append(append([]any{}, list[:at]...), list[end:]...)
	before := m.scenario["pods"]
	return m.try(
		func() {
			m.scenario[key] = left
			if key == "nodes" && before != nil {
				m.scenario["pods"] = podsOf(before, list[at:end])
			}
			if len(left) == 0 && key != "events" { // without, it is no sequence
				delete(m.scenario, key)
			}
		},
		func() {
			m.scenario[key] = list
			if key == "nodes" && before != nil {
				m.scenario["pods"] = before
			}
		})
}

// podsOf leaves out the pods on removed nodes, because they have no effect.
func podsOf(pods any, gone []any) []any {
	names := map[any]bool{}
	for _, node := range gone {
		names[member(node, "metadata", "name")] = true
	}
	left := []any{}
	for _, pod := range pods.([]any) {
		if node := member(pod, "spec", "nodeName"); node == nil || !names[node] {
			left = append(left, pod)
		}
	}
	return left
}

func member(object any, path ...string) any {
	for _, key := range path {
		members, ok := object.(map[string]any)
		if !ok {
			return nil
		}
		object = members[key]
	}
	return object
}

// cutTree drops members of objects and elements of lists, from the outside in.
func (m *minimizer) cutTree(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			child := v[key]
			if !required[key] && m.try(func() { delete(v, key) }, func() { v[key] = child }) {
				continue
			}
			if list, ok := child.([]any); ok {
				m.cutElements(v, key, list)
			}
			m.cutTree(v[key])
		}
	case []any:
		for _, element := range v {
			m.cutTree(element)
		}
	}
}

func (m *minimizer) cutElements(parent map[string]any, key string, list []any) {
	for at := 0; at < len(list); {
		if len(list) == 1 && nonEmpty[key] {
			return
		}
		whole := list
		left := append(append([]any{}, list[:at]...), list[at+1:]...)
		if m.try(func() { parent[key] = left }, func() { parent[key] = whole }) {
			list = left
		} else {
			at++
		}
	}
}
