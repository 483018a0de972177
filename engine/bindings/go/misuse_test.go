package berth

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// callAll calls every method of a handle with zero arguments, and expects an error of code State
// from each method that can fail.
func callAll(t *testing.T, handle any) {
	t.Helper()
	value := reflect.ValueOf(handle)
	called := 0
	for i := range value.NumMethod() {
		name, method := value.Type().Method(i).Name, value.Method(i)
		var arguments []reflect.Value
		for p := range method.Type().NumIn() {
			in := method.Type().In(p)
			switch in {
			case reflect.TypeFor[any]():
				arguments = append(arguments, reflect.ValueOf(testPod("x", "1")))
			case reflect.TypeFor[*corev1.Pod]():
				arguments = append(arguments, reflect.ValueOf(testPod("x", "1")))
			case reflect.TypeFor[*corev1.Node]():
				arguments = append(arguments, reflect.ValueOf(testNode("x", "1")))
			case reflect.TypeFor[[]*corev1.Pod]():
				arguments = append(arguments, reflect.ValueOf([]*corev1.Pod{testPod("x", "1")}))
			case reflect.TypeFor[[]*corev1.Node]():
				arguments = append(arguments, reflect.ValueOf([]*corev1.Node{testNode("x", "1")}))
			case reflect.TypeFor[*NodeTemplate]():
				arguments = append(arguments, reflect.ValueOf(&NodeTemplate{Node: testNode("x", "1")}))
			case reflect.TypeFor[*NodeAmounts]():
				arguments = append(arguments, reflect.ValueOf(&NodeAmounts{}))
			case reflect.TypeFor[[]byte]():
				arguments = append(arguments, reflect.ValueOf([]byte("{}")))
			case reflect.TypeFor[string]():
				arguments = append(arguments, reflect.ValueOf("x"))
			default:
				arguments = append(arguments, reflect.Zero(in))
			}
			if p == method.Type().NumIn()-1 && in.Kind() == reflect.Slice && strings.HasPrefix(name, "Add") && name != "AddLike" {
				arguments[p] = reflect.Zero(in)
			}
		}
		results := method.Call(arguments)
		err, _ := results[len(results)-1].Interface().(error)
		if !errors.Is(err, State) {
			t.Errorf("%T.%s: %v", handle, name, err)
		}
		called++
	}
	t.Logf("%T: %d methods", handle, called)
}

func TestClosed(t *testing.T) {
	e := got(New(nil))(t)
	got(e.AddNode(testNode("n", "8")))(t)
	must(t, e.Publish())
	tx := got(e.Begin())(t)
	must(t, tx.Commit())
	snapshot := got(e.Snapshot())(t)
	branch := got(snapshot.Branch())(t)
	branchTx := got(branch.Begin())(t)
	scheduler := got(e.NewScheduler(nil))(t)
	err := e.Close()
	if !errors.Is(err, State) || !strings.Contains(err.Error(), "1 snapshot, 1 branch, 1 scheduler") {
		t.Fatal(err)
	}
	must(t, snapshot.Close())
	callAll(t, snapshot)
	got(branch.Nodes(nil))(t) // a branch outlives its snapshot
	must(t, branch.Close())
	callAll(t, branch)
	if err := branchTx.Rollback(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	must(t, scheduler.Close())
	callAll(t, scheduler)
	must(t, e.Close())
	callAll(t, e)
	if err := tx.Commit(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	callAll(t, scheduler)
	callAll(t, branch)
}

// Calls on one engine from several goroutines wait for each other; snapshots, branches and posts do
// not wait. The race detector checks all of it.
func TestGoroutines(t *testing.T) {
	e := made(t, 20)
	must(t, e.Publish())
	scheduler := got(e.NewScheduler(&SchedulerOptions{}))(t)
	var all sync.WaitGroup
	start := func(do func(i int)) {
		for i := range 3 {
			all.Add(1)
			go func() { defer all.Done(); do(i) }()
		}
	}
	start(func(i int) {
		for n := range 50 {
			must(t, scheduler.PostAdd(testPod(fmt.Sprintf("posted-%d-%d", i, n), "100m")))
		}
	})
	start(func(i int) {
		for range 50 {
			got(scheduler.Steps(time.Unix(1, 0), make([]Step, 4)))(t)
			must(t, e.Publish())
		}
	})
	start(func(i int) {
		for range 50 {
			branch := got(e.Branch())(t)
			pod := got(branch.AddPod(testPod("guess", "1")))(t)
			got(branch.Schedule(pod))(t)
			must(t, branch.Close())
		}
	})
	start(func(i int) {
		for range 50 {
			snapshot := got(e.Snapshot())(t)
			got(snapshot.Nodes(nil))(t)
			must(t, snapshot.Close())
			if _, err := snapshot.Counts(); !errors.Is(err, State) {
				t.Error(err)
			}
		}
	})
	all.Wait()
	for {
		if step := got(scheduler.Step(time.Unix(2, 0)))(t); step.Kind == StepIdle {
			break
		}
	}
	if c := got(scheduler.Counters())(t); c.Bound != 150 {
		t.Fatalf("%+v", c)
	}
	must(t, scheduler.Check())
	must(t, scheduler.Close())
}

// A snapshot is closed while it is read, and an engine while it decides: each call either succeeds
// or returns an error.
func TestClosedMeanwhile(t *testing.T) {
	for range 20 {
		e := got(New(&Config{Threads: 1}))(t)
		got(e.AddNode(testNode("n", "800")))(t)
		ids := pods(t, e, 50)
		must(t, e.Publish())
		snapshot := got(e.Snapshot())(t)
		var all sync.WaitGroup
		for range 3 {
			all.Add(2)
			go func() {
				defer all.Done()
				for _, pod := range ids {
					if _, err := e.Schedule(pod); err != nil && !errors.Is(err, State) {
						t.Error(err)
					}
				}
			}()
			go func() {
				defer all.Done()
				for err := error(nil); err == nil; _, err = snapshot.Nodes(nil) {
				}
			}()
		}
		runtime.Gosched()
		must(t, snapshot.Close())
		for e.Close() != nil { // until the last read has ended
			runtime.Gosched()
		}
		all.Wait()
	}
}

// The collector frees unreachable values, in whatever order it finds them.
func TestForgotten(t *testing.T) {
	var states []*state
	func() {
		for range 5 {
			e := got(New(&Config{Threads: 1}))(t)
			states = append(states, e.state)
			got(e.AddNode(testNode("n", "8")))(t)
			must(t, e.Publish())
			snapshot := got(e.Snapshot())(t)
			got(snapshot.Branch())(t)
			got(e.NewScheduler(&SchedulerOptions{Callbacks: Callbacks{Notify: func() {}}}))(t)
		}
	}()
	deadline := time.Now().Add(20 * time.Second)
	for _, s := range states {
		for {
			runtime.GC()
			s.mu.Lock()
			gone := s.box == nil
			s.mu.Unlock()
			if gone {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("an engine is still there: %+v", s.children)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// Objects may be changed after a call has returned.
func TestChangedAfterwards(t *testing.T) {
	e := made(t, 1)
	pod := testPod("web", "1")
	id := got(e.AddPod(pod))(t)
	pod.Name = "other"
	pod.Labels["app"] = "other"
	pod.Spec.Containers[0].Resources.Requests["cpu"] = list("cpu", "99")["cpu"]
	if cpu := got(e.PodResource(id, "cpu"))(t); cpu != 1000 {
		t.Fatal(cpu)
	}
	if name := got(e.PodName(id))(t); name.Name != "web" {
		t.Fatal(name)
	}
}
