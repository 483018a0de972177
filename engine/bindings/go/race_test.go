//go:build race

package berth

const raceEnabled = true
