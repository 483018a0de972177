package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/measure"
)

// Options of a measurement.
type Options struct {
	Folder  string
	Berth   string
	Nodes   int
	Ahead   int // pods that wait to be bound at any moment
	Seconds int // how long pods arrive
}

// Row is the result.
type Row struct {
	Bound, Events, Again int64
	Ready                time.Duration // from the start to the first binding
	Rate                 float64       // bindings a second, while pods arrive
	Whole                float64       // pods a second up to the last event
	CPU, ServerCPU       time.Duration // processor time for a pod, events included
	Resident             int64
}

// Run measures.
func Run(ctx context.Context, o Options) (Row, error) {
	s := newServer(o.Nodes, o.Ahead)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Row{}, err
	}
	defer listener.Close()
	go s.serve(listener)
	debug.SetGCPercent(400) // its own garbage must not cost much beside what is measured
	if _, err := bed.Prepare(o.Folder, "http://"+listener.Addr().String()); err != nil {
		return Row{}, err
	}
	if err := s.makeRest("http://" + listener.Addr().String()); err != nil {
		return Row{}, err
	}
	began := time.Now()
	berth, err := bed.Start(o.Folder, "berth", o.Berth, "run", "--kubeconfig", o.Folder+"/berth.kubeconfig",
		"--leader-elect", "--v=1")
	if err != nil {
		return Row{}, err
	}
	defer berth.Stop(20 * time.Second)
	if err := s.begin(ctx, berth); err != nil {
		return Row{}, err
	}
	row := Row{Ready: s.firstBinding().Sub(began)}
	before, err := measure.Read(berth.PID())
	if err != nil {
		return Row{}, err
	}
	own, first, started := ownCPU(), s.bound.Load(), time.Now()
	arriving := time.Duration(o.Seconds) * time.Second
	if err := wait(ctx, berth, arriving+patience, func() bool { return time.Since(started) > arriving }); err != nil {
		return Row{}, err
	}
	row.Rate = float64(s.bound.Load()-first) / time.Since(started).Seconds()
	if err := s.finish(ctx, berth); err != nil {
		return Row{}, err
	}
	row.Whole = float64(s.events.Load()-first) / time.Since(started).Seconds()
	after, err := measure.Read(berth.PID())
	if err != nil {
		return Row{}, err
	}
	row.Bound, row.Events, row.Again = s.bound.Load(), s.events.Load(), s.again.Load()
	if row.Bound == first {
		return Row{}, errors.New("no pod was bound while they arrived")
	}
	row.CPU = (after.CPU - before.CPU) / time.Duration(row.Bound-first)
	row.ServerCPU = (ownCPU() - own) / time.Duration(row.Bound-first)
	row.Resident = after.Resident
	return row, nil
}

// patience is how long something may take that is waited for.
const patience = 5 * time.Minute

func wait(ctx context.Context, berth *bed.Process, limit time.Duration, done func() bool) error {
	for end := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !berth.Alive():
			return fmt.Errorf("berth ended\n%s", berth.Tail())
		case time.Now().After(end):
			return errors.New("nothing happened in time")
		}
	}
	return nil
}

// begin brings the first pods once they are watched, and waits for the first binding.
func (s *server) begin(ctx context.Context, berth *bed.Process) error {
	if err := wait(ctx, berth, patience, func() bool { return s.watched.Load() > 0 }); err != nil {
		return err
	}
	s.mutex.Lock()
	s.arrive()
	s.mutex.Unlock()
	return wait(ctx, berth, patience, func() bool { return s.bound.Load() > 0 })
}

func (s *server) firstBinding() time.Time {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.first
}

// finish brings no more pods, and waits until those that are there are bound. Their events come later, and some
// may never come.
func (s *server) finish(ctx context.Context, berth *bed.Process) error {
	s.mutex.Lock()
	s.ended = true
	s.mutex.Unlock()
	seen, quiet := int64(-1), time.Now()
	err := wait(ctx, berth, patience, func() bool {
		if events := s.events.Load(); events != seen {
			seen, quiet = events, time.Now()
		}
		return s.isDone() && (seen >= s.bound.Load() || time.Since(quiet) > 5*time.Second)
	})
	if err != nil {
		err = fmt.Errorf("%w: %d pods bound, %d events", err, s.bound.Load(), s.events.Load())
	}
	return err
}

func (s *server) isDone() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.pods == int(s.bound.Load())
}

// makeRest creates what the pods refer to.
func (s *server) makeRest(url string) error {
	create := func(path, text string) error {
		response, err := http.Post(url+path, "application/json", strings.NewReader(text))
		if err != nil {
			return err
		}
		return response.Body.Close()
	}
	if err := create("/api/v1/namespaces", `{"metadata":{"name":"`+namespace+`"}}`); err != nil {
		return err
	}
	for i := range apps {
		text := fmt.Sprintf(`{"metadata":{"name":"app-%[1]d","namespace":"%[2]s"},"spec":{"selector":{"app":"app-%[1]d"}}}`,
			i, namespace)
		if err := create("/api/v1/namespaces/"+namespace+"/services", text); err != nil {
			return err
		}
	}
	return nil
}

// ownCPU is the processor time of this process, which is the server's.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Print writes the result.
func (r Row) Print(to io.Writer, o Options) {
	fmt.Fprintf(to, `%d nodes, %d pods that wait at any moment
bindings a second          %.0f (up to the last event: %.0f)
pods bound, their events   %d, %d (bound twice: %d)
processor time for a pod   %.0f us (server: %.0f us)
first binding after        %.1f s
peak resident memory       %.0f MiB
`, o.Nodes, o.Ahead, r.Rate, r.Whole, r.Bound, r.Events, r.Again, float64(r.CPU.Nanoseconds())/1e3,
		float64(r.ServerCPU.Nanoseconds())/1e3, r.Ready.Seconds(), float64(r.Resident)/(1<<20))
}
