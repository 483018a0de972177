// Package faults makes the table of faults: a cluster under load, a scheduler, something that goes wrong
// at a random moment, and the invariants that must hold nevertheless.
package faults

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/check"
	"berth/tests/live/internal/fake"
	"berth/tests/live/internal/load"
	"berth/tests/live/internal/proxy"
)

// Options of a run.
type Options struct {
	Kubernetes string // the program that is kube-apiserver and kube-scheduler
	EtcdServer string
	Berth      string // the program under test; "" is kube-scheduler itself
	Folder     string
	Seed       uint64
	Nodes      int
	Pods       int
	Keep       bool // keep the folders of successful scenarios, too
	Out        io.Writer
}

// World is one scenario's cluster.
type World struct {
	Options
	Bed     *bed.Bed
	Fake    *fake.Server // the scripted API server; nil: a real one
	Proxy   *proxy.Proxy // between the scheduler and the API server
	Plan    load.Plan
	Random  *rand.Rand
	cluster *check.Cluster
	subject check.Subject
	context context.Context

	listener net.Listener // the double's

	mutex      sync.Mutex
	schedulers []*bed.Process
	served     []string // the address that each serves; "" for kube-scheduler
	compared   int      // number of lists made for comparison
	ending     bool
	ends       int // number of processes that ended with 1
	broken     []string
}

const proxied = "scheduler"

// user returns the user and the kubeconfig of the scheduler under test.
func (w *World) user() (user, files string) {
	if w.Berth == "" {
		return "system:kube-scheduler", "kube-scheduler"
	}
	return bed.Users[2][1], "berth"
}

// newReal starts a real API server.
func newReal(flags []string) func(*World) error {
	return func(w *World) error {
		var err error
		w.Bed, err = bed.New(bed.Options{Folder: w.Folder, Kubernetes: w.Kubernetes,
			EtcdServer: w.EtcdServer, Audit: true, Flags: flags})
		return err
	}
}

func newWorld(ctx context.Context, o Options, s Scenario, server func(*World) error) (*World, error) {
	w := &World{Options: o, context: ctx}
	w.Folder = filepath.Join(o.Folder, s.Name)
	if err := os.RemoveAll(w.Folder); err != nil {
		return nil, err
	}
	w.Random = rand.New(rand.NewPCG(o.Seed, uint64(len(s.Name))<<32+uint64(s.Name[0])))
	w.Plan = load.Plan{Nodes: o.Nodes, Pods: o.Pods, Scheduler: "default-scheduler", Namespace: "bed",
		Ample: s.ample}
	if err := server(w); err != nil {
		return nil, err
	}
	b := w.Bed
	var err error
	if w.Proxy, err = proxy.New(0, strings.TrimPrefix(b.Server, "https://")); err != nil {
		b.Close()
		return nil, err
	}
	user, files := w.user()
	w.subject = check.Subject{Scheduler: w.Plan.Scheduler, User: user,
		Lossy: strings.Contains(s.Known, "I8")}
	if err := b.Kubeconfig(proxied, files, "https://"+w.Proxy.Address); err != nil {
		w.close()
		return nil, err
	}
	w.cluster = check.Watch(ctx, b.Admin, w.subject)
	return w, w.Plan.LoadNodes(b.Admin)
}

func (w *World) close() {
	w.mutex.Lock()
	w.ending = true
	schedulers := w.schedulers
	w.mutex.Unlock()
	for _, process := range schedulers {
		process.Kill()
	}
	w.Proxy.Close()
	w.Bed.Close()
	if w.listener != nil {
		w.listener.Close()
	}
}

