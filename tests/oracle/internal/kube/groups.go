//go:build kube1_37

package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	alpha "k8s.io/api/scheduling/v1alpha3"
	scheduling "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"berth/tests/oracle/internal/vector"
)

// Long enough for bindings, which take microseconds.
const bindingLimit = 10 * time.Second

func registerPodGroups(factory informers.SharedInformerFactory) (groups, composites *informer) {
	return register(factory, &scheduling.PodGroup{}), register(factory, &alpha.CompositePodGroup{})
}

func (c *cluster) loadPodGroups(s *vector.Scenario) error {
	if err := load[alpha.CompositePodGroup](c.compositeGroups, s.CompositePodGroups, "CompositePodGroup"); err != nil {
		return err
	}
	return load[scheduling.PodGroup](c.podGroups, s.PodGroups, "PodGroup")
}

// checkGroup refuses groups that an API server would refuse, and those that make a scheduler panic.
func checkGroup(pod *v1.Pod) error {
	if group := pod.Spec.SchedulingGroup; group != nil && group.PodGroupName == nil {
		return fmt.Errorf("pod %s: spec.schedulingGroup has no podGroupName", pod.Name)
	}
	return nil
}

// rootOf returns the key of the pod's group, or of the highest group above it, if groups are
// followed.
func (c *cluster) rootOf(pod *v1.Pod) string {
	if pod.Spec.SchedulingGroup == nil || !utilfeature.DefaultFeatureGate.Enabled("GenericWorkload") {
		return ""
	}
	key := fwk.PodGroupKey(pod.Namespace, *pod.Spec.SchedulingGroup.PodGroupName)
	group := c.group(key.Namespace, key.Name)
	if group == nil || !utilfeature.DefaultFeatureGate.Enabled("CompositePodGroup") {
		return fmt.Sprintf("%s/%s/%s", key.Type, key.Namespace, key.Name)
	}
	for parent := group.Spec.ParentCompositePodGroupName; parent != nil; {
		key = fwk.CompositePodGroupKey(pod.Namespace, *parent)
		composite := c.composite(key.Namespace, key.Name)
		if composite == nil {
			break
		}
		parent = composite.Spec.ParentCompositePodGroupName
	}
	return fmt.Sprintf("%s/%s/%s", key.Type, key.Namespace, key.Name)
}

func (c *cluster) group(namespace, name string) *scheduling.PodGroup {
	found, _ := c.podGroups.get(&scheduling.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}).(*scheduling.PodGroup)
	return found
}

func (c *cluster) composite(namespace, name string) *alpha.CompositePodGroup {
	found, _ := c.compositeGroups.get(&alpha.CompositePodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}).(*alpha.CompositePodGroup)
	return found
}

// groupInfo returns what the queue knows about a PodGroup and its pods.
func groupInfo(group *scheduling.PodGroup, members []*v1.Pod) *framework.PodGroupInfo {
	info := &framework.PodGroupInfo{
		Namespace: group.Namespace, Name: group.Name, Type: fwk.PodGroupKeyType, PodGroup: group,
	}
	for _, pod := range members {
		if pod.Namespace == group.Namespace && *pod.Spec.SchedulingGroup.PodGroupName == group.Name {
			info.UnscheduledPods = append(info.UnscheduledPods, pod)
		}
	}
	return info
}

// compositeInfo returns what the queue knows about a composite group and those below it.
func (c *cluster) compositeInfo(composite *alpha.CompositePodGroup, members []*v1.Pod) *framework.PodGroupInfo {
	info := &framework.PodGroupInfo{
		Namespace: composite.Namespace, Name: composite.Name, Type: fwk.CompositePodGroupKeyType,
		CompositePodGroup: composite,
	}
	isBelow := func(namespace string, parent *string) bool {
		return namespace == composite.Namespace && parent != nil && *parent == composite.Name
	}
	for _, object := range c.podGroups.GetStore().List() {
		group := object.(*scheduling.PodGroup)
		if isBelow(group.Namespace, group.Spec.ParentCompositePodGroupName) {
			info.Children = append(info.Children, groupInfo(group, members))
		}
	}
	for _, object := range c.compositeGroups.GetStore().List() {
		child := object.(*alpha.CompositePodGroup)
		if isBelow(child.Namespace, child.Spec.ParentCompositePodGroupName) {
			info.Children = append(info.Children, c.compositeInfo(child, members))
		}
	}
	return info
}

// rootInfo returns the same for the root above the members' groups.
func (c *cluster) rootInfo(members []*v1.Pod) (*framework.PodGroupInfo, error) {
	root := fwk.MustParseEntityKey(c.rootOf(members[0]))
	if root.Type == fwk.CompositePodGroupKeyType {
		if composite := c.composite(root.Namespace, root.Name); composite != nil {
			return c.compositeInfo(composite, members), nil
		}
	} else if group := c.group(root.Namespace, root.Name); group != nil {
		return groupInfo(group, members), nil
	}
	return nil, fmt.Errorf("there is no group %s", c.rootOf(members[0]))
}

// groupCycle notes the outcome for the pods of a group in one scheduling cycle.
type groupCycle struct {
	sync.Mutex
	bound     map[string]string              // the node of each pod, by the pod's name
	failed    map[string]*fwk.NominatingInfo // by name
	messages  map[string]string              // by PodGroup
	completed chan struct{}
	left      int
}

