package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/load"
)

// A cluster of three nodes of 2 cores in three zones, whose changes the test reports by hand.
type history struct {
	*Cluster
	version int
	audit   []string
}

func begin() *history {
	h := &history{Cluster: empty(Subject{Scheduler: "mine", User: "me"})}
	for i, name := range []string{"a", "b", "c"} {
		n := api.Node{Meta: api.Meta{Name: name, Labels: map[string]string{"zone": fmt.Sprint(i), "host": name}}}
		n.Status.Allocatable = map[string]string{"cpu": "2", "memory": "1Gi", "pods": "10"}
		h.node(api.Change[api.Node]{Kind: "ADDED", Object: n, Seen: time.Now()})
	}
	return h
}

func pending(name string) api.Pod {
	p := api.Pod{Meta: api.Meta{Name: name, Namespace: "ns", UID: "uid-" + name,
		Labels: map[string]string{load.FitsLabel: "true", "app": "x"}}}
	p.Spec.SchedulerName = "mine"
	p.Spec.Containers = []api.Container{{Resources: api.Resources{Requests: map[string]string{"cpu": "1"}}}}
	return p
}

func on(p api.Pod, node string) api.Pod {
	p.Spec.NodeName = node
	return p
}

func (h *history) tell(kind string, p api.Pod) {
	h.version++
	p.Meta.ResourceVersion = fmt.Sprint(h.version)
	h.pod(api.Change[api.Pod]{Kind: kind, Object: p, Seen: time.Now(), Version: p.Meta.ResourceVersion})
}

// Records a write by the subject, `after` seconds after the beginning.
func (h *history) write(after float64, verb, resource, subresource, name string, code int, request, answer string) {
	at := time.Now().Add(time.Duration(after * float64(time.Second)))
	h.audit = append(h.audit, fmt.Sprintf(`{"verb":%q,"requestReceivedTimestamp":%q,"user":{"username":"me"},`+
		`"objectRef":{"resource":%q,"subresource":%q,"namespace":"ns","name":%q},"responseStatus":{"code":%d},`+
		`"requestObject":%s,"responseObject":%s}`, verb, at.Format(time.RFC3339Nano), resource, subresource,
		name, code, request, answer))
}

func (h *history) bind(after float64, name, node string, code int) {
	h.write(after, "create", "pods", "binding", name, code,
		fmt.Sprintf(`{"metadata":{"uid":"uid-%s"},"target":{"name":%q}}`, name, node), "null")
}

