package main

import (
	"os"
	"path/filepath"
	"time"

	"berth/tests/live/internal/suites"
)

func runE2E(arguments []string) error {
	set := options("e2e")
	var o suites.E2E
	set.StringVar(&o.Bed.Folder, "dir", "", "the folder for everything, made anew")
	set.StringVar(&o.Bed.Kubernetes, "kubernetes", "", "the program that is kube-apiserver and kube-scheduler")
	set.StringVar(&o.Program, "program", "", "the program that is the tests and kube-controller-manager")
	set.StringVar(&o.Berth, "berth", "", "the program under test; without it, kube-scheduler")
	set.StringVar(&o.List, "list", "", "a file with the tests that need not pass")
	set.StringVar(&o.Focus, "focus", `\[sig-scheduling\]`, "a regular expression: which tests")
	set.DurationVar(&o.Limit, "limit", time.Hour, "how long all tests may take")
	_ = set.Parse(arguments)
	o.Bed.Folder, _ = filepath.Abs(o.Bed.Folder)
	var err error
	if o.Bed.EtcdServer, err = findEtcd(); err != nil {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	sum, err := o.Run(ctx, os.Stdout)
	if err == nil && len(sum.Failed) > 0 {
		err = errBroken
	}
	return err
}
