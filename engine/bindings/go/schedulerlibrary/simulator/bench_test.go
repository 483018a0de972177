package simulator

import (
	"fmt"
	"testing"

	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/snapshot"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

func large(b *testing.B) (*snapshot.ClusterSnapshot, *framework.Placement) {
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	var names []string
	for i := range 1000 {
		name := fmt.Sprintf("n%d", i)
		nodes, names = append(nodes, node(name, "8")), append(names, name)
		for j := range 5 {
			pods = append(pods, pod(fmt.Sprintf("old-%d-%d", i, j), "1", name))
		}
	}
	client, _ := NewReadonlyClient(ObjectList{})
	sim, _ := NewSchedulingSimulator(ctx, nil, client)
	s, err := sim.NewClusterSnapshot(ctx, pods, nodes)
	if err != nil {
		b.Fatal(err)
	}
	all, _ := s.MakePlacement(names)
	b.ResetTimer()
	return s, all
}

// Dry runs at 1,000 nodes with 5,000 pods.
func benchmarkSchedule(b *testing.B, count int, cpu string) {
	s, all := large(b)
	for range b.N {
		var list []*corev1.Pod
		for i := range count {
			one := pod("x", cpu, "")
			one.Name, one.UID = fmt.Sprint("x", i), types.UID(fmt.Sprint("x", i))
			list = append(list, one)
		}
		if _, err := s.SchedulePods(ctx, list, all, dry); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScheduleOne(b *testing.B)     { benchmarkSchedule(b, 1, "1") }
func BenchmarkScheduleHundred(b *testing.B) { benchmarkSchedule(b, 100, "1") }
func BenchmarkScheduleNone(b *testing.B)    { benchmarkSchedule(b, 10, "5") }

func BenchmarkTemplate(b *testing.B) {
	s, all := large(b)
	template := &corev1.PodTemplateSpec{Spec: pod("", "1", "").Spec}
	for range b.N {
		if _, err := s.SchedulePodsByTemplate(ctx, template, all, 1000, snapshot.NewSchedulePodsByTemplateOptions(true)); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkCan(b *testing.B, cpu string) {
	s, all := large(b)
	for range b.N {
		if _, _, err := s.CanSchedulePod(ctx, pod("x", cpu, ""), all); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCan(b *testing.B)     { benchmarkCan(b, "1") }
func BenchmarkCanNone(b *testing.B) { benchmarkCan(b, "5") }
