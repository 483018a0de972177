package main

import (
	"os"
	"time"

	"berth/tests/live/internal/suites"
)

func runSuites(arguments []string) error {
	set := options("suites")
	var o suites.Options
	set.StringVar(&o.Folder, "dir", "", "the folder for logs")
	set.StringVar(&o.Source, "source", "", "the sources of Kubernetes")
	set.StringVar(&o.Programs, "programs", "", "the folder of the test programs")
	set.StringVar(&o.Berth, "berth", "", "the program under test; without it, kube-scheduler")
	set.StringVar(&o.List, "list", "", "a file with the tests that need not pass")
	set.StringVar(&o.Only, "only", "", "only the package with this path, else those whose paths have this text")
	set.DurationVar(&o.Limit, "limit", 15*time.Minute, "how long one test with its subtests may take")
	_ = set.Parse(arguments)
	var err error
	if o.EtcdServer, err = findEtcd(); err != nil {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	sum, err := suites.Run(ctx, o, os.Stdout)
	if err == nil && len(sum.Failed) > 0 {
		err = errBroken
	}
	return err
}
