package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"berth/tests/oracle/internal/differ"
	"berth/tests/oracle/internal/generate"
	"berth/tests/oracle/internal/kube"
)

// differCommand compares berth with kube-scheduler on random scenarios.
func differCommand(arguments []string) (int, error) {
	flags := flag.NewFlagSet("oracle differ", flag.ExitOnError)
	berth := flags.String("berth", "berth", "the program under test")
	seed := flags.Uint64("seed", 0, "where the random numbers begin (0: another each time)")
	decisions := flags.Int("decisions", 20000, "how many to take at least")
	differences := flags.Int("differences", 1, "how many to find before the run ends")
	families := flags.String("families", "", "families, separated by commas (default: all that this release reads)")
	only := flags.String("scenario", "", "compare only this one, FAMILY-SEED-INDEX")
	workers := flags.Int("workers", runtime.NumCPU(), "scenarios answered at a time")
	folder := flags.String("folder", ".", "where minimized scenarios are written")
	flags.Parse(arguments)

	debug.SetGCPercent(400) // clusters are short-lived, and there is enough memory
	options := differ.Options{
		Berth: differ.Berth{Path: *berth}, Seed: *seed, Decisions: *decisions, Differences: *differences,
		Workers: *workers, Only: *only, Folder: *folder, Log: os.Stdout,
	}
	if options.Seed == 0 {
		options.Seed = uint64(time.Now().UnixNano()) % 1_000_000_007
	}
	for _, family := range generate.Families {
		if *families == "" && generate.Supports(kube.Version, family) {
			options.Families = append(options.Families, family)
		}
	}
	if *families != "" {
		options.Families = strings.Split(*families, ",")
	}
	fmt.Printf("kube-scheduler %s, seed %d\n", kube.Release, options.Seed)
	result, err := differ.Run(options)
	if err != nil {
		return 0, err
	}
	seconds := result.Elapsed.Seconds()
	fmt.Printf("scenarios=%d decisions=%d undefined=%d refused=%d differences=%d seconds=%.1f decisions/s=%.0f\n",
		result.Scenarios, result.Decisions, result.Undefined, result.Refused, len(result.Files), seconds,
		float64(result.Decisions)/seconds)
	if len(result.Files) > 0 {
		return 1, nil
	}
	return 0, nil
}
