package main

import (
	"fmt"
	"path/filepath"
	"time"

	"berth/tests/live/internal/questions"
)

func runQuestions(arguments []string) error {
	set := options("questions")
	var o questions.Options
	set.StringVar(&o.Berth, "berth", "", "the program")
	set.StringVar(&o.Dir, "dir", "", "an empty folder")
	set.IntVar(&o.Nodes, "nodes", 5000, "nodes of the cluster")
	set.IntVar(&o.Pods, "pods", 50000, "pods on them")
	set.IntVar(&o.Clients, "clients", 50, "clients, each with a connection")
	set.IntVar(&o.Rate, "rate", 1000, "questions a second, of all clients")
	set.IntVar(&o.Changes, "changes", 100, "changes of pods a second")
	set.IntVar(&o.Seconds, "seconds", 20, "how long they ask")
	_ = set.Parse(arguments)
	if o.Berth == "" || o.Dir == "" || o.Nodes < 1 || o.Clients < 1 || o.Rate < 1 || o.Seconds < 1 {
		return fmt.Errorf("--berth and --dir are needed, and no number may be 0")
	}
	o.Dir, _ = filepath.Abs(o.Dir)
	ctx, cancel := untilSignal()
	defer cancel()
	row, err := questions.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("%d nodes, %d pods, %d changes a second; %d clients: %.0f questions a second, %d of %d refused\n",
		o.Nodes, o.Pods, o.Changes, o.Clients, row.Rate, row.Refused, row.Asked)
	fmt.Printf("from the moment at which a question was due: p50 %s, p99 %s, worst %s\n",
		row.Median.Round(10*time.Microsecond), row.P99.Round(10*time.Microsecond), row.Worst.Round(10*time.Microsecond))
	fmt.Printf("processor time a question, changes included: %s; resident %d MB; ready after %.2f s\n",
		row.CPU.Round(time.Microsecond), row.Resident>>20, row.Ready.Seconds())
	fmt.Println("answers equal to those of the program, before and after")
	return nil
}
