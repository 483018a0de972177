package generate

import (
	"fmt"
	"math"
)

var topologyKeys = []string{zoneLabel, hostLabel, regionLabel, "rack", "disk"}

// selector makes a label selector over pods.
func (g *generator) selector() object {
	if g.chance(4) {
		return object{} // everything
	}
	selector := object{}
	if g.chance(70) {
		labels := object{"app": g.labelValue(apps...)}
		if g.chance(20) {
			labels["env"] = g.labelValue("prod", "dev")
		}
		selector["matchLabels"] = labels
	} else {
		selector["matchExpressions"] = []object{g.expression("app", apps, "env", []string{"prod", "dev"})}
		if g.chance(25) {
			selector["matchLabels"] = object{"app": pick(g.source, apps...)}
		}
	}
	return selector
}

// labelValue returns one of the values, or, in some families, one that no label can have.
func (g *generator) labelValue(values ...string) string {
	if g.chance(g.badLabels / 3) {
		return pick(g.source, "not a label!", "-x", "a/b", "")
	}
	return pick(g.source, values...)
}

func (g *generator) expression(key1 string, values1 []string, key2 string, values2 []string) object {
	key, values := key1, values1
	if g.chance(40) {
		key, values = key2, values2
	}
	operator := pick(g.source, "In", "In", "NotIn", "Exists", "DoesNotExist")
	expression := object{"key": key, "operator": operator}
	if operator == "In" || operator == "NotIn" {
		chosen := some(g.source, 1, 2, values)
		if g.chance(g.badLabels / 3) {
			chosen = append(chosen, g.labelValue(values...))
		}
		expression["values"] = chosen
	}
	return expression
}

// ---- nodes ----

func (g *generator) nodeLabelPairs() object {
	pairs := object{}
	switch g.below(4) {
	case 0:
		pairs["disk"] = g.labelValue("ssd", "hdd", "")
	case 1:
		pairs[zoneLabel] = fmt.Sprintf("z%d", g.below(g.zones))
	case 2:
		pairs["gen"] = pick(g.source, "1", "2", "x")
		pairs["disk"] = g.labelValue("ssd")
	default:
		pairs[hostLabel] = pick(g.source, g.nodeNames...)
	}
	return pairs
}

func (g *generator) nodeAffinityOf() object {
	affinity := object{}
	if g.chance(65) {
		var terms []object
		for range g.between(1, 3) {
			terms = append(terms, g.nodeTerm(true))
		}
		if g.chance(6) {
			terms = []object{{"matchFields": []object{g.nameField("In")}}}
			if g.chance(40) {
				terms[0]["matchExpressions"] = []object{g.nodeExpression()}
			}
		}
		if g.names > 0 {
			terms = g.namedTerms()
		}
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": terms}
	}
	if len(affinity) == 0 || g.chance(55) {
		var preferred []object
		for range g.between(1, 3) {
			preferred = append(preferred, object{
				"weight": pick(g.source, 1, 5, 10, 33, 100), "preference": g.nodeTerm(false),
			})
		}
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
	}
	return affinity
}

// nameField picks nodes by name. If every term has "In", the names are the only nodes to visit, and
// the scheduler keeps them in a hash map. So such a term is the only one, and names one node.
func (g *generator) nameField(operator string) object {
	return object{
		"key": "metadata.name", "operator": operator,
		"values": []string{pick(g.source, append(g.nodeNames, "gone")...)},
	}
}

// namedTerms pick at most one node that exists, by several rules that may contradict each other.
func (g *generator) namedTerms() []object {
	node := pick(g.source, g.nodeNames...)
	var terms []object
	for range g.between(1, 3) {
		fields := []object{{"key": "metadata.name", "operator": "In", "values": []string{pick(g.source, node, node, "gone")}}}
		for range g.between(0, 2) {
			fields = append(fields, object{"key": "metadata.name", "operator": pick(g.source, "In", "In", "NotIn"),
				"values": []string{pick(g.source, node, node, "gone", "away")}})
		}
		term := object{"matchFields": fields}
		if g.chance(25) {
			term["matchExpressions"] = []object{g.nodeExpression()}
		}
		terms = append(terms, term)
	}
	if g.chance(8) { // every node is to be visited then
		terms = append(terms, object{"matchFields": []object{g.nameField("NotIn")}})
	}
	return terms
}

