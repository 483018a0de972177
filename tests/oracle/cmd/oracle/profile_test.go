package main

import "testing"

func BenchmarkCheck(b *testing.B) {
	quiet()
	for i := 0; i < b.N; i++ {
		for _, f := range []string{"resources", "mixed", "spread", "preemptmix", "volumes"} {
			checkFile("/work/shared/vectors/v1.32/" + f + ".jsonl.gz")
		}
	}
}
