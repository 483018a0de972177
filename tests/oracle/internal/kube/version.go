package kube

import (
	"runtime/debug"
	"strings"
)

// Release is the kube-scheduler that this program was built with, such as "1.36.2", and Version its
// minor release.
var (
	Release = release()
	Version = Release[:strings.LastIndex(Release, ".")]
)

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
