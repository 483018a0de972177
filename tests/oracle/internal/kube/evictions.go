package kube

import (
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// apiServer is a client that accepts everything and notes which pods were deleted, and whose status
// was written.
type apiServer struct {
	*fake.Clientset
	deleted, patched []string
}

func newAPIServer() *apiServer {
	server := &apiServer{Clientset: &fake.Clientset{}} // without a tracker, so it keeps no objects
	server.AddReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch a := action.(type) {
		case clienttesting.DeleteAction:
			if a.GetResource().Resource == "pods" {
				server.deleted = append(server.deleted, a.GetNamespace()+"/"+a.GetName())
			}
			return true, nil, nil
		case clienttesting.PatchAction:
			if a.GetResource().Resource == "pods" {
				server.patched = append(server.patched, a.GetNamespace()+"/"+a.GetName())
			}
		case clienttesting.ListAction:
			return true, emptyList(a.GetResource().Resource), nil
		case clienttesting.UpdateAction: // the update of a claim whose devices are released
			return true, a.GetObject(), nil
		}
		return true, &v1.Pod{}, nil
	})
	return server
}

func emptyList(resource string) runtime.Object {
	if resource == "poddisruptionbudgets" {
		return &policy.PodDisruptionBudgetList{}
	}
	return &v1.PodList{}
}

// unnominated returns the pods whose status was written since the last call, because preemption
// ends the nominations of pods of lower priority. Victims are excluded: their status says why they
// are evicted.
func (s *apiServer) unnominated(victims []string) []string {
	var out []string
	for _, name := range s.patched {
		if !slices.Contains(victims, name) {
			out = append(out, name)
		}
	}
	s.patched = nil
	return out
}

// evicted returns the pods deleted since the last call, sorted.
func (s *apiServer) evicted() []string {
	out := s.deleted
	s.deleted = nil
	s.ClearActions()
	sort.Strings(out)
	return out
}
