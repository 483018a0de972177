package kube

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"berth/tests/oracle/internal/vector"
)

// A sequence is a scenario with events: objects are added, changed and removed between decisions,
// victims are evicted at once, and a waiting pod is tried again when it is listed among the pending
// pods again.
type sequence struct {
	*cluster
	events []vector.Event
}

// happen carries out the events before a decision.
func (s *sequence) happen(decision int) error {
	for len(s.events) > 0 && s.events[0].Before <= decision {
		if err := s.apply(&s.events[0]); err != nil {
			return fmt.Errorf("event before decision %d: %w", decision, err)
		}
		s.events = s.events[1:]
	}
	return nil
}

func (s *sequence) apply(event *vector.Event) error {
	object, into, err := s.objectOf(event)
	if err != nil {
		return err
	}
	switch event.Do {
	case "put":
		return into.put(object)
	case "delete":
		return into.remove(object)
	}
	return fmt.Errorf("no event %q: put or delete", event.Do)
}

func (s *sequence) objectOf(event *vector.Event) (runtime.Object, *informer, error) {
	switch event.Kind {
	case "Node":
		node := &v1.Node{}
		return node, s.nodes, json.Unmarshal(event.Object, node)
	case "Pod":
		pod, err := podOf(event.Object)
		return pod, s.pods, err
	}
	return nil, nil, fmt.Errorf("events of kind %q are not supported: Node or Pod", event.Kind)
}

// known returns the cluster's version of the pod, if it has one; the pod may be on a node.
func (s *sequence) known(pod *v1.Pod) *v1.Pod {
	if found, ok := s.pods.get(pod).(*v1.Pod); ok {
		return found
	}
	return pod
}

// follow carries out a decision: the pod is bound, or its victims are removed and a node is
// reserved for it.
func (s *sequence) follow(decision *vector.Decision, pod *v1.Pod) error {
	if decision.Bound != "" {
		bound := pod.DeepCopy()
		bound.Spec.NodeName, bound.Status.NominatedNodeName = decision.Bound, ""
		return s.pods.put(bound)
	}
	for _, name := range decision.Victims {
		if err := s.pods.remove(named(name)); err != nil {
			return err
		}
	}
	for _, name := range s.server.unnominated(decision.Victims) {
		decision.Unnominated = append(decision.Unnominated, name)
	}
	if s.endsNomination && pod.Status.NominatedNodeName != "" {
		decision.Unnominated = append(decision.Unnominated, decision.Pod)
	}
	slices.Sort(decision.Unnominated)
	for _, name := range decision.Unnominated {
		if err := s.nominate(named(name), ""); err != nil {
			return err
		}
	}
	if decision.Nominated != "" {
		return s.nominate(pod, decision.Nominated)
	}
	return nil
}

// nominate adds the pod to the scheduling queue with its nominated node, as happens after its
// status was written.
func (s *sequence) nominate(pod *v1.Pod, node string) error {
	found, ok := s.pods.get(pod).(*v1.Pod)
	if !ok || found.Spec.NodeName != "" {
		return nil
	}
	if err := s.pods.remove(found); err != nil {
		return err
	}
	fresh := found.DeepCopy()
	fresh.Status.NominatedNodeName = node
	return s.pods.put(fresh)
}

// named returns a pod that has only the given "namespace/name".
func named(name string) *v1.Pod {
	pod := &v1.Pod{}
	pod.Namespace, pod.Name, _ = strings.Cut(name, "/")
	return pod
}
