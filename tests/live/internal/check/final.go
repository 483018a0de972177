package check

import (
	"sort"
	"strings"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/load"
)

const (
	unschedulable = "Unschedulable"
	eventNoteMax  = 1024
)

// final checks the conditions that must hold once nothing changes any more.
func (w *Cluster) final() {
	for _, p := range w.waiting() {
		w.breaks("I2", "%s fits and has no node: %s", p.Meta.Key(), p.Condition("PodScheduled").Message)
	}
	for _, p := range w.pods {
		if !p.gone && p.Spec.SchedulerName == w.Scheduler && p.Meta.Labels[load.FitsLabel] == "false" {
			w.unfit(p)
		}
	}
	for _, p := range w.early {
		_, removed := w.removed[p.Spec.NodeName]
		if w.nodes[p.Spec.NodeName] == nil && !removed && !p.gone {
			w.breaks("I3", "%s came to %s, which was never there", p.Meta.Key(), p.Spec.NodeName)
		}
	}
	w.apart()
	if !w.deleted {
		w.spread()
	}
}

// unfit checks that a pod without room has kube-scheduler's message in its condition and in an
// event (I7).
func (w *Cluster) unfit(p *pod) {
	if p.Spec.NodeName != "" {
		w.breaks("I2", "%s has no room and is on %s", p.Meta.Key(), p.Spec.NodeName)
		return
	}
	condition := p.Condition("PodScheduled")
	if condition.Status != "False" || condition.Reason != unschedulable ||
		!strings.HasPrefix(condition.Message, p.Meta.Annotations[load.MessageNote]) {
		w.breaks("I7", "%s: condition %+v instead of %q", p.Meta.Key(), condition,
			p.Meta.Annotations[load.MessageNote])
	}
	note := condition.Message
	if len(note) > eventNoteMax {
		note = note[:eventNoteMax-4] + " ..."
	}
	for _, event := range w.events[p.Meta.UID] {
		if event.Reason == "FailedScheduling" && event.Note == note {
			return
		}
	}
	w.breaks("I7", "%s: no FailedScheduling event says what its condition says: %q", p.Meta.Key(), note)
}

// apart checks required anti-affinity between all pods that have a node.
func (w *Cluster) apart() {
	type place struct{ namespace, domain, value string }
	taken := map[place]string{}
	for _, p := range w.pods {
		if p.gone || !p.Running() || p.Spec.Affinity == nil || p.Spec.Affinity.Anti == nil {
			continue
		}
		for _, term := range p.Spec.Affinity.Anti.Required {
			n := w.nodes[p.Spec.NodeName]
			if n == nil || !term.Selector.Matches(p.Meta.Labels) {
				continue
			}
			at := place{p.Meta.Namespace, term.TopologyKey, n.Meta.Labels[term.TopologyKey]}
			if other := taken[at]; other != "" {
				w.breaks("I3", "%s and %s are both on %s, against their anti-affinity", other,
					p.Meta.Key(), at.value)
			}
			taken[at] = p.Meta.Key()
		}
	}
}

// If nothing was ever deleted, spread constraints hold at the end, because each placement kept them
// and the smallest domain only grew.
func (w *Cluster) spread() {
	examples := map[string]*pod{}
	for _, p := range w.pods {
		if len(p.Spec.Spread) > 0 && p.Spec.SchedulerName == w.Scheduler {
			examples[p.Meta.Namespace+"/"+p.Meta.Labels["app"]] = p
		}
	}
	for app, example := range examples {
		for _, constraint := range example.Spec.Spread {
			if constraint.WhenUnsatisfiable == "DoNotSchedule" {
				w.skew(app, example, constraint)
			}
		}
	}
}

func (w *Cluster) skew(app string, example *pod, constraint api.Spread) {
	counts := map[string]int{}
	for _, n := range w.nodes {
		if (api.Selector{MatchLabels: example.Spec.NodeSelector}).Matches(n.Meta.Labels) ||
			len(example.Spec.NodeSelector) == 0 {
			counts[n.Meta.Labels[constraint.TopologyKey]] += 0
		}
	}
	for _, p := range w.pods {
		n := w.nodes[p.Spec.NodeName]
		if n != nil && p.Running() && p.Meta.Namespace == example.Meta.Namespace &&
			constraint.Selector.Matches(p.Meta.Labels) {
			counts[n.Meta.Labels[constraint.TopologyKey]]++
		}
	}
	least, most := -1, 0
	for _, count := range counts {
		if least < 0 || count < least {
			least = count
		}
		most = max(most, count)
	}
	if most-least > constraint.MaxSkew {
		w.breaks("I3", "%s is spread over %s with a skew of %d: %v", app, constraint.TopologyKey,
			most-least, counts)
	}
}

// Latencies returns the times from appearance to binding, both as seen by the watch, of the pods
// that appeared after `since`, in ascending order.
func (w *Cluster) Latencies(since time.Time) []time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var all []time.Duration
	for _, p := range w.pods {
		if p.Spec.SchedulerName == w.Scheduler && !p.bound.IsZero() && p.added.After(since) {
			all = append(all, p.bound.Sub(p.added))
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all
}
