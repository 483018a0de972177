package kube

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"berth/tests/oracle/internal/vector"
)

// extenders serves the extenders of a scenario over HTTP, so that kube-scheduler's own client asks
// them, and notes their answers for one pod. The answers follow from a hash of names:
// tools/verify/scripted_extenders.c gives the same ones.
type extenders struct {
	all    []vector.Extender
	server *httptest.Server

	sync.Mutex
	refused []vector.Refusal
	scores  map[int]map[string]int64 // by extender and node
}

func newExtenders(all []vector.Extender) *extenders {
	if len(all) == 0 {
		return nil
	}
	e := &extenders{all: all}
	mux := http.NewServeMux()
	for i := range all {
		at := fmt.Sprintf("/%d/", i)
		mux.HandleFunc(at+"filter", func(w http.ResponseWriter, r *http.Request) { e.filter(i, w, r) })
		mux.HandleFunc(at+"prioritize", func(w http.ResponseWriter, r *http.Request) { e.prioritize(i, w, r) })
		mux.HandleFunc(at+"preempt", func(w http.ResponseWriter, r *http.Request) { e.preempt(i, w, r) })
	}
	e.server = httptest.NewServer(mux)
	e.begin()
	return e
}

func (e *extenders) close() {
	if e != nil {
		e.server.Close()
	}
}

// configuration returns the extenders' part of kube-scheduler's configuration.
func (e *extenders) configuration() []schedulerapi.Extender {
	if e == nil {
		return nil
	}
	var out []schedulerapi.Extender
	for i, one := range e.all {
		extender := schedulerapi.Extender{
			URLPrefix: fmt.Sprintf("%s/%d", e.server.URL, i), Ignorable: one.Ignorable, Weight: int64(one.Weight),
			NodeCacheCapable: one.ByName,
		}
		if one.Filters {
			extender.FilterVerb = "filter"
		}
		if one.Prioritizes {
			extender.PrioritizeVerb = "prioritize"
		}
		if one.Preempts {
			extender.PreemptVerb = "preempt"
		}
		for _, name := range one.ManagedResources {
			extender.ManagedResources = append(extender.ManagedResources, schedulerapi.ExtenderManagedResource{Name: name})
		}
		out = append(out, extender)
	}
	return out
}

// begin forgets the answers for the pod before.
func (e *extenders) begin() {
	if e != nil {
		e.refused, e.scores = nil, map[int]map[string]int64{}
	}
}

// draw returns a number below 100 that depends only on the question.
func (e *extenders) draw(i int, question string, pod *v1.Pod, node string) int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s|%s|%s/%s|%s", e.all[i].Name, question, pod.Namespace, pod.Name, node)
	return int(h.Sum64() >> 33 % 100)
}

func read[T any](r *http.Request) T {
	var question T
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		panic(err)
	}
	return question
}

