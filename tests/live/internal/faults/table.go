package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/check"
	"berth/tests/live/internal/load"
	"berth/tests/live/internal/proxy"
)

// ErrBroken is returned if an invariant was broken; the output says which one.
var ErrBroken = errors.New("an invariant is broken")

// Scenario is one row of the table.
type Scenario struct {
	Name  string
	What  string
	Flags []string // of kube-apiserver
	Short bool     // takes seconds
	Known string   // invariants that kube-scheduler itself breaks there
	Since int      // the first minor release that has the feature in question

	Soon time.Duration // the time within which all pods must be bound after the fault; 0: two minutes

	Nodes, Pods int // 0: as the options say
	ample       bool

	alone  bool                 // run starts the schedulers
	before func(w *World) error // the scheduler starts
	warmed func(w *World) error // the scheduler has bound a pod
	run    func(w *World) error // after that
	after  func(w *World, requests check.Requests)
}

// The invariants that kube-scheduler breaks when the outcome of a binding is unknown: it treats the
// pod as unbound, tries another node (I8) and gives the room to others (I3); and it binds for up to
// 12 s after the lease's last renewal (I4).
const unknown = "I3 I4 I8"

// recovery is the time within which all must be bound if no lease is lost.
const recovery = 10 * time.Second

// Table has all scenarios.
var Table = []Scenario{
	{Name: "plain", What: "nothing goes wrong; pods without room, preemption, volumes", Short: true,
		run: plain},
	{Name: "order", What: "as the library places them in the same order", Short: true, alone: true,
		Nodes: 100, Pods: 1000, run: order},
	{Name: "kill", What: "the API server is killed under load and started again", Short: true,
		Known: unknown, Soon: recovery, run: kill},
	{Name: "cut", What: "connections are cut each second", Short: true, Known: unknown, run: cut,
		Soon: recovery, after: listedOnce},
	{Name: "dry", What: "berth run --dry-run beside kube-scheduler writes nothing", Short: true, alone: true,
		run: dry, after: silent},
	{Name: "churn", What: "pods are deleted, created again, bound by hand", Short: true, run: churn},
	{Name: "freeze5", What: "etcd stands still for 5 s", Known: unknown, Soon: recovery,
		run: freeze(5 * time.Second)},
	{Name: "freeze20", What: "etcd stands still for 20 s", Known: unknown, run: freeze(20 * time.Second)},
	{Name: "freeze60", What: "etcd stands still for 60 s; a spare is there", Known: unknown,
		warmed: spare, run: freeze(60 * time.Second), after: endedOnce},
	{Name: "late1", What: "answers come 1 s late", Known: unknown, Soon: recovery,
		run: late(time.Second)},
	{Name: "late10", What: "answers come 10 s late", Known: unknown, run: late(10 * time.Second)},
	{Name: "late40", What: "answers come 40 s late", Known: unknown, run: late(40 * time.Second)},
	{Name: "lost", What: "requests arrive, answers are lost", Known: unknown,
		run: mode(proxy.Drop, 5*time.Second)},
	{Name: "silent", What: "connections are dead and nobody says so", Known: unknown,
		run: mode(proxy.Half, 20*time.Second)},
	{Name: "network", What: "faults of the network at random", Known: unknown, run: network},
	{Name: "reject", What: "the API server answers 429 to bindings", Known: unknown, Soon: recovery,
		run: reject},
	{Name: "goaway", What: "GOAWAY to one request in fifty", Flags: []string{"--goaway-chance=0.02"},
		Known: unknown, run: quiet},
	{Name: "rights", What: "rights are taken away and given back", run: rights, after: named},
	{Name: "lease", What: "the lease is deleted, then taken by another", Known: unknown, run: lease},
	{Name: "replicas", What: "two replicas; the leader stands still for 20 s", Known: unknown,
		warmed: spare, run: replicas},
	{Name: "beside", What: "kube-scheduler beside it, for other pods on the same nodes", ample: true,
		run: beside},
	{Name: "evict", What: "pods are evicted while connections are cut and answers lost", Known: unknown,
		run: evict},
	{Name: "token", What: "the token is revoked and another put into its file", Known: unknown,
		before: tokens, run: revoke},
	{Name: "nodes", What: "nodes are deleted and come back", run: nodes},
	{Name: "gone", What: "the API server forgets its versions while nobody is connected", Known: unknown,
		Soon: recovery, run: gone, after: listedTwice},
	{Name: "restore", What: "etcd is restored from an old snapshot", Known: unknown + " " + deaf,
		run: restore},
	{Name: "full", What: "etcd is full", Known: unknown, Soon: recovery, run: full},
	{Name: "renew", What: "certificates and the authority are replaced", Known: unknown,
		before: certificates, run: renew, after: renewed},
	{Name: "exec", What: "a credential plugin hangs", Known: unknown, before: plugin, run: hang},
	{Name: "volumes", What: "nobody provides volumes for a while", run: volumes},
	{Name: "devices", What: "pods have ResourceClaims while connections are cut", Known: unknown, Since: 34,
		run: devices, after: givenOnce},
	{Name: "extended", What: "extended resources are devices while connections are cut", Known: unknown,
		Since: 36, run: extendedCut, after: claimedOnce},
	{Name: "victims", What: "victims vanish and come back elsewhere under their names", run: victims},
	{Name: "must", What: "1,000 nodes and 10,000 pods, as the library places them", alone: true,
		Nodes: 1000, Pods: 10000, run: order},
}

