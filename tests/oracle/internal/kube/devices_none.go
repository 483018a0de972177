//go:build kube1_32 || kube1_33

package kube

import (
	"k8s.io/client-go/informers"

	"berth/tests/oracle/internal/vector"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Dynamic resource allocation is off in these releases.
type deviceInformers struct{}

func registerDevices(informers.SharedInformerFactory) deviceInformers { return deviceInformers{} }

func (deviceInformers) load(*vector.Scenario) error { return nil }

func allocatedDevices(framework.Framework) (map[string]bool, error) { return nil, nil }
