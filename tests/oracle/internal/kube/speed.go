package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"berth/tests/oracle/internal/vector"
)

// Parallelism is the number of nodes that a scheduler visits at a time by default.
const Parallelism = 16

// Speed holds the times of the scheduler's algorithm for pods, one after the other.
type Speed struct {
	Placed, Unfit int
	Took          []time.Duration // by pod, ascending
	Total         time.Duration
}

// Measure reads a List of objects, as `kubectl get -o json` prints it, and times the first pods of it that
// are on no node: the snapshot's update, SchedulePod, and applying the result, in this process. The
// mode is one of package vector.
func Measure(from io.Reader, pods int, mode string) (*Speed, error) {
	scenario, err := scenarioOf(from)
	if err != nil {
		return nil, err
	}
	c, err := newCluster(nil, mode, Parallelism)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.load(scenario); err != nil {
		return nil, err
	}
	speed := &Speed{}
	for _, text := range scenario.Pending[:min(pods, len(scenario.Pending))] {
		pod, err := podOf(text)
		if err != nil {
			return nil, err
		}
		took, placed, err := c.time(pod)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", pod.Namespace, pod.Name, err)
		}
		speed.Took = append(speed.Took, took)
		speed.Total += took
		if placed {
			speed.Placed++
		} else {
			speed.Unfit++
		}
	}
	slices.Sort(speed.Took)
	return speed, nil
}

// time decides one pod and assumes it on its node.
func (c *cluster) time(pod *v1.Pod) (time.Duration, bool, error) {
	profile, err := c.profile(pod)
	if err != nil {
		return 0, false, err
	}
	if err := c.pods.store(pod); err != nil {
		return 0, false, err
	}
	start := time.Now()
	if err := c.sched.Cache.UpdateSnapshot(klog.Background(), snapshot(c.sched)); err != nil {
		return 0, false, err
	}
	state := framework.NewCycleState()
	result, err := schedulePod(c.ctx, c.sched, profile, state, pod, true)
	var unfit *framework.FitError
	if errors.As(err, &unfit) {
		return time.Since(start), false, nil
	}
	if err != nil {
		return 0, false, err
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = result.SuggestedHost
	if err := c.sched.Cache.AssumePod(klog.Background(), assumed); err != nil {
		return 0, false, err
	}
	status := profile.RunReservePluginsReserve(c.ctx, state, assumed, result.SuggestedHost)
	if !status.IsSuccess() {
		return 0, false, fmt.Errorf("reserving on %s: %w", result.SuggestedHost, status.AsError())
	}
	return time.Since(start), true, nil
}

// scenarioOf sorts the objects of a List by kind.
func scenarioOf(from io.Reader) (*vector.Scenario, error) {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.NewDecoder(from).Decode(&list); err != nil {
		return nil, fmt.Errorf("a List of objects was expected: %w", err)
	}
	s := &vector.Scenario{}
	byKind := map[string]*vector.List{
		"Node": &s.Nodes, "Namespace": &s.Namespaces, "Service": &s.Services,
		"ReplicationController": &s.ReplicationControllers, "ReplicaSet": &s.ReplicaSets,
		"StatefulSet": &s.StatefulSets, "PodDisruptionBudget": &s.PodDisruptionBudgets,
		"PersistentVolume": &s.PersistentVolumes, "PersistentVolumeClaim": &s.PersistentVolumeClaims,
		"StorageClass": &s.StorageClasses, "CSINode": &s.CSINodes, "CSIDriver": &s.CSIDrivers,
		"CSIStorageCapacity": &s.CSIStorageCapacities, "VolumeAttachment": &s.VolumeAttachments,
		"ResourceSlice": &s.ResourceSlices, "ResourceClaim": &s.ResourceClaims,
		"DeviceClass": &s.DeviceClasses,
	}
	for i, item := range list.Items {
		var head struct {
			Kind string `json:"kind"`
			Spec struct {
				NodeName string `json:"nodeName"`
			} `json:"spec"`
		}
		if err := json.Unmarshal(item, &head); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		var err error
		into := byKind[head.Kind]
		switch {
		case head.Kind == "Pod" && head.Spec.NodeName == "":
			into = &s.Pending
		case head.Kind == "Pod":
			into = &s.Pods
		case into == nil:
			return nil, fmt.Errorf("item %d: kind %q is of no matter to a scheduler", i, head.Kind)
		}
		if item, err = withUID(item); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		*into = append(*into, item)
	}
	return s, nil
}

// withUID adds a uid to an object that no API server has seen, because the caches identify objects
// by uid.
func withUID(text json.RawMessage) (json.RawMessage, error) {
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &object.Object); err != nil {
		return nil, err
	}
	if object.GetUID() != "" {
		return text, nil
	}
	object.SetUID(types.UID(object.GetKind() + "/" + object.GetNamespace() + "/" + object.GetName()))
	return json.Marshal(object.Object)
}
