package load

import (
	"context"
	"fmt"
	"strings"

	"berth/tests/live/internal/api"
)

const (
	deviceDriver = "bed.example.com"
	readyLater   = "Attached" // devices of the second class must have this condition
	deviceAPI    = "/apis/resource.k8s.io/v1"
)

// Device classes: devices that are ready, devices that must first be attached to the node, and one
// device a node for the pod whose claim has its device elsewhere.
var deviceClasses = map[string]string{"bed-ready": "ready", "bed-attached": "attached", "bed-kept": "kept"}

// DeviceClaim has the fields of a ResourceClaim that are checked.
type DeviceClaim struct {
	Meta   api.Meta `json:"metadata"`
	Status struct {
		Allocation *struct {
			Devices struct {
				Results []DeviceResult `json:"results"`
			} `json:"devices"`
		} `json:"allocation"`
		ReservedFor []struct {
			Name string `json:"name"`
			UID  string `json:"uid"`
		} `json:"reservedFor"`
		Devices []DeviceResult `json:"devices"`
	} `json:"status"`
}

// DeviceResult names a device that is allocated to a claim.
type DeviceResult struct {
	Request string `json:"request"`
	Driver  string `json:"driver"`
	Pool    string `json:"pool"` // a node's name
	Device  string `json:"device"`

	Conditions []string `json:"bindingConditions"`
}

// Metadata returns the metadata of a claim.
func (c DeviceClaim) Metadata() api.Meta { return c.Meta }

// Given returns the devices that are allocated to the claim.
func (c DeviceClaim) Given() []DeviceResult {
	if c.Status.Allocation == nil {
		return nil
	}
	return c.Status.Allocation.Devices.Results
}

// ClaimOf returns the claim of the pod device-NAME: NAME without the pod's number.
func ClaimOf(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		return name[:i]
	}
	return name
}

// DeviceClaims returns all claims of the plan.
func (p Plan) DeviceClaims(c *api.Client) ([]DeviceClaim, error) {
	var list struct{ Items []DeviceClaim }
	err := c.Get(p.claimsPath(), &list)
	return list.Items, err
}

func (p Plan) claimsPath() string {
	return deviceAPI + "/namespaces/" + p.Namespace + "/resourceclaims"
}

// LoadDevices gives devices to the first nodes: on each, four that are ready, two to be attached,
// and one reserved.
func (p Plan) LoadDevices(c *api.Client, nodes int) error {
	for name, kind := range deviceClasses {
		err := c.Ensure(deviceAPI+"/deviceclasses", api.Any{"metadata": api.Any{"name": name},
			"spec": api.Any{"selectors": []api.Any{{"cel": api.Any{"expression": fmt.Sprintf(
				"device.driver == %q && device.attributes[%q].kind == %q", deviceDriver, deviceDriver, kind)}}}}})
		if err != nil {
			return err
		}
	}
	for i := range nodes {
		if err := c.Ensure(deviceAPI+"/resourceslices", deviceSlice(NodeName(i))); err != nil {
			return err
		}
	}
	return nil
}

func deviceSlice(node string) api.Any {
	var devices []api.Any
	add := func(kind string, count int, more api.Any) {
		for i := range count {
			device := api.Any{"name": fmt.Sprintf("%s-%d", kind, i),
				"attributes": api.Any{"kind": api.Any{"string": kind}}}
			for key, value := range more {
				device[key] = value
			}
			devices = append(devices, device)
		}
	}
	add("ready", 4, nil)
	add("kept", 1, nil)
	add("attached", 2, api.Any{"bindsToNode": true, "bindingConditions": []string{readyLater},
		"bindingFailureConditions": []string{"Broken"}})
	return api.Any{"metadata": api.Any{"name": "bed-" + node}, "spec": api.Any{
		"driver": deviceDriver, "nodeName": node, "devices": devices,
		"pool": api.Any{"name": node, "generation": 1, "resourceSliceCount": 1}}}
}

