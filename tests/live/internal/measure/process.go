// Package measure measures how fast a scheduler binds pods, and the resources that it and the
// servers use for it.
package measure

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is the resource use of a process so far.
type Usage struct {
	CPU      time.Duration // user and system
	Resident int64         // peak resident memory, in bytes
	Now      int64         // resident bytes now
	Files    int           // descriptors that are open
}

const ticksPerSecond = 100 // USER_HZ, which is the same on all of Linux

// Read reads a process's usage from /proc.
func Read(pid int) (Usage, error) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(folder + "stat")
	if err != nil {
		return Usage{}, err
	}
	// The second field is the name, in parentheses; the 14th and 15th are times.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		value, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Usage{}, err
		}
		ticks += value
	}
	status, err := os.ReadFile(folder + "status")
	if err != nil {
		return Usage{}, err
	}
	usage := Usage{CPU: time.Duration(ticks) * time.Second / ticksPerSecond}
	for _, line := range strings.Split(string(status), "\n") {
		name, text, _ := strings.Cut(line, ":")
		kibibytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
		switch name {
		case "VmHWM":
			usage.Resident = kibibytes << 10
		case "VmRSS":
			usage.Now = kibibytes << 10
		}
	}
	files, err := os.ReadDir(folder + "fd")
	usage.Files = len(files)
	return usage, err
}
