package main

import (
	"bufio"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"

	"berth/tests/oracle/internal/schedulerperf"
)

// workloads writes the workloads of Kubernetes' scheduler benchmark as changes of a cluster.
func workloads(arguments []string) (int, error) {
	flags := flag.NewFlagSet("oracle workloads", flag.ContinueOnError)
	folder := flags.String("folder", "", "test/integration/scheduler_perf of the module k8s.io/kubernetes")
	label := flags.String("label", "performance", "only workloads with this label; empty: all")
	match := flags.String("match", "", "only workloads whose name contains this")
	if err := flags.Parse(arguments); err != nil {
		return 2, nil
	}
	if *folder == "" {
		return 2, errors.New("--folder is missing")
	}
	cases, err := schedulerperf.Load(*folder)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	err = schedulerperf.Expand(out, cases, func(name string, labels []string) bool {
		return strings.Contains(name, *match) && (*label == "" || slices.Contains(labels, *label))
	})
	return 0, errors.Join(err, out.Flush())
}
