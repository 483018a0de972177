package provisioning

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Catalog holds pools, instance types and DaemonSet pods, prepared for many questions. Any number
// of goroutines may use it at once, each with an engine of its own.
type Catalog struct {
	mu sync.Mutex // of the probe and what it answered
	// probe has an empty node for each option, with its DaemonSet pods. One question to it shows which
	// options can take a pod if other pods, volumes and devices are ignored.
	probe     *berth.Engine
	pools     []*pool
	options   []*option // by pool, then price
	byNode    map[berth.NodeID]int
	known     map[uint64]*admission // by the probe's kind of pod
	kept      []berth.PodName       // the probe's pods of these kinds
	serial    int                   // of the names of these pods
	resources []string              // that some type has
	free      []int64               // for pods, by option and resource
	classes   []int                 // by option
	numbers   map[string]int        // of classes and crews
}

type pool struct {
	*NodePool
	options []*option
	limited []string // the names of its limits
	left    []int64  // of each
}

// option is one choice for a new node: an offering of an instance type in a pool.
type option struct {
	Option
	index    int // in the catalog
	pool     *pool
	labels   map[string]string // without the host name
	daemons  []*corev1.Pod
	free     []int64 // for pods, by Catalog.resources: a part of Catalog.free
	capacity []int64 // by pool.limited
	// class is equal for options of a pool that rules about pods, volumes and devices cannot tell
	// apart.
	class int
	crew  int // equal for the same DaemonSet pods
}

// admission says which options take pods of a kind if other pods, volumes and devices are ignored.
type admission struct {
	options set
	why     string // if there are none
}

// amount returns a quantity as the engine counts it.
func amount(name string, q resource.Quantity) int64 {
	if name == string(corev1.ResourceCPU) {
		return q.MilliValue()
	}
	return q.Value()
}

// NewCatalog prepares pools. `daemons` are the pods of DaemonSets, one of each: a new node runs those
// whose node selector, affinity and tolerations admit it. The config should be that of the engines
// that will be asked: its version, feature gates and profiles count.
func NewCatalog(config *berth.Config, pools []*NodePool, daemons []*corev1.Pod) (*Catalog, error) {
	probe, err := berth.New(config)
	if err != nil {
		return nil, err
	}
	c := &Catalog{probe: probe, byNode: map[berth.NodeID]int{}, known: map[uint64]*admission{},
		numbers: map[string]int{}}
	if err := c.fill(pools, daemons); err != nil {
		probe.Close()
		return nil, err
	}
	return c, nil
}

// Close frees the catalog.
func (c *Catalog) Close() error { return c.probe.Close() }

