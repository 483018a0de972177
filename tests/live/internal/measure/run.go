package measure

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/check"
	"berth/tests/live/internal/load"
)

// Contestant is a scheduler that is measured.
type Contestant struct {
	Name  string
	Berth string   // the program, or "" for kube-scheduler
	Flags []string // of it
}

// Options of a measurement.
type Options struct {
	bed.Options
	Plan  load.Plan
	Full  int // this many additional full nodes, and as many pods that must evict one there
	Runs  int
	Limit time.Duration // time limit for the backlog of one run
	Paced int           // pods created afterwards, one by one, for the latency
	Rate  float64       // number of these per second
	Out   io.Writer
}

// Row is one run's result. Latencies are -1 if the backlog was not done in time.
type Row struct {
	Contestant string
	Bound      int
	Seconds    float64 // from the first binding seen to the last
	Rate, Peak float64 // bindings per second: on average, and in the best second
	Events     int     // events about bindings
	Whole      float64 // pods a second until the last event was written
	Scheduler  Usage
	APIServer  time.Duration
	Etcd       time.Duration
	P50, P99   time.Duration
}

// Prepare loads a cluster without a scheduler once and keeps its data in the folder, for all runs.
func Prepare(ctx context.Context, o Options) error {
	fmt.Fprintf(o.Out, "loading %d nodes and %d pods; %d full nodes, and %d pods that preempt\n", o.Plan.Nodes,
		o.Plan.Pods, o.Full, o.Full)
	return prepare(ctx, o, func(c *api.Client) error {
		if err := o.Plan.LoadNodes(c); err != nil {
			return err
		}
		if _, err := o.Plan.LoadPods(c, 0); err != nil {
			return err
		}
		return o.Plan.LoadFull(c, o.Full)
	})
}

// pods returns the number of pods to bind.
func (o Options) pods() int { return o.Plan.Pods + o.Full }

func prepare(ctx context.Context, o Options, load func(*api.Client) error) error {
	made := o.Options
	made.Folder = filepath.Join(o.Folder, "made")
	b, err := bed.New(made)
	if err != nil {
		return err
	}
	err = load(b.Admin)
	b.Close()
	if err != nil {
		return err
	}
	return ctx.Err()
}

// reopen starts the servers on a copy of the prepared data.
func reopen(o Options) (*bed.Bed, error) {
	mine := o.Options
	mine.Folder = filepath.Join(o.Folder, "run")
	mine.Data = filepath.Join(o.Folder, "made", "etcd")
	if err := os.RemoveAll(mine.Folder); err != nil {
		return nil, err
	}
	return bed.New(mine)
}

// Run measures one contestant on the prepared cluster.
func Run(ctx context.Context, o Options, c Contestant) (Row, error) {
	row := Row{Contestant: c.Name, P50: -1, P99: -1}
	b, err := reopen(o)
	if err != nil {
		return row, err
	}
	defer b.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := check.WatchPods(ctx, b.Admin, check.Subject{Scheduler: o.Plan.Scheduler})
	time.Sleep(5 * time.Second) // the servers have caches to fill
	scheduler, err := start(b, c)
	if err != nil {
		return row, err
	}
	defer scheduler.Kill()
	if err := backlog(ctx, o, b, w, scheduler, &row); err != nil {
		return row, err
	}
	if row.Bound == o.pods() && o.Paced > 0 {
		return row, latency(o, b, w, &row)
	}
	return row, nil
}

func start(b *bed.Bed, c Contestant) (*bed.Process, error) {
	if c.Berth == "" {
		return b.Scheduler("scheduler", b.KubeconfigPath("kube-scheduler"), c.Flags...)
	}
	command := []string{c.Berth, "run", "--kubeconfig", b.KubeconfigPath("berth")}
	return bed.Start(b.Folder, "scheduler", append(command, c.Flags...)...)
}

func backlog(ctx context.Context, o Options, b *bed.Bed, w *check.Cluster, s *bed.Process, row *Row) error {
	apiserver, err := Read(b.APIServer.PID())
	if err != nil {
		return err
	}
	etcd, err := Read(b.Etcd.PID())
	if err != nil {
		return err
	}
	const step = 250 * time.Millisecond
	var first, last time.Time
	var counts []int
	for end := time.Now().Add(o.Limit); time.Now().Before(end) && row.Bound < o.pods(); {
		time.Sleep(step)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !s.Alive() {
			return fmt.Errorf("%s ended:\n%s", row.Contestant, s.Tail())
		}
		bound := o.pods() - w.Unbound()
		if bound > 0 && first.IsZero() {
			first = time.Now().Add(-step)
		}
		if bound > row.Bound {
			row.Bound, last = bound, time.Now()
		}
		counts = append(counts, bound)
	}
	for i := range counts {
		if i >= 4 {
			row.Peak = max(row.Peak, float64(counts[i]-counts[i-4]))
		}
	}
	row.Seconds = last.Sub(first).Seconds()
	if row.Bound > 0 {
		row.Rate = float64(row.Bound) / row.Seconds
	}
	if err := events(ctx, o, b, first, row); err != nil {
		return err
	}
	if row.Scheduler, err = Read(s.PID()); err != nil {
		return err
	}
	after, err := Read(b.APIServer.PID())
	if err != nil {
		return err
	}
	row.APIServer = after.CPU - apiserver.CPU
	after, err = Read(b.Etcd.PID())
	row.Etcd = after.CPU - etcd.CPU
	return err
}

// events waits as long as events keep coming, because they come after the bindings: one for each, and two
// for each pod that preempts, about it and about its victim. Their cost is included.
func events(ctx context.Context, o Options, b *bed.Bed, first time.Time, row *Row) error {
	last := time.Now()
	for quiet := time.Now(); time.Since(quiet) < 3*time.Second && row.Events < row.Bound+2*o.Full; {
		time.Sleep(500 * time.Millisecond)
		var list struct {
			Metadata struct{ RemainingItemCount int }
			Items    []struct{}
		}
		err := b.Admin.Send(ctx, http.MethodGet,
			"/apis/events.k8s.io/v1/namespaces/"+o.Plan.Namespace+"/events?limit=1", "", nil, &list)
		if err != nil {
			return err
		}
		if count := list.Metadata.RemainingItemCount + len(list.Items); count > row.Events {
			row.Events, last, quiet = count, time.Now(), time.Now()
		}
	}
	if row.Bound > 0 {
		row.Whole = float64(row.Bound) / last.Sub(first).Seconds()
	}
	return nil
}

// latency creates pods one by one and takes the times from their appearance to their binding.
func latency(o Options, b *bed.Bed, w *check.Cluster, row *Row) error {
	began := time.Now()
	app := o.Plan.Apps()[0]
	for i := range o.Paced {
		time.Sleep(time.Until(began.Add(time.Duration(float64(i) / o.Rate * float64(time.Second)))))
		pod := o.Plan.Pod(app, fmt.Sprintf("paced-%05d", i))
		if err := b.Admin.Ensure("/api/v1/namespaces/"+o.Plan.Namespace+"/pods", pod); err != nil {
			return err
		}
	}
	w.Settle(time.Second, time.Minute)
	if all := w.Latencies(began); len(all) > 0 {
		row.P50, row.P99 = all[len(all)/2], all[len(all)*99/100]
	}
	return nil
}
