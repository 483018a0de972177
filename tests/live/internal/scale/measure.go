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
	wait := func(limit time.Duration, done func() bool) error {
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
	if err := wait(5*time.Minute, func() bool { return s.watched.Load() > 0 }); err != nil {
		return Row{}, err
	}
	s.mutex.Lock()
	s.arrive()
	s.mutex.Unlock()
	if err := wait(5*time.Minute, func() bool { return s.bound.Load() > 0 }); err != nil {
		return Row{}, err
	}
	row := Row{Ready: s.first.Sub(began)}
	before, err := measure.Read(berth.PID())
	if err != nil {
		return Row{}, err
	}
	own, first, started := ownCPU(), s.bound.Load(), time.Now()
	limit := time.Duration(o.Seconds) * time.Second
	_ = wait(limit, func() bool { return false })
	if ctx.Err() != nil || !berth.Alive() {
		return Row{}, fmt.Errorf("berth did not last\n%s", berth.Tail())
	}
	row.Rate = float64(s.bound.Load()-first) / time.Since(started).Seconds()
	s.mutex.Lock()
	s.ended = true // no more pods; what waits is bound, and all events arrive
	s.mutex.Unlock()
	// Events come later than bindings; some may never come.
	seen, quiet := int64(-1), time.Now()
	if err := wait(5*time.Minute, func() bool {
		if events := s.events.Load(); events != seen {
			seen, quiet = events, time.Now()
		}
		return s.isDone() && (seen >= s.bound.Load() || time.Since(quiet) > 5*time.Second)
	}); err != nil {
		return Row{}, fmt.Errorf("%w: %d pods bound, %d events", err, s.bound.Load(), s.events.Load())
	}
	row.Whole = float64(s.events.Load()-first) / time.Since(started).Seconds()
	after, err := measure.Read(berth.PID())
	if err != nil {
		return Row{}, err
	}
	row.Bound, row.Events, row.Again = s.bound.Load(), s.events.Load(), s.again.Load()
	row.CPU = (after.CPU - before.CPU) / time.Duration(row.Bound-first)
	row.ServerCPU = (ownCPU() - own) / time.Duration(row.Bound-first)
	row.Resident = after.Resident
	return row, nil
}

func (s *server) isDone() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.pods == int(s.bound.Load())
}

// makeRest creates what the pods refer to.
func (s *server) makeRest(url string) error {
	for path, text := range map[string]string{
		"/api/v1/namespaces": `{"metadata":{"name":"` + namespace + `"}}`,
	} {
		response, err := http.Post(url+path, "application/json", strings.NewReader(text))
		if err != nil {
			return err
		}
		response.Body.Close()
	}
	for i := range apps {
		text := fmt.Sprintf(`{"metadata":{"name":"app-%[1]d","namespace":"%[2]s"},"spec":{"selector":{"app":"app-%[1]d"}}}`, i, namespace)
		response, err := http.Post(url+"/api/v1/namespaces/"+namespace+"/services", "application/json", strings.NewReader(text))
		if err != nil {
			return err
		}
		response.Body.Close()
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
