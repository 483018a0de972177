package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"berth/tests/oracle/internal/compare"
	"berth/tests/oracle/internal/vector"
)

// ErrUndefined is the error for a scenario that has no answer to compare with. Either it cannot be
// expressed as a vector: a scheduler does not score a pod's only feasible node, but vectors have its
// scores. Or it depends on the machine's speed: a search for devices ended at its time limit.
var ErrUndefined = errors.New("undefined")

// Answer decides the pending pods of a line's scenario, one after the other.
func Answer(line *vector.Line) (*vector.Expected, error) {
	scenario := &vector.Scenario{}
	if err := json.Unmarshal(line.Scenario, scenario); err != nil {
		return nil, err
	}
	reset, err := setGates(scenario.Gates)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", scenario.Name, err)
	}
	defer reset()
	c, err := newCluster(scenario.Config, line.ModeOf(), 1, scenario.Extenders...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", scenario.Name, err)
	}
	defer c.close()
	if err := c.load(scenario); err != nil {
		return nil, fmt.Errorf("%s: %w", scenario.Name, err)
	}
	answer := &vector.Expected{Order: []string{}, Decisions: []vector.Decision{}, Mode: line.ModeOf(),
		Gates: scenario.Gates}
	if Version != "1.32" {
		answer.Version = Version
	}
	if answer.Order, err = c.order(); err != nil {
		return nil, fmt.Errorf("%s: %w", scenario.Name, err)
	}
	decide := c.decidePlain
	if scenario.Events != nil || scenario.Gates != "" {
		decide = c.decideSequence
	}
	if err := decide(scenario, answer); err != nil {
		return nil, fmt.Errorf("%s: %w", scenario.Name, err)
	}
	if pod := compare.OutOfTime(answer); pod != "" {
		return nil, fmt.Errorf("%s: %w: the search for the devices of %s took too long", scenario.Name, ErrUndefined, pod)
	}
	return answer, nil
}

// decidePlain decides the pending pods on a cluster that nothing else changes; it ends at a
// nomination.
func (c *cluster) decidePlain(scenario *vector.Scenario, answer *vector.Expected) error {
	placed := map[string]bool{}
	for i, text := range scenario.Pending {
		pod, err := podOf(text)
		if err != nil {
			return fmt.Errorf("pending pod %d: %w", i, err)
		}
		decision, err := c.decide(pod)
		if err != nil {
			return fmt.Errorf("pending pod %d: %w", i, err)
		}
		if Version == "1.32" {
			decision.Victims = without(decision.Victims, placed)
		}
		placed[decision.Pod] = decision.Bound != ""
		answer.Decisions = append(answer.Decisions, *decision)
		if decision.Nominated != "" {
			break
		}
	}
	return nil
}

// decideSequence decides the pending pods between events. A pod that is listed again but is on a
// node by then is skipped.
func (c *cluster) decideSequence(scenario *vector.Scenario, answer *vector.Expected) error {
	s := &sequence{c, scenario.Events}
	for i := 0; i < len(scenario.Pending); i++ {
		if err := s.happen(i); err != nil {
			return err
		}
		pod, err := podOf(scenario.Pending[i])
		if err != nil {
			return fmt.Errorf("pending pod %d: %w", i, err)
		}
		if pod = s.known(pod); pod.Spec.NodeName != "" {
			continue
		}
		if root := s.rootOf(pod); root != "" {
			decision, taken, err := s.decideMembers(scenario.Pending[i:], root)
			if err != nil {
				return fmt.Errorf("pending pod %d: %w", i, err)
			}
			answer.Decisions = append(answer.Decisions, *decision)
			i += taken - 1
			continue
		}
		decision, err := c.decide(pod)
		if err == nil {
			err = s.follow(decision, pod)
		}
		if err != nil {
			return fmt.Errorf("pending pod %d: %w", i, err)
		}
		answer.Decisions = append(answer.Decisions, *decision)
	}
	return nil
}

