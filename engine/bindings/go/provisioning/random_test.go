package provisioning

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// question is a random cluster with pods and pools.
type question struct {
	*rand.Rand
	objects []any
	pods    []*corev1.Pod
	pools   []*NodePool
	daemons []*corev1.Pod
}

var zones = []string{"a", "b", "c"}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.Intn(len(from))] }

func newQuestion(seed int64) *question {
	q := &question{Rand: rand.New(rand.NewSource(seed))}
	shared := pick(q.Rand, 0, 1, 1, 1) // without constraints, with some
	nodes := q.Intn(12)
	for i := range nodes {
		one := node(fmt.Sprint("n", i), pick(q.Rand, "2", "4", "8"), pick(q.Rand, zones[:2]...))
		if q.Intn(5) == 0 {
			one.Spec.Taints = []corev1.Taint{{Key: "t", Effect: corev1.TaintEffectNoSchedule}}
		}
		q.objects = append(q.objects, one)
		for j := range q.Intn(3) {
			q.objects = append(q.objects, q.pod(fmt.Sprint("old", i, "-", j), "500m", shared, on(one.Name)))
		}
	}
	withDevices := q.Intn(3) == 0
	if withDevices {
		q.objects = append(q.objects, deviceClass())
	}
	for i := range 1 + q.Intn(25) {
		one := q.pod(fmt.Sprint("q", i), pick(q.Rand, "250m", "500m", "1", "2", "3", "7"), shared)
		if withDevices && q.Intn(3) == 0 {
			claims(one.Name)(one)
			q.objects = append(q.objects, claimOf(one.Name))
		}
		q.pods = append(q.pods, one)
	}
	for i := range q.Intn(4) {
		p := poolOf(fmt.Sprint("p", i))
		p.Weight = int32(q.Intn(3))
		for k := range 1 + q.Intn(8) {
			kind := kindOf(fmt.Sprint("k", k), pick(q.Rand, "1", "2", "4", "8", "16"), float64(1+q.Intn(20)), zones[:1+q.Intn(3)]...)
			kind.Labels[corev1.LabelArchStable] = pick(q.Rand, "amd64", "amd64", "arm64")
			if withDevices && q.Intn(2) == 0 {
				kind.Devices = []resourcev1.ResourceSlice{devices(1 + q.Intn(3))}
			}
			for o := range kind.Offerings {
				kind.Offerings[o].Available = q.Intn(5) > 0
			}
			p.InstanceTypes = append(p.InstanceTypes, kind)
		}
		if q.Intn(4) == 0 {
			p.Taints = []corev1.Taint{{Key: "t", Effect: corev1.TaintEffectNoSchedule}}
		}
		if q.Intn(3) == 0 {
			p.Limits = corev1.ResourceList{"cpu": resource.MustParse(pick(q.Rand, "6", "20"))}
		}
		if q.Intn(4) == 0 {
			p.Requirements = []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: "NotIn", Values: []string{"a"}}}
		}
		q.pools = append(q.pools, p)
	}
	for i := range q.Intn(3) {
		q.daemons = append(q.daemons, q.pod(fmt.Sprint("daemon", i), "100m", 0))
	}
	return q
}

func (q *question) pod(name, cpu string, shared int, change ...func(*corev1.Pod)) *corev1.Pod {
	out := pod(name, cpu, change...)
	out.Labels["app"] = pick(q.Rand, "x", "y")
	if q.Intn(3) == 0 {
		out.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	switch q.Intn(14) {
	case 4:
		selects(corev1.LabelInstanceTypeStable, pick(q.Rand, "k0", "k1"))(out)
	case 0:
		selects(corev1.LabelTopologyZone, pick(q.Rand, zones...))(out)
	case 1:
		selects(corev1.LabelArchStable, "arm64")(out)
	case 2:
		selects(CapacityTypeLabel, "spot")(out)
	case 3:
		out.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 80, Protocol: "TCP"}}
	}
	if shared == 0 {
		return out
	}
	same := &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(q.Rand, "x", "y", out.Labels["app"])}}
	key := pick(q.Rand, corev1.LabelHostname, corev1.LabelTopologyZone, CapacityTypeLabel)
	term := []corev1.PodAffinityTerm{{TopologyKey: key, LabelSelector: same}}
	switch q.Intn(8) {
	case 0:
		out.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: int32(1 + q.Intn(2)), TopologyKey: key,
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: same}}
		if q.Intn(4) == 0 {
			two := int32(2)
			out.Spec.TopologySpreadConstraints[0].MinDomains = &two
		}
	case 1:
		out.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term}}
	case 2:
		out.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term}}
	}
	return out
}

