package measure

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
)

// StormRow is the result of one run: pods of high priority that arrive at full nodes at the same
// time.
type StormRow struct {
	Contestant    string
	Bound         int
	Seconds       float64 // from the first pod's creation to the last binding
	Evictions     int
	Twice         int // pods that were nominated for more than one node
	Elsewhere     int // pods bound to a node other than the last one for which they were nominated
	Attempts      int // all scheduling attempts, by the scheduler's own metric
	Unschedulable int // attempts that found no node
	Scheduler     Usage
}

// PrepareStorm loads full nodes once and keeps the data in the folder, for all runs.
func PrepareStorm(ctx context.Context, o Options) error {
	fmt.Fprintf(o.Out, "loading %d full nodes; then %d pods preempt\n", o.Plan.Nodes, o.Plan.Pods)
	return prepare(ctx, o, o.Plan.LoadStormNodes)
}

// Storm lets one contestant place the pods of high priority.
func Storm(ctx context.Context, o Options, c Contestant) (StormRow, error) {
	row := StormRow{Contestant: c.Name}
	b, err := reopen(o)
	if err != nil {
		return row, err
	}
	defer b.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := watchStorm(ctx, b.Admin, o.Plan.Namespace)
	ports, err := bed.FreePorts(1)
	if err != nil {
		return row, err
	}
	scheduler, err := start(b, c.serving(ports[0]))
	if err != nil {
		return row, err
	}
	defer scheduler.Kill()
	time.Sleep(5 * time.Second) // for the servers' caches and the scheduler's lease
	began := time.Now()
	if err := o.Plan.LoadStorm(b.Admin); err != nil {
		return row, err
	}
	for end := began.Add(o.Limit); time.Now().Before(end) && seen.bound() < o.Plan.Pods; time.Sleep(100 * time.Millisecond) {
		if !scheduler.Alive() {
			return row, fmt.Errorf("%s ended:\n%s", row.Contestant, scheduler.Tail())
		}
	}
	time.Sleep(2 * time.Second) // evictions that are no longer needed
	seen.tell(&row, began)
	if row.Attempts, row.Unschedulable, err = attempts(ports[0]); err != nil {
		return row, err
	}
	row.Scheduler, err = Read(scheduler.PID())
	return row, err
}

// serving returns the contestant with its metrics served at this port.
func (c Contestant) serving(port int) Contestant {
	flags := []string{fmt.Sprintf("--secure-port=%d", port), "--bind-address=127.0.0.1",
		"--authorization-always-allow-paths=/metrics"}
	c.Flags = append(append([]string{}, c.Flags...), flags...)
	return c
}

// attempts reads scheduler_schedule_attempts_total: all of them, and the unschedulable ones.
func attempts(port int) (all, unschedulable int, err error) {
	// The scheduler's certificate is self-signed.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/metrics", port))
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "scheduler_schedule_attempts_total{") {
			continue
		}
		count, _ := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		all += int(count)
		if strings.Contains(line, `result="unschedulable"`) {
			unschedulable += int(count)
		}
	}
	return all, unschedulable, err
}

// A storm as the watch shows it.
type storm struct {
	mutex     sync.Mutex
	nominated map[string][]string // the nominated nodes of each pod, in order
	nodes     map[string]string   // nodes of the bound pods of high priority
	evicted   int
	last      time.Time // time of the last binding
}

func watchStorm(ctx context.Context, c *api.Client, namespace string) *storm {
	s := &storm{nominated: map[string][]string{}, nodes: map[string]string{}}
	go func() {
		_ = api.Follow(ctx, c, "/api/v1/namespaces/"+namespace+"/pods", s.pod)
	}()
	return s
}

func (s *storm) pod(change api.Change[api.Pod]) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	pod := change.Object
	if strings.HasPrefix(pod.Meta.Name, "low-") && change.Kind == "DELETED" {
		s.evicted++
	}
	if !strings.HasPrefix(pod.Meta.Name, "high-") {
		return
	}
	was := s.nominated[pod.Meta.Name]
	if node := pod.Status.NominatedNodeName; node != "" && (len(was) == 0 || was[len(was)-1] != node) {
		s.nominated[pod.Meta.Name] = append(was, node)
	}
	if pod.Spec.NodeName != "" && s.nodes[pod.Meta.Name] == "" {
		s.nodes[pod.Meta.Name], s.last = pod.Spec.NodeName, change.Seen
	}
}

func (s *storm) bound() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.nodes)
}

func (s *storm) tell(row *StormRow, began time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	row.Bound, row.Evictions = len(s.nodes), s.evicted
	if row.Bound > 0 {
		row.Seconds = s.last.Sub(began).Seconds()
	}
	for name, nodes := range s.nominated {
		if len(nodes) > 1 {
			row.Twice++
		}
		if node := s.nodes[name]; node != "" && node != nodes[len(nodes)-1] {
			row.Elsewhere++
		}
	}
}

// StormTable prints all runs.
func StormTable(out io.Writer, rows []StormRow) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "scheduler\tbound\tseconds\tevictions\tnominated twice\telsewhere\tattempts\tunschedulable\t"+
		"CPU s\tresident MiB\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%d\t%.2f\t%d\t%d\t%d\t%d\t%d\t%.2f\t%d\t\n", r.Contestant, r.Bound, r.Seconds,
			r.Evictions, r.Twice, r.Elsewhere, r.Attempts, r.Unschedulable, r.Scheduler.CPU.Seconds(),
			r.Scheduler.Resident>>20)
	}
	t.Flush()
}
