package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/vector"
)

// speed times the scheduler's own algorithm on the pods of a dump.
func speed(arguments []string) (int, error) {
	flags := flag.NewFlagSet("oracle speed", flag.ContinueOnError)
	pods := flags.Int("pods", 1000, "pods to decide, the first of the input")
	all := flags.Bool("all", false, "score all nodes that fit, not a sample of them")
	if err := flags.Parse(arguments); err != nil {
		return 2, nil
	}
	mode := vector.Sampled
	if *all {
		mode = vector.AllNodes
	}
	measured, err := kube.Measure(os.Stdin, *pods, mode)
	if err != nil {
		return 0, err
	}
	if len(measured.Took) == 0 {
		return 0, fmt.Errorf("no pod of the input is without a node")
	}
	at := func(share float64) float64 {
		return float64(measured.Took[int(share*float64(len(measured.Took)-1))]) / float64(time.Microsecond)
	}
	fmt.Printf("kube-scheduler %s: %d placed, %d unfit, %.1f pods/s, p50 %.1f us, p99 %.1f us\n", kube.Version,
		measured.Placed, measured.Unfit, float64(len(measured.Took))/measured.Total.Seconds(), at(0.5), at(0.99))
	return 0, nil
}