// Each case breaks the invariants that it names, and no others.
var cases = []struct {
	name   string
	breaks string
	happen func(h *history)
}{
	{"all is well", "", func(h *history) {
		h.tell("ADDED", pending("p"))
		h.tell("MODIFIED", on(pending("p"), "a"))
		h.bind(0, "p", "a", 201)
	}},
	{"a pod moves", "I1", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.tell("MODIFIED", on(pending("p"), "b"))
	}},
	{"a pod that fits waits", "I2", func(h *history) { h.tell("ADDED", pending("p")) }},
	{"a node is too full", "I3", func(h *history) {
		for _, name := range []string{"p", "q", "r"} {
			h.tell("ADDED", pending(name))
			h.tell("MODIFIED", on(pending(name), "a"))
		}
	}},
	{"room comes free in time", "", func(h *history) {
		for _, name := range []string{"p", "q"} {
			h.tell("ADDED", on(pending(name), "a"))
		}
		h.tell("DELETED", on(pending("p"), "a"))
		h.tell("ADDED", on(pending("r"), "a"))
	}},
	{"a finished pod takes no room", "", func(h *history) {
		for _, name := range []string{"p", "q"} {
			h.tell("ADDED", on(pending(name), "a"))
		}
		done := on(pending("p"), "a")
		done.Status.Phase = "Succeeded"
		h.tell("MODIFIED", done)
		h.tell("ADDED", on(pending("r"), "a"))
	}},
	{"another's pod takes the room first", "", func(h *history) {
		other := on(pending("other"), "a")
		other.Spec.SchedulerName = "another"
		h.tell("ADDED", on(pending("p"), "a"))
		h.tell("ADDED", other)
		h.tell("ADDED", on(pending("q"), "a"))
	}},
	{"a node that is not there", "I3", func(h *history) { h.tell("ADDED", on(pending("p"), "z")) }},
	{"a node that just went", "", func(h *history) {
		h.node(api.Change[api.Node]{Kind: "DELETED", Object: api.Node{Meta: api.Meta{Name: "a"}},
			Seen: time.Now()})
		h.tell("ADDED", on(pending("p"), "a"))
	}},
	{"two that must be apart", "I3", func(h *history) {
		for _, name := range []string{"p", "q"} {
			p := on(pending(name), "a")
			p.Spec.Affinity = &api.Affinity{Anti: &api.AntiAffinity{Required: []api.Term{{
				Selector: api.Selector{MatchLabels: map[string]string{"app": "x"}}, TopologyKey: "host"}}}}
			h.tell("ADDED", p)
		}
	}},
	{"uneven spread", "I3", func(h *history) {
		for _, name := range []string{"p", "q"} {
			p := on(pending(name), "a")
			p.Spec.Spread = []api.Spread{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: "DoNotSchedule",
				Selector: api.Selector{MatchLabels: map[string]string{"app": "x"}}}}
			h.tell("ADDED", p)
		}
	}},
	{"a 201 without its pod", "I4", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.bind(0, "p", "b", 201)
	}},
	{"bound after the lease", "I4", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.write(0, "update", "leases", "", "l", 200, "{}", "{}")
		h.bind(12, "p", "a", 201)
	}},
	{"bound before the lease ran out", "", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.write(0, "update", "leases", "", "l", 200, "{}", "{}")
		h.bind(9, "p", "a", 201)
	}},
	{"another's pod is bound", "I5", func(h *history) {
		other := on(pending("p"), "a")
		other.Spec.SchedulerName = "another"
		h.tell("ADDED", other)
		h.bind(0, "p", "a", 201)
	}},
	{"a pod dies for nobody", "I6", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.write(0, "delete", "pods", "", "p", 200, "{}", "{}")
	}},
	{"a victim", "", func(h *history) {
		high := pending("high")
		high.Status.NominatedNodeName = "a"
		h.tell("ADDED", on(pending("p"), "a"))
		h.tell("ADDED", high)
		h.write(0, "delete", "pods", "", "p", 200, "{}", "{}")
		h.tell("DELETED", on(pending("p"), "a"))
		h.tell("MODIFIED", on(high, "a"))
	}},
	{"no room and no word", "I7", func(h *history) {
		p := pending("p")
		p.Meta.Labels[load.FitsLabel] = "false"
		h.tell("ADDED", p)
	}},
	{"no room and the word before the pod", "", func(h *history) {
		p := pending("p")
		p.Meta.Labels[load.FitsLabel] = "false"
		p.Status.Conditions = []api.Condition{{Type: "PodScheduled", Status: "False",
			Reason: unschedulable, Message: "0/2 nodes are available"}}
		word := api.Event{Reason: "FailedScheduling", Note: "0/2 nodes are available"}
		word.Regarding.UID = p.Meta.UID
		h.event(api.Change[api.Event]{Kind: "ADDED", Object: word, Seen: time.Now()})
		h.tell("ADDED", p)
	}},
	{"two nodes while nothing is known", "I8", func(h *history) {
		h.tell("ADDED", on(pending("p"), "b"))
		h.bind(0, "p", "a", 504)
		h.bind(1, "p", "b", 201)
	}},
	{"two nodes by two processes", "", func(h *history) {
		h.tell("ADDED", on(pending("p"), "b"))
		h.write(0, "update", "leases", "", "l", 200, `{"spec":{"holderIdentity":"first"}}`, "{}")
		h.bind(0, "p", "a", 504)
		h.write(1, "update", "leases", "", "l", 200, `{"spec":{"holderIdentity":"second"}}`, "{}")
		h.bind(1, "p", "b", 201)
	}},
	{"the same node again", "", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.bind(0, "p", "a", 504)
		h.bind(1, "p", "a", 409)
	}},
	{"another node after a refusal", "", func(h *history) {
		h.tell("ADDED", on(pending("p"), "b"))
		h.bind(0, "p", "a", 422)
		h.bind(1, "p", "b", 201)
	}},
	{"a patch without effect", "I8", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		h.write(1, "patch", "pods", "status", "p", 200, "{}",
			`{"metadata":{"uid":"uid-p","resourceVersion":"1"}}`)
	}},
	{"a patch once more after a lost answer", "", func(h *history) {
		h.Lossy = true
		h.tell("ADDED", on(pending("p"), "a"))
		body := `{"metadata":{"uid":"uid-p"},"status":{"conditions":[]}}`
		h.write(0, "patch", "pods", "status", "p", 504, body, "{}")
		h.write(1, "patch", "pods", "status", "p", 200, body,
			`{"metadata":{"uid":"uid-p","resourceVersion":"1"}}`)
	}},
	{"another one of that name dies", "I6", func(h *history) {
		high := pending("high")
		high.Status.NominatedNodeName = "a"
		h.tell("ADDED", high)
		h.tell("MODIFIED", on(high, "a"))
		h.tell("ADDED", on(pending("p"), "a"))
		h.tell("DELETED", on(pending("p"), "a"))
		second := on(pending("p"), "b")
		second.Meta.UID = "second"
		h.tell("ADDED", second)
		h.write(0, "delete", "pods", "", "p", 200, "{}", `{"metadata":{"uid":"second"}}`)
	}},
	{"two events", "I8", func(h *history) {
		h.tell("ADDED", on(pending("p"), "a"))
		for range 2 {
			h.write(0, "create", "events", "", "", 201, `{"reason":"Scheduled","regarding":{"uid":"uid-p"}}`,
				"null")
		}
	}},
}

func TestInvariants(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := begin()
			c.happen(h)
			path := filepath.Join(t.TempDir(), "audit.log")
			if err := os.WriteFile(path, []byte(strings.Join(append(h.audit, ""), "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			_, broken, err := h.Report(&out, path)
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for _, line := range broken {
				found[line[:2]] = true
			}
			if c.breaks != "" && !found[c.breaks] || len(found) > 1 || c.breaks == "" && len(found) > 0 {
				t.Fatalf("%q instead of %q", broken, c.breaks)
			}
		})
	}
}

// Objects that a list no longer has are gone, and their room is free.
func TestRelist(t *testing.T) {
	h := begin()
	h.tell("ADDED", on(pending("p"), "a"))
	h.tell("ADDED", on(pending("q"), "a"))
	h.pod(api.Change[api.Pod]{Kind: "Listing"})
	h.tell("ADDED", on(pending("q"), "a"))
	h.pod(api.Change[api.Pod]{Kind: "Synced"})
	h.tell("ADDED", on(pending("r"), "a"))
	if bound, all := h.Bound(); bound != 2 || all != 2 || len(h.broken) > 0 {
		t.Fatalf("%d of %d bound, %q", bound, all, h.broken)
	}
}
