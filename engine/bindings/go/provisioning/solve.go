package provisioning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
)

// solver holds the state of one question.
type solver struct {
	*Catalog
	ctx    context.Context
	e      *berth.Engine
	kinds  map[uint64]*kind
	claims []*claim
	left   map[*pool][]int64 // of the limits
	keys   []string          // topology keys of the pods, apart from the host name
	placed int               // pods placed so far
	serial int               // the last number used in a new node's name
	out    *Results
}

// kind is shared by pods that differ only in their names.
type kind struct {
	amounts     []int64 // by Catalog.resources
	cpu, memory int64
	static      set // the options that admit such a pod; nil: not asked yet
	staticWhy   string
	needs       bool // it has affinity or spread constraints: other pods may make room for it
	spread      bool // it needs this, and new nodes are decided as if each zone had a node
	spreadKeys  []string
	phantoms    []*option
	full        bool // no existing node takes such a pod, and none will
	failed      bool // it fitted nowhere when `placed` was failedAt
	failedAt    int
	why         []PoolReason
	existingWhy string
}

// item is a pod of the question.
type item struct {
	pod *corev1.Pod
	id  berth.PodID
	*kind
}

// Solve places pods on existing and new nodes, in a transaction that is rolled back: the engine stays
// as it is. The engine may be a branch. Pods that the engine already has are taken off their nodes
// first; their claims, volumes and device classes must be there. If ctx is done before the end, it
// returns an error of code [berth.Cancelled] that wraps the context's cause.
func (c *Catalog) Solve(ctx context.Context, engine *berth.Engine, pods []*corev1.Pod,
	options *Options) (*Results, error) {
	if options == nil {
		options = &Options{}
	}
	s := &solver{Catalog: c, ctx: ctx, e: engine, kinds: map[uint64]*kind{}, out: &Results{},
		left: map[*pool][]int64{}}
	for _, p := range c.pools {
		s.left[p] = slices.Clone(p.left)
	}
	err := engine.Try(func() (bool, error) { return false, s.solve(pods, options) })
	if err != nil {
		return nil, err
	}
	return s.out, nil
}

func (s *solver) alive() error {
	if s.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", berth.Cancelled, context.Cause(s.ctx))
	}
	return nil
}

func (s *solver) solve(pods []*corev1.Pod, options *Options) error {
	if err := s.alive(); err != nil {
		return err
	}
	for _, name := range options.Without {
		if err := s.without(name); err != nil {
			return err
		}
	}
	queue, err := s.addPods(pods)
	if err != nil {
		return err
	}
	for before := -1; len(queue) > 0 && before < s.placed; {
		before = s.placed
		if queue, err = s.pass(queue); err != nil {
			return err
		}
		// Only pods that depend on others may fit after others were placed.
		if !slices.ContainsFunc(queue, func(one *item) bool { return one.needs }) {
			break
		}
	}
	for _, one := range queue {
		if err := s.explain(one); err != nil {
			return err
		}
		s.out.Unplaced = append(s.out.Unplaced, Unplaced{one.pod, one.existingWhy, one.why})
	}
	return s.finish(options)
}

// without removes a node with its pods.
func (s *solver) without(name string) error {
	node, err := s.e.FindNode(name)
	if err != nil {
		return err
	}
	if node == berth.NoNode {
		return fmt.Errorf("provisioning: node %s: %w", name, berth.NotFound)
	}
	on, err := s.e.NodePods(node, nil)
	if err != nil {
		return err
	}
	names, err := s.e.PodNames(on)
	if err != nil {
		return err
	}
	if _, err := s.e.UnbindBatch(on); err != nil {
		return err
	}
	for _, pod := range names {
		if err := s.e.RemovePod(pod.Namespace, pod.Name); err != nil {
			return err
		}
	}
	return s.e.RemoveNode(name)
}

