package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"berth/tests/live/internal/load"
	"berth/tests/live/internal/measure"
)

// measureFlags adds the flags that both measurements have.
func measureFlags(set *flag.FlagSet, o *measure.Options) (plan *load.Plan, berth *string) {
	set.StringVar(&o.Kubernetes, "kubernetes", "", "program that is kube-apiserver and kube-scheduler")
	set.StringVar(&o.Folder, "dir", "", "folder for clusters")
	set.IntVar(&o.Runs, "runs", 3, "runs of each, in turn")
	set.DurationVar(&o.Limit, "limit", 2*time.Minute, "time limit of a run")
	return planFlags(set), set.String("berth", "", "Berth's program (none: kube-scheduler alone)")
}

// begin checks these flags and finishes the options.
func begin(o *measure.Options, p *load.Plan) error {
	if o.Folder == "" || o.Kubernetes == "" {
		return errors.New("--dir and --kubernetes are needed")
	}
	if err := bounded(p); err != nil {
		return err
	}
	o.Plan, o.Out = *p, os.Stdout
	o.Folder, _ = filepath.Abs(o.Folder)
	fmt.Printf("%d cores, load average %s, %s\n", runtime.NumCPU(), loadAverage(), filepath.Base(o.Kubernetes))
	var err error
	o.EtcdServer, err = findEtcd()
	return err
}

var unlimited = measure.Contestant{Name: "kube-scheduler, unlimited",
	Flags: []string{"--kube-api-qps=10000", "--kube-api-burst=10000"}}

func runMeasure(arguments []string) error {
	set := options("measure")
	var o measure.Options
	p, berth := measureFlags(set, &o)
	set.IntVar(&o.Full, "preempt", 0, "also so many full nodes, and pods that must evict others there")
	set.IntVar(&o.Paced, "paced", 200, "pods for the latency")
	set.Float64Var(&o.Rate, "rate", 20, "of them a second")
	only := set.String("only", "", "of default, unlimited and berth these, with commas between (none: all)")
	_ = set.Parse(arguments)
	if err := begin(&o, p); err != nil {
		return err
	}
	wanted := func(name string) bool { return *only == "" || contains(*only, name) }
	var contestants []measure.Contestant
	if wanted("default") {
		contestants = append(contestants, measure.Contestant{Name: "kube-scheduler, 50 a second"})
	}
	if wanted("unlimited") {
		contestants = append(contestants, unlimited)
	}
	if *berth != "" && wanted("berth") {
		contestants = append(contestants, measure.Contestant{Name: "berth", Berth: *berth})
	}
	ctx, cancel := untilSignal()
	defer cancel()
	if err := measure.Prepare(ctx, o); err != nil {
		return err
	}
	var rows []measure.Row
	for run := range o.Runs {
		for _, c := range contestants {
			row, err := measure.Run(ctx, o, c)
			if err != nil {
				return err
			}
			fmt.Printf("run %d, %s: %d bound, %.0f a second, load average %s\n", run+1, c.Name, row.Bound,
				row.Rate, loadAverage())
			rows = append(rows, row)
		}
	}
	measure.Table(os.Stdout, rows)
	return nil
}

// loadAverage returns the load before anything runs: if it exceeds the number of cores, the results
// are of little value.
func loadAverage() string {
	load, _ := os.ReadFile("/proc/loadavg")
	return strings.Fields(string(load) + " ?")[0]
}
