//go:build !kube1_37

package kube

import (
	"k8s.io/client-go/informers"

	"berth/tests/oracle/internal/vector"
)

// Until 1.36 DeviceTaintRules are behind a feature gate that is off.
func registerTaintRules(informers.SharedInformerFactory) *informer { return nil }

func loadTaintRules(*informer, *vector.Scenario) error { return nil }