// addPods adds the pods as pending ones, and returns them in the order in which they are placed.
func (s *solver) addPods(pods []*corev1.Pod) ([]*item, error) {
	pending := make([]*corev1.Pod, len(pods))
	for i, pod := range pods {
		if pod == nil {
			return nil, errors.New("provisioning: a pod is nil")
		}
		pending[i] = pod
		spec, status := &pod.Spec, &pod.Status
		if spec.NodeName != "" || spec.SchedulingGates != nil || status.NominatedNodeName != "" ||
			status.Phase != "" && status.Phase != corev1.PodPending {
			copied := *pod
			waiting(&copied)
			pending[i] = &copied
		}
	}
	ids := make([]berth.PodID, len(pods))
	done, err := s.e.AddPods(pending, ids)
	if errors.Is(err, berth.Exists) { // the engine has this pod, and perhaps later ones
		if err := s.takeOff(pods[done:], ids[:done]); err != nil {
			return nil, err
		}
		_, err = s.e.AddPods(pending[done:], ids[done:])
	}
	if err != nil {
		return nil, err
	}
	items, queue := make([]item, len(pods)), make([]*item, len(pods))
	keys := map[string]bool{}
	for i, pod := range pods {
		number, err := s.e.PodKind(ids[i])
		if err != nil {
			return nil, err
		}
		known := s.kinds[number]
		if known == nil {
			if known, err = s.newKind(pod, ids[i], keys); err != nil {
				return nil, err
			}
			s.kinds[number] = known
		}
		items[i] = item{pod, ids[i], known}
		queue[i] = &items[i]
	}
	s.keys = slices.Sorted(maps.Keys(keys))
	slices.SortStableFunc(queue, func(a, b *item) int {
		if a.kind != b.kind {
			if order := cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(b.memory, a.memory)); order != 0 {
				return order
			}
		}
		if order := a.pod.CreationTimestamp.Compare(b.pod.CreationTimestamp.Time); order != 0 {
			return order
		}
		return cmp.Compare(a.pod.UID, b.pod.UID)
	})
	return queue, nil
}

