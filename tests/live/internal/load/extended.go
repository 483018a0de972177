package load

import (
	"fmt"
	"strings"

	"berth/tests/live/internal/api"
)

const extendedResource = deviceDriver + "/gpu"

// ExtendedPod has the checked fields of a pod with extended resources that a DeviceClass provides.
type ExtendedPod struct {
	Meta api.Meta `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Extended *struct {
			Claim    string `json:"resourceClaimName"`
			Mappings []struct {
				Container string `json:"containerName"`
				Resource  string `json:"resourceName"`
				Request   string `json:"requestName"`
			} `json:"requestMappings"`
		} `json:"extendedResourceClaimStatus"`
	} `json:"status"`
}

// ExtendedPods returns all pods of LoadExtendedPods.
func (p Plan) ExtendedPods(c *api.Client) ([]ExtendedPod, error) {
	var list struct{ Items []ExtendedPod }
	if err := c.Get("/api/v1/namespaces/"+p.Namespace+"/pods", &list); err != nil {
		return nil, err
	}
	var pods []ExtendedPod
	for _, pod := range list.Items {
		if strings.HasPrefix(pod.Meta.Name, "extended-") {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// LoadExtendedPods creates pods that request one device each, or two, as an extended resource. The ready
// devices of ten nodes have room for all.
func (p Plan) LoadExtendedPods(c *api.Client) error {
	err := c.Ensure(deviceAPI+"/deviceclasses", api.Any{"metadata": api.Any{"name": "bed-extended"},
		"spec": api.Any{"extendedResourceName": extendedResource,
			"selectors": []api.Any{{"cel": api.Any{"expression": fmt.Sprintf(
				"device.driver == %q && device.attributes[%q].kind == \"ready\"", deviceDriver, deviceDriver)}}}}})
	if err != nil {
		return err
	}
	return each(24, func(i int) error {
		shape := func(pod *api.Pod) {
			devices := fmt.Sprint(1 + i%4/3)
			pod.Spec.Containers[0].Resources.Requests[extendedResource] = devices
			pod.Spec.Containers[0].Resources.Limits = map[string]string{extendedResource: devices}
		}
		return c.Ensure("/api/v1/namespaces/"+p.Namespace+"/pods",
			p.Pod(App{"extended", 1, 10, 16, shape}, fmt.Sprintf("extended-%02d", i)))
	})
}
