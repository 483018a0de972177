// Package questions measures `berth serve`: clients ask at a rate while the cluster that it follows changes.
package questions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/fake"
	"berth/tests/live/internal/load"
	"berth/tests/live/internal/measure"
)

// Options set the amount of load.
type Options struct {
	Berth   string
	Dir     string
	Nodes   int
	Pods    int // on them
	Clients int
	Rate    int // questions per second, from all clients together
	Changes int // changes of pods per second
	Seconds int
}

// Row is the result of a measurement.
type Row struct {
	Asked, Refused     int
	Rate               float64
	Median, P99, Worst time.Duration
	CPU                time.Duration // processor time per question
	Resident           int64
	Ready              time.Duration // from the start to the first answer
}

const namespace = "bed"

var manifest = []byte(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "asked"},
  "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "asked"}},
    "template": {"metadata": {"labels": {"app": "asked"}},
      "spec": {"containers": [{"name": "c", "image": "asked:1", "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}}}]}}}}`)

// cluster is the scripted API server with nodes and pods on them.
type cluster struct {
	server *fake.Server
	url    string
	o      Options
	serial atomic.Int64
}

func (c *cluster) send(method, path string, object any) error {
	var body bytes.Buffer
	if object != nil {
		if err := json.NewEncoder(&body).Encode(object); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, c.url+path, &body)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	return nil
}

// addPod puts the pod with this number on a node.
func (c *cluster) addPod(i int) error {
	return c.send("POST", "/api/v1/namespaces/"+namespace+"/pods", api.Any{"apiVersion": "v1", "kind": "Pod",
		"metadata": api.Any{"name": podName(i), "namespace": namespace,
			"labels": api.Any{"app": fmt.Sprintf("app-%d", i%100)}},
		"spec": api.Any{"nodeName": load.NodeName(i % c.o.Nodes), "containers": []api.Any{{"name": "c",
			"image": fmt.Sprintf("app-%d:1", i%100), "resources": api.Any{"requests": api.Any{
				"cpu": fmt.Sprintf("%dm", 100+i%10*20), "memory": "256Mi"}}}}},
		"status": api.Any{"phase": "Running"}})
}

func podName(i int) string { return fmt.Sprintf("pod-%06d", i) }

// fill makes the objects, eight at a time.
func (c *cluster) fill() error {
	if err := c.send("POST", "/api/v1/namespaces", api.Any{"metadata": api.Any{"name": namespace}}); err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make(chan error, 8)
	var next atomic.Int64
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				i := int(next.Add(1)) - 1
				var err error
				switch {
				case i < c.o.Nodes:
					err = c.send("POST", "/api/v1/nodes", load.NodeObject(load.NodeName(i), i, 16000, 65536, ""))
				case i < c.o.Nodes+c.o.Pods:
					err = c.addPod(i - c.o.Nodes)
				default:
					return
				}
				if err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	group.Wait()
	c.serial.Store(int64(c.o.Pods))
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// change removes pods and adds others, o.Changes times a second.
func (c *cluster) change(ctx context.Context) {
	if c.o.Changes < 2 {
		return
	}
	tick := time.NewTicker(2 * time.Second / time.Duration(c.o.Changes))
	defer tick.Stop()
	for gone := 0; ; gone++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = c.send("DELETE", "/api/v1/namespaces/"+namespace+"/pods/"+podName(gone), api.Any{"gracePeriodSeconds": 0})
		_ = c.addPod(int(c.serial.Add(1)) - 1)
	}
}

// ask sends one question and returns how long its answer took.
func ask(client *http.Client, url string) (time.Duration, int, []byte, error) {
	began := time.Now()
	answer, err := client.Post(url, "application/json", bytes.NewReader(manifest))
	if err != nil {
		return 0, 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return time.Since(began), answer.StatusCode, body, err
}

// askAll asks at the given rate, with the given number of clients, each on a connection of its own.
func askAll(o Options, url string) ([]time.Duration, int, error) {
	var group sync.WaitGroup
	var lock sync.Mutex
	var took []time.Duration
	var refused int
	var first error
	due := make(chan time.Time, o.Rate)
	for range o.Clients {
		group.Add(1)
		go func() {
			defer group.Done()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
			for at := range due {
				_, status, _, err := ask(client, url)
				lock.Lock()
				took = append(took, time.Since(at)) // measured from the moment at which the question was due
				if status != http.StatusOK {
					refused++
				}
				if err != nil && first == nil {
					first = err
				}
				lock.Unlock()
			}
		}()
	}
	began := time.Now()
	for i := range o.Rate * o.Seconds {
		at := began.Add(time.Duration(i) * time.Second / time.Duration(o.Rate))
		time.Sleep(time.Until(at))
		due <- at
	}
	close(due)
	group.Wait()
	return took, refused, first
}

func serve(ctx context.Context, o Options, kubeconfig, address string) (*exec.Cmd, error) {
	log, err := os.Create(filepath.Join(o.Dir, "serve.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, o.Berth, "serve", "--kubeconfig", kubeconfig, "--listen", "http://"+address,
		"--questions-of-client", "1024")
	command.Stderr = log
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command, command.Start()
}

func waitReady(url string) error {
	for range 1200 {
		answer, err := http.Get(url + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("berth serve is not ready after two minutes")
}

var clocks = regexp.MustCompile(`"(seconds|decisionsPerSecond)": [0-9.]+`)

// equal compares an answer with that of the command-line program, which reads the same cluster.
func equal(o Options, kubeconfig, url string) error {
	file := filepath.Join(o.Dir, "asked.json")
	if err := os.WriteFile(file, manifest, 0o600); err != nil {
		return err
	}
	theirs, err := exec.Command(o.Berth, "capacity", "--kubeconfig", kubeconfig, "--podspec", file, "--max", "500",
		"-o", "json").Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return fmt.Errorf("berth capacity: %w: %s", err, exit.Stderr)
	}
	if err != nil {
		return err
	}
	_, _, ours, err := ask(http.DefaultClient, url+"/v1/capacity?max=500")
	if err != nil {
		return err
	}
	mask := []byte(`"$1": 0`)
	if !bytes.Equal(clocks.ReplaceAll(ours, mask), clocks.ReplaceAll(theirs, mask)) {
		return fmt.Errorf("the answer is another one than that of berth capacity")
	}
	return nil
}

// Run measures.
func Run(ctx context.Context, o Options) (Row, error) {
	var row Row
	ports, err := bed.FreePorts(2)
	if err != nil {
		return row, err
	}
	c := &cluster{server: fake.New("1.37.2"), url: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), o: o}
	if _, err := bed.Prepare(o.Dir, c.url); err != nil {
		return row, err
	}
	listener, err := c.server.Listen(ports[0], "", "")
	if err != nil {
		return row, err
	}
	defer listener.Close()
	if err := c.fill(); err != nil {
		return row, err
	}
	kubeconfig := filepath.Join(o.Dir, "berth.kubeconfig")
	address := fmt.Sprintf("127.0.0.1:%d", ports[1])
	url := "http://" + address
	began := time.Now()
	process, err := serve(ctx, o, kubeconfig, address)
	if err != nil {
		return row, err
	}
	defer func() {
		_ = process.Process.Signal(os.Interrupt)
		_ = process.Wait()
	}()
	if err := waitReady(url); err != nil {
		return row, err
	}
	row.Ready = time.Since(began)
	if err := equal(o, kubeconfig, url); err != nil {
		return row, err
	}
	return measured(ctx, o, c, process.Process.Pid, url, kubeconfig, row)
}

func measured(ctx context.Context, o Options, c *cluster, pid int, url, kubeconfig string, row Row) (Row, error) {
	changing, stop := context.WithCancel(ctx)
	var churn sync.WaitGroup
	churn.Add(1)
	go func() {
		defer churn.Done()
		c.change(changing)
	}()
	before, err := measure.Read(pid)
	began := time.Now()
	var took []time.Duration
	if err == nil {
		took, row.Refused, err = askAll(o, url+"/v1/fits?summary=true")
	}
	elapsed := time.Since(began)
	stop()
	churn.Wait()
	if err != nil {
		return row, err
	}
	after, err := measure.Read(pid)
	if err != nil {
		return row, err
	}
	slices.Sort(took)
	row.Asked = len(took)
	row.Rate = float64(len(took)) / elapsed.Seconds()
	row.Median, row.P99, row.Worst = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	row.CPU = (after.CPU - before.CPU) / time.Duration(len(took))
	row.Resident = after.Resident
	time.Sleep(time.Second) // until the last change is seen
	return row, equal(o, kubeconfig, url)
}