// takeOff removes the pods that the engine has, but none of those just added.
func (s *solver) takeOff(pods []*corev1.Pod, added []berth.PodID) error {
	for _, pod := range pods {
		namespace := cmp.Or(pod.Namespace, "default")
		id, err := s.e.FindPod(namespace, pod.Name)
		if err != nil {
			return err
		}
		if id == berth.NoPod || slices.Contains(added, id) {
			continue
		}
		node, err := s.e.PodNode(id)
		if err == nil && node != berth.NoNode {
			err = s.e.Unbind(id)
		}
		if err == nil {
			err = s.e.RemovePod(namespace, pod.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *solver) newKind(pod *corev1.Pod, id berth.PodID, keys map[string]bool) (out *kind, err error) {
	out = &kind{amounts: make([]int64, len(s.resources))}
	for r, name := range s.resources {
		if out.amounts[r], err = s.e.PodResource(id, name); err != nil {
			return nil, err
		}
	}
	if out.cpu, err = s.e.PodResource(id, "cpu"); err != nil {
		return nil, err
	}
	if out.memory, err = s.e.PodResource(id, "memory"); err != nil {
		return nil, err
	}
	key := func(key string) {
		if key != corev1.LabelHostname {
			keys[key] = true
		}
	}
	minimal := false
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		if constraint.WhenUnsatisfiable == corev1.DoNotSchedule {
			minimal = minimal || constraint.MinDomains != nil
			out.spreadKeys = append(out.spreadKeys, constraint.TopologyKey)
			key(constraint.TopologyKey)
		}
	}
	out.needs = len(out.spreadKeys) > 0
	out.spread = out.needs && !minimal
	affinity := pod.Spec.Affinity
	if out.needs { // nodes that it cannot use do not count as domains
		for name := range pod.Spec.NodeSelector {
			key(name)
		}
		if affinity != nil && affinity.NodeAffinity != nil {
			if required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
				for _, term := range required.NodeSelectorTerms {
					for i := range term.MatchExpressions {
						key(term.MatchExpressions[i].Key)
					}
				}
			}
		}
	}
	if affinity != nil && affinity.PodAffinity != nil {
		required := affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		out.needs = out.needs || len(required) > 0
		for i := range required {
			key(required[i].TopologyKey)
		}
	}
	if affinity != nil && affinity.PodAntiAffinity != nil {
		required := affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		for i := range required {
			key(required[i].TopologyKey)
		}
	}
	return out, nil
}

// pass tries pods in turn and returns those that fit nowhere.
func (s *solver) pass(queue []*item) (failed []*item, err error) {
	ids, placements := make([]berth.PodID, len(queue)), make([]berth.Placement, len(queue))
	for i, one := range queue {
		ids[i] = one.id
	}
	for at := 0; at < len(queue); {
		if one := queue[at]; one.failed && one.failedAt == s.placed {
			failed = append(failed, one)
			at++
			continue
		}
		if !queue[at].full {
			fitted, err := s.onExisting(queue[at:], ids[at:], placements[at:])
			if err != nil {
				return nil, err
			}
			if at += fitted; at == len(queue) {
				break
			}
			// Existing nodes only fill up: a pod that did not fit will not fit later, unless it needs other
			// pods.
			queue[at].full = !queue[at].needs
		}
		one := queue[at]
		at++
		ok, err := s.onNew(one)
		if err != nil {
			return nil, err
		}
		if !ok {
			one.failed, one.failedAt = true, s.placed
			failed = append(failed, one)
		}
	}
	return failed, nil
}

// onExisting places pods on existing nodes, up to the first pod that fits nowhere, and returns how
// many it placed.
func (s *solver) onExisting(items []*item, ids []berth.PodID, placements []berth.Placement) (int, error) {
	if err := s.setClosed(true); err != nil {
		return 0, err
	}
	fitted, err := s.e.SchedulePodsContext(s.ctx, ids, berth.GroupOptions{Stop: true}, placements)
	if err != nil {
		return 0, err
	}
	nodes := make([]berth.NodeID, fitted)
	for i := range nodes {
		nodes[i] = placements[i].Node
	}
	names, err := s.e.NodeNames(nodes)
	if err != nil {
		return 0, err
	}
	for i, name := range names {
		s.note(items[i], name)
	}
	return fitted, nil
}

func (s *solver) note(one *item, node string) {
	s.out.Order = append(s.out.Order, Placement{one.pod, node})
	s.placed++
}

// setClosed closes the new nodes while pods are placed on existing ones, or opens them.
func (s *solver) setClosed(closed bool) error {
	for _, claim := range s.claims {
		if claim.closed != closed {
			if err := s.e.CloseNode(claim.node, closed); err != nil {
				return err
			}
			claim.closed = closed
		}
	}
	return nil
}

// ---- results ----

// explain asks for the engine's message about the existing nodes, once for each kind.
func (s *solver) explain(one *item) error {
	if one.existingWhy != "" {
		return nil
	}
	if err := s.setClosed(true); err != nil {
		return err
	}
	why, err := s.e.Why(one.id, &berth.DecideOptions{SearchOnly: true})
	one.existingWhy = cmp.Or(why, "it fitted nowhere at its turn")
	return err
}

// finish fills in the existing nodes, and the options of each new node.
func (s *solver) finish(options *Options) error {
	at, opened := map[string]int{}, map[string]bool{}
	for _, claim := range s.claims {
		opened[claim.Name] = true
	}
	for _, placement := range s.out.Order {
		if opened[placement.Node] {
			continue
		}
		i, known := at[placement.Node]
		if !known {
			i = len(s.out.Existing)
			at[placement.Node] = i
			s.out.Existing = append(s.out.Existing, ExistingNode{Name: placement.Node})
		}
		s.out.Existing[i].Pods = append(s.out.Existing[i].Pods, placement.Pod)
	}
	for _, claim := range s.claims {
		if err := s.remaining(claim, options); err != nil {
			return err
		}
		s.out.New = append(s.out.New, claim.NodeClaim)
	}
	return nil
}

// remaining lists the options of a claim: its present one, and all dearer ones that hold its pods.
// One option of each class is tried.
func (s *solver) remaining(claim *claim, options *Options) error {
	const unknown, fitting, unfit = 0, 1, 2
	classes := make([]byte, len(s.numbers))
	classes[claim.at.class] = fitting
	most := slices.Clone(claim.at.capacity)
	none := make([]int64, len(s.resources))
	first, limited := claim.at.index, len(claim.at.pool.limited) > 0
	count := claim.possible.count()
	if options.MaxOptions > 0 {
		count = min(count, options.MaxOptions)
	}
	claim.Options = make([]*Option, 0, count)
	domains := len(s.keys) > 0
	var err error
	last := claim.at.pool.options[len(claim.at.pool.options)-1].index
	claim.possible.each(first, last+1, func(i int) bool {
		to := s.options[i]
		if i > first {
			free := s.free[i*len(s.resources) : (i+1)*len(s.resources)]
			if !fitsIn(free, none, claim.sum) || domains && !s.sameDomains(claim, to) ||
				limited && !s.within(claim.at, to) {
				return true
			}
			class := s.classes[i]
			if classes[class] == unknown {
				if err = s.alive(); err != nil {
					return false
				}
				var fits bool
				if fits, err = s.move(claim, to, nil, false, hopeless{}); err != nil {
					return false
				}
				classes[class] = unfit
				if fits {
					classes[class] = fitting
				}
			}
			if classes[class] == unfit {
				return true
			}
		}
		if limited {
			for l, amount := range to.capacity {
				most[l] = max(most[l], amount)
			}
		}
		claim.Options = append(claim.Options, &to.Option)
		return len(claim.Options) < count
	})
	for l, amount := range most { // the limits hold whichever option is chosen
		s.left[claim.at.pool][l] -= amount - claim.at.capacity[l]
	}
	return err
}
