package generate

import (
	"fmt"
	"sort"
)

const classPrefix = "deviceclass.resource.kubernetes.io/"

// extendedNames are resources that devices may back; nothing ever backs the last two.
var extendedNames = []string{
	"nvidia.com/gpu", "example.com/nic", classPrefix + "gpu", classPrefix + "any", classPrefix + "big",
	"nobody.io/any", classPrefix + "gone", "nobody.io/thing",
}

// extendedClasses makes some classes back resources, sometimes two classes the same one. Classes
// are sorted by name, as an API server lists them, because the order decides which of two backs a
// resource.
func (g *generator) extendedClasses(classes []object) []object {
	names := object{"gpu": "nvidia.com/gpu", "nic": "example.com/nic", "big": "nvidia.com/gpu", "any": "nobody.io/any"}
	for _, class := range classes {
		metadata := class["metadata"].(object)
		resource, some := names[metadata["name"].(string)]
		if !some || !g.chance(g.extended) {
			continue
		}
		class["spec"].(object)["extendedResourceName"] = resource
		metadata["creationTimestamp"] = fmt.Sprintf("2026-01-0%dT00:00:00Z", g.between(1, 2))
	}
	sort.Slice(classes, func(i, j int) bool {
		return classes[i]["metadata"].(object)["name"].(string) < classes[j]["metadata"].(object)["name"].(string)
	})
	return classes
}

// extendedRequests adds requests with equal limits, as the API requires.
func (g *generator) extendedRequests(resources object) {
	requests := resources["requests"].(object)
	limits, _ := resources["limits"].(object)
	if limits == nil {
		limits = object{}
	}
	for i := range g.between(1, 2) {
		name := pick(g.source, extendedNames[:len(extendedNames)-2]...)
		if i == 1 && g.chance(30) {
			name = pick(g.source, extendedNames...)
		}
		amount := pick(g.source, "1", "1", "1", "2", "3", "0")
		requests[name], limits[name] = amount, amount
	}
	resources["limits"] = limits
}

// specialClaims makes claims that earlier attempts to place some pods have left.
func (g *generator) specialClaims(pending []object) []object {
	var out []object
	for i, pod := range pending {
		if !g.chance(6) {
			continue
		}
		owner := pod["metadata"].(object)
		if owner["uid"] == nil {
			owner["uid"] = owner["name"].(string) + "-uid"
		}
		name := fmt.Sprintf("%s-extended-resources-%d", owner["name"], i)
		metadata := object{"name": name, "namespace": owner["namespace"], "uid": name + "-uid",
			"annotations": object{"resource.kubernetes.io/extended-resource-claim": "true"},
			"ownerReferences": []object{{"apiVersion": "v1", "kind": "Pod", "name": owner["name"],
				"uid": owner["uid"], "controller": true}}}
		claim := object{"metadata": metadata, "spec": object{}}
		if g.chance(70) {
			claim["spec"] = object{"devices": object{"requests": []object{
				{"name": "container-0-request-0", "exactly": g.exact("gpu")}}}}
		}
		if g.chance(30) {
			allocation := object{}
			if g.chance(60) {
				allocation["nodeSelector"] = object{"nodeSelectorTerms": []object{{"matchExpressions": []object{
					{"key": "disk", "operator": "In", "values": []string{"hdd"}}}}}}
			}
			claim["status"] = object{"allocation": allocation}
		}
		out = append(out, claim)
	}
	return out
}
