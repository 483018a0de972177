// Oracle answers scheduling scenarios with kube-scheduler itself.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/klog/v2"
)

const usage = `usage: oracle answer < scenarios.jsonl > vectors.jsonl
       oracle check FILE...
       oracle generate [--seed S] [--family F] [--first I] [--count N] > scenarios.jsonl
       oracle differ [--berth PATH] [--seed S] [--decisions N] [--families F,...] [--folder PATH]
       oracle speed [--pods N] < dump.json
       oracle workloads --folder PATH [--label L] [--match TEXT]
       oracle gates
`

// quiet turns the scheduler's log off: everything of interest here is returned as an error.
func quiet() {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	flags.Set("logtostderr", "false")
	flags.Set("alsologtostderr", "false")
	flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
}

func main() {
	quiet()
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	commands := map[string]func([]string) (int, error){
		"answer":    answer,
		"check":     check,
		"generate":  generateCommand,
		"differ":    differCommand,
		"speed":     speed,
		"workloads": workloads,
		"gates":     listGates,
	}
	command, ok := commands[os.Args[1]]
	if !ok {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	code, err := command(os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		code = 3
	}
	os.Exit(code)
}