// run starts the scheduler under test. If it ends with 1, as after a lost lease, it is started
// again, as a Deployment would do; any other end counts as broken.
func (w *World) run(name, kubeconfig string) (*bed.Process, error) {
	var process *bed.Process
	var address string
	var err error
	config := w.Bed.KubeconfigPath(kubeconfig)
	if w.Berth == "" {
		process, err = w.Bed.Scheduler(name, config, "--kube-api-qps=5000", "--kube-api-burst=5000",
			"--kube-api-content-type=application/json")
	} else {
		var ports []int
		if ports, err = bed.FreePorts(1); err != nil {
			return nil, err
		}
		address = fmt.Sprintf("127.0.0.1:%d", ports[0])
		process, err = bed.Start(w.Folder, name, w.Berth, "run", "--kubeconfig", config, "--leader-elect",
			"--serve", address, "--authorization-always-allow-paths=/livez,/readyz,/metrics")
	}
	if err != nil {
		return nil, err
	}
	w.mutex.Lock()
	w.served = append(w.served, address)
	w.schedulers = append(w.schedulers, process)
	w.mutex.Unlock()
	go w.restart(process)
	return process, nil
}

func (w *World) restart(process *bed.Process) {
	for {
		code := process.Wait(365 * 24 * time.Hour)
		w.mutex.Lock()
		ending := w.ending
		w.mutex.Unlock()
		if ending {
			return
		}
		w.say("%s ended with %d", process.Name, code)
		if code != 1 {
			w.breaks("%s ended with %d:\n%s", process.Name, code, process.Tail())
			return
		}
		w.mutex.Lock()
		w.ends++
		w.mutex.Unlock()
		time.Sleep(time.Second)
		if err := process.Restart(); err != nil {
			w.breaks("%v", err)
			return
		}
	}
}

// warm waits until the scheduler has bound a first pod, so that faults hit one that leads and
// works.
func (w *World) warm() error {
	pod := w.Plan.Pod(w.Plan.Apps()[0], "warm")
	if err := w.Bed.Admin.Ensure("/api/v1/namespaces/"+w.Plan.Namespace+"/pods", pod); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if bound, _ := w.cluster.Bound(); bound > 0 {
			return nil
		}
	}
	return fmt.Errorf("nothing is bound a minute after the start:\n%s", w.schedulers[0].Tail())
}

func (w *World) say(text string, arguments ...any) {
	fmt.Fprintf(w.Out, "  "+text+"\n", arguments...)
}

func (w *World) breaks(text string, arguments ...any) {
	w.mutex.Lock()
	w.broken = append(w.broken, fmt.Sprintf(text, arguments...))
	w.mutex.Unlock()
}

// between returns a random time.
func (w *World) between(least, most time.Duration) time.Duration {
	return least + time.Duration(w.Random.Int64N(int64(most-least)+1))
}

// loading creates the pods over some seconds, while `meanwhile` runs.
func (w *World) loading(over time.Duration, meanwhile func() error) error {
	result := make(chan error, 1)
	go func() {
		_, err := w.Plan.LoadPods(w.Bed.Admin, float64(w.Plan.Pods)/over.Seconds())
		result <- err
	}()
	if err := meanwhile(); err != nil {
		return err
	}
	return <-result
}

// recovers waits, after the fault, until all pods that fit are bound. If there is a required time,
// Berth must finish within it.
func (w *World) recovers(soon, limit time.Duration) {
	began := time.Now()
	w.cluster.Settle(500*time.Millisecond, limit)
	took := time.Since(began)
	bound, all := w.cluster.Bound()
	w.say("%d of %d bound %.1f s after it was over", bound, all, took.Seconds())
	if soon > 0 && took > soon && w.Berth != "" {
		w.breaks("it took %.1f s instead of %v", took.Seconds(), soon)
	}
}

// ask returns a page that a process serves, and the HTTP status.
func ask(address, path string) (string, int) {
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} // self-signed
	response, err := client.Get("https://" + address + path)
	if err != nil {
		return err.Error(), 0
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text), response.StatusCode
}

// askUntilWell repeats the request until it succeeds, for at most 10 s. A recovery may take almost
// as long: a watch that a server refused because it had just started is tried again after up to 8
// s.
func askUntilWell(address, path string) (string, int) {
	text, code := ask(address, path)
	for end := time.Now().Add(10 * time.Second); code != http.StatusOK && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		text, code = ask(address, path)
	}
	return text, code
}

