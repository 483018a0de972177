package provisioning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
)

// solver is one question.
type solver struct {
	*Catalog
	ctx    context.Context
	e      *berth.Engine
	kinds  map[uint64]*kind
	claims []*claim
	left   map[*pool][]int64 // of the limits
	keys   []string          // labels that decide about domains of the pods, apart from the host name
	placed int               // pods placed so far
	serial int               // of names of nodes
	out    *Results
}

// kind is what pods have in common that differ in name only.
type kind struct {
	amounts     []int64 // by Catalog.resources
	cpu, memory int64
	static      set // the options that admit such a pod; nil: not asked yet
	staticWhy   string
	needs       bool // it has affinity or spread constraints: other pods may make room for it
	spread      bool // ... and new nodes are decided as if each zone had a node
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

// claim is a node that was opened.
type claim struct {
	*NodeClaim
	at       *option // what it is now
	objects  Objects
	node     berth.NodeID
	possible set // static for all its pods
	items    []*item
	sum      []int64
	closed   bool
	refused  map[*kind]bool // kinds that it will never take
}

// set is a set of options.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) count() (count int) {
	for _, word := range s {
		count += bits.OnesCount64(word)
	}
	return count
}

func (s set) and(other set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// each calls `do` for the options from `from` on until it returns false.
func (s set) each(from, to int, do func(i int) bool) {
	for word := from / 64; word < len(s) && word*64 < to; word++ {
		for left := s[word]; left != 0; left &= left - 1 {
			i := word*64 + bits.TrailingZeros64(left)
			if i >= from && i < to && !do(i) {
				return
			}
		}
	}
}

// Solve places pods on existing and new nodes, in a transaction that is rolled back: the engine stays
// as it is. The engine may be a branch. Pods that the engine already has are taken off their nodes
// first; their claims, volumes and device classes must be there. If ctx is done before the end, it
// returns an error of code [berth.Cancelled] that wraps the context's cause.
func (c *Catalog) Solve(ctx context.Context, engine *berth.Engine, pods []*corev1.Pod, options *Options) (*Results, error) {
	if options == nil {
		options = &Options{}
	}
	s := &solver{Catalog: c, ctx: ctx, e: engine, kinds: map[uint64]*kind{}, left: map[*pool][]int64{}, out: &Results{}}
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
		if spec := &pod.Spec; spec.NodeName != "" || spec.SchedulingGates != nil || pod.Status.NominatedNodeName != "" ||
			pod.Status.Phase != "" && pod.Status.Phase != corev1.PodPending {
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
	if out.needs { // nodes that it cannot use are no domains
		for name := range pod.Spec.NodeSelector {
			key(name)
		}
		if affinity != nil && affinity.NodeAffinity != nil && affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
			for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
				for i := range term.MatchExpressions {
					key(term.MatchExpressions[i].Key)
				}
			}
		}
	}
	if affinity != nil {
		if affinity.PodAffinity != nil {
			out.needs = out.needs || len(affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
			for i := range affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
				key(affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i].TopologyKey)
			}
		}
		if affinity.PodAntiAffinity != nil {
			for i := range affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
				key(affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i].TopologyKey)
			}
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
			// Existing nodes only fill up: what did not fit will not, unless it needs other pods.
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

// onExisting places pods on existing nodes, up to the first that fits none, and returns how many.
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

// ---- new nodes ----

// onNew places a pod on a new node, one that is open if possible.
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

// hopeless remembers classes of options that were refused for another reason than size.
type hopeless map[int]bool

// about notes a refusal.
func (h hopeless) about(o *option, fit *berth.Fit) {
	switch fit.Plugin {
	case "InterPodAffinity", "PodTopologySpread", "NodePorts", "VolumeBinding", "VolumeZone", "VolumeRestrictions",
		"NodeVolumeLimits", "DynamicResources":
		h[o.class] = true
	}
}

// onClaim adds a pod to a node that is open, as the type that it is or as one that holds more.
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
		if !claim.possible.has(i) || !one.static.has(i) || refused[to.class] || !fitsIn(to.free, claim.sum, one.amounts) ||
			!s.sameDomains(claim, to) || !s.within(claim.at, to) {
			continue
		}
		if err := s.alive(); err != nil {
			return false, err
		}
		moved, err := s.move(claim, to, one, true, refused)
		if err != nil || !moved {
			if err != nil {
				return false, err
			}
			continue
		}
		return true, s.bind(claim, one)
	}
	if !one.needs {
		claim.refused[one.kind] = true // it only fills up
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

// sameDomains reports whether a claim may become an option without a difference to pods on other
// nodes: with the values of all topology keys and the DaemonSet pods that it has.
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

// move makes a claim another option if all its pods, and one more unless it is nil, fit there in
// their order. If not, or unless it is to keep the change, nothing changes.
func (s *solver) move(claim *claim, to *option, more *item, keep bool, refused hopeless) (moved bool, err error) {
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
		one.why = append(one.why, PoolReason{p.Name, "the pool has no instance type that is available and meets its requirements"})
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
		opened := &claim{NodeClaim: &NodeClaim{Name: name, Pool: p.Name}, at: o, objects: objects, node: node,
			possible: slices.Clone(one.static), sum: make([]int64, len(s.resources)),
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

// finish fills in the existing nodes, and what each new node may be.
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

// remaining lists what a claim may be: what it is, and all dearer options that hold its pods. One
// option of each class is asked.
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
			if !fitsIn(free, none, claim.sum) || domains && !s.sameDomains(claim, to) || limited && !s.within(claim.at, to) {
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
	for l, amount := range most { // whichever is chosen, the limits hold
		s.left[claim.at.pool][l] -= amount - claim.at.capacity[l]
	}
	return err
}
