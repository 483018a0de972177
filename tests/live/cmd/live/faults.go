package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/tests/live/internal/faults"
)

func runFaults(arguments []string) error {
	set := options("faults")
	var o faults.Options
	set.StringVar(&o.Kubernetes, "kubernetes", "", "program that is kube-apiserver and kube-scheduler")
	set.StringVar(&o.Berth, "berth", "", "program to test (none: kube-scheduler)")
	set.StringVar(&o.Folder, "dir", "", "folder for the scenarios' folders")
	set.Uint64Var(&o.Seed, "seed", 0, "seed of all that is random (0: by the clock; it is printed)")
	set.IntVar(&o.Nodes, "nodes", 60, "nodes")
	set.IntVar(&o.Pods, "pods", 600, "pods")
	set.BoolVar(&o.Keep, "keep", false, "keep the folders of scenarios that held")
	names := set.String("scenarios", "", "which, with commas between (none: all)")
	short := set.Bool("short", false, "only those that take seconds")
	doubles := set.Bool("fake", false, "on the scripted API server instead of a real one")
	list := set.Bool("list", false, "tell of the scenarios and end")
	_ = set.Parse(arguments)
	table, run := faults.Table, faults.Run
	if *doubles {
		table, run = faults.Doubles, faults.RunDouble
	}
	if *list {
		for _, s := range append(faults.Table, faults.Doubles...) {
			fmt.Printf("%-10s %s\n", s.Name, s.What)
		}
		return nil
	}
	if o.Folder == "" || o.Kubernetes == "" && (!*doubles || o.Berth == "") {
		return errors.New("--dir and --kubernetes are needed (with --fake, --kubernetes or --berth)")
	}
	if o.Nodes > nodesMax || o.Pods > podsMax {
		return fmt.Errorf("at most %d nodes and %d pods", nodesMax, podsMax)
	}
	o.Folder, _ = filepath.Abs(o.Folder)
	o.Out = os.Stdout
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano())
	}
	var err error
	if o.EtcdServer, err = findEtcd(); err != nil && !*doubles {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { // even while a scenario waits; its processes die, too
		fmt.Println("ended by a signal")
		os.Exit(3)
	})
	defer stop()
	var broken []string
	for _, s := range table {
		if *names != "" && !contains(*names, s.Name) || *short && !s.Short || ctx.Err() != nil {
			continue
		}
		err := run(ctx, o, s)
		if errors.Is(err, faults.ErrBroken) {
			broken = append(broken, s.Name)
		} else if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if len(broken) > 0 {
		fmt.Printf("BROKEN in %s (seed %d)\n", strings.Join(broken, ", "), o.Seed)
		return errBroken
	}
	return ctx.Err()
}

func contains(list, name string) bool {
	for _, one := range strings.Split(list, ",") {
		if one == name {
			return true
		}
	}
	return false
}
