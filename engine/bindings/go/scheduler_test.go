package berth

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var epoch = time.Unix(1000, 0)

func TestScheduler(t *testing.T) {
	e := made(t, 1)
	var bound []Binding
	answer := Done
	notified := 0
	var troubles []Trouble
	s := got(e.NewScheduler(&SchedulerOptions{Now: epoch, Callbacks: Callbacks{
		Bind:   func(b Binding) Answer { bound = append(bound, b); return answer },
		Notify: func() { notified++ },
		Report: func(what Trouble, err error) { troubles = append(troubles, what) },
	}}))(t)
	defer s.Close()
	must(t, s.PostAdd(testPod("a", "1")))
	must(t, s.PostAdd(testPod("b", "1")))
	must(t, s.PostUpdate(testPod("nobody", "1")))
	if notified != 1 {
		t.Fatal(notified)
	}
	step := got(s.Step(epoch))(t)
	if step.Kind != StepBound || len(bound) != 1 || bound[0].Pod != step.Pod || bound[0].ID != step.Binding {
		t.Fatalf("%+v %v", step, bound)
	}
	answer = Later
	if step = got(s.Step(epoch))(t); step.Kind != StepAssumed {
		t.Fatalf("%+v", step)
	}
	if status := got(s.Pod(step.Pod))(t); status.State.String() != "assumed" || status.Binding != step.Binding {
		t.Fatalf("%+v", status)
	}
	must(t, s.BindDone(step.Binding, Cannot))
	must(t, s.Advance(epoch))
	if status := got(s.Pod(step.Pod))(t); status.State != PodStateBackoff {
		t.Fatalf("%+v", status)
	}
	at, some, err := s.Next()
	if !some || err != nil || !at.After(epoch) {
		t.Fatal(at, some, err)
	}
	answer = Done
	if step = got(s.Step(at))(t); step.Kind != StepBound || step.Attempt != 2 {
		t.Fatalf("%+v", step)
	}
	got(s.Add(at, testPod("huge", "100")))(t)
	if step = got(s.Step(at))(t); step.Kind != StepUnschedulable {
		t.Fatalf("%+v", step)
	}
	if status := got(s.Pod(step.Pod))(t); len(status.Rejectors) != 1 || status.Rejectors[0] != "NodeResourcesFit" {
		t.Fatalf("%+v", status)
	}
	got(s.Add(at, testNode("big", "128")))(t)
	must(t, s.Advance(at.Add(time.Minute)))
	if steps := got(s.Steps(at.Add(time.Minute), make([]Step, 9)))(t); steps != 1 {
		t.Fatal(steps)
	}
	must(t, s.Remove(at.Add(time.Minute), testPod("a", "1")))
	if len(troubles) != 1 || troubles[0] != BadEvent || !errors.Is(s.LastTrouble(), NotFound) {
		t.Fatal(troubles, s.LastTrouble())
	}
	must(t, s.Check())
}

// After an eviction fails late, preemption can request its victim again.
func TestEvictDone(t *testing.T) {
	e := made(t, 1)
	low, high := testPod("low", "8"), testPod("high", "8")
	low.Spec.NodeName = "n0"
	priority := int32(10)
	high.Spec.Priority = &priority
	victim := got(e.AddPod(low))(t)
	pod := got(e.AddPod(high))(t)
	var asked []PodID
	s := got(e.NewScheduler(&SchedulerOptions{Now: epoch, Callbacks: Callbacks{
		Evict: func(eviction Eviction) Answer {
			asked = append(asked, eviction.Victim)
			return Later
		},
	}}))(t)
	defer s.Close()
	got(s.Step(epoch))(t)
	if len(asked) != 1 || asked[0] != victim {
		t.Fatal(asked)
	}
	later := epoch.Add(20 * time.Second)
	must(t, s.Advance(later))
	if status := got(s.Pod(pod))(t); status.State != PodStateGated { // until the eviction begins or fails
		t.Fatalf("%+v", status)
	}
	must(t, s.EvictDone(victim, Cannot))
	if !errors.Is(s.EvictDone(victim, Later), Argument) {
		t.Error("Later is no outcome")
	}
	must(t, s.Advance(later))
	if status := got(s.Pod(pod))(t); status.State != PodStateActive {
		t.Fatalf("%+v", status)
	}
}

// Of two pods that must evict others, the second one waits for the first one's eviction.
func TestPaceEvictions(t *testing.T) {
	for _, paced := range []bool{false, true} {
		e := made(t, 2)
		for i := range 4 {
			low := testPod(fmt.Sprintf("low-%d", i), "4")
			low.Spec.NodeName = fmt.Sprintf("n%d", i/2)
			got(e.AddPod(low))(t)
		}
		priority := int32(10)
		for i := range 2 {
			high := testPod(fmt.Sprintf("high-%d", i), "4")
			high.Spec.Priority = &priority
			got(e.AddPod(high))(t)
		}
		asked := 0
		s := got(e.NewScheduler(&SchedulerOptions{Now: epoch, PaceEvictions: paced, Callbacks: Callbacks{
			Evict: func(Eviction) Answer {
				asked++
				return Later
			},
		}}))(t)
		got(s.Step(epoch))(t)
		got(s.Step(epoch))(t)
		if want := map[bool]int{false: 2, true: 1}[paced]; asked != want {
			t.Errorf("paced %v: %d evictions", paced, asked)
		}
		s.Close()
	}
}

