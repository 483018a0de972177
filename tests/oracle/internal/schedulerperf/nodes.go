package schedulerperf

import (
	"fmt"
	"strings"
)

// baseNode is the node of operations without a template.
func baseNode() object {
	return object{
		"apiVersion": "v1", "kind": "Node",
		"metadata": object{"generateName": "scheduler-perf-"},
		"status": object{
			"capacity":   object{"pods": "110", "cpu": "4", "memory": "32Gi"},
			"conditions": []any{object{"type": "Ready", "status": "True"}},
		},
	}
}

func (e *expansion) createNodes(op operation) error {
	params, err := e.params(op.TemplateParams)
	if err != nil {
		return err
	}
	for i := range op.Count {
		it := baseNode()
		if op.NodeTemplatePath != "" {
			it, err = e.templates.render(e.path(op.NodeTemplatePath), params, object{"Index": i, "Count": op.Count})
			if err != nil {
				return err
			}
		}
		// The API server takes the capacity where a node names no allocatable amounts.
		status := child(it, "status")
		if status["allocatable"] == nil {
			copied := object{}
			for name, amount := range child(status, "capacity") {
				copied[name] = amount
			}
			status["allocatable"] = copied
		}
		child(child(it, "metadata"), "labels")["kubernetes.io/hostname"] = e.name(it, "")
		e.label(it, op.LabelNodePrepareStrategy, i)
		e.label(it, op.UniqueNodeLabelStrategy, i)
		if op.NodeAllocatableStrategy != nil {
			for name, amount := range op.NodeAllocatableStrategy.NodeAllocatable {
				child(status, "allocatable")[name] = amount
			}
		}
		name, err := e.add(it, "")
		if err != nil {
			return err
		}
		if op.NodeAllocatableStrategy != nil {
			if err := e.addCSINode(op.NodeAllocatableStrategy, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// label gives a node the value of a strategy.
func (e *expansion) label(it object, strategy *nodeLabel, i int) {
	if strategy == nil {
		return
	}
	value := fmt.Sprintf("unique-%d", e.labels[strategy])
	if len(strategy.LabelValues) > 0 {
		value = strategy.LabelValues[i%len(strategy.LabelValues)]
	}
	e.labels[strategy]++
	child(child(it, "metadata"), "labels")[strategy.LabelKey] = value
}

func (e *expansion) addCSINode(strategy *nodeAllocatable, name string) error {
	var drivers []any
	for driver, limit := range strategy.CsiNodeAllocatable {
		drivers = append(drivers, object{"name": driver, "nodeID": name, "allocatable": limit})
	}
	_, err := e.add(object{
		"apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
		"metadata": object{"name": name, "annotations": object{
			"storage.alpha.kubernetes.io/migrated-plugins": strings.Join(strategy.MigratedPlugins, ","),
		}},
		"spec": object{"drivers": drivers},
	}, "")
	return err
}
