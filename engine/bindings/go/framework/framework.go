// Package framework answers the Filter and Score calls of the scheduler framework from an engine: a
// plugin for kube-scheduler 1.37, or for other programs that run plugins of its framework, such as
// the cluster-autoscaler.
//
// PreFilter asks the engine about all nodes at once, with two crossings per pod; Filter and Score
// look up the answers. The engine is a copy of the cluster that the caller keeps up to date: see
// the example livecopy.
package framework

import (
	"context"
	"errors"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name is the name of the plugin.
const Name = "Berth"

// ErrReason is the reason of a refusal unless Plugin.Reasons is set.
const ErrReason = "node(s) didn't pass Berth's filters"

// Plugin is a PreFilter, Filter, PreScore and Score plugin over an engine.
type Plugin struct {
	// Reasons: each refusal has the reasons of the plugin that refuses, at the cost of a crossing
	// for each such node.
	Reasons bool

	engine *berth.Engine
}

var (
	_ fwk.PreFilterPlugin = (*Plugin)(nil)
	_ fwk.FilterPlugin    = (*Plugin)(nil)
	_ fwk.PreScorePlugin  = (*Plugin)(nil)
	_ fwk.ScorePlugin     = (*Plugin)(nil)
)

// New makes a plugin over an engine, which the caller keeps up to date and closes.
func New(engine *berth.Engine) *Plugin { return &Plugin{engine: engine} }

// Name returns the name of the plugin.
func (p *Plugin) Name() string { return Name }

const key fwk.StateKey = "PreFilter" + Name

// answers are the answers for one pod. Nodes are identified by name, because the engine reuses the
// id of a removed node for another node.
type answers struct {
	fits   map[string]int // position in totals
	totals []int64
	best   int64
}

// Clone returns the same answers: they never change.
func (a *answers) Clone() fwk.StateData { return a }

// asking finds the pod in the engine, or adds it for the duration of the question.
func (p *Plugin) asking(pod *corev1.Pod, ask func(id berth.PodID) error) error {
	id, err := p.engine.FindPod(pod.Namespace, pod.Name)
	if err != nil {
		return err
	}
	if id != berth.NoPod {
		return ask(id)
	}
	return p.engine.Try(func() (bool, error) {
		id, err := p.engine.AddPod(pod)
		if err != nil {
			return false, err
		}
		return false, ask(id)
	})
}

// PreFilter asks the engine about all nodes.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod,
	_ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	found := &answers{}
	err := p.asking(pod, func(id berth.PodID) error {
		nodes, totals, err := p.engine.FeasibleTotals(id)
		if err != nil {
			return err
		}
		names, err := p.engine.NodeNames(nodes)
		found.totals, found.fits = totals, make(map[string]int, len(names))
		for i, name := range names {
			found.fits[name] = i
			found.best = max(found.best, totals[i])
		}
		return err
	})
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	state.Write(key, found)
	return nil, nil
}

// PreFilterExtensions is nil: the plugin does not support removing pods, as preemption does on
// trial.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// look returns the answers and the name of a node.
func (p *Plugin) look(state fwk.CycleState, info fwk.NodeInfo) (*answers, string, error) {
	read, err := state.Read(key)
	if err != nil {
		return nil, "", err
	}
	if info.Node() == nil {
		return nil, "", errors.New("node not found")
	}
	return read.(*answers), info.Node().Name, nil
}

// node returns the id of a node.
func (p *Plugin) node(name string) (berth.NodeID, error) {
	id, err := p.engine.FindNode(name)
	if err == nil && id == berth.NoNode {
		err = &berth.Error{Code: berth.NotFound, Offset: -1, Object: "Node " + name,
			Message: "the engine has no such node"}
	}
	return id, err
}

// Filter looks up whether the pod fits the node.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod,
	info fwk.NodeInfo) *fwk.Status {
	found, name, err := p.look(state, info)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if _, fits := found.fits[name]; fits {
		return nil
	}
	id, err := p.node(name)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if !p.Reasons {
		return fwk.NewStatus(fwk.Unschedulable, ErrReason)
	}
	var fit berth.Fit
	if err := p.asking(pod, func(pod berth.PodID) (err error) {
		fit, err = p.engine.Fit(pod, id)
		return err
	}); err != nil {
		return fwk.AsStatus(err)
	}
	code := fwk.UnschedulableAndUnresolvable
	if fit.Resolvable {
		code = fwk.Unschedulable
	}
	return fwk.NewStatus(code, fit.Reasons...)
}

// PreScore does nothing: PreFilter has asked already.
func (p *Plugin) PreScore(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) *fwk.Status {
	return nil
}

// Score is the node's total over all score plugins of the engine, as a share of the best node's
// total.
func (p *Plugin) Score(ctx context.Context, state fwk.CycleState, pod *corev1.Pod,
	info fwk.NodeInfo) (int64, *fwk.Status) {
	found, name, err := p.look(state, info)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	at, fits := found.fits[name]
	if !fits || found.best <= 0 {
		return 0, nil
	}
	return found.totals[at] * fwk.MaxNodeScore / found.best, nil
}

// ScoreExtensions is nil: scores are already 0 to 100.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }
