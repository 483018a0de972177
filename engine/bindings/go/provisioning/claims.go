package provisioning

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
)

// claim is a new node that was opened.
type claim struct {
	*NodeClaim
	at       *option // its present option
	objects  Objects
	node     berth.NodeID
	possible set // the options that admit all its pods
	items    []*item
	sum      []int64
	closed   bool
	refused  map[*kind]bool // kinds that it will never take
}

// onNew places a pod on a new node, if possible on one that is already open.
func (s *solver) onNew(one *item) (placed bool, err error) {
	if err := s.askStatic(one); err != nil {
		return false, err
	}
	one.why = nil
	if one.staticWhy != "" {
		for _, p := range s.pools {
			one.why = append(one.why, PoolReason{p.Name, one.staticWhy})
		}
		return false, nil
	}
	if err := s.setClosed(false); err != nil {
		return false, err
	}
	if one.spread {
		phantoms, err := s.addPhantoms(one)
		if err != nil {
			return false, err
		}
		defer func() {
			for _, phantom := range phantoms {
				err = errors.Join(err, phantom.remove(s.e))
			}
		}()
	}
	order := slices.Clone(s.claims)
	slices.SortStableFunc(order, func(a, b *claim) int { return cmp.Compare(len(a.items), len(b.items)) })
	for _, claim := range order {
		if placed, err = s.onClaim(claim, one); placed || err != nil {
			return placed, err
		}
	}
	for _, p := range s.pools {
		if placed, err = s.open(p, one); placed || err != nil {
			return placed, err
		}
	}
	return false, nil
}

// askStatic asks the probe which options take pods of a kind.
func (s *solver) askStatic(one *item) error {
	if one.static != nil {
		return nil
	}
	admitted, err := s.admits(ownOnly(one.pod))
	if err == nil {
		one.static, one.staticWhy = admitted.options, admitted.why
	}
	return err
}

// addPhantoms adds closed empty nodes, so that every zone in which a node can be opened is a domain.
func (s *solver) addPhantoms(one *item) (phantoms []Objects, err error) {
	if one.phantoms == nil {
		one.phantoms = s.domains(one.kind)
	}
	for _, at := range one.phantoms {
		name, err := s.newName("phantom")
		if err != nil {
			return nil, err
		}
		phantom := Objects{Node: at.node(name)}
		node, err := phantom.add(s.e)
		if err == nil {
			err = s.e.CloseNode(node, true)
		}
		if err != nil {
			return nil, err
		}
		phantoms = append(phantoms, phantom)
	}
	return phantoms, nil
}

// domains returns one option for each domain of a kind's spread constraints.
func (s *solver) domains(k *kind) (out []*option) {
	seen := map[string]bool{}
	var values []byte
	k.static.each(0, len(s.options), func(i int) bool {
		values = values[:0]
		for _, key := range k.spreadKeys {
			if key != corev1.LabelHostname {
				values = strconv.AppendQuote(values, s.options[i].labels[key])
			}
		}
		if !seen[string(values)] {
			seen[string(values)] = true
			out = append(out, s.options[i])
		}
		return true
	})
	return out
}

// newName returns a name that no node has.
func (s *solver) newName(prefix string) (string, error) {
	for {
		s.serial++
		name := prefix + "-new-" + strconv.Itoa(s.serial)
		if id, err := s.e.FindNode(name); err != nil || id == berth.NoNode {
			return name, err
		}
	}
}

// hopeless remembers classes of options that were refused for a reason other than size.
type hopeless map[int]bool

// about notes a refusal.
func (h hopeless) about(o *option, fit *berth.Fit) {
	if fit.Verdict == berth.Failed {
		h[o.class] = true
	}
	switch fit.Plugin {
	case "InterPodAffinity", "PodTopologySpread", "NodePorts", "VolumeBinding", "VolumeZone",
		"VolumeRestrictions", "NodeVolumeLimits", "DynamicResources":
		h[o.class] = true
	}
}

// onClaim adds a pod to an open node, which keeps its type or changes to one that holds more.
func (s *solver) onClaim(claim *claim, one *item) (bool, error) {
	if claim.refused[one.kind] {
		return false, nil
	}
	refused := hopeless{}
	if one.static.has(claim.at.index) && fitsIn(claim.at.free, claim.sum, one.amounts) {
		fit, err := s.e.Fit(one.id, claim.node)
		if err != nil {
			return false, err
		}
		if fit.Verdict == berth.Placed {
			return true, s.bind(claim, one)
		}
		refused.about(claim.at, &fit)
	}
	for i := claim.at.index + 1; i < len(s.options) && s.options[i].pool == claim.at.pool; i++ {
		to := s.options[i]
		if !claim.possible.has(i) || !one.static.has(i) || refused[to.class] ||
			!fitsIn(to.free, claim.sum, one.amounts) || !s.sameDomains(claim, to) || !s.within(claim.at, to) {
			continue
		}
		if err := s.alive(); err != nil {
			return false, err
		}
		moved, err := s.move(claim, to, one, true, refused)
		if err != nil {
			return false, err
		}
		if moved {
			return true, s.bind(claim, one)
		}
	}
	if !one.needs {
		claim.refused[one.kind] = true // pods are only added, so it stays too full
	}
	return false, nil
}