func (p Plan) addDeviceClaim(c *api.Client, name, class string, count int) error {
	return c.Ensure(p.claimsPath(), api.Any{"metadata": api.Any{"name": name},
		"spec": api.Any{"devices": api.Any{"requests": []api.Any{{"name": "r",
			"exactly": api.Any{"deviceClassName": class, "count": count}}}}}})
}

func (p Plan) addDevicePod(c *api.Client, name, claim string, shape func(*api.Pod)) error {
	pod := p.Pod(App{"device", 1, 10, 16, shape}, name)
	pod.Spec.ResourceClaims = []api.Any{{"name": "d", "resourceClaimName": claim}}
	return c.Ensure("/api/v1/namespaces/"+p.Namespace+"/pods", pod)
}

// LoadDevicePods creates pods with one claim each (for one device, for two, or for one that must be
// attached), pairs that share a claim, and a pod whose claim has its device on a node where the pod
// cannot run. Ten nodes with devices have room for all.
func (p Plan) LoadDevicePods(c *api.Client) error {
	kinds := []struct {
		name, class string
		pods, count int // number of pods of a claim, and of its devices
		claims      int
	}{{"one", "bed-ready", 1, 1, 12}, {"two", "bed-ready", 1, 2, 4}, {"both", "bed-ready", 2, 1, 4},
		{"late", "bed-attached", 1, 1, 8}}
	for _, kind := range kinds {
		for i := range kind.claims {
			claim := fmt.Sprintf("%s-%02d", kind.name, i)
			if err := p.addDeviceClaim(c, claim, kind.class, kind.count); err != nil {
				return err
			}
			for j := range kind.pods {
				err := p.addDevicePod(c, fmt.Sprintf("device-%s-%d", claim, j), claim, func(*api.Pod) {})
				if err != nil {
					return err
				}
			}
		}
	}
	return p.addStale(c)
}

// addStale makes a claim that has a device of node 0 and is reserved for nobody, and a pod that
// must run on node 1.
func (p Plan) addStale(c *api.Client) error {
	if err := p.addDeviceClaim(c, "stale", "bed-kept", 1); err != nil {
		return err
	}
	field := func(node string) api.Any {
		return api.Any{"nodeSelectorTerms": []api.Any{{"matchFields": []api.Any{{
			"key": "metadata.name", "operator": "In", "values": []string{node}}}}}}
	}
	err := c.Patch(p.claimsPath()+"/stale/status", api.Any{"status": api.Any{"allocation": api.Any{
		"nodeSelector": field(NodeName(0)),
		"devices": api.Any{"results": []api.Any{{"request": "r", "driver": deviceDriver,
			"pool": NodeName(0), "device": "taken-by-hand"}}}}}})
	if err != nil {
		return err
	}
	return p.addDevicePod(c, "device-stale-0", "stale", func(pod *api.Pod) {
		pod.Spec.NodeSelector = map[string]string{hostKey: NodeName(1)}
	})
}

// DeviceDriver attaches devices as soon as they are allocated to a claim, until the context ends.
func DeviceDriver(ctx context.Context, c *api.Client) {
	_ = api.Follow(ctx, c, deviceAPI+"/resourceclaims", func(change api.Change[DeviceClaim]) {
		claim := change.Object
		if change.Kind == "DELETED" || change.Version == "" || len(claim.Given()) == 0 ||
			len(claim.Status.Devices) > 0 {
			return
		}
		var told []api.Any
		for _, result := range claim.Given() {
			if len(result.Conditions) > 0 {
				told = append(told, api.Any{"driver": result.Driver, "pool": result.Pool,
					"device": result.Device, "conditions": []api.Any{{"type": readyLater, "status": "True",
						"reason": "Bed", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}}})
			}
		}
		if len(told) > 0 {
			_ = c.Patch(deviceAPI+"/namespaces/"+claim.Meta.Namespace+"/resourceclaims/"+claim.Meta.Name+
				"/status", api.Any{"status": api.Any{"devices": told}})
		}
	})
}