// A callback may read; everything else is refused without waiting, in the callback and on other
// goroutines.
func TestCallbackLooks(t *testing.T) {
	e := made(t, 2)
	var s *Scheduler
	calls := 0
	s = got(e.NewScheduler(&SchedulerOptions{Now: epoch, Callbacks: Callbacks{Bind: func(b Binding) Answer {
		calls++
		got(e.NodeName(b.Node))(t)
		got(s.Pod(b.Pod))(t)
		must(t, s.PostAdd(testPod(fmt.Sprintf("posted-%d", calls), "1")))
		var other sync.WaitGroup
		other.Add(1)
		refused := func() {
			if _, err := e.AddPod(testPod("no", "1")); !errors.Is(err, State) {
				t.Error(err)
			}
			for _, err := range []error{e.Close(), s.Close(), s.Advance(epoch), e.Publish(), e.Unbind(b.Pod)} {
				if !errors.Is(err, State) {
					t.Error(err)
				}
			}
			if _, err := s.Step(epoch); !errors.Is(err, State) {
				t.Error(err)
			}
		}
		refused()
		go func() { defer other.Done(); refused() }()
		other.Wait()
		return Done
	}}}))(t)
	got(s.Add(epoch, testPod("a", "1")))(t)
	got(s.Add(epoch, testPod("b", "1")))(t)
	if n := got(s.Steps(epoch, make([]Step, 3)))(t); n != 3 || calls != 3 {
		t.Fatal(n, calls)
	}
	must(t, s.Close())
	must(t, e.Check())
}

func TestCallbackPanics(t *testing.T) {
	e := made(t, 1)
	fail := true
	s := got(e.NewScheduler(&SchedulerOptions{Now: epoch, Callbacks: Callbacks{
		Bind: func(Binding) Answer {
			if fail {
				panic(errors.New("no way"))
			}
			return Done
		},
		Notify: func() { panic("notified") },
	}}))(t)
	defer s.Close()
	got(s.Add(epoch, testPod("a", "1")))(t)
	got(s.Add(epoch, testPod("b", "1")))(t)
	n, err := s.Steps(epoch, make([]Step, 5))
	var panicked *PanicError
	if n != 1 || !errors.As(err, &panicked) || !strings.Contains(string(panicked.Stack), "TestCallbackPanics") ||
		err.Error() != "berth: a callback panicked: no way" {
		t.Fatal(n, err)
	}
	must(t, s.Check())
	fail = false
	if n := got(s.Steps(epoch.Add(time.Minute), make([]Step, 5)))(t); n != 2 {
		t.Fatal(n)
	}
	if err := s.PostAdd(testPod("c", "1")); !errors.As(err, &panicked) {
		t.Fatal(err)
	}
	if step := got(s.Step(epoch.Add(time.Minute)))(t); step.Kind != StepBound {
		t.Fatalf("%+v", step)
	}
}

// If a callback ends its goroutine, every later call on the engine fails, and nothing else breaks.
func TestCallbackExits(t *testing.T) {
	e := made(t, 1)
	s := got(e.NewScheduler(&SchedulerOptions{Now: epoch, Callbacks: Callbacks{
		Bind: func(Binding) Answer { runtime.Goexit(); return Done }}}))(t)
	got(s.Add(epoch, testPod("a", "1")))(t)
	var ended sync.WaitGroup
	ended.Add(1)
	go func() {
		defer ended.Done()
		s.Step(epoch)
		t.Error("the goroutine goes on")
	}()
	ended.Wait()
	for _, err := range []error{s.Advance(epoch), e.Publish(), s.PostAdd(testPod("b", "1")), s.Close()} {
		if !errors.Is(err, State) {
			t.Error(err)
		}
	}
	if _, err := e.Snapshot(); !errors.Is(err, State) {
		t.Error(err)
	}
}

// The backoff comes from the configuration, unless the options set one.
func TestConfiguredBackoff(t *testing.T) {
	const slow = `{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
	  podInitialBackoffSeconds: 7, podMaxBackoffSeconds: 20}`
	start := time.Unix(1000, 0)
	for _, test := range []struct {
		configuration string
		options       SchedulerOptions
		due           time.Duration
	}{
		{"", SchedulerOptions{}, time.Second},
		{slow, SchedulerOptions{}, 7 * time.Second},
		{slow, SchedulerOptions{BackoffInitial: 3 * time.Second}, 3 * time.Second},
	} {
		e := got(New(&Config{SchedulerConfiguration: test.configuration, Kubernetes: 32}))(t)
		t.Cleanup(func() { e.Close() })
		test.options.Callbacks.Bind = func(Binding) Answer { return Cannot }
		scheduler := got(e.NewScheduler(&test.options))(t)
		got(scheduler.Add(start, testNode("n", "8")))(t)
		got(scheduler.Add(start, testPod("p", "1")))(t)
		got(scheduler.Step(start))(t)
		if at, some, err := scheduler.Next(); err != nil || !some || at.Sub(start) != test.due {
			t.Fatal(at.Sub(start), some, err)
		}
		must(t, scheduler.Close())
	}
}
