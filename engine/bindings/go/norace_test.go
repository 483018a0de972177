//go:build !race

package berth

const raceEnabled = false
