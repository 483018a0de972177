package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/load"
)

// The largest load on one machine.
const (
	nodesMax = 10000
	podsMax  = 50000
)

func planFlags(set *flag.FlagSet) *load.Plan {
	p := &load.Plan{}
	set.IntVar(&p.Nodes, "nodes", 100, "nodes")
	set.IntVar(&p.Pods, "pods", 1000, "pods of the five Deployments")
	set.StringVar(&p.Scheduler, "scheduler", "default-scheduler", "schedulerName of the pods")
	set.StringVar(&p.Namespace, "namespace", "bed", "their namespace")
	return p
}

func bounded(p *load.Plan) error {
	if p.Nodes < 0 || p.Nodes > nodesMax || p.Pods < 0 || p.Pods > podsMax {
		return fmt.Errorf("at most %d nodes and %d pods", nodesMax, podsMax)
	}
	return nil
}

// client returns a client for a user of the bed, at the server whose URL is in the folder.
func client(folder, user string) (*api.Client, error) {
	if folder == "" {
		return nil, errors.New("--dir is needed")
	}
	text, err := os.ReadFile(folder + "/server")
	if err != nil {
		return nil, err
	}
	return api.NewClient(string(text), folder, user)
}

func runLoad(arguments []string) error {
	set := options("load")
	dir := set.String("dir", "", "folder of the bed")
	p := planFlags(set)
	rate := set.Float64("rate", 0, "pods a second (0: as fast as the server takes them)")
	unfit := set.Bool("unfit", false, "also pods that have no room")
	full := set.Int("preempt", 0, "also so many full nodes, and pods that must evict others there")
	volumes := set.Int("volumes", 0, "also so many pods with claims; binds them for a minute")
	_ = set.Parse(arguments)
	if err := bounded(p); err != nil {
		return err
	}
	c, err := client(*dir, "admin")
	if err != nil {
		return err
	}
	start := time.Now()
	if err := p.LoadNodes(c); err != nil {
		return err
	}
	if *full > 0 {
		if err := p.LoadFull(c, *full); err != nil {
			return err
		}
	}
	if _, err := p.LoadPods(c, *rate); err != nil {
		return err
	}
	if *unfit {
		if err := p.LoadUnfit(c, p.Nodes+*full); err != nil {
			return err
		}
	}
	fmt.Printf("%d nodes, %d pods in %.1f s\n", p.Nodes, p.Pods, time.Since(start).Seconds())
	if *volumes > 0 {
		if err := p.LoadVolumes(c, *volumes); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		load.VolumeController(ctx, c)
	}
	return nil
}