func (g *generator) nodeTerm(required bool) object {
	term := object{}
	if required && g.chance(6) {
		return term // matches nothing
	}
	var expressions []object
	for range g.between(1, 2) {
		expressions = append(expressions, g.nodeExpression())
	}
	term["matchExpressions"] = expressions
	if g.chance(8) {
		term["matchFields"] = []object{g.nameField("NotIn")}
	}
	return term
}

func (g *generator) nodeExpression() object {
	switch g.below(5) {
	case 0:
		return object{"key": "gen", "operator": pick(g.source, "Gt", "Lt"),
			"values": []string{pick(g.source, "0", "1", "5", "9", "10")}}
	case 1:
		return object{"key": zoneLabel, "operator": pick(g.source, "In", "NotIn"),
			"values": []string{fmt.Sprintf("z%d", g.below(g.zones)), fmt.Sprintf("z%d", g.below(g.zones))}}
	case 2:
		return g.expression("rack", []string{"k0", "k1", "k2"}, regionLabel, []string{"r1", "r2"})
	}
	return g.expression("disk", []string{"ssd", "hdd", ""}, "gen", []string{"1", "2", "10", "x"})
}

// ---- pods ----

func (g *generator) podAffinityOf(affinity object) {
	for _, kind := range some(g.source, 1, 2, []string{"podAffinity", "podAntiAffinity"}) {
		terms := object{}
		if g.chance(55) {
			var required []object
			for range g.between(1, 2) {
				required = append(required, g.podTerm())
			}
			terms["requiredDuringSchedulingIgnoredDuringExecution"] = required
		}
		if len(terms) == 0 || g.chance(50) {
			var preferred []object
			for range g.between(1, 2) {
				preferred = append(preferred, object{
					"weight": pick(g.source, 1, 10, 50, 100), "podAffinityTerm": g.podTerm(),
				})
			}
			terms["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
		}
		affinity[kind] = terms
	}
}

func (g *generator) podTerm() object {
	term := object{"topologyKey": pick(g.source, topologyKeys...)}
	if g.chance(96) {
		term["labelSelector"] = g.selector()
	}
	if g.chance(25) {
		term["namespaces"] = some(g.source, 1, 2, append(namespaces, "nowhere"))
	}
	if g.chance(g.namespaceSelectors) {
		selector := object{}
		switch g.below(4) {
		case 0: // every namespace
		case 1:
			selector["matchLabels"] = object{"team": pick(g.source, "a", "b")}
		default:
			selector["matchExpressions"] = []object{
				g.expression("team", []string{"a", "b"}, "env", []string{"prod", "dev"}),
			}
		}
		term["namespaceSelector"] = selector
	}
	return term
}

func (g *generator) spreadConstraints() []object {
	var out []object
	seen := map[string]bool{}
	for range g.between(1, 3) {
		key, action := pick(g.source, topologyKeys...), pick(g.source, "DoNotSchedule", "ScheduleAnyway")
		if seen[key+action] {
			continue
		}
		seen[key+action] = true
		constraint := object{
			"maxSkew": pick(g.source, 1, 1, 2, 5), "topologyKey": key, "whenUnsatisfiable": action,
		}
		if g.chance(3) {
			constraint["maxSkew"] = math.MaxInt32
		}
		if g.chance(95) {
			constraint["labelSelector"] = g.selector()
			if _, unlabelled := constraint["labelSelector"].(object)["matchLabels"]; unlabelled && g.chance(30) {
				constraint["matchLabelKeys"] = []string{pick(g.source, "env", "missing")}
			}
		}
		if action == "DoNotSchedule" && g.chance(25) {
			constraint["minDomains"] = g.between(1, 5)
			if g.chance(5) {
				constraint["minDomains"] = math.MaxInt32
			}
		}
		if g.chance(25) {
			constraint["nodeAffinityPolicy"] = pick(g.source, "Honor", "Ignore")
		}
		if g.chance(35) {
			constraint["nodeTaintsPolicy"] = pick(g.source, "Honor", "Ignore")
		}
		out = append(out, constraint)
	}
	return out
}