// Run runs one scenario on a cluster of its own.
func Run(ctx context.Context, o Options, s Scenario) error {
	return scenario(ctx, o, s, newReal(s.Flags))
}

func scenario(ctx context.Context, o Options, s Scenario, server func(*World) error) error {
	fmt.Fprintf(o.Out, "%s: %s (seed %d)\n", s.Name, s.What, o.Seed)
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Nodes > 0 {
		o.Nodes, o.Pods = s.Nodes, s.Pods
	}
	w, err := newWorld(ctx, o, s, server)
	if err != nil {
		return err
	}
	defer w.close()
	if minor, err := w.minor(); err != nil || minor < s.Since {
		w.say("skipped: not before 1.%d", s.Since)
		return err
	}
	if s.before != nil {
		if err := s.before(w); err != nil {
			return err
		}
	}
	if !s.alone {
		if _, err := w.run("scheduler", proxied); err != nil {
			return err
		}
		if err := w.warm(); err != nil {
			return err
		}
	}
	if s.warmed != nil {
		if err := s.warmed(w); err != nil {
			return err
		}
	}
	if err := s.run(w); err != nil {
		return err
	}
	w.recovers(s.Soon, 2*time.Minute)
	err = w.report(s)
	if err == nil && !o.Keep {
		w.close()
		err = os.RemoveAll(w.Folder)
	}
	fmt.Fprintf(o.Out, "  %.1f s\n", time.Since(began).Seconds())
	return err
}

func plain(w *World) error {
	ctx, cancel := context.WithCancel(w.context)
	go load.VolumeController(ctx, w.Bed.Admin)
	time.AfterFunc(time.Minute, cancel)
	full := 5
	if err := w.Plan.LoadFull(w.Bed.Admin, full); err != nil {
		return err
	}
	if err := w.Plan.LoadVolumes(w.Bed.Admin, 10); err != nil {
		return err
	}
	if err := w.Plan.LoadUnfit(w.Bed.Admin, w.Plan.Nodes+full); err != nil {
		return err
	}
	_, err := w.Plan.LoadPods(w.Bed.Admin, 0)
	return err
}

func quiet(w *World) error { return w.loading(4*time.Second, func() error { return nil }) }

func kill(w *World) error {
	return w.loading(6*time.Second, func() error {
		time.Sleep(w.between(time.Second, 5*time.Second))
		w.Bed.KillAPIServer()
		time.Sleep(w.between(0, 3*time.Second))
		return w.Bed.StartAPIServer()
	})
}

func cut(w *World) error {
	return w.loading(8*time.Second, func() error {
		for range 8 {
			time.Sleep(w.between(700*time.Millisecond, 1300*time.Millisecond))
			w.Proxy.Cut()
		}
		return nil
	})
}

// listedOnce checks that a watch that ended continues from its last version, so that only the first
// list of pods was needed.
func listedOnce(w *World, requests check.Requests) {
	if count := requests["list pods 200"] - w.compared; count != 1 && w.Berth != "" {
		w.breaks("pods were listed %d times", count)
	}
}

