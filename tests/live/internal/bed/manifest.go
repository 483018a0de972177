package bed

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"

	"berth/tests/live/internal/api"
)

// manifest is the path of tools/live/deploy/berth.yaml; the linker sets it (tests/live/build).
var manifest string

// The paths of the kinds in the manifest.
var collections = map[string]string{
	"ClusterRole":         roles + "clusterroles",
	"ClusterRoleBinding":  roles + "clusterrolebindings",
	"ConfigMap":           "/api/v1/namespaces/kube-system/configmaps",
	"Deployment":          "/apis/apps/v1/namespaces/kube-system/deployments",
	"PodDisruptionBudget": "/apis/policy/v1/namespaces/kube-system/poddisruptionbudgets",
	"Role":                roles + "namespaces/kube-system/roles",
	"RoleBinding":         roles + "namespaces/kube-system/rolebindings",
	"ServiceAccount":      "/api/v1/namespaces/kube-system/serviceaccounts",
}

const roles = "/apis/rbac.authorization.k8s.io/v1/"

var (
	separator = regexp.MustCompile(`(?m)^---\n`)
	kindLine  = regexp.MustCompile(`(?m)^kind: (\w+)$`)
)

// install creates the objects of the manifest, as an operator would; a field that the server does not
// know is an error. A server of an older release lacks no field that the manifest has.
func (b *Bed) install() error {
	if manifest == "" {
		return errors.New("this program was not built by tests/live/build: it does not know berth.yaml")
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		return err
	}
	for _, part := range separator.Split(string(text), -1)[1:] {
		kind := kindLine.FindStringSubmatch(part)
		if kind == nil || collections[kind[1]] == "" {
			return fmt.Errorf("%s: no path is known for this object:\n%s", manifest, part)
		}
		err := b.Admin.CreateText(collections[kind[1]]+"?fieldValidation=Strict", "application/yaml", part)
		var refused *api.Refusal
		if errors.As(err, &refused) && refused.Code == http.StatusConflict {
			continue // the bed began with data
		}
		if err != nil {
			return fmt.Errorf("%s: %w", manifest, err)
		}
	}
	return nil
}

// grant gives the user berth the rights that the manifest gives its service account, and those for the
// Lease of kube-scheduler, whose place it takes in some tests; kube-scheduler's exist from the start.
func (b *Bed) grant() error {
	if err := b.install(); err != nil {
		return err
	}
	err := b.Admin.Ensure(collections["Role"], api.Any{"metadata": api.Any{"name": "lease"},
		"rules": []api.Any{{"apiGroups": []string{"coordination.k8s.io"}, "resources": []string{"leases"},
			"resourceNames": []string{"kube-scheduler"}, "verbs": []string{"get", "update"}}}})
	if err != nil {
		return err
	}
	for _, role := range []string{"berth", "lease"} {
		if err := b.Admin.Ensure(collections["RoleBinding"], binding("bed-"+role, "Role", role)); err != nil {
			return err
		}
	}
	return b.Allow(true)
}

// Allow gives the user berth its rights, or takes away those outside kube-system.
func (b *Bed) Allow(allowed bool) error {
	if !allowed {
		return b.Admin.Delete(collections["ClusterRoleBinding"] + "/bed")
	}
	return b.Admin.Ensure(collections["ClusterRoleBinding"], binding("bed", "ClusterRole", "berth"))
}

// binding binds the user berth to a role.
func binding(name, kind, role string) api.Any {
	return api.Any{
		"metadata": api.Any{"name": name},
		"roleRef":  api.Any{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
		"subjects": []api.Any{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": Users[2][1]}},
	}
}