func (c *Catalog) fill(pools []*NodePool, daemons []*corev1.Pod) error {
	names := map[string]bool{}
	for _, from := range pools {
		if from.Name == "" || names[from.Name] {
			return fmt.Errorf("provisioning: the name %q of a pool is empty or used twice", from.Name)
		}
		names[from.Name] = true
		p := &pool{NodePool: from}
		for name := range from.Limits {
			p.limited = append(p.limited, string(name))
		}
		slices.Sort(p.limited)
		for _, name := range p.limited {
			left := amount(name, from.Limits[corev1.ResourceName(name)])
			p.left = append(p.left, left-amount(name, from.Used[corev1.ResourceName(name)]))
		}
		for _, kind := range from.InstanceTypes {
			for _, offering := range kind.Offerings {
				if o := p.option(kind, offering); o != nil {
					p.options = append(p.options, o)
				}
			}
		}
		slices.SortStableFunc(p.options, func(a, b *option) int {
			return cmp.Or(cmp.Compare(a.Offering.Price, b.Offering.Price),
				cmp.Compare(a.InstanceType.Name, b.InstanceType.Name),
				cmp.Compare(a.Offering.Zone, b.Offering.Zone), cmp.Compare(a.Offering.CapacityType, b.Offering.CapacityType))
		})
		c.pools = append(c.pools, p)
	}
	slices.SortStableFunc(c.pools, func(a, b *pool) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range c.pools {
		for _, o := range p.options {
			o.index = len(c.options)
			o.Option.of = o
			c.options = append(c.options, o)
		}
	}
	return c.fillProbe(daemons)
}

func (c *Catalog) fillProbe(daemons []*corev1.Pod) error {
	known := map[string]bool{"pods": true}
	nodes, ids := make([]*corev1.Node, len(c.options)), make([]berth.NodeID, len(c.options))
	for i, o := range c.options {
		nodes[i] = o.node(probeName(i))
		for name := range o.allocatable() {
			known[string(name)] = true
		}
	}
	c.resources = slices.Sorted(maps.Keys(known))
	if _, err := c.probe.AddNodes(nodes, ids); err != nil {
		return err
	}
	for i, id := range ids {
		c.byNode[id] = i
	}
	for _, daemon := range daemons {
		admitted, err := c.admits(bare(daemon))
		if err != nil {
			return err
		}
		admitted.options.each(0, len(c.options), func(i int) bool {
			c.options[i].daemons = append(c.options[i].daemons, daemon)
			return true
		})
	}
	clear(c.known) // the DaemonSet pods take up room from now on
	c.free = make([]int64, len(c.options)*len(c.resources))
	for i, o := range c.options {
		o.crew = c.crewOf(o)
		o.class = c.classOf(o)
		for _, daemon := range o.daemons {
			pod := ownOnly(daemon)
			pod.Name, pod.UID, pod.Spec.NodeName = daemon.Name+"-"+probeName(i), "", probeName(i)
			if _, err := c.probe.AddPod(pod); err != nil {
				return err
			}
		}
		c.classes = append(c.classes, o.class)
		o.free = c.free[i*len(c.resources) : (i+1)*len(c.resources)]
	}
	allocatable, requested := make([]int64, len(ids)), make([]int64, len(ids))
	for r, name := range c.resources {
		if err := c.probe.NodeResources(name, ids, allocatable, requested); err != nil {
			return err
		}
		for i, o := range c.options {
			o.free[r] = allocatable[i] - requested[i]
		}
	}
	return nil
}

func probeName(index int) string { return "option-" + strconv.Itoa(index) }

// bare copies a pod without its requests, its ports and everything that depends on more than the
// node.
func bare(pod *corev1.Pod) *corev1.Pod {
	out := ownOnly(pod)
	out.Spec.InitContainers, out.Spec.Overhead, out.Spec.Resources = nil, nil, nil
	out.Spec.Containers = []corev1.Container{{Name: "none"}}
	return out
}

// ownOnly copies a pod as a pending one, without the parts that depend on other pods, volumes and
// devices.
func ownOnly(pod *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace}, Spec: *pod.Spec.DeepCopy()}
	waiting(out)
	if out.Spec.Affinity != nil {
		out.Spec.Affinity.PodAffinity, out.Spec.Affinity.PodAntiAffinity = nil, nil
	}
	out.Spec.TopologySpreadConstraints, out.Spec.Volumes, out.Spec.ResourceClaims = nil, nil, nil
	for _, containers := range [][]corev1.Container{out.Spec.Containers, out.Spec.InitContainers} {
		for i := range containers {
			containers[i].Resources.Claims, containers[i].VolumeMounts, containers[i].VolumeDevices = nil, nil, nil
		}
	}
	return out
}

// waiting makes a pod pending, without gates and without a nomination.
func waiting(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Spec.SchedulingGates, pod.Status.NominatedNodeName = "", nil, ""
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		pod.Status.Phase = ""
	}
}

// knownMax is the largest number of kinds of pods to remember.
var knownMax = 10000

