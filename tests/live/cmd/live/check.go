package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"berth/tests/live/internal/check"
)

func runCheck(arguments []string) error {
	set := options("check")
	dir := set.String("dir", "", "folder of the bed")
	scheduler := set.String("scheduler", "default-scheduler", "schedulerName of the pods to look at")
	user := set.String("user", "system:kube-scheduler", "as whom the scheduler speaks to the API server")
	quiet := set.Duration("quiet", 5*time.Second, "end when all are bound and so long nothing changed")
	limit := set.Duration("limit", 10*time.Minute, "end at the latest after")
	audit := set.Bool("audit", true, "read the audit log too")
	_ = set.Parse(arguments)
	c, err := client(*dir, "admin")
	if err != nil {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	w := check.Watch(ctx, c, check.Subject{Scheduler: *scheduler, User: *user})
	if ctx.Err() != nil {
		return errors.New("ended before the cluster was read")
	}
	w.Settle(*quiet, *limit)
	log := ""
	if *audit {
		log = filepath.Join(*dir, "audit.log")
	}
	_, broken, err := w.Report(os.Stdout, log)
	if err == nil && len(broken) > 0 {
		return errBroken
	}
	return err
}