// replay binds the pods of a solution one by one in an engine of its own, in which a new node is
// added at its first pod, as the option that `choose` returns. Every pod must pass all filters at
// its turn. With `strict`, no existing node may take a pod that went to a new one.
func (q *question) replay(r *Results, strict bool, choose func(*NodeClaim) int) error {
	e, err := berth.New(nil)
	if err != nil {
		return err
	}
	defer e.Close()
	for _, object := range q.objects {
		if _, err := e.Add(object); err != nil {
			return err
		}
	}
	claims, existing := map[string]*NodeClaim{}, map[berth.NodeID]bool{}
	for _, claim := range r.New {
		claims[claim.Name] = claim
	}
	all, err := e.Nodes(nil)
	if err != nil {
		return err
	}
	for _, node := range all {
		existing[node] = true
	}
	for i, placement := range r.Order {
		id, err := e.AddPod(placement.Pod)
		if err != nil {
			return err
		}
		node, err := e.FindNode(placement.Node)
		if err != nil {
			return err
		}
		if claim := claims[placement.Node]; claim != nil {
			taking, err := e.FeasibleNodes(id, nil)
			if err != nil {
				return err
			}
			if strict && slices.ContainsFunc(taking, func(n berth.NodeID) bool { return existing[n] }) {
				return fmt.Errorf("pod %s fits an existing node, but is on %s", placement.Pod.Name, placement.Node)
			}
			if node == berth.NoNode {
				if node, err = claim.Objects(choose(claim)).add(e); err != nil {
					return err
				}
			}
		}
		fit, err := e.Fit(id, node)
		if err != nil {
			return err
		}
		if fit.Verdict != berth.Placed {
			return fmt.Errorf("placement %d: pod %s does not fit %s: %s %v", i, placement.Pod.Name, placement.Node, fit.Plugin, fit.Reasons)
		}
		if err := e.Bind(id, node); err != nil {
			return err
		}
	}
	if err := overfull(e); err != nil {
		return err
	}
	for _, left := range r.Unplaced {
		if id, err := e.AddPod(left.Pod); err != nil {
			return err
		} else if taking, err := e.FeasibleNodes(id, nil); err != nil {
			return err
		} else if strict && slices.ContainsFunc(taking, func(n berth.NodeID) bool { return existing[n] }) {
			return fmt.Errorf("pod %s fits, but is left", left.Pod.Name)
		} else if err := e.RemovePod(left.Pod.Namespace, left.Pod.Name); err != nil {
			return err
		}
	}
	return nil
}

// overfull returns an error if pods request more than a node has.
func overfull(e *berth.Engine) error {
	var amounts berth.NodeAmounts
	for _, name := range []string{"cpu", "pods"} {
		if err := e.Amounts(name, &amounts); err != nil {
			return err
		}
		for i := range amounts.Nodes {
			if amounts.Requested[i] > amounts.Allocatable[i] {
				return fmt.Errorf("node %d has too much %s", amounts.Nodes[i], name)
			}
		}
	}
	return nil
}

// check checks everything that must hold for a solution.
func (q *question) check(r *Results) error {
	if err := q.replay(r, true, func(*NodeClaim) int { return 0 }); err != nil {
		return err
	}
	chosen := map[*NodeClaim]int{}
	for _, claim := range r.New {
		chosen[claim] = q.Intn(len(claim.Options))
	}
	if err := q.replay(r, false, func(claim *NodeClaim) int { return chosen[claim] }); err != nil {
		return fmt.Errorf("with other options: %w", err)
	}
	count := 0
	for _, p := range q.pools {
		limit, limited := p.Limits["cpu"]
		for claim, index := range chosen {
			if claim.Pool == p.Name {
				limit.Sub(claim.Options[index].InstanceType.Capacity["cpu"])
			}
		}
		if limited && limit.Sign() < 0 {
			return fmt.Errorf("pool %s exceeds its limits", p.Name)
		}
	}
	for _, claim := range r.New {
		count += len(claim.Pods)
		if len(claim.Pods) == 0 || !slices.IsSortedFunc(claim.Options, func(a, b *Option) int {
			if a.Offering.Price < b.Offering.Price {
				return -1
			} else if a.Offering.Price > b.Offering.Price {
				return 1
			}
			return 0
		}) {
			return fmt.Errorf("node %s has no pods, or its options are not sorted", claim.Name)
		}
	}
	for _, existing := range r.Existing {
		count += len(existing.Pods)
	}
	if count != len(r.Order) || count+len(r.Unplaced) != len(q.pods) {
		return fmt.Errorf("%d pods are somewhere, %d in order, %d left, of %d", count, len(r.Order), len(r.Unplaced), len(q.pods))
	}
	return nil
}

// Random questions. BERTH_PROVISIONING_SEED repeats one of them.
func TestRandom(t *testing.T) {
	first, rounds := time.Now().UnixNano(), 150
	if text := os.Getenv("BERTH_PROVISIONING_SEED"); text != "" {
		seed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, rounds = seed, 1
	}
	t.Logf("first seed %d", first)
	placed, opened, left := 0, 0, 0
	for seed := first; seed < first+int64(rounds); seed++ {
		q := newQuestion(seed)
		a := asked{t: t, e: engineOf(t, q.objects...), pools: q.pools, daemons: q.daemons}
		before := dump(t, a.e)
		r, err := Solve(ctx, a.e, nil, q.pods, q.pools, q.daemons, nil)
		if err == nil {
			err = q.check(r)
		}
		if err == nil {
			err = a.e.Check()
		}
		if err == nil && dump(t, a.e) != before {
			err = fmt.Errorf("the engine has changed")
		}
		if err != nil {
			t.Fatalf("BERTH_PROVISIONING_SEED=%d: %v\n%s", seed, err, show(r))
		}
		placed, opened, left = placed+len(r.Order), opened+len(r.New), left+len(r.Unplaced)
	}
	t.Logf("%d pods placed, %d nodes opened, %d pods left", placed, opened, left)
}