func (g *groupCycle) done() {
	if g.left--; g.left == 0 {
		close(g.completed)
	}
}

// onBind notes a binding.
func (g *groupCycle) onBind(action clienttesting.Action) (bool, runtime.Object, error) {
	create, ok := action.(clienttesting.CreateAction)
	if !ok || action.GetSubresource() != "binding" {
		return false, nil, nil
	}
	binding := create.GetObject().(*v1.Binding)
	g.Lock()
	defer g.Unlock()
	g.bound[binding.Name] = binding.Target.Name
	g.done()
	return true, binding, nil
}

// onCondition notes the message of the condition that the scheduler gives the group.
func (g *groupCycle) onCondition(action clienttesting.Action) (bool, runtime.Object, error) {
	patch, ok := action.(clienttesting.PatchAction)
	if !ok {
		return false, nil, nil
	}
	var group scheduling.PodGroup
	if err := json.Unmarshal(patch.GetPatch(), &group); err != nil {
		return true, nil, err
	}
	for _, condition := range group.Status.Conditions {
		g.messages[patch.GetName()] = condition.Message
	}
	return true, &scheduling.PodGroup{}, nil
}

// decideGroup runs one scheduling cycle of a group, composite or not: ScheduleOne itself, with the group as the next
// entity of the queue.
func (c *cluster) decideGroup(members []*v1.Pod) (*vector.Decision, error) {
	if len(members) == 0 { // possible while a scenario is being minimized
		return nil, errors.New("a group without pods")
	}
	root, err := c.rootInfo(members)
	if err != nil {
		return nil, err
	}
	entity := &framework.QueuedPodGroupInfo{
		PodGroupInfo: root, QueuedPodInfos: map[fwk.EntityKey][]*framework.QueuedPodInfo{},
	}
	for _, pod := range members {
		if c.pods.get(pod) == nil { // the group counts only the pods that it knows
			if err := c.pods.add(pod); err != nil {
				return nil, err
			}
		}
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			return nil, err
		}
		key := fwk.PodGroupKey(pod.Namespace, *pod.Spec.SchedulingGroup.PodGroupName)
		entity.QueuedPodInfos[key] = append(entity.QueuedPodInfos[key], &framework.QueuedPodInfo{PodInfo: info})
	}
	g := &groupCycle{bound: map[string]string{}, failed: map[string]*fwk.NominatingInfo{},
		messages: map[string]string{}, completed: make(chan struct{}), left: len(members)}
	c.server.PrependReactor("create", "pods", g.onBind)
	c.server.PrependReactor("patch", "podgroups", g.onCondition)
	c.sched.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return entity, nil }
	c.sched.FailureHandler = func(_ context.Context, _ framework.Framework, info *framework.QueuedPodInfo,
		_ *fwk.Status, nominating *fwk.NominatingInfo, _ time.Time,
	) {
		g.Lock()
		defer g.Unlock()
		g.failed[info.Pod.Name] = nominating
		g.done()
	}
	decision := &vector.Decision{Group: root.Namespace + "/" + root.Name, Start: *rotation(c.sched)}
	c.sched.ScheduleOne(c.ctx)
	select {
	case <-g.completed:
	case <-time.After(bindingLimit):
		return nil, fmt.Errorf("group %s: %d of %d pods have no outcome", root.Name, g.left, len(members))
	}
	g.Lock()
	defer g.Unlock()
	c.server.ReactionChain = c.server.ReactionChain[2:]
	decision.Next = *rotation(c.sched)
	if root.Type == fwk.CompositePodGroupKeyType {
		decision.Messages = g.messages
	} else {
		decision.Message = g.messages[root.Name]
	}
	decision.Victims = c.server.evicted()
	for _, pod := range members {
		member := vector.Member{Pod: pod.Namespace + "/" + pod.Name, Bound: g.bound[pod.Name]}
		if nominating := g.failed[pod.Name]; nominating != nil {
			member.Nominated = nominating.NominatedNodeName
			member.Ended = member.Nominated == ""
		}
		decision.Members = append(decision.Members, member)
	}
	return decision, nil
}

// followGroup applies the decision: it binds pods, removes victims and nominates nodes.
func (s *sequence) followGroup(decision *vector.Decision, members []*v1.Pod) error {
	for i, member := range decision.Members {
		if member.Bound == "" {
			continue
		}
		bound := members[i].DeepCopy()
		bound.Spec.NodeName, bound.Status.NominatedNodeName = member.Bound, ""
		if err := s.pods.put(bound); err != nil {
			return err
		}
	}
	for _, name := range decision.Victims {
		if err := s.pods.remove(named(name)); err != nil {
			return err
		}
	}
	for _, name := range s.server.unnominated(decision.Victims) {
		decision.Unnominated = append(decision.Unnominated, name)
	}
	for _, name := range decision.Unnominated {
		if err := s.nominate(named(name), ""); err != nil {
			return err
		}
	}
	for i, member := range decision.Members {
		if member.Nominated != "" || member.Ended && members[i].Status.NominatedNodeName != "" {
			if err := s.nominate(members[i], member.Nominated); err != nil {
				return err
			}
		}
	}
	return nil
}
