package generate

import "fmt"

// scriptedExtenders makes extenders, each of which does at least one thing.
func (g *generator) scriptedExtenders() []object {
	out := []object{}
	for i := range g.between(1, g.extenders) {
		e := object{"name": fmt.Sprintf("e%d", i), "ignorable": g.chance(35), "byName": g.chance(50)}
		if g.chance(20) {
			e["managedResources"] = []string{pick(g.source, "nvidia.com/gpu", "example.com/fpga")}
		}
		if g.chance(25) {
			e["fails"] = pick(g.source, 10, 40)
		}
		does := g.between(1, 7)
		if does&1 != 0 {
			// kube-scheduler scores nodes that are returned as whole objects as if they were empty:
			// kubernetes/kubernetes issue 141781.
			e["filters"], e["byName"] = true, true
			e["refuses"], e["forGood"], e["leavesOut"] = g.between(0, 50), g.between(0, 20), g.between(0, 15)
			if g.chance(12) { // nothing is left, even of a search that found enough
				e[pick(g.source, "refuses", "forGood", "leavesOut")] = 100
			}
		}
		if does&2 != 0 {
			e["prioritizes"], e["weight"] = true, g.between(1, 5)
		}
		if does&4 != 0 {
			e["preempts"], e["drops"], e["spares"] = true, g.between(0, 60), g.between(0, 30)
			if g.chance(20) {
				e["empties"] = 10
			}
		}
		out = append(out, e)
	}
	return out
}