// admits asks the probe which options take a pod, made by ownOnly. The probe keeps one pod of each
// kind, so that the kind is found again.
func (c *Catalog) admits(pod *corev1.Pod) (out *admission, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= knownMax {
		for _, kept := range c.kept {
			if err := c.probe.RemovePod(kept.Namespace, kept.Name); err != nil {
				return nil, err
			}
		}
		clear(c.known)
		c.kept = nil
	}
	c.serial++
	pod.Name = "kind-" + strconv.Itoa(c.serial)
	err = c.probe.Try(func() (bool, error) {
		id, err := c.probe.AddPod(pod)
		if err != nil {
			return false, err
		}
		kind, err := c.probe.PodKind(id)
		if err != nil {
			return false, err
		}
		if out = c.known[kind]; out != nil {
			return false, nil
		}
		nodes, err := c.probe.FeasibleNodes(id, nil)
		if err != nil {
			return false, err
		}
		out = &admission{options: make(set, (len(c.options)+63)/64)}
		for _, node := range nodes {
			out.options.add(c.byNode[node])
		}
		if len(nodes) == 0 {
			out.why = "no instance type is available"
			if len(c.options) > 0 {
				why, err := c.probe.Why(id, &berth.DecideOptions{SearchOnly: true})
				if err != nil {
					return false, err
				}
				out.why = "no instance type takes the pod: " + why
			}
		}
		name, err := c.probe.PodName(id)
		if err != nil {
			return false, err
		}
		c.known[kind], c.kept = out, append(c.kept, name)
		return true, nil
	})
	return out, err
}

// ---- options ----

// classOf numbers the classes. Pods may keep away from DaemonSet pods.
func (c *Catalog) classOf(o *option) int {
	special := ""
	if len(o.InstanceType.Devices) > 0 || len(o.InstanceType.VolumeLimits) > 0 {
		special = o.InstanceType.Name
	}
	text := fmt.Sprintf("%q", []string{o.pool.Name, o.Offering.Zone, o.Offering.CapacityType,
		o.labels[corev1.LabelArchStable], o.labels[corev1.LabelOSStable], o.labels[corev1.LabelTopologyRegion], special})
	return c.number(text + strconv.Itoa(o.crew))
}

// crewOf numbers the sets of DaemonSet pods.
func (c *Catalog) crewOf(o *option) int {
	text := "crew"
	for _, daemon := range o.daemons {
		text += fmt.Sprintf(" %q/%q", daemon.Namespace, daemon.Name)
	}
	return c.number(text)
}

// number returns the same number for the same text.
func (c *Catalog) number(text string) int {
	number, known := c.numbers[text]
	if !known {
		number = len(c.numbers)
		c.numbers[text] = number
	}
	return number
}

// option returns the option for an offering in the pool, or nil if the requirements exclude it.
func (p *pool) option(kind *InstanceType, offering Offering) *option {
	if !offering.Available {
		return nil
	}
	o := &option{Option: Option{InstanceType: kind, Offering: offering}, pool: p, labels: map[string]string{}}
	maps.Copy(o.labels, kind.Labels)
	maps.Copy(o.labels, p.Labels)
	o.labels[corev1.LabelInstanceTypeStable] = kind.Name
	o.labels[NodePoolLabel] = p.Name
	if offering.Zone != "" {
		o.labels[corev1.LabelTopologyZone] = offering.Zone
	}
	if offering.CapacityType != "" {
		o.labels[CapacityTypeLabel] = offering.CapacityType
	}
	for i := range p.Requirements {
		requirement := &p.Requirements[i]
		_, defined := o.labels[requirement.Key]
		if !defined && requirement.Operator == corev1.NodeSelectorOpIn && len(requirement.Values) > 0 {
			o.labels[requirement.Key] = requirement.Values[0]
		}
		if !meets(o.labels, requirement) {
			return nil
		}
	}
	for _, name := range p.limited {
		q := kind.Capacity[corev1.ResourceName(name)]
		if name == "nodes" {
			q = *resource.NewQuantity(1, resource.DecimalSI)
		}
		o.capacity = append(o.capacity, amount(name, q))
	}
	return o
}

