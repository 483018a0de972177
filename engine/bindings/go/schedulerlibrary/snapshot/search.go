package snapshot

import (
	"fmt"
	"slices"
	"strings"

	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/internal/cluster"
	corev1 "k8s.io/api/core/v1"
)

// named reports whether a pod's spec.nodeName allows it to run on a node.
func (s *ClusterSnapshot) named(pod *corev1.Pod, node *cluster.Node) bool {
	name := s.cluster.Rules.NodeName(pod)
	return name == "" || name == node.Name
}

// few is the number of nodes that are asked one by one before all are asked in one crossing.
const few = 3

// first returns the first node of the placement in use that a pending pod fits; nil if there is none.
func (s *ClusterSnapshot) first(pod *corev1.Pod, added *cluster.Pod, nodes []*cluster.Node) (*cluster.Node, error) {
	if name := pod.Status.NominatedNodeName; name != "" {
		if node := s.cluster.Node(name); node != nil && node.Rank() >= 0 && s.named(pod, node) {
			if fits, err := s.cluster.Engine.Fits(added.ID, node.ID); fits || err != nil {
				return node, err
			}
		}
	}
	if name := s.cluster.Rules.NodeName(pod); name != "" {
		node := s.cluster.Node(name)
		if node == nil || node.Rank() < 0 {
			node = nodes[0] // ask nevertheless: the question fails if there is no profile
		}
		fits, err := s.cluster.Engine.Fits(added.ID, node.ID)
		if err != nil || !fits || !s.named(pod, node) {
			return nil, err
		}
		return node, nil
	}
	for _, node := range nodes[:min(few, len(nodes))] {
		if fits, err := s.cluster.Engine.Fits(added.ID, node.ID); fits || err != nil {
			return node, err
		}
	}
	if len(nodes) <= few {
		return nil, nil
	}
	var err error
	if s.feasible, err = s.cluster.Engine.FeasibleNodes(added.ID, s.feasible[:0]); err != nil {
		return nil, err
	}
	var best *cluster.Node
	rank := len(nodes)
	for _, id := range s.feasible {
		if node := s.cluster.ByID(id); node.Rank() >= 0 && node.Rank() < rank {
			best, rank = node, node.Rank()
		}
	}
	return best, nil
}

// plain reports whether a node that refuses a pod keeps refusing it while pods are added, because
// the pod has no rule that other pods can satisfy.
func (s *ClusterSnapshot) plain(spec *corev1.PodSpec) bool {
	return s.cluster.Rules.Default && spec.NodeName == "" && (spec.SchedulerName == "" || spec.SchedulerName == corev1.DefaultSchedulerName) &&
		len(spec.TopologySpreadConstraints)+len(spec.Volumes)+len(spec.ResourceClaims) == 0 &&
		(spec.Affinity == nil || spec.Affinity.PodAffinity == nil)
}

// kinds remembers, during one call, the outcomes for plain pods by kind. A kind's number is valid
// only while a pod of that kind exists, so refused pods stay pending until the call ends.
type kinds struct {
	seen    map[uint64]*seen
	changes int // pods placed
	kept    []*cluster.Pod
}

type seen struct {
	at        int                  // the node of the last pod; nodes before it refuse this kind
	diagnosis *framework.Diagnosis // of the last pod, if it was refused
	changes   int                  // when it was refused
}

// of returns the outcome for pods of this kind; nil for a pod that is not plain.
func (k *kinds) of(s *ClusterSnapshot, pod *corev1.Pod, added *cluster.Pod) (*seen, error) {
	if !s.plain(&pod.Spec) || pod.Status.NominatedNodeName != "" {
		return nil, nil
	}
	kind, err := s.cluster.Engine.PodKind(added.ID)
	if err != nil {
		return nil, err
	}
	known := k.seen[kind]
	if known == nil {
		known = &seen{}
		if k.seen == nil {
			k.seen = map[uint64]*seen{}
		}
		k.seen[kind] = known
	}
	return known, nil
}

// fits reports for each node of the placement in use whether a pending pod fits it, and how many do.
// The answer is valid until the next call.
func (s *ClusterSnapshot) fits(pod *corev1.Pod, added *cluster.Pod, nodes []*cluster.Node) ([]bool, int, error) {
	var err error
	if s.feasible, err = s.cluster.Engine.FeasibleNodes(added.ID, s.feasible[:0]); err != nil {
		return nil, 0, err
	}
	if len(s.fit) < len(nodes) {
		s.fit = make([]bool, len(nodes))
	}
	out, count := s.fit[:len(nodes)], 0
	clear(out)
	for _, id := range s.feasible {
		if node := s.cluster.ByID(id); node.Rank() >= 0 && s.named(pod, node) {
			out[node.Rank()] = true
			count++
		}
	}
	return out, count, nil
}

// statuses makes one status for each reason of refusal.
type statuses struct {
	last *framework.Status
	made map[string]*framework.Status
}

