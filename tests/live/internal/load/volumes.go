package load

import (
	"context"
	"fmt"

	"berth/tests/live/internal/api"
)

const (
	selectedNode  = "volume.kubernetes.io/selected-node"
	bindCompleted = "pv.kubernetes.io/bind-completed"
	localClass    = "bed-local"   // existing volumes, each on one node
	dynamicClass  = "bed-dynamic" // volumes that are made once a node is chosen
)

// LoadVolumes creates pods with a claim each: half of them bind to existing volumes on some node,
// the others to volumes made on the chosen node. VolumeController must run meanwhile.
func (p Plan) LoadVolumes(c *api.Client, count int) error {
	for class, provisioner := range map[string]string{
		localClass: "kubernetes.io/no-provisioner", dynamicClass: "bed/provisioner"} {
		err := c.Ensure("/apis/storage.k8s.io/v1/storageclasses", api.Any{
			"metadata": api.Any{"name": class}, "provisioner": provisioner,
			"volumeBindingMode": "WaitForFirstConsumer"})
		if err != nil {
			return err
		}
	}
	for i := range count {
		class := dynamicClass
		if i%2 == 0 {
			class = localClass
			err := addVolume(c, fmt.Sprintf("local-%03d", i), localClass, NodeName(i%p.Nodes), nil)
			if err != nil {
				return err
			}
		}
		if err := p.addClaimant(c, i, class); err != nil {
			return err
		}
	}
	return nil
}

func (p Plan) addClaimant(c *api.Client, i int, class string) error {
	name := fmt.Sprintf("volume-%03d", i)
	err := c.Create("/api/v1/namespaces/"+p.Namespace+"/persistentvolumeclaims", api.Any{
		"metadata": api.Any{"name": name},
		"spec": api.Any{"storageClassName": class, "accessModes": []string{"ReadWriteOnce"},
			"resources": api.Any{"requests": api.Any{"storage": "1Gi"}}}}, nil)
	if err != nil {
		return err
	}
	pod := p.Pod(App{"volume", 1, 100, 64, func(*api.Pod) {}}, name)
	pod.Spec.Volumes = []api.Any{{"name": "v", "persistentVolumeClaim": api.Any{"claimName": name}}}
	return c.Create("/api/v1/namespaces/"+p.Namespace+"/pods", pod, nil)
}

func addVolume(c *api.Client, name, class, node string, claim any) error {
	err := c.Ensure("/api/v1/persistentvolumes", api.Any{
		"metadata": api.Any{"name": name},
		"spec": api.Any{"storageClassName": class, "accessModes": []string{"ReadWriteOnce"},
			"capacity": api.Any{"storage": "1Gi"}, "local": api.Any{"path": "/bed"}, "claimRef": claim,
			"nodeAffinity": api.Any{"required": api.Any{"nodeSelectorTerms": []api.Any{{
				"matchExpressions": []api.Any{{"key": hostKey, "operator": "In",
					"values": []string{node}}}}}}}}})
	if err != nil {
		return err
	}
	return c.Send(context.Background(), "PATCH", "/api/v1/persistentvolumes/"+name+"/status",
		"application/merge-patch+json", api.Any{"status": api.Any{"phase": "Available"}}, nil)
}

type claim struct {
	Meta api.Meta `json:"metadata"`
	Spec struct {
		Class  string `json:"storageClassName"`
		Volume string `json:"volumeName"`
	} `json:"spec"`
}

type volume struct {
	Meta api.Meta `json:"metadata"`
	Spec struct {
		Claim *struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			UID       string `json:"uid"`
		} `json:"claimRef"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

func (c claim) Metadata() api.Meta { return c.Meta }

func (v volume) Metadata() api.Meta { return v.Meta }

// VolumeController does what the controller manager does for claims, until the context ends: a volume
// with a claimRef is bound to that claim, a claim with a selected node gets a volume there.
func VolumeController(ctx context.Context, c *api.Client) {
	go func() {
		_ = api.Follow(ctx, c, "/api/v1/persistentvolumes", func(change api.Change[volume]) {
			v := change.Object
			if change.Kind == "DELETED" || change.Version == "" || v.Spec.Claim == nil || v.Status.Phase == "Bound" {
				return
			}
			path := "/api/v1/namespaces/" + v.Spec.Claim.Namespace + "/persistentvolumeclaims/" + v.Spec.Claim.Name
			_ = c.Patch(path, api.Any{"metadata": api.Any{"annotations": api.Any{bindCompleted: "yes"}},
				"spec": api.Any{"volumeName": v.Meta.Name}})
			_ = c.Patch(path+"/status", api.Any{"status": api.Any{"phase": "Bound"}})
			_ = c.Patch("/api/v1/persistentvolumes/"+v.Meta.Name+"/status",
				api.Any{"status": api.Any{"phase": "Bound"}})
		})
	}()
	_ = api.Follow(ctx, c, "/api/v1/persistentvolumeclaims", func(change api.Change[claim]) {
		q := change.Object
		node := q.Meta.Annotations[selectedNode]
		if change.Kind == "DELETED" || change.Version == "" || node == "" || q.Spec.Volume != "" || q.Spec.Class != dynamicClass {
			return
		}
		_ = addVolume(c, "made-"+q.Meta.UID, dynamicClass, node, api.Any{"kind": "PersistentVolumeClaim",
			"apiVersion": "v1", "namespace": q.Meta.Namespace, "name": q.Meta.Name, "uid": q.Meta.UID})
	})
}