func freeze(lasts time.Duration) func(*World) error {
	return func(w *World) error {
		return w.loading(6*time.Second, func() error {
			time.Sleep(w.between(time.Second, 5*time.Second))
			if err := w.Bed.Etcd.Signal(syscall.SIGSTOP); err != nil {
				return err
			}
			time.Sleep(lasts)
			return w.Bed.Etcd.Signal(syscall.SIGCONT)
		})
	}
}

func late(delay time.Duration) func(*World) error {
	return func(w *World) error {
		return w.loading(6*time.Second, func() error {
			time.Sleep(w.between(time.Second, 3*time.Second))
			w.Proxy.Delay(delay)
			time.Sleep(2*delay + 3*time.Second)
			w.Proxy.Heal()
			return nil
		})
	}
}

func mode(mode proxy.Mode, lasts time.Duration) func(*World) error {
	return func(w *World) error {
		return w.loading(6*time.Second, func() error {
			time.Sleep(w.between(time.Second, 5*time.Second))
			if err := w.Proxy.Set(mode); err != nil {
				return err
			}
			time.Sleep(lasts)
			w.Proxy.Heal()
			return nil
		})
	}
}

func network(w *World) error {
	script := proxy.Script(w.Random.Uint64(), 12, 2*time.Second)
	return w.loading(30*time.Second, func() error {
		w.Proxy.Play(script, func(step proxy.Step) { w.say("%v", step) })
		return nil
	})
}

const flow = "/apis/flowcontrol.apiserver.k8s.io/v1/"

// reject makes a priority level without seats, and a schema that sends the scheduler's bindings
// there.
func reject(w *World) error {
	level := api.Any{"metadata": api.Any{"name": "bed-none"}, "spec": api.Any{"type": "Limited",
		"limited": api.Any{"nominalConcurrencyShares": 0, "lendablePercent": 0, "borrowingLimitPercent": 0,
			"limitResponse": api.Any{"type": "Reject"}}}}
	schema := api.Any{"metadata": api.Any{"name": "bed-none"}, "spec": api.Any{
		"matchingPrecedence": 2, "priorityLevelConfiguration": api.Any{"name": "bed-none"},
		"rules": []api.Any{{
			"subjects": []api.Any{{"kind": "User", "user": api.Any{"name": w.subject.User}}},
			"resourceRules": []api.Any{{"verbs": []string{"create"}, "apiGroups": []string{""},
				"resources": []string{"pods/binding"}, "namespaces": []string{"*"}}}}}}}
	return w.loading(6*time.Second, func() error {
		time.Sleep(w.between(time.Second, 2*time.Second))
		if err := w.Bed.Admin.Ensure(flow+"prioritylevelconfigurations", level); err != nil {
			return err
		}
		if err := w.Bed.Admin.Ensure(flow+"flowschemas", schema); err != nil {
			return err
		}
		time.Sleep(w.between(5*time.Second, 8*time.Second))
		return w.Bed.Admin.Delete(flow + "flowschemas/bed-none")
	})
}

const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

func rights(w *World) error {
	name := "berth"
	if w.Berth == "" {
		name = "system:kube-scheduler"
	}
	var binding api.Any
	if err := w.Bed.Admin.Get(bindings+"/"+name, &binding); err != nil {
		return err
	}
	binding["metadata"] = api.Any{"name": name}
	return w.loading(8*time.Second, func() error {
		time.Sleep(w.between(time.Second, 3*time.Second))
		if err := w.Bed.Admin.Delete(bindings + "/" + name); err != nil {
			return err
		}
		time.Sleep(w.between(4*time.Second, 7*time.Second))
		if text, code := ask(w.served[0], "/readyz"); code != http.StatusInternalServerError && w.Berth != "" {
			w.breaks("/readyz without rights: %d %s", code, text)
		}
		return w.Bed.Admin.Ensure(bindings, binding)
	})
}

