package main

import (
	"bufio"
	"flag"
	"os"

	"berth/tests/oracle/internal/generate"
	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/vector"
)

// generateCommand writes random scenarios of one family.
func generateCommand(arguments []string) (int, error) {
	flags := flag.NewFlagSet("oracle generate", flag.ExitOnError)
	seed := flags.Uint64("seed", 1, "where the random numbers begin")
	family := flags.String("family", "mixed", "what the scenarios are about")
	count := flags.Int("count", 10, "how many")
	first := flags.Int("first", 0, "index of the first")
	flags.Parse(arguments)
	out := bufio.NewWriter(os.Stdout)
	for index := *first; index < *first+*count; index++ {
		line, err := generate.Scenario(kube.Version, *seed, *family, index)
		if err != nil {
			return 0, err
		}
		if err := vector.Write(out, line); err != nil {
			return 0, err
		}
	}
	return 0, out.Flush()
}
