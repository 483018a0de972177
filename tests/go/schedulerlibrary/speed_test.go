package compare

import (
	"context"
	"fmt"
	"testing"
	"time"

	"berth/go/schedulerlibrary/snapshot"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	realsnapshot "sigs.k8s.io/scheduler-library/pkg/upstreamsync/snapshot"
)

func plain(name, cpu, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", UID: types.UID(name), Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "m", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("1Gi")}}}}}}
}

// clock returns the time of one call, after a first call that is not measured.
func clock(t *testing.T, do func() error) time.Duration {
	t.Helper()
	count := 0
	var start time.Time
	for time.Since(start) < 400*time.Millisecond || count == 0 {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if start.IsZero() {
			start = time.Now()
			continue
		}
		count++
	}
	return time.Since(start) / time.Duration(count)
}

// TestSpeed prints how many times faster Berth answers at 1,000 nodes with 5,000 pods.
func TestSpeed(t *testing.T) {
	const size = 1000
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	var names []string
	for i := range size {
		name := fmt.Sprintf("n%d", i)
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "zone": fmt.Sprint(i % 3)}}, Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("110")}}})
		names = append(names, name)
		for j := range 5 {
			pods = append(pods, plain(fmt.Sprintf("old-%d-%d", i, j), "1", name))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	start := time.Now()
	real, err := newReal(ctx, copies(pods), nodes)
	if err != nil {
		t.Fatal(err)
	}
	made1 := time.Since(start)
	start = time.Now()
	ours, err := newOurs(ctx, pods, nodes)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	made2 := time.Since(start)
	report := func(what string, real, ours time.Duration) {
		fmt.Printf("FIGURE %s: library %v, Berth %v, %.0f times faster\n", what, real, ours, float64(real)/float64(ours))
	}
	report("a snapshot of 1,000 nodes and 5,000 pods", made1, made2)
	all1, err := real.MakePlacement(names)
	if err != nil {
		t.Fatal(err)
	}
	all2, err := ours.MakePlacement(names)
	if err != nil {
		t.Fatal(err)
	}
	can := func(what string, make func() *corev1.Pod) {
		a := clock(t, func() error { _, _, err := real.CanSchedulePod(ctx, make(), all1); return err })
		b := clock(t, func() error { _, _, err := ours.CanSchedulePod(ctx, make(), all2); return err })
		report("CanSchedulePod, "+what, a, b)
	}
	can("fits on all nodes", func() *corev1.Pod { return plain("x", "1", "") })
	can("fits nowhere", func() *corev1.Pod { return plain("x", "5", "") })
	spread := func() *corev1.Pod {
		pod := plain("x", "1", "")
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone",
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
		return pod
	}
	can("spread over zones", spread)
	apart := func() *corev1.Pod {
		pod := plain("x", "1", "")
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone",
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}}}}}
		return pod
	}
	can("anti-affinity", apart)
	schedule := func(what string, count int, make func() *corev1.Pod) {
		list := func() (out []*corev1.Pod) {
			for i := range count {
				pod := make()
				pod.Name, pod.UID = fmt.Sprint("x", i), types.UID(fmt.Sprint("x", i))
				out = append(out, pod)
			}
			return out
		}
		var one []realsnapshot.SchedulingResult
		var two []snapshot.SchedulingResult
		a := clock(t, func() error {
			one, err = real.SchedulePods(ctx, list(), all1, realsnapshot.NewSchedulePodsOptions(true, false))
			return err
		})
		b := clock(t, func() error {
			two, err = ours.SchedulePods(ctx, list(), all2, snapshot.NewSchedulePodsOptions(true, false))
			return err
		})
		for i := range one {
			if one[i].Status.IsSuccess() != two[i].Status.IsSuccess() {
				t.Error("different answers", what, one[i].Status, two[i].Status)
			}
		}
		report(fmt.Sprintf("SchedulePods, dry, %d pods, %s", count, what), a, b)
	}
	schedule("fit on all nodes", 1, func() *corev1.Pod { return plain("x", "1", "") })
	schedule("fit on all nodes", 100, func() *corev1.Pod { return plain("x", "1", "") })
	schedule("spread over zones", 100, spread)
	schedule("anti-affinity", 100, apart)
	schedule("fit nowhere", 10, func() *corev1.Pod { return plain("x", "5", "") })
	template := &corev1.PodTemplateSpec{Spec: plain("x", "1", "").Spec}
	a := clock(t, func() error {
		_, err := real.SchedulePodsByTemplate(ctx, template, all1, 1000, realsnapshot.NewSchedulePodsByTemplateOptions(true))
		return err
	})
	b := clock(t, func() error {
		_, err := ours.SchedulePodsByTemplate(ctx, template, all2, 1000, snapshot.NewSchedulePodsByTemplateOptions(true))
		return err
	})
	report("SchedulePodsByTemplate, dry, 1,000 pods", a, b)
	a = clock(t, func() error {
		u, err := real.PreemptPods(ctx, pods[:100])
		if err == nil {
			_, err = real.Unpreempt(u)
		}
		return err
	})
	b = clock(t, func() error {
		u, err := ours.PreemptPods(ctx, pods[:100])
		if err == nil {
			_, err = ours.Unpreempt(u)
		}
		return err
	})
	report("PreemptPods and Unpreempt, 100 pods", a, b)
}
