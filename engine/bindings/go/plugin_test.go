package berth

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const withPlugin = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    filter: {enabled: [{name: Price}]}
    score: {enabled: [{name: Price, weight: 10}]}
  pluginConfig:
  - name: Price
    args: {limit: 5}
`

// price refuses expensive nodes and prefers cheap ones; a node's label holds its price.
func price(calls *atomic.Int64) *Plugin {
	value := func(nodes *Nodes, i int) int64 {
		var price int64
		fmt.Sscan(nodes.Labels[0][i], &price)
		return price
	}
	limit := int64(0)
	return &Plugin{
		Name: "Price", Flags: Static, NodeLabels: []string{"price"}, PodLabels: []string{"thrift"},
		Resources: []string{"cpu", "example.com/none"}, NodeNames: true,
		Reason: "node(s) cost too much", Normalize: NormalizeMaxReversed,
		Configure: func(arguments []byte) error {
			_, err := fmt.Sscanf(string(arguments), `{"limit":%d}`, &limit)
			return err
		},
		Prepare: func(pod *Pod) (Prepared, string) {
			switch pod.Labels[0] {
			case "none":
				return Skip, ""
			case "never":
				return Refuse, "the pod buys nothing"
			}
			return Active, ""
		},
		Filter: func(pod *Pod, nodes *Nodes) {
			calls.Add(1)
			for i := range nodes.Len() {
				if nodes.Asked(i) && value(nodes, i) > limit {
					nodes.Refuse(i)
				}
				if nodes.Asked(i) && (nodes.Allocatable[0][i] != 8000 || pod.Requests[0] == 0 ||
					!strings.HasPrefix(nodes.Names[i], "n") || nodes.Allocatable[1][i] != 0) {
					panic("facts are wrong")
				}
			}
		},
		Score: func(pod *Pod, nodes *Nodes, values []int64) {
			for i := range values {
				values[i] = value(nodes, i)
			}
		},
	}
}

func withPrices(t *testing.T, plugin *Plugin, threads int) *Engine {
	e := got(New(&Config{Plugins: []*Plugin{plugin}, SchedulerConfiguration: withPlugin, Threads: threads}))(t)
	t.Cleanup(func() { e.Close() })
	for i := range 1000 {
		node := testNode(fmt.Sprintf("n%d", i), "8")
		node.Labels["price"] = fmt.Sprint(i % 10)
		if i == 990 {
			node.Labels["price"] = "0"
		}
		if i%10 == 0 && i != 990 {
			node.Labels["price"] = "7"
		}
		got(e.AddNode(node))(t)
	}
	return e
}

func TestPlugin(t *testing.T) {
	for _, threads := range []int{1, 4} {
		var calls atomic.Int64
		e := withPrices(t, price(&calls), threads)
		web := testPod("web", "1")
		id := got(e.AddPod(web))(t)
		got(e.Decide(id, nil))(t)
		// At most one crossing a slice: 1,000 nodes are 8 slices.
		if n := calls.Load(); n == 0 || n > 8 {
			t.Fatalf("%d crossings", n)
		}
		at, why, err := e.Explain(id, &DecideOptions{SearchOnly: true})
		must(t, err)
		if at.Verdict != Placed || len(why.Refusals) == 0 {
			t.Fatalf("%+v", at)
		}
		for _, refusal := range why.Refusals {
			if refusal.Plugin != "Price" || refusal.Reasons[0] != "node(s) cost too much" {
				t.Fatalf("%+v", refusal)
			}
		}
		calls.Store(0)
		ids := make([]PodID, 100)
		got(e.AddLike(id, "w-", 0, ids))(t)
		got(e.ScheduleBatch(ids, make([]Placement, len(ids))))(t)
		if n := calls.Load(); n > 8 {
			t.Fatalf("%d crossings of a plugin that is static", n)
		}
		web.Name, web.Labels["thrift"] = "never", "never"
		id = got(e.AddPod(web))(t)
		if why := got(e.Why(id, &DecideOptions{SearchOnly: true}))(t); !strings.Contains(why, "the pod buys nothing") {
			t.Fatal(why)
		}
		must(t, e.Check())
	}
}

// After a plugin has panicked, every call returns that panic, on branches too, and everything can
// be closed.
func TestPluginPanics(t *testing.T) {
	var calls atomic.Int64
	plugin := price(&calls)
	plugin.Filter = func(*Pod, *Nodes) { panic("broken") }
	e := withPrices(t, plugin, 4)
	ids := pods(t, e, 3)
	must(t, e.Publish())
	branch := got(e.Branch())(t)
	var panicked *PanicError
	if _, err := e.Schedule(ids[0]); !errors.As(err, &panicked) || !strings.Contains(err.Error(), "plugin Price: broken") {
		t.Fatal(err)
	}
	if _, err := branch.Schedule(ids[1]); !errors.As(err, &panicked) {
		t.Fatal(err)
	}
	if _, err := e.Decide(ids[2], nil); !errors.As(err, &panicked) {
		t.Fatal(err)
	}
	must(t, branch.Close())
	must(t, e.Close())

	plugin = price(&calls)
	plugin.Configure = func([]byte) error { return errors.New("no such limit") }
	if _, err := New(&Config{Plugins: []*Plugin{plugin}, SchedulerConfiguration: withPlugin}); err == nil ||
		!strings.Contains(err.Error(), "no such limit") {
		t.Fatal(err)
	}
	plugin.Configure = func([]byte) error { panic("at once") }
	if _, err := New(&Config{Plugins: []*Plugin{plugin}, SchedulerConfiguration: withPlugin}); !errors.As(err, &panicked) {
		t.Fatal(err)
	}
	plugin = price(&calls)
	plugin.Score = func(pod *Pod, nodes *Nodes, values []int64) { values[0] = -1; values[1] = -1 }
	bad := withPrices(t, plugin, 1)
	if _, err := bad.Schedule(pods(t, bad, 1)[0]); !errors.As(err, &panicked) {
		t.Fatal(err)
	}
}

// A plugin that calls the engine gets an error, not a deadlock.
func TestPluginCallsEngine(t *testing.T) {
	var e *Engine
	var calls atomic.Int64
	var answer error
	plugin := price(&calls)
	plugin.Filter = func(*Pod, *Nodes) {
		if answer == nil {
			_, answer = e.Counts()
			if err := e.Close(); !errors.Is(err, State) {
				t.Error(err)
			}
		}
	}
	e = withPrices(t, plugin, 1)
	ids := pods(t, e, 1)
	start := time.Now()
	got(e.Schedule(ids[0]))(t)
	if !errors.Is(answer, State) || time.Since(start) > 20*time.Second {
		t.Fatal(answer)
	}
}

func TestPluginReserves(t *testing.T) {
	var calls atomic.Int64
	plugin := price(&calls)
	on := map[PodID]NodeID{}
	plugin.Reserve = func(pod PodID, node NodeID) error {
		if len(on) == 2 {
			return errors.New("full")
		}
		on[pod] = node
		return nil
	}
	plugin.Unreserve = func(pod PodID, node NodeID) { delete(on, pod) }
	e := withPrices(t, plugin, 1)
	ids := pods(t, e, 3)
	at := got(e.Schedule(ids[0]))(t)
	if on[ids[0]] != at.Node {
		t.Fatal(on)
	}
	got(e.Schedule(ids[1]))(t)
	if _, err := e.Schedule(ids[2]); !errors.Is(err, Conflicting) {
		t.Fatal(err)
	}
	must(t, e.Unbind(ids[0]))
	got(e.Schedule(ids[2]))(t)
}