// decideMembers decides consecutive pods of a group as a whole, without those on nodes. It also
// returns how many pending pods these are, including those on nodes.
func (s *sequence) decideMembers(pending vector.List, root string) (*vector.Decision, int, error) {
	var members []*v1.Pod
	taken := 0
	for _, text := range pending {
		pod, err := podOf(text)
		if err != nil {
			return nil, 0, err
		}
		if s.rootOf(pod) != root {
			break
		}
		if pod = s.known(pod); pod.Spec.NodeName == "" {
			members = append(members, pod)
		}
		taken++
	}
	decision, err := s.decideGroup(members)
	if err == nil {
		err = s.followGroup(decision, members)
	}
	return decision, taken, err
}

// without leaves out pods that the scenario itself placed, as the vectors of 1.32 do.
func without(victims []string, placed map[string]bool) []string {
	var out []string
	for _, victim := range victims {
		if !placed[victim] {
			out = append(out, victim)
		}
	}
	return out
}

// order returns the nodes in the order of the snapshot.
func (c *cluster) order() ([]string, error) {
	if err := c.sched.Cache.UpdateSnapshot(klog.Background(), snapshot(c.sched)); err != nil {
		return nil, err
	}
	nodes, err := snapshot(c.sched).NodeInfos().List()
	names := make([]string, 0, len(nodes))
	for _, node := range nodes {
		names = append(names, node.Node().Name)
	}
	return names, err
}

// decide runs one scheduling cycle and puts the pod on the node that the vectors record.
func (c *cluster) decide(pod *v1.Pod) (*vector.Decision, error) {
	profile, err := c.profile(pod)
	if err != nil {
		return nil, err
	}
	if err := c.pods.store(pod); err != nil { // preemption looks the pod up
		return nil, err
	}
	if err := c.sched.Cache.UpdateSnapshot(klog.Background(), snapshot(c.sched)); err != nil {
		return nil, err
	}
	r := &recorder{Framework: profile}
	state := framework.NewCycleState()
	decision := &vector.Decision{
		Pod:      pod.Namespace + "/" + pod.Name,
		Start:    *rotation(c.sched),
		Feasible: []string{},
	}
	c.endsNomination = false
	c.extenders.begin()
	result, err := schedulePod(c.ctx, c.sched, r, state, pod, c.batching[profile.ProfileName()])
	decision.Next = *rotation(c.sched)

	var unfit *framework.FitError
	switch {
	case err == nil:
		if err := c.describePlacement(decision, r, state, pod, result); err != nil {
			return nil, err
		}
		return decision, c.place(decision, r, state, pod)
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		c.endsNomination = true
		decision.PreFilter, decision.Message = err.Error(), err.Error()
	case errors.As(err, &unfit):
		c.describeRefusal(decision, r, state, pod, unfit)
	default:
		c.endsNomination = true
		decision.Error = c.extenders.message(err.Error())
		if r.scoredNodes != nil { // the search had ended
			decision.Feasible, decision.Failed = feasible(r, result), refusals(r.filtered)
		}
	}
	return decision, nil
}

// describeRefusal runs the steps of the scheduling cycle for a pod that fits nowhere.
func (c *cluster) describeRefusal(decision *vector.Decision, r *recorder, state CycleState, pod *v1.Pod,
	unfit *framework.FitError,
) {
	if !r.preFilter.IsSuccess() {
		decision.PreFilter = r.preFilter.Message()
	}
	decision.Failed = c.refusals(r)
	if r.HasPostFilterPlugins() {
		result, status := r.RunPostFilterPlugins(c.ctx, state, pod, unfit.Diagnosis.NodeToStatus)
		unfit.Diagnosis.PostFilterMsg = status.Message()
		if result != nil && result.NominatingInfo != nil {
			decision.Nominated = result.NominatedNodeName
			c.endsNomination = result.NominatedNodeName == ""
		}
		decision.Victims = c.server.evicted()
	}
	decision.Message = c.extenders.message(unfit.Error())
}

