// Package kube answers scenarios with kube-scheduler itself, in this process.
package kube

import (
	"context"
	"encoding/json"
	"fmt"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"berth/tests/oracle/internal/vector"
)

// cluster is a scheduler with all of its state.
type cluster struct {
	ctx    context.Context
	stop   context.CancelFunc
	server *apiServer
	sched  *scheduler.Scheduler

	nodes, pods, namespaces                                *informer
	services, replicationControllers                       *informer
	replicaSets, statefulSets                              *informer
	budgets, podGroups, compositeGroups                    *informer
	volumes, claims, classes                               *informer
	csiNodes, csiDrivers, csiCapacities, volumeAttachments *informer
	devices                                                deviceInformers

	extenders *extenders      // nil: the scenario has none
	batching  map[string]bool // by profile; see batches

	endsNomination bool // whether the last decision ended the pod's own nomination
}

// newCluster makes an empty cluster, whose scheduler visits `parallelism` nodes at a time.
func newCluster(config json.RawMessage, mode string, parallelism int, scripted ...vector.Extender) (*cluster, error) {
	settings, err := configuration(config, mode)
	if err != nil {
		return nil, err
	}
	c := &cluster{server: newAPIServer(), extenders: newExtenders(scripted), batching: map[string]bool{}}
	for _, profile := range settings.Profiles {
		c.batching[profile.SchedulerName] = batches(profile)
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactory(c.server, 0)
	c.nodes = register(factory, &v1.Node{})
	c.pods = register(factory, &v1.Pod{})
	c.namespaces = register(factory, &v1.Namespace{})
	c.services = register(factory, &v1.Service{})
	c.replicationControllers = register(factory, &v1.ReplicationController{})
	c.replicaSets = register(factory, &apps.ReplicaSet{})
	c.statefulSets = register(factory, &apps.StatefulSet{})
	c.budgets = register(factory, &policy.PodDisruptionBudget{})
	c.podGroups, c.compositeGroups = registerPodGroups(factory)
	c.volumes = register(factory, &v1.PersistentVolume{})
	c.claims = register(factory, &v1.PersistentVolumeClaim{})
	c.classes = register(factory, &storage.StorageClass{})
	c.csiNodes = register(factory, &storage.CSINode{})
	c.csiDrivers = register(factory, &storage.CSIDriver{})
	c.csiCapacities = register(factory, &storage.CSIStorageCapacity{})
	c.volumeAttachments = register(factory, &storage.VolumeAttachment{})
	c.devices = registerDevices(factory)

	options := append(orderPlacements(settings.Profiles),
		scheduler.WithProfiles(settings.Profiles...),
		scheduler.WithExtenders(c.extenders.configuration()...),
		scheduler.WithPercentageOfNodesToScore(settings.PercentageOfNodesToScore),
		scheduler.WithParallelism(int32(parallelism)))
	c.sched, err = scheduler.New(c.ctx, c.server, factory, nil,
		func(string) eventRecorder { return &events.FakeRecorder{} }, options...)
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *cluster) close() {
	c.stop()
	c.extenders.close()
}

// load fills the cluster. Pods without a node are added to the scheduling queue, where nominated
// ones count on their node.
func (c *cluster) load(s *vector.Scenario) error {
	for _, load := range []func() error{
		func() error { return load[v1.Namespace](c.namespaces, s.Namespaces, "Namespace") },
		func() error { return load[storage.StorageClass](c.classes, s.StorageClasses, "StorageClass") },
		func() error { return load[storage.CSIDriver](c.csiDrivers, s.CSIDrivers, "CSIDriver") },
		func() error { return load[storage.CSINode](c.csiNodes, s.CSINodes, "CSINode") },
		func() error {
			return load[storage.CSIStorageCapacity](c.csiCapacities, s.CSIStorageCapacities, "CSIStorageCapacity")
		},
		func() error { return load[v1.PersistentVolume](c.volumes, s.PersistentVolumes, "PersistentVolume") },
		func() error {
			return load[v1.PersistentVolumeClaim](c.claims, s.PersistentVolumeClaims, "PersistentVolumeClaim")
		},
		func() error {
			return load[storage.VolumeAttachment](c.volumeAttachments, s.VolumeAttachments, "VolumeAttachment")
		},
		func() error { return load[v1.Service](c.services, s.Services, "Service") },
		func() error {
			return load[v1.ReplicationController](c.replicationControllers, s.ReplicationControllers,
				"ReplicationController")
		},
		func() error { return load[apps.ReplicaSet](c.replicaSets, s.ReplicaSets, "ReplicaSet") },
		func() error { return load[apps.StatefulSet](c.statefulSets, s.StatefulSets, "StatefulSet") },
		func() error {
			return load[policy.PodDisruptionBudget](c.budgets, s.PodDisruptionBudgets, "PodDisruptionBudget")
		},
		func() error { return c.loadPodGroups(s) },
		func() error { return c.devices.load(s) },
		func() error { return load[v1.Node](c.nodes, s.Nodes, "Node") },
		func() error { return c.loadPods(s.Pods) },
	} {
		if err := load(); err != nil {
			return err
		}
	}
	return nil
}

func load[T any, P interface {
	*T
	runtime.Object
}](into *informer, list vector.List, kind string) error {
	for i, text := range list {
		object := P(new(T))
		if err := json.Unmarshal(text, object); err != nil {
			return fmt.Errorf("%s %d: %w", kind, i, err)
		}
		if err := into.add(object); err != nil {
			return fmt.Errorf("%s %d: %w", kind, i, err)
		}
	}
	return nil
}

func (c *cluster) loadPods(list vector.List) error {
	for i, text := range list {
		pod, err := podOf(text)
		if err == nil {
			err = c.pods.add(pod)
		}
		if err != nil {
			return fmt.Errorf("Pod %d: %w", i, err)
		}
	}
	return nil
}

// podOf reads a pod. Vectors omit the name of the default scheduler, which an API server fills in;
// without it, no scheduler would take the pod.
func podOf(text json.RawMessage) (*v1.Pod, error) {
	pod := &v1.Pod{}
	if err := json.Unmarshal(text, pod); err != nil {
		return nil, err
	}
	if err := checkGroup(pod); err != nil {
		return nil, err
	}
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = v1.DefaultSchedulerName
	}
	return pod, nil
}

// profile returns the framework that places a pod.
func (c *cluster) profile(pod *v1.Pod) (framework.Framework, error) {
	profile, ok := c.sched.Profiles[pod.Spec.SchedulerName]
	if !ok {
		return nil, fmt.Errorf("pod %s: no profile %q", pod.Name, pod.Spec.SchedulerName)
	}
	return profile, nil
}
