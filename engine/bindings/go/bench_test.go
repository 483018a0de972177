package berth

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// cpu is the processor time of the process. On a busy machine it says more than the clock.
func cpu() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// loops measures the loop of single decisions in C and in Go: alternately, on twin engines, in
// slices of `each` decisions. The result for each language is the time of its fastest slice.
func loops(t testing.TB, rounds, each int) (inC, inGo time.Duration) {
	var engines [2]*Engine
	var ids [2][]PodID
	for i := range engines {
		engines[i] = got(New(&Config{Threads: 1}))(t)
		defer engines[i].Close()
		for n := range 5000 {
			got(engines[i].AddNode(testNode(fmt.Sprintf("n%d", n), "64")))(t)
		}
		ids[i] = pods(t, engines[i], rounds*each)
	}
	inC, inGo = time.Hour, time.Hour
	for r := range rounds {
		start := cpu()
		engines[0].scheduleInC(ids[0][r*each : (r+1)*each])
		inC = min(inC, (cpu()-start)/time.Duration(each))
		start = cpu()
		for _, pod := range ids[1][r*each : (r+1)*each] {
			placement, err := engines[1].Schedule(pod)
			if err != nil || placement.Verdict != Placed {
				t.Fatal(placement, err)
			}
		}
		inGo = min(inGo, (cpu()-start)/time.Duration(each))
	}
	if got(engines[0].Digest())(t) != got(engines[1].Digest())(t) {
		t.Fatal("the loops placed differently")
	}
	return inC, inGo
}

// The goal for the loop of single decisions is 1.3 times the loop in C; the test allows more.
func TestFigureLoop(t *testing.T) {
	inC, inGo := loops(t, 40, 2000)
	ratio := float64(inGo) / float64(inC)
	t.Logf("FIGURE a decision: C %v, Go %v: %.2f times (goal: 1.3)", inC, inGo, ratio)
	if ratio > 3 && !raceEnabled {
		t.Errorf("the loop in Go takes %.2f times as long as in C", ratio)
	}
}

// templates makes `count` pods of `kinds` kinds, as controllers would.
func templates(count, kinds int) []*corev1.Pod {
	out := make([]*corev1.Pod, count)
	for i := range out {
		pod := testPod(fmt.Sprintf("web-%d-%d", i%kinds, i), fmt.Sprintf("%dm", 100+10*(i%kinds)))
		pod.Labels["app"] = fmt.Sprintf("web-%d", i%kinds)
		pod.Labels["pod-template-hash"] = "5d4f8c7b9"
		pod.Spec.Tolerations = []corev1.Toleration{
			{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"},
			{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}}
		pod.Spec.SchedulerName = "default-scheduler"
		pod.UID = "01234567-89ab-cdef-0123-456789abcdef"
		out[i] = pod
	}
	return out
}

// The goal for adding 150,000 corev1 pods is 1 s; the test allows more.
func TestFigureAdd(t *testing.T) {
	count := 150_000
	if raceEnabled {
		count = 10_000
	}
	list := templates(count, 100)
	e := made(t, 1)
	start := cpu()
	got(e.AddPods(list, nil))(t)
	took := (cpu() - start)
	t.Logf("FIGURE %d pods from corev1 objects: %v, %v a pod (goal: 150000 in 1 s)", count, took,
		took/time.Duration(count))
	if took > 10*time.Second {
		t.Errorf("%d pods took %v", count, took)
	}
}

func BenchmarkSchedule(b *testing.B) {
	e := made(b, 5000)
	ids := pods(b, e, 30000)
	b.ReportAllocs()
	for b.Loop() {
		got(e.Schedule(ids[0]))(b)
		must(b, e.Unbind(ids[0]))
	}
}

func BenchmarkScheduleBatch(b *testing.B) {
	e := made(b, 5000)
	ids := pods(b, e, 256)
	out := make([]Placement, len(ids))
	b.ReportAllocs()
	for b.Loop() {
		got(e.ScheduleBatch(ids, out))(b)
		got(e.UnbindBatch(ids))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/pod")
}

func BenchmarkPackPod(b *testing.B) {
	list := templates(100, 100)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		packOnly(list[i%100])
		i++
	}
}

func BenchmarkAddRemovePod(b *testing.B) {
	e := made(b, 1)
	list := templates(100, 100)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		pod := list[i%100]
		got(e.AddPod(pod))(b)
		must(b, e.RemovePod(pod.Namespace, pod.Name))
		i++
	}
}

// The cost of a call by itself: the lock and the crossing.
func BenchmarkCall(b *testing.B) {
	e := made(b, 1)
	for b.Loop() {
		e.PodPriority(1)
	}
}

func BenchmarkCrossing(b *testing.B) {
	e := made(b, 1)
	for b.Loop() {
		e.cross()
	}
}
