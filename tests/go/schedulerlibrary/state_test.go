package compare

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"berth/go/schedulerlibrary/state"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	realstate "sigs.k8s.io/scheduler-library/pkg/state"
)

// states holds a state on both sides.
type states struct {
	pair  *pair // answers and random numbers, with the latest snapshots
	real  *realstate.ClusterState
	ours  *state.ClusterState
	nodes map[string]*corev1.Node
	pods  map[string]*corev1.Pod
}

// step changes both states, or compares snapshots of them.
func (s *states) step() error {
	r, log := s.pair.random, klog.Background()
	name := fmt.Sprintf("n%d", r.Intn(5))
	var known *corev1.Pod
	if names := slices.Sorted(maps.Keys(s.pods)); len(names) > 0 {
		known = s.pods[pick(r, names...)]
	}
	both := func(what string, err1, err2 error) error {
		return s.pair.same(what, fmt.Sprint(err1), fmt.Sprint(err2))
	}
	switch r.Intn(8) {
	case 0, 1:
		node := r.node(name)
		s.nodes[name] = node
		s.real.Cache.AddNode(log, node)
		s.ours.Cache.AddNode(log, node)
	case 2:
		node := &corev1.Node{}
		node.Name = name
		delete(s.nodes, name)
		return both("RemoveNode "+name, s.real.Cache.RemoveNode(log, node), s.ours.Cache.RemoveNode(log, node))
	case 3, 4:
		pod := r.pod()
		pod.Spec.NodeName, pod.Spec.Volumes, pod.Spec.Containers[0].Ports = name, nil, nil
		if known != nil && r.chance(10) {
			pod = known
		}
		err1, err2 := s.real.Cache.AddPod(log, pod.DeepCopy()), s.ours.Cache.AddPod(log, pod)
		if err2 == nil {
			s.pods[pod.Name] = pod
		}
		return both("AddPod "+pod.Name, err1, err2)
	case 5:
		pod := known
		if pod == nil || r.chance(10) {
			pod = r.pod()
		}
		delete(s.pods, pod.Name)
		return both("RemovePod "+pod.Name, s.real.Cache.RemovePod(log, pod.DeepCopy()), s.ours.Cache.RemovePod(log, pod))
	case 6:
		if known == nil {
			return nil
		}
		pod := known.DeepCopy()
		pod.Labels = map[string]string{"app": pick(r, apps...)}
		s.pods[pod.Name] = pod
		return both("UpdatePod "+pod.Name, s.real.Cache.UpdatePod(log, known.DeepCopy(), pod.DeepCopy()), s.ours.Cache.UpdatePod(log, known, pod))
	default:
		return s.look()
	}
	return nil
}

func (s *states) look() error {
	count1, _ := s.real.Cache.PodCount()
	count2, _ := s.ours.Cache.PodCount()
	p := s.pair
	if err := p.same("PodCount", fmt.Sprint(count1), fmt.Sprint(count2)); err != nil {
		return err
	}
	var err1, err2 error
	p.real, err1 = s.real.Snapshot(klog.Background())
	p.ours, err2 = s.ours.Snapshot(klog.Background())
	if err1 != nil || err2 != nil {
		return p.same("Snapshot", fmt.Sprint(err1), fmt.Sprint(err2))
	}
	defer p.ours.Close()
	if p.names = slices.Sorted(maps.Keys(s.nodes)); len(p.names) == 0 {
		return nil
	}
	real, ours := p.state()
	if err := p.same("state", real, ours); err != nil {
		return err
	}
	return p.can()
}

// TestState changes both caches in the same random ways and compares their snapshots.
func TestState(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	first, count := number("SEED", time.Now().Unix()%1000000*1000), number("COUNT", 60)
	fmt.Printf("seeds %d to %d; to repeat one: SEED=%d COUNT=1 go test -run TestState\n", first, first+count-1, first)
	answers := 0
	for seed := first; seed < first+count; seed++ {
		ctx, cancel := context.WithCancel(context.Background())
		s := &states{pair: &pair{random: &source{Rand: rand.New(rand.NewSource(seed))}}, nodes: map[string]*corev1.Node{}, pods: map[string]*corev1.Pod{}}
		objects := s.pair.random.objects()
		sim1, err1 := realSimulator(ctx, objects...)
		sim2, err2 := ourSimulator(ctx, objects...)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if s.real, err1 = sim1.NewClusterState(ctx); err1 != nil {
			t.Fatal(err1)
		}
		if s.ours, err2 = sim2.NewClusterState(ctx); err2 != nil {
			t.Fatal(err2)
		}
		for range 60 {
			if err := s.step(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
				break
			}
		}
		answers += len(s.pair.log)
		cancel()
	}
	fmt.Printf("%d answers compared\n", answers)
}
