package schedulerperf

import (
	"fmt"
	"time"
)

// basePod is the pod of operations without a template.
func basePod() object {
	amounts := object{"cpu": "100m", "memory": "500Mi"}
	return object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"generateName": "pod-"},
		"spec": object{"containers": []any{object{
			"name": "pause", "image": "registry.k8s.io/pause:3.10.1",
			"ports":     []any{object{"containerPort": 80}},
			"resources": object{"requests": amounts, "limits": amounts},
		}}},
	}
}

// A podMaker makes the pods of one operation, each with its volume.
type podMaker struct {
	e      *expansion
	op     operation
	path   string
	params map[string]any
	batch  int
}

func (e *expansion) podMaker(op operation) (*podMaker, error) {
	params, err := e.params(op.TemplateParams)
	if err != nil {
		return nil, err
	}
	batch, err := e.count(max(op.SignatureBatchSize, 1), op.SignatureBatchSizeParam)
	if err != nil {
		return nil, err
	}
	m := &podMaker{e: e, op: op, params: params, batch: max(batch, 1)}
	if op.PodTemplatePath != "" {
		m.path = e.path(op.PodTemplatePath)
	} else if e.test.DefaultPodTemplatePath != "" {
		m.path = e.path(e.test.DefaultPodTemplatePath)
	}
	return m, e.namespace(op.Namespace, nil)
}

func (m *podMaker) add(i int) error {
	it := basePod()
	if m.path != "" {
		var err error
		it, err = m.e.templates.render(m.path, m.params, object{"Index": i, "Count": m.op.Count})
		if err != nil {
			return err
		}
		child(child(it, "metadata"), "labels")["signature"] = fmt.Sprintf("signature-label-%d", i/m.batch)
	}
	if m.op.PersistentVolumeClaimTemplatePath != "" {
		if err := m.addVolume(it, i); err != nil {
			return err
		}
	}
	claims, err := m.e.makeClaims(it, m.op.Namespace, m.e.name(it, m.op.Namespace))
	if err != nil {
		return err
	}
	name, err := m.e.add(it, m.op.Namespace)
	if err != nil {
		return err
	}
	m.e.pods = append(m.e.pods, pod{m.op.Namespace, name, child(child(it, "metadata"), "labels"), claims})
	return m.e.tick()
}

// addVolume adds a volume and a claim that are bound to each other, and mounts them.
func (m *podMaker) addVolume(it object, i int) error {
	volume, err := m.e.templates.render(m.e.path(m.op.PersistentVolumeTemplatePath), nil, nil)
	if err != nil {
		return err
	}
	claim, err := m.e.templates.render(m.e.path(m.op.PersistentVolumeClaimTemplatePath), nil, nil)
	if err != nil {
		return err
	}
	name, claimName := fmt.Sprintf("vol-%s-%d", m.op.Namespace, i), fmt.Sprintf("pvc-%d", i)
	spec := child(volume, "spec")
	child(volume, "metadata")["name"] = name
	if csi, ok := spec["csi"].(object); ok {
		csi["volumeHandle"] = name
	} else if disk, ok := spec["awsElasticBlockStore"].(object); ok {
		disk["volumeID"] = name
	}
	spec["claimRef"] = object{"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": m.op.Namespace,
		"name": claimName}
	child(volume, "status")["phase"] = "Bound"
	meta := child(claim, "metadata")
	meta["name"] = claimName
	meta["uid"] = claimName // seen by the API server: no default class is awaited
	child(meta, "annotations")["pv.kubernetes.io/bind-completed"] = "true"
	child(claim, "spec")["volumeName"] = name
	child(claim, "status")["phase"] = "Bound"
	child(it, "spec")["volumes"] = []any{object{"name": "vol",
		"persistentVolumeClaim": object{"claimName": claimName}}}
	if _, err := m.e.add(volume, ""); err != nil {
		return err
	}
	_, err = m.e.add(claim, m.op.Namespace)
	return err
}

func (e *expansion) createPods(op operation) error {
	steady := op.SteadyState
	if op.SteadyStateParam != "" {
		value, err := e.param(op.SteadyStateParam)
		if err != nil {
			return err
		}
		steady, _ = value.(bool)
	}
	m, err := e.podMaker(op)
	if err != nil {
		return err
	}
	if op.CollectMetrics {
		e.measure(true)
	}
	for i := range op.Count {
		if err := m.add(i); err != nil {
			return err
		}
	}
	if steady {
		err = e.keepSteady(m)
	} else if !op.SkipWaitToCompletion {
		fmt.Fprintln(e.out, "place")
	}
	if op.CollectMetrics {
		e.measure(false)
	}
	return err
}

// keepSteady lets the oldest pod leave and another one come, again and again.
func (e *expansion) keepSteady(m *podMaker) error {
	text := m.op.Duration
	if m.op.DurationParam != "" {
		value, err := e.param(m.op.DurationParam)
		if err != nil {
			return err
		}
		text = fmt.Sprint(value)
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	turns := min(steadyMax, int(duration.Seconds()*e.rate()))
	first := len(e.pods) - m.op.Count
	fmt.Fprintln(e.out, "place")
	for i := range turns {
		leaving := e.pods[first]
		e.leave(leaving)
		e.pods = append(e.pods[:first], e.pods[first+1:]...)
		if err := m.add(m.op.Count + i); err != nil {
			return err
		}
		fmt.Fprintln(e.out, "place")
	}
	return nil
}