// healthy checks that at the end every process reports that it is healthy, and that one of them
// leads.
func (w *World) healthy() {
	w.mutex.Lock()
	served := w.served
	w.mutex.Unlock()
	leaders := 0
	for _, address := range served {
		if address == "" {
			continue
		}
		for _, path := range []string{"/livez", "/readyz"} {
			if text, code := askUntilWell(address, path); code != http.StatusOK {
				w.breaks("%s: %d %s", path, code, text)
			}
		}
		if text, _ := ask(address, "/metrics"); strings.Contains(text, "leader_election_master_status") &&
			leads.MatchString(text) {
			leaders++
		}
	}
	if leaders != 1 && w.Berth != "" && len(served) > 0 {
		w.breaks("%d processes say that they lead", leaders)
	}
}

var compared = regexp.MustCompile(`"caches compared" differences="(\d+)"`)

// sameAsFresh checks that, once nothing changes any more, each process's state equals the server's
// lists (I9).
func (w *World) sameAsFresh() {
	for _, process := range w.schedulers {
		before := len(compared.FindAllString(process.Text(), -1))
		if err := process.Signal(syscall.SIGUSR2); err != nil {
			continue // the process has ended, which is reported elsewhere
		}
		var found [][]string
		for end := time.Now().Add(20 * time.Second); len(found) <= before && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
			found = compared.FindAllStringSubmatch(process.Text(), -1)
		}
		w.compared += len(found) - before
		if len(found) <= before {
			w.breaks("I9: %s did not compare what it knows with the server's lists", process.Name)
		} else if differences := found[len(found)-1][1]; differences != "0" {
			w.breaks("I9: what %s knows differs from the server's lists in %s places:\n%s", process.Name,
				differences, process.Tail())
		}
	}
}

var leads = regexp.MustCompile(`leader_election_master_status\{[^}]*\} 1`)

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"

// leaseIsFree checks that a process that ends has given up the lease.
func (w *World) leaseIsFree() {
	var lease struct {
		Spec struct{ HolderIdentity string }
	}
	if err := w.Bed.Admin.Get(leasePath, &lease); err == nil && lease.Spec.HolderIdentity != "" && w.Berth != "" {
		w.breaks("I4: the lease was not given up at SIGTERM")
	}
}

// report ends the scheduler cleanly and runs the checks. Invariants that kube-scheduler is known to
// break in the scenario are printed and do not count.
func (w *World) report(s Scenario) error {
	w.cluster.Settle(2*time.Second, 30*time.Second)
	w.healthy()
	if w.Berth != "" {
		w.sameAsFresh()
	}
	w.mutex.Lock()
	w.ending = true
	schedulers := w.schedulers
	w.mutex.Unlock()
	for _, process := range schedulers {
		code := process.Stop(15 * time.Second)
		// kube-scheduler ends with 1 after it has given up its lease.
		if code != 0 && w.Berth != "" {
			w.breaks("%s ended with %d at SIGTERM", process.Name, code)
		}
	}
	time.Sleep(500 * time.Millisecond) // the audit log is written after the answers
	if err := w.cluster.ReadBack(w.Bed.Admin); err != nil {
		return err
	}
	w.leaseIsFree()
	requests, broken, err := w.cluster.Report(w.Out, w.Bed.AuditLog())
	if err != nil {
		return err
	}
	if s.after != nil {
		s.after(w, requests)
	}
	for _, text := range w.broken {
		fmt.Fprintf(w.Out, "BROKEN %s\n", text)
		broken = append(broken, text)
	}
	for _, text := range broken {
		if w.Berth != "" || !strings.Contains(s.Known, strings.SplitN(text, ":", 2)[0]) {
			return ErrBroken
		}
	}
	if len(broken) > 0 {
		w.say("of kube-scheduler this is known")
	}
	return nil
}
