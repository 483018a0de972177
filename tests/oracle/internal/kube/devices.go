//go:build !kube1_32 && !kube1_33

package kube

import (
	resource "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"berth/tests/oracle/internal/vector"
)

// deviceInformers are the informers of dynamic resource allocation.
type deviceInformers struct {
	slices, claims, classes, rules *informer
}

func registerDevices(factory informers.SharedInformerFactory) deviceInformers {
	return deviceInformers{
		slices:  register(factory, &resource.ResourceSlice{}),
		claims:  register(factory, &resource.ResourceClaim{}),
		classes: register(factory, &resource.DeviceClass{}),
		rules:   registerTaintRules(factory),
	}
}

func (d deviceInformers) load(s *vector.Scenario) error {
	if err := load[resource.DeviceClass](d.classes, s.DeviceClasses, "DeviceClass"); err != nil {
		return err
	}
	if err := loadTaintRules(d.rules, s); err != nil {
		return err
	}
	if err := load[resource.ResourceSlice](d.slices, s.ResourceSlices, "ResourceSlice"); err != nil {
		return err
	}
	return load[resource.ResourceClaim](d.claims, s.ResourceClaims, "ResourceClaim")
}

// allocatedDevices returns the devices in use, including those of placements not yet written to
// claims.
func allocatedDevices(f framework.Framework) (map[string]bool, error) {
	manager := f.SharedDRAManager()
	if manager == nil {
		return nil, nil
	}
	ids, err := manager.ResourceClaims().ListAllAllocatedDevices()
	if err != nil || ids.Len() == 0 {
		return nil, err
	}
	devices := make(map[string]bool, ids.Len())
	for id := range ids {
		devices[id.String()] = true
	}
	return devices, nil
}
