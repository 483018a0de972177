package main

import (
	"testing"

	"berth/go/examples/internal/expected"
)

func TestOutput(t *testing.T) { expected.Check(t, run, "consolidate.out") }