func reply(w http.ResponseWriter, answer any) {
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

func namesOf(args extenderv1.ExtenderArgs) []string {
	if args.NodeNames != nil {
		return *args.NodeNames
	}
	var names []string
	for _, node := range args.Nodes.Items {
		names = append(names, node.Name)
	}
	return names
}

// filter keeps nodes, refuses them, refuses them for good, or leaves them out.
func (e *extenders) filter(i int, w http.ResponseWriter, r *http.Request) {
	e.Lock()
	defer e.Unlock()
	args, one := read[extenderv1.ExtenderArgs](r), e.all[i]
	answer := extenderv1.ExtenderFilterResult{
		FailedNodes: extenderv1.FailedNodesMap{}, FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{},
	}
	if e.draw(i, "fails", args.Pod, "") < one.Fails {
		answer.Error = one.Name + " fails"
		reply(w, answer)
		return
	}
	kept := []string{}
	for _, node := range namesOf(args) {
		drawn := e.draw(i, "filter", args.Pod, node)
		switch {
		case drawn < one.Refuses:
			answer.FailedNodes[node] = one.Name + " refuses"
			e.refuse(node, one.Name, "Unschedulable", answer.FailedNodes[node])
		case drawn < one.Refuses+one.ForGood:
			answer.FailedAndUnresolvableNodes[node] = one.Name + " refuses for good"
			e.refuse(node, one.Name, "UnschedulableAndUnresolvable", answer.FailedAndUnresolvableNodes[node])
		case drawn < one.Refuses+one.ForGood+one.LeavesOut:
		default:
			kept = append(kept, node)
		}
	}
	if one.ByName {
		answer.NodeNames = &kept
	} else {
		answer.Nodes = &v1.NodeList{}
		for _, node := range args.Nodes.Items {
			for _, name := range kept {
				if name == node.Name {
					answer.Nodes.Items = append(answer.Nodes.Items, node)
				}
			}
		}
	}
	reply(w, answer)
}

// refuse notes a refusal. The pod's nominated node may be refused twice, first alone and then among
// all nodes.
func (e *extenders) refuse(node, name, code, reason string) {
	refusal := vector.Refusal{Node: node, Plugin: name, Code: code, Reasons: []string{reason}}
	for i, earlier := range e.refused {
		if earlier.Node == node {
			e.refused[i] = refusal
			return
		}
	}
	e.refused = append(e.refused, refusal)
}

func (e *extenders) prioritize(i int, w http.ResponseWriter, r *http.Request) {
	e.Lock()
	defer e.Unlock()
	args := read[extenderv1.ExtenderArgs](r)
	if e.draw(i, "fails", args.Pod, "") < e.all[i].Fails {
		http.Error(w, "it fails", http.StatusInternalServerError)
		return
	}
	e.scores[i] = map[string]int64{}
	answer := extenderv1.HostPriorityList{}
	for _, node := range namesOf(args) {
		score := int64(e.draw(i, "prioritize", args.Pod, node) % 11)
		answer = append(answer, extenderv1.HostPriority{Host: node, Score: score})
		e.scores[i][node] = score * int64(e.all[i].Weight) * 10
	}
	reply(w, answer)
}

// preempt drops nodes, and spares all but the first victim on others.
func (e *extenders) preempt(i int, w http.ResponseWriter, r *http.Request) {
	args, one := read[extenderv1.ExtenderPreemptionArgs](r), e.all[i]
	candidates := args.NodeNameToMetaVictims
	if candidates == nil {
		candidates = map[string]*extenderv1.MetaVictims{}
		for node, victims := range args.NodeNameToVictims {
			candidates[node] = &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
			for _, pod := range victims.Pods {
				candidates[node].Pods = append(candidates[node].Pods, &extenderv1.MetaPod{UID: string(pod.UID)})
			}
		}
	}
	for node, victims := range candidates {
		drawn := e.draw(i, "preempt", args.Pod, node)
		switch {
		case drawn < one.Drops:
			delete(candidates, node)
		case drawn < one.Drops+one.Spares:
			victims.Pods = victims.Pods[:1]
		case drawn < one.Drops+one.Spares+one.Empties:
			victims.Pods = nil
		}
	}
	reply(w, extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: candidates})
}

// describe adds the extenders' part to a decision whose nodes were scored by plugins.
func (e *extenders) describe(decision *vector.Decision, scores []NodePluginScores) {
	if e == nil {
		return
	}
	for i := range e.all {
		column, there := e.scores[i]
		if !there {
			continue
		}
		for at, node := range scores {
			decision.Scores[e.all[i].Name] = append(decision.Scores[e.all[i].Name], column[node.Name])
			decision.Total[at] += column[node.Name]
		}
	}
	decision.Best = nil
	highest := decision.Total[0]
	for _, total := range decision.Total {
		highest = max(highest, total)
	}
	for at, node := range scores {
		if decision.Total[at] == highest {
			decision.Best = append(decision.Best, node.Name)
		}
	}
}

// message removes the addresses of the extenders from a text, because they differ from run to run.
func (e *extenders) message(text string) string {
	if e == nil {
		return text
	}
	for i, one := range e.all {
		text = strings.ReplaceAll(text, fmt.Sprintf("%s/%d", e.server.URL, i), one.Name)
	}
	return text
}
