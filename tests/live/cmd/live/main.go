// Command live is the test bed of `berth run`: a real cluster on loopback, its load, checks of a
// scheduler's actions, and test doubles that produce faults. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sort"
	"syscall"
)

// A command receives its arguments and returns an error, or errBroken after it has printed what
// broke.
type command struct {
	run     func(arguments []string) error
	summary string
}

var errBroken = errors.New("")

var commands = map[string]command{
	"bed":       {runBed, "run etcd and kube-apiserver in a folder until told to end"},
	"load":      {runLoad, "create nodes, pods of five Deployments, and special pods"},
	"check":     {runCheck, "watch a cluster and hold what a scheduler does against the invariants"},
	"proxy":     {runProxy, "pass bytes on to a server, with faults"},
	"fake":      {runFake, "a scripted API server"},
	"measure":   {runMeasure, "bindings a second, processor time and memory of a scheduler"},
	"suites":    {runSuites, "Kubernetes' integration tests of the scheduler, with Berth in its place"},
	"storm":     {runStorm, "evictions and attempts of a scheduler when many pods must preempt at once"},
	"questions": {runQuestions, "questions to berth serve: how many, how fast, while the cluster changes"},
	"e2e":       {runE2E, "Kubernetes' end-to-end tests of scheduling, with simulated kubelets"},
	"scale":     {runScale, "bindings a second on a scripted API server with a million nodes"},
	"faults":    {runFaults, "the table of faults, with a seed"},
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]].run == nil {
		usage()
		os.Exit(2)
	}
	err := commands[os.Args[1]].run(os.Args[2:])
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errBroken):
		os.Exit(1)
	default:
		fmt.Fprintf(os.Stderr, "live %s: %v\n", os.Args[1], err)
		os.Exit(3)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: live COMMAND [OPTION...]")
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(os.Stderr, "  %-9s %s\n", name, commands[name].summary)
	}
}

// untilSignal returns a context that a signal ends.
func untilSignal() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}

// options makes a flag set whose usage errors end the program with exit code 2.
func options(name string) *flag.FlagSet { return flag.NewFlagSet("live "+name, flag.ExitOnError) }