// fitsIn reports whether two amounts fit together.
func fitsIn(free, sum, more []int64) bool {
	for r, amount := range more {
		if total := sum[r] + amount; total > free[r] && total > 0 {
			return false
		}
	}
	return true
}

// sameDomains reports whether a claim may change to an option without pods on other nodes noticing:
// the values of all topology keys and the DaemonSet pods stay the same.
func (s *solver) sameDomains(claim *claim, to *option) bool {
	for _, key := range s.keys {
		if claim.at.labels[key] != to.labels[key] {
			return false
		}
	}
	return len(s.keys) == 0 || claim.at.crew == to.crew
}

// within reports whether the limits of a pool allow an option in place of another one (nil: none).
func (s *solver) within(from, to *option) bool {
	for l, left := range s.left[to.pool] {
		if from != nil {
			left += from.capacity[l]
		}
		if to.capacity[l] > left {
			return false
		}
	}
	return true
}

// move changes a claim to another option if all its pods, and `more` unless it is nil, fit there in
// their order. If they do not fit, or if `keep` is false, nothing changes.
func (s *solver) move(claim *claim, to *option, more *item, keep bool,
	refused hopeless) (moved bool, err error) {
	objects, node := to.objects(claim.Name), berth.NoNode
	err = s.e.Try(func() (bool, error) {
		ids := make([]berth.PodID, len(claim.items))
		for i, one := range claim.items {
			ids[i] = one.id
		}
		if _, err := s.e.UnbindBatch(ids); err != nil {
			return false, err
		}
		if err := claim.objects.remove(s.e); err != nil {
			return false, err
		}
		if node, err = objects.add(s.e); err != nil {
			return false, err
		}
		for _, one := range claim.items {
			fit, err := s.e.Fit(one.id, node)
			if err != nil {
				return false, err
			}
			if fit.Verdict != berth.Placed {
				refused.about(to, &fit)
				return false, nil
			}
			if err := s.e.Bind(one.id, node); err != nil {
				return false, err
			}
		}
		if more != nil {
			fit, err := s.e.Fit(more.id, node)
			if err != nil {
				return false, err
			}
			if fit.Verdict != berth.Placed {
				refused.about(to, &fit)
				return false, nil
			}
		}
		moved = true
		return keep, nil
	})
	if err != nil || !moved || !keep {
		return moved, err
	}
	for l := range s.left[to.pool] {
		s.left[to.pool][l] += claim.at.capacity[l] - to.capacity[l]
	}
	claim.at, claim.objects, claim.node, claim.closed = to, objects, node, false
	return true, nil
}

// bind puts a pod that fits on a new node.
func (s *solver) bind(claim *claim, one *item) error {
	if err := s.e.Bind(one.id, claim.node); err != nil {
		return err
	}
	claim.items, claim.Pods = append(claim.items, one), append(claim.Pods, one.pod)
	claim.possible.and(one.static)
	for r, amount := range one.amounts {
		claim.sum[r] += amount
	}
	s.note(one, claim.Name)
	return nil
}

// open opens a node of a pool for a pod.
func (s *solver) open(p *pool, one *item) (placed bool, err error) {
	refused, why, tried := hopeless{}, "", false
	if len(p.options) == 0 {
		one.why = append(one.why, PoolReason{p.Name, "no available instance type meets the pool's requirements"})
		return false, nil
	}
	name, err := s.newName(p.Name)
	if err != nil {
		return false, err
	}
	first := p.options[0].index
	one.static.each(first, first+len(p.options), func(i int) bool {
		o := s.options[i]
		if refused[o.class] {
			return true
		}
		if !s.within(nil, o) {
			why = cmp.Or(why, "the limits of the pool leave no room for "+o.InstanceType.Name)
			return true
		}
		if err = s.alive(); err != nil {
			return false
		}
		objects, node := o.objects(name), berth.NoNode
		err = s.e.Try(func() (bool, error) {
			var err error
			if node, err = objects.add(s.e); err != nil {
				return false, err
			}
			fit, err := s.e.Fit(one.id, node)
			if err != nil {
				return false, err
			}
			if placed = fit.Verdict == berth.Placed; !placed {
				refused.about(o, &fit)
				if !tried {
					why, tried = fmt.Sprintf("%s: %s: %v", o.InstanceType.Name, fit.Plugin, fit.Reasons), true
				}
			}
			return placed, nil
		})
		if err != nil || !placed {
			return err == nil
		}
		opened := &claim{NodeClaim: &NodeClaim{Name: name, Pool: p.Name}, at: o,
			objects: objects, node: node, possible: slices.Clone(one.static), sum: make([]int64, len(s.resources)),
			refused: map[*kind]bool{}}
		for l := range s.left[p] {
			s.left[p][l] -= o.capacity[l]
		}
		s.claims = append(s.claims, opened)
		err = s.bind(opened, one)
		return false
	})
	if !placed && err == nil {
		one.why = append(one.why, PoolReason{p.Name, cmp.Or(why, "no instance type of the pool takes the pod")})
	}
	return placed, err
}