// meets reports whether labels meet a requirement.
func meets(labels map[string]string, requirement *corev1.NodeSelectorRequirement) bool {
	value, has := labels[requirement.Key]
	switch requirement.Operator {
	case corev1.NodeSelectorOpIn:
		return has && slices.Contains(requirement.Values, value)
	case corev1.NodeSelectorOpNotIn:
		return !has || !slices.Contains(requirement.Values, value)
	case corev1.NodeSelectorOpExists:
		return has
	case corev1.NodeSelectorOpDoesNotExist:
		return !has
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if !has || len(requirement.Values) != 1 {
			return false
		}
		a, err := strconv.ParseInt(value, 10, 64)
		b, other := strconv.ParseInt(requirement.Values[0], 10, 64)
		if err != nil || other != nil {
			return false
		}
		if requirement.Operator == corev1.NodeSelectorOpGt {
			return a > b
		}
		return a < b
	}
	return false
}

func (o *option) allocatable() corev1.ResourceList {
	if o.InstanceType.Allocatable != nil {
		return o.InstanceType.Allocatable
	}
	return o.InstanceType.Capacity
}

func (o *option) node(name string) *corev1.Node {
	labels := maps.Clone(o.labels)
	labels[corev1.LabelHostname] = name
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:   corev1.NodeSpec{Taints: o.pool.Taints},
		Status: corev1.NodeStatus{Capacity: o.InstanceType.Capacity, Allocatable: o.allocatable()}}
}

func (o *option) objects(name string) Objects {
	out := Objects{Node: o.node(name)}
	for _, daemon := range o.daemons {
		pod := *daemon
		waiting(&pod)
		pod.Name, pod.UID, pod.Spec.NodeName = daemon.Name+"-"+name, "", name
		out.Daemons = append(out.Daemons, &pod)
	}
	for i := range o.InstanceType.Devices {
		slice := o.InstanceType.Devices[i].DeepCopy()
		slice.Name = fmt.Sprintf("%s-%d", name, i)
		if slice.Spec.Pool.Name == "" {
			slice.Spec.Pool.Name = name
		} else {
			slice.Spec.Pool.Name = name + "/" + slice.Spec.Pool.Name
		}
		slice.Spec.NodeName, slice.Spec.NodeSelector, slice.Spec.AllNodes = &name, nil, nil
		out.Slices = append(out.Slices, slice)
	}
	if limits := o.InstanceType.VolumeLimits; len(limits) > 0 {
		out.CSINode = &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, driver := range slices.Sorted(maps.Keys(limits)) {
			count := limits[driver]
			out.CSINode.Spec.Drivers = append(out.CSINode.Spec.Drivers, storagev1.CSINodeDriver{Name: driver, NodeID: name,
				Allocatable: &storagev1.VolumeNodeResources{Count: &count}})
		}
	}
	return out
}

// add adds the node with all objects that belong to it.
func (o Objects) add(e *berth.Engine) (berth.NodeID, error) {
	for _, slice := range o.Slices {
		if _, err := e.Add(slice); err != nil {
			return berth.NoNode, err
		}
	}
	if o.CSINode != nil {
		if _, err := e.Add(o.CSINode); err != nil {
			return berth.NoNode, err
		}
	}
	node, err := e.AddNode(o.Node)
	if err != nil {
		return berth.NoNode, err
	}
	_, err = e.AddPods(o.Daemons, nil)
	return node, err
}

// remove takes away what add added.
func (o Objects) remove(e *berth.Engine) error {
	for _, daemon := range o.Daemons {
		id, err := e.FindPod(daemon.Namespace, daemon.Name)
		if err == nil {
			err = e.Unbind(id)
		}
		if err == nil {
			err = e.RemovePod(daemon.Namespace, daemon.Name)
		}
		if err != nil {
			return err
		}
	}
	if err := e.RemoveNode(o.Node.Name); err != nil {
		return err
	}
	if o.CSINode != nil {
		if err := e.Remove(o.CSINode); err != nil {
			return err
		}
	}
	for _, slice := range o.Slices {
		if err := e.Remove(slice); err != nil {
			return err
		}
	}
	return nil
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