func (s *statuses) of(plugin string, reasons []string, resolvable bool) *framework.Status {
	code := framework.UnschedulableAndUnresolvable
	if resolvable {
		code = framework.Unschedulable
	}
	if same(s.last, code, plugin, reasons) {
		return s.last
	}
	key := plugin + "\x00" + code.String() + "\x00" + strings.Join(reasons, "\x00")
	out := s.made[key]
	if out == nil {
		out = framework.NewStatus(code, reasons...).WithPlugin(plugin)
		s.made[key] = out
	}
	s.last = out
	return out
}

func same(status *framework.Status, code framework.Code, plugin string, reasons []string) bool {
	return status != nil && status.Code() == code && status.Plugin() == plugin && slices.Equal(status.Reasons(), reasons)
}

const (
	onNamedNode    = "node(s) didn't match the requested node name"
	pluginNodeName = "NodeName"
	pluginBefore   = "NodeUnschedulable" // the only filter that runs before NodeName
)

// byName reports whether a pod's node affinity names its nodes. Then kube-scheduler visits no
// others.
func byName(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return false
	}
	terms := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for _, term := range terms {
		names := false
		for _, field := range term.MatchFields {
			names = names || field.Key == "metadata.name" && field.Operator == corev1.NodeSelectorOpIn
		}
		if !names {
			return false
		}
	}
	return len(terms) > 0
}

// unvisited is the beginning of the reason for nodes that a plugin excluded before they were
// visited.
const unvisited = "node(s) didn't satisfy plugin(s) ["

// diagnose says why these nodes refuse a pending pod. Error: a plugin failed.
func (s *ClusterSnapshot) diagnose(pod *corev1.Pod, added *cluster.Pod, refused []*cluster.Node) (*framework.Diagnosis, error) {
	out := &framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	if byName(pod) {
		s.exclude(out, "NodeAffinity", unvisited+"NodeAffinity]")
	}
	if len(refused) == 0 {
		return out, nil
	}
	made := &statuses{made: map[string]*framework.Status{}}
	s.cluster.Ask()
	if len(refused) > few || len(pod.Spec.Volumes)+len(pod.Spec.ResourceClaims) > 0 || byName(pod) {
		_, explanation, err := s.cluster.Engine.Explain(added.ID, &berth.DecideOptions{KeepRotation: true, SearchOnly: true})
		if err != nil {
			return out, err
		}
		if explanation.PreFilter != "" {
			status, err := s.ask(made, added, refused[0])
			if err == nil {
				out.UnschedulablePlugins = nil
				out.AddPluginStatus(status)
				out.NodeToStatus.SetAbsentNodesStatus(status)
				out.PreFilterMsg = explanation.PreFilter
			}
			return out, err
		}
		for _, one := range explanation.Refusals {
			s.cluster.ByID(one.Node).Note(made.of(one.Plugin, one.Reasons, one.Resolvable))
		}
	}
	return out, s.list(out, made, pod, added, refused)
}

// exclude notes that a plugin excluded nodes before they were visited.
func (s *ClusterSnapshot) exclude(out *framework.Diagnosis, plugin, reason string) {
	out.AddPluginStatus(framework.NewStatus(framework.Unschedulable).WithPlugin(plugin))
	out.NodeToStatus.SetAbsentNodesStatus(framework.NewStatus(framework.UnschedulableAndUnresolvable, reason))
}

// ask returns why one node refuses a pending pod.
func (s *ClusterSnapshot) ask(made *statuses, added *cluster.Pod, node *cluster.Node) (*framework.Status, error) {
	fit, err := s.cluster.Engine.Fit(added.ID, node.ID)
	if err != nil {
		return nil, err
	}
	switch fit.Verdict {
	case berth.Placed:
		return nil, nil
	case berth.Failed:
		return nil, fmt.Errorf("running %q filter plugin: %s", fit.Plugin, strings.Join(fit.Reasons, ", "))
	}
	return made.of(fit.Plugin, fit.Reasons, fit.Resolvable), nil
}

func (s *ClusterSnapshot) list(out *framework.Diagnosis, made *statuses, pod *corev1.Pod, added *cluster.Pod,
	refused []*cluster.Node) error {
	out.NodeToStatus.Grow(len(refused))
	var last *framework.Status
	for _, node := range refused {
		status := node.Noted()
		if status == nil {
			var err error
			if status, err = s.ask(made, added, node); err != nil {
				return err
			}
		}
		if reasons := status.Reasons(); len(reasons) == 1 && strings.HasPrefix(reasons[0], unvisited) {
			s.exclude(out, status.Plugin(), reasons[0])
			continue
		}
		if !s.named(pod, node) && status.Plugin() != pluginBefore {
			status = made.of(pluginNodeName, []string{onNamedNode}, false)
		}
		if status != last {
			out.AddPluginStatus(status)
			last = status
		}
		out.NodeToStatus.Append(node.Name, status)
	}
	return nil
}