// describePlacement records the feasible nodes and their scores.
func (c *cluster) describePlacement(decision *vector.Decision, r *recorder, state CycleState, pod *v1.Pod,
	result scheduler.ScheduleResult,
) error {
	decision.Feasible = feasible(r, result)
	if r.scoredNodes == nil && c.extenders != nil {
		decision.Feasible = []string{result.SuggestedHost}
	}
	decision.Failed = c.refusals(r)
	if r.scoredNodes == nil { // the only node is not scored; vectors have its scores all the same
		node, err := snapshot(c.sched).Get(result.SuggestedHost)
		if err != nil {
			return err
		}
		nodes := []NodeInfo{node}
		if r.RunPreScorePlugins(c.ctx, state, pod, nodes).IsSuccess() {
			r.RunScorePlugins(c.ctx, state, pod, nodes)
		}
	}
	if r.failedScoring != nil {
		return fmt.Errorf("%w: %s is the only node, and scoring it fails: %w", ErrUndefined, result.SuggestedHost,
			r.failedScoring.AsError())
	}
	describeScores(decision, r.scores)
	c.extenders.describe(decision, r.scores)
	decision.Bound = result.SuggestedHost
	if Version == "1.32" || Version == "1.33" || Version == "1.34" || c.extenders != nil {
		decision.Bound = decision.Best[0] // the scheduler's choice is random
	}
	for _, best := range decision.Best {
		if best == result.SuggestedHost {
			return nil
		}
	}
	return fmt.Errorf("the scheduler chose %s, which is not among the best %v", result.SuggestedHost, decision.Best)
}

// feasible returns the nodes found, in order. A search that already had enough nodes discards the
// last one that passed.
func feasible(r *recorder, result scheduler.ScheduleResult) []string {
	names := []string{}
	if r.scoredNodes != nil {
		for _, node := range r.scoredNodes {
			names = append(names, node.Node().Name)
		}
		return names
	}
	for _, f := range r.filtered {
		if f.status.IsSuccess() && len(names) < result.FeasibleNodes {
			names = append(names, f.node)
		}
	}
	if len(names) == 0 { // no filter plugins at all
		names = append(names, result.SuggestedHost)
	}
	return names
}

func describeScores(decision *vector.Decision, scores []NodePluginScores) {
	decision.Scores = map[string][]int64{}
	highest := int64(0)
	for i, node := range scores {
		for _, plugin := range node.Scores {
			decision.Scores[plugin.Name] = append(decision.Scores[plugin.Name], plugin.Score)
		}
		decision.Total = append(decision.Total, node.TotalScore)
		if i == 0 || node.TotalScore > highest {
			highest = node.TotalScore
			decision.Best = nil
		}
		if node.TotalScore == highest {
			decision.Best = append(decision.Best, node.Name)
		}
	}
}

// refusals lists the nodes that plugins or extenders rejected.
func (c *cluster) refusals(r *recorder) []vector.Refusal {
	all := refusals(r.filtered)
	if c.extenders == nil {
		return all
	}
	return append(all, c.extenders.refused...)
}

// refusals lists the nodes that were visited and rejected, each once: a nominated node may have
// been visited twice, and the last answer counts.
func refusals(all []filtered) []vector.Refusal {
	var out []vector.Refusal
	at := map[string]int{}
	for _, f := range all {
		if f.status.IsSuccess() {
			continue
		}
		reasons := append([]string{}, f.status.Reasons()...)
		sort.Strings(reasons)
		refusal := vector.Refusal{
			Node: f.node, Plugin: f.status.Plugin(), Code: f.status.Code().String(), Reasons: reasons,
		}
		if i, seen := at[f.node]; seen {
			out[i] = refusal
			continue
		}
		at[f.node] = len(out)
		out = append(out, refusal)
	}
	return out
}

// place assumes the pod on its node and reserves its volumes and devices, like a scheduling cycle
// before binding.
func (c *cluster) place(decision *vector.Decision, r *recorder, state CycleState, pod *v1.Pod) error {
	before, err := allocatedDevices(r.Framework)
	if err != nil {
		return err
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = decision.Bound
	if err := c.sched.Cache.AssumePod(klog.Background(), assumed); err != nil {
		return err
	}
	c.sched.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	if status := r.RunReservePluginsReserve(c.ctx, state, assumed, decision.Bound); !status.IsSuccess() {
		return fmt.Errorf("reserving on %s: %w", decision.Bound, status.AsError())
	}
	after, err := allocatedDevices(r.Framework)
	for device := range after {
		if !before[device] {
			decision.Devices = append(decision.Devices, device)
		}
	}
	sort.Strings(decision.Devices)
	return err
}
