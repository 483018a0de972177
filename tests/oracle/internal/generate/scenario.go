// Package generate makes random scenarios of objects as an API server serves them. The same seed
// makes the same bytes with each release, except in the family that sets the release's gates.
package generate

import (
	"encoding/json"
	"fmt"

	"berth/tests/oracle/internal/vector"
)

type object = map[string]any

// generator makes one scenario.
type generator struct {
	*source
	recipe
	nodeNames  []string
	claimNames map[string][]string // by namespace
	ephemeral  []object            // claims of ephemeral volumes
	seconds    int                 // seconds that start times have used so far
}

var namespaces = []string{"default", "dev", "prod"}

// Scenario makes scenario number `index` of a family and a seed, with its search mode, for a release.
func Scenario(version string, seed uint64, family string, index int) (*vector.Line, error) {
	r, ok := recipeOf(family)
	if !ok {
		return nil, fmt.Errorf("no family %q", family)
	}
	g := &generator{source: newSource(seed, family, index), recipe: r, claimNames: map[string][]string{}}
	settings := ""
	if r.gates {
		settings = g.setGates(minor(version))
	}
	scenario := g.scenario(fmt.Sprintf("%s-%d-%d", family, seed, index))
	if settings != "" {
		scenario["gates"] = settings
	}
	for key, value := range scenario {
		if list, ok := value.([]object); ok && len(list) == 0 && key != "events" { // without, it is no sequence
			delete(scenario, key)
		}
	}
	text, err := json.Marshal(scenario)
	if err != nil {
		return nil, err
	}
	return &vector.Line{Scenario: text, Expected: &vector.Expected{Mode: g.mode}}, nil
}

func (g *generator) scenario(name string) object {
	s := object{"name": name}
	count := g.between(g.nodesMin, g.nodesMax)
	if g.nodesMin >= 300 && g.chance(10) {
		count = g.between(600, 2000)
	}
	if g.extenders > 0 && g.chance(10) {
		count = g.between(101, 170)
	}
	var nodes []object
	for i := range count {
		g.nodeNames = append(g.nodeNames, fmt.Sprintf("n%d", i))
	}
	for i := range count {
		nodes = append(nodes, g.node(i))
	}
	s["nodes"] = nodes
	if g.volumes > 0 {
		g.storage(s)
	}
	var running []object
	for i := range g.between(0, 2*g.running*count) {
		running = append(running, g.runningPod(fmt.Sprintf("run%d", i)))
	}
	for i := range count {
		if g.nominated > 0 && g.chance(40) {
			running = append(running, g.nominatedPod(fmt.Sprintf("hoping%d", i)))
		}
	}
	s["pods"] = running
	var pending []object
	second := g.chance(g.secondProfile)
	last := g.between(1, g.pending) - 1
	for i := range last + 1 {
		pod := g.pendingPod(fmt.Sprintf("new%d", i), i == last)
		if second && g.chance(40) {
			pod["spec"].(object)["schedulerName"] = "second"
		}
		pending = append(pending, pod)
	}
	s["pending"] = pending
	if g.retries > 0 {
		g.sequence(s)
	}
	if g.groups > 0 {
		g.podGroups(s)
	}
	if g.composites {
		g.compositeGroups(s)
	}
	if g.extenders > 0 {
		s["extenders"] = g.scriptedExtenders()
	}
	if g.claims > 0 {
		g.devices(s, pending)
	}
	if g.ephemeral != nil {
		s["persistentVolumeClaims"] = append(s["persistentVolumeClaims"].([]object), g.ephemeral...)
	}
	if g.services > 0 {
		g.workloads(s)
	}
	if g.namespaceSelectors > 0 {
		s["namespaces"] = g.namespaceObjects()
	}
	if g.budgets > 0 {
		s["podDisruptionBudgets"] = g.disruptionBudgets()
	}
	if second || g.chance(g.config) {
		s["config"] = g.configuration(second)
	}
	return s
}

func (g *generator) namespaceObjects() []object {
	var out []object
	for _, name := range namespaces {
		labels := object{"kubernetes.io/metadata.name": name}
		if g.chance(80) {
			labels["team"] = pick(g.source, "a", "b")
		}
		if g.chance(30) {
			labels["env"] = pick(g.source, "prod", "dev")
		}
		if g.chance(90) { // some namespaces do not exist yet
			out = append(out, object{"metadata": object{"name": name, "labels": labels}})
		}
	}
	return out
}

func (g *generator) disruptionBudgets() []object {
	var out []object
	most := 4
	if g.budgets == 100 {
		most = 12
	}
	for i := range g.between(0, most) {
		selector := g.selector()
		if g.budgets == 100 && g.chance(60) { // wide selectors, so that budgets overlap
			selector = object{"matchLabels": object{"env": pick(g.source, "prod", "dev")}}
		}
		out = append(out, object{
			"metadata": object{"name": fmt.Sprintf("budget%d", i), "namespace": pick(g.source, namespaces...)},
			"spec":     object{"selector": selector},
			"status":   object{"disruptionsAllowed": g.between(0, 2)},
		})
	}
	return out
}

// workloads makes the services and controllers that default spreading reads.
func (g *generator) workloads(s object) {
	var services, sets, controllers, stateful []object
	for _, namespace := range namespaces {
		for _, app := range apps {
			metadata := func(suffix string) object {
				return object{"name": app + suffix, "namespace": namespace, "uid": app + suffix + "-uid"}
			}
			if g.chance(g.services / 2) {
				selector := object{"app": app}
				if g.chance(20) {
					selector["env"] = "prod"
				}
				spec := object{"selector": selector}
				if g.chance(8) {
					spec = object{}
				}
				services = append(services, object{"metadata": metadata(""), "spec": spec})
			}
			if g.chance(70) {
				sets = append(sets, object{"metadata": metadata("-rs"),
					"spec": object{"selector": object{"matchLabels": object{"app": app}}}})
			}
			if g.chance(30) {
				controllers = append(controllers, object{"metadata": metadata("-rc"),
					"spec": object{"selector": object{"app": app}}})
			}
			if g.chance(30) {
				stateful = append(stateful, object{"metadata": metadata("-ss"),
					"spec": object{"serviceName": app, "selector": object{"matchExpressions": []object{
						{"key": "app", "operator": "In", "values": []string{app}}}}}})
			}
		}
	}
	s["services"], s["replicaSets"] = services, sets
	s["replicationControllers"], s["statefulSets"] = controllers, stateful
}
