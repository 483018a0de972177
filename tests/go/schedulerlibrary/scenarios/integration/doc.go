// Package scheduler runs the library's integration test on our simulator.
package scheduler
