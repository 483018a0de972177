package kube

import (
	"runtime/debug"
	"strings"
)

// Release is the kube-scheduler that this program was built with, such as "1.36.2", and Version what
// vectors call it: its minor release, or a patch of it that is pinned beside that ("1.36.3").
var (
	Release = release()
	Version string // set by the linker
)

func init() {
	if Version == "" {
		Version = Release[:strings.LastIndex(Release, ".")]
	}
}

func release() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/kubernetes" {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown."
}
