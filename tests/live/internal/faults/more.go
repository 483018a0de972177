package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/check"
	"berth/tests/live/internal/load"
	"berth/tests/live/internal/measure"
	"berth/tests/live/internal/proxy"
)

const otherScheduler = "other-scheduler"

// A kube-scheduler with another name places its own pods on the same nodes at the same time.
func beside(w *World) error {
	config := filepath.Join(w.Folder, "other.yaml")
	text := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"clientConnection: {kubeconfig: %s, qps: 1000, burst: 1000}\nleaderElection: {leaderElect: false}\n"+
		"profiles: [{schedulerName: %s}]\n", w.Bed.KubeconfigPath("other"), otherScheduler)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	// It runs as another user, because its writes are not checked.
	if err := w.Bed.Authority.Client("other", "other", "system:masters"); err != nil {
		return err
	}
	if err := w.Bed.Kubeconfig("other", "other", w.Bed.Server); err != nil {
		return err
	}
	ports, err := bed.FreePorts(1)
	if err != nil {
		return err
	}
	other, err := bed.Start(w.Folder, "other", w.Kubernetes, "kube-scheduler", "--config="+config,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[0]))
	if err != nil {
		return err
	}
	defer other.Kill()
	plan := w.Plan
	plan.Scheduler, plan.Namespace, plan.Pods = otherScheduler, "other", w.Plan.Pods/10
	plan.Nodes = 0 // use the existing nodes
	if err := plan.LoadNodes(w.Bed.Admin); err != nil {
		return err
	}
	plan.Nodes = w.Plan.Nodes
	return w.loading(6*time.Second, func() error {
		_, err := plan.LoadPods(w.Bed.Admin, float64(plan.Pods)/6)
		return err
	})
}

// Victims must belong to nominated pods, and no pod may wait for ever for a victim.
func evict(w *World) error {
	go load.Kubelet(w.context, w.Bed.Admin) // a deletion that was cut off leaves a terminating pod
	script := proxy.Script(w.Random.Uint64(), 6, time.Second)
	done := make(chan error, 1)
	go func() { done <- w.Plan.LoadFull(w.Bed.Admin, 20) }()
	w.Proxy.Play(script, func(step proxy.Step) { w.say("%v", step) })
	return <-done
}

const accounts = "/api/v1/namespaces/kube-system/serviceaccounts"

// newToken writes a token of the ServiceAccount berth into the file that the kubeconfig names.
func (w *World) newToken() error {
	err := w.Bed.Admin.Ensure(accounts, api.Any{"metadata": api.Any{"name": "berth"}})
	if err != nil {
		return err
	}
	var answer struct {
		Status struct {
			Token string `json:"token"`
		} `json:"status"`
	}
	err = w.Bed.Admin.Create(accounts+"/berth/token", api.Any{"spec": api.Any{"expirationSeconds": 3600}},
		&answer)
	if err != nil {
		return err
	}
	return w.Bed.WriteToken(answer.Status.Token)
}

// kube-scheduler has no such account; it runs as Berth's, which has the rights that it needs.
func tokens(w *World) error {
	w.cluster.User = bed.Users[2][1]
	if err := w.newToken(); err != nil {
		return err
	}
	return w.Bed.TokenKubeconfig(proxied, "https://"+w.Proxy.Address)
}

// The token ends with its account. The new account has another one.
func revoke(w *World) error {
	return w.loading(20*time.Second, func() error {
		for range 2 {
			time.Sleep(w.between(3*time.Second, 5*time.Second))
			if err := w.Bed.Admin.Delete(accounts + "/berth"); err != nil {
				return err
			}
			time.Sleep(w.between(time.Second, 3*time.Second))
			if err := w.newToken(); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	reconnections = 1000
	settled       = 100 // after this many, there is nothing more to allocate
	slackFiles    = 4
)

// reconnect cuts connections until there have been a thousand. Memory and descriptors must not grow
// (I10). A pod for each cut makes the scheduler connect at once; watches wait longer and longer.
func reconnect(w *World) error {
	ctx, cancel := context.WithTimeout(w.context, 15*time.Minute)
	defer cancel()
	var before measure.Usage
	drop := load.App{Name: "drop", Replicas: 1, CPU: 1, Memory: 1, Shape: func(*api.Pod) {}}
	for i := 0; ; i++ {
		if ctx.Err() != nil {
			return fmt.Errorf("not %d connections in time", reconnections)
		}
		time.Sleep(w.between(100*time.Millisecond, 500*time.Millisecond))
		_, total := w.Proxy.Connections()
		if total >= settled && before.Now == 0 || total >= reconnections {
			time.Sleep(5 * time.Second)
			usage, err := measure.Read(w.schedulers[0].PID())
			if err != nil {
				return err
			}
			w.say("%d connections: %d KiB resident, %d descriptors", total, usage.Now>>10, usage.Files)
			if total >= reconnections {
				if usage.Now > before.Now+before.Now/10 || usage.Files > before.Files+slackFiles {
					w.breaks("I10: memory or descriptors grew")
				}
				return nil
			}
			before = usage
		}
		pod := w.Plan.Pod(drop, fmt.Sprintf("drop-%05d", i))
		if err := w.Bed.Admin.Ensure("/api/v1/namespaces/"+w.Plan.Namespace+"/pods", pod); err != nil {
			return err
		}
		w.Proxy.Cut()
	}
}

// Berth watches while kube-scheduler places the load, and reports how far it agrees.
func dry(w *World) error {
	real, err := w.Bed.Scheduler("kube-scheduler", w.Bed.KubeconfigPath("kube-scheduler"),
		"--kube-api-qps=5000", "--kube-api-burst=5000")
	if err != nil {
		return err
	}
	defer real.Stop(5 * time.Second)
	var looker *bed.Process
	if w.Berth != "" {
		looker, err = bed.Start(w.Folder, "berth", w.Berth, "run", "--kubeconfig",
			w.Bed.KubeconfigPath(proxied), "--dry-run")
		if err != nil {
			return err
		}
		defer looker.Kill()
		time.Sleep(3 * time.Second) // it reads the cluster first
	}
	if err := w.loading(4*time.Second, func() error { return nil }); err != nil {
		return err
	}
	w.cluster.Settle(2*time.Second, time.Minute)
	if looker != nil {
		code := looker.Stop(15 * time.Second)
		w.say("berth ended with %d:\n%s", code, looker.Tail())
		if code != 0 && code != 1 {
			w.breaks("berth --dry-run ended with %d", code)
		}
	}
	return nil
}

// silent checks that nothing was written.
func silent(w *World, requests check.Requests) {
	for kind, count := range requests {
		read := strings.HasPrefix(kind, "list") || strings.HasPrefix(kind, "watch") || strings.HasPrefix(kind, "get")
		if !read && w.Berth != "" {
			w.breaks("%d times %s in a dry run", count, kind)
		}
	}
}
