//go:build !kube1_37

package kube

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"berth/tests/oracle/internal/vector"
)

var errNoGroups = errors.New("this release has no PodGroups")

func registerPodGroups(informers.SharedInformerFactory) (groups, composites *informer) {
	return nil, nil
}

func (c *cluster) loadPodGroups(s *vector.Scenario) error {
	if len(s.PodGroups)+len(s.CompositePodGroups) > 0 {
		return errNoGroups
	}
	return nil
}

func orderPlacements([]schedulerapi.KubeSchedulerProfile) []scheduler.Option { return nil }

func checkGroup(*v1.Pod) error { return nil }

func (c *cluster) rootOf(*v1.Pod) string { return "" }

func (c *cluster) decideGroup([]*v1.Pod) (*vector.Decision, error) { return nil, errNoGroups }

func (s *sequence) followGroup(*vector.Decision, []*v1.Pod) error { return errNoGroups }
