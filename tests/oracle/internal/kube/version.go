package kube

import (
	"runtime/debug"
	"strings"
)

// Release is the release of the kube-scheduler that this program contains, such as "1.36.2".
// Version is its name in vectors: the minor release, or an additionally pinned patch release
// ("1.36.3").
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