// The lease is deleted, which has no effect; then another holder takes it, and there are no
// bindings until it gives it up.
func lease(w *World) error {
	return w.loading(30*time.Second, func() error {
		time.Sleep(w.between(time.Second, 3*time.Second))
		if err := w.Bed.Admin.Delete(leasePath); err != nil {
			return err
		}
		time.Sleep(w.between(3*time.Second, 5*time.Second))
		if err := w.Bed.Admin.Patch(leasePath, api.Any{"spec": api.Any{"holderIdentity": "another",
			"leaseDurationSeconds": 15, "renewTime": "2001-01-01T00:00:00.000000Z"}}); err != nil {
			return err
		}
		time.Sleep(10 * time.Second) // the old leader is silent by now
		before, _ := w.cluster.Bound()
		time.Sleep(3 * time.Second)
		if after, _ := w.cluster.Bound(); after != before {
			w.breaks("I4: %d pods were bound while another held the lease", after-before)
		}
		return nil
	})
}

// spare is a second process, which waits for the lease.
func spare(w *World) error {
	// Its own certificate distinguishes the two processes in the audit log.
	user := []string{w.subject.User}
	if w.Berth != "" {
		user = bed.Users[2][1:]
	}
	if err := w.Bed.Authority.Client("second", user[0], user[1:]...); err != nil {
		return err
	}
	if err := w.Bed.Kubeconfig("second", "second", w.Bed.Server); err != nil {
		return err
	}
	_, err := w.run("second", "second")
	return err
}

func replicas(w *World) error {
	return w.loading(40*time.Second, func() error {
		time.Sleep(w.between(3*time.Second, 6*time.Second))
		leader := w.schedulers[0]
		if err := leader.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		time.Sleep(20 * time.Second)
		return leader.Signal(syscall.SIGCONT)
	})
}

// While the load arrives, its pods are deleted, created again under their names, or bound by hand.
func churn(w *World) error {
	apps := w.Plan.Apps()
	path := "/api/v1/namespaces/" + w.Plan.Namespace + "/pods/"
	return w.loading(6*time.Second, func() error {
		end := time.Now().Add(6 * time.Second)
		for time.Now().Before(end) {
			time.Sleep(w.between(0, 40*time.Millisecond))
			app := apps[[]int{0, 3}[w.Random.IntN(2)]] // only apps without required constraints
			name := fmt.Sprintf("%s-%05d", app.Name, w.Random.IntN(app.Replicas))
			switch w.Random.IntN(5) {
			case 0:
				_ = w.Bed.Admin.Delete(path + name)
			case 1:
				if w.Bed.Admin.Delete(path+name) == nil {
					_ = w.Bed.Admin.Ensure(strings.TrimSuffix(path, "/"), w.Plan.Pod(app, name))
				}
			case 3:
				name := fmt.Sprintf("gated-%03d", w.Random.IntN(20))
				pod := w.Plan.Pod(app, name)
				pod.Spec.SchedulingGates = []api.Any{{"name": "bed/gate"}}
				_ = w.Bed.Admin.Create(strings.TrimSuffix(path, "/"), pod, nil)
			case 4:
				name := fmt.Sprintf("gated-%03d", w.Random.IntN(20))
				_ = w.Bed.Admin.Patch(path+name, api.Any{"spec": api.Any{"schedulingGates": nil}})
			case 2:
				_ = w.Bed.Admin.Create(path+name+"/binding", api.Any{"metadata": api.Any{"name": name},
					"target": api.Any{"kind": "Node", "name": load.NodeName(w.Random.IntN(w.Plan.Nodes))}}, nil)
			}
		}
		return nil
	})
}

// Nodes are removed together with the pods that are on them or on their way to them, and come back
// empty.
func nodes(w *World) error {
	return w.loading(8*time.Second, func() error {
		for range 10 {
			time.Sleep(w.between(200*time.Millisecond, 800*time.Millisecond))
			i := w.Random.IntN(w.Plan.Nodes)
			if err := w.Bed.Admin.Delete("/api/v1/nodes/" + load.NodeName(i)); err != nil {
				return err
			}
			time.Sleep(w.between(100*time.Millisecond, 500*time.Millisecond))
			if err := w.Plan.AddNode(w.Bed.Admin, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// named checks that the log says which right is missing.
func named(w *World, requests check.Requests) {
	log, err := os.ReadFile(w.schedulers[0].Log)
	if w.Berth != "" && (err != nil || !strings.Contains(string(log), "forbidden")) {
		w.breaks("the log does not tell of the right that is missing")
	}
}
