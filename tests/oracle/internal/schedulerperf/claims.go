package schedulerperf

import "fmt"

// A claim is a ResourceClaim that was made and is not allocated by an operation yet.
type claim struct {
	namespace, name string
}

// allocateClaims allocates claims on behalf of no pod: for each claim, a pod comes that uses it, is
// placed, and leaves, while the claim keeps its devices. Kubernetes' benchmark tries nodes in random
// order; here they are those that the scheduler chooses, so the devices in use are spread evenly.
func (e *expansion) allocateClaims(op operation) error {
	var left, chosen []claim
	for _, c := range e.claims {
		if op.Namespace == "" || op.Namespace == c.namespace {
			chosen = append(chosen, c)
		} else {
			left = append(left, c)
		}
	}
	for _, c := range chosen {
		it := basePod()
		meta := child(it, "metadata")
		delete(meta, "generateName")
		meta["name"] = "allocates-" + c.name
		spec := child(it, "spec")
		spec["resourceClaims"] = []any{object{"name": "claim", "resourceClaimName": c.name}}
		container := spec["containers"].([]any)[0].(object)
		container["resources"] = object{"claims": []any{object{"name": "claim"}}}
		if _, err := e.add(it, c.namespace); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.out, "place")
	for _, c := range chosen {
		e.delete("Pod", c.namespace, "allocates-"+c.name)
	}
	e.claims = left
	return nil
}

// makeClaims makes the claims of a pod's templates, as the controller of resource claims does, and
// names them in the pod's status. Returns their names. A template that comes later is left to the
// reader.
func (e *expansion) makeClaims(it object, namespace, name string) ([]string, error) {
	entries, _ := child(it, "spec")["resourceClaims"].([]any)
	var names []string
	var statuses []any
	for _, entry := range entries {
		in, _ := entry.(object)
		template, ok := e.claimTemplates[fmt.Sprint(namespace, "/", in["resourceClaimTemplateName"])]
		if !ok {
			continue
		}
		made := fmt.Sprint(name, "-", in["name"])
		_, err := e.add(object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
			"metadata": object{"name": made, "uid": made, "ownerReferences": []any{object{
				"apiVersion": "v1", "kind": "Pod", "name": name, "uid": name, "controller": true}}},
			"spec": child(child(template, "spec"), "spec")}, namespace)
		if err != nil {
			return nil, err
		}
		names = append(names, made)
		statuses = append(statuses, object{"name": in["name"], "resourceClaimName": made})
	}
	if len(names) > 0 {
		child(it, "metadata")["uid"] = name
		child(it, "status")["resourceClaimStatuses"] = statuses
	}
	return names, nil
}

// leave deletes a pod, and with it the claims that were made for it.
func (e *expansion) leave(p pod) {
	e.delete("Pod", p.namespace, p.name)
	for _, name := range p.claims {
		e.delete("ResourceClaim", p.namespace, name)
	}
}
