// Package snapshot runs the scenarios of the library's snapshot on ours.
package snapshot

import (
	"context"
	"testing"

	berth "berth/go"
	"berth/go/schedulerlibrary/simulator"
	"berth/go/schedulerlibrary/snapshot"
	"berth/tests/schedulerlibrary/scenarios/cache"
	corev1 "k8s.io/api/core/v1"
)

type (
	ClusterSnapshot               = snapshot.ClusterSnapshot
	SchedulePodsByTemplateOptions = snapshot.SchedulePodsByTemplateOptions
	SchedulePodsOptions           = snapshot.SchedulePodsOptions
	SchedulingResult              = snapshot.SchedulingResult
	TransactionResult             = snapshot.TransactionResult
	Unpreemption                  = snapshot.Unpreemption
)

const (
	Commit = snapshot.Commit
	Revert = snapshot.Revert
)

var (
	NewSchedulePodsByTemplateOptions = snapshot.NewSchedulePodsByTemplateOptions
	NewSchedulePodsOptions           = snapshot.NewSchedulePodsOptions
)

// onlyRoom is the profile of the scenarios: NodeResourcesFit alone.
const onlyRoom = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles:
- plugins:
    multiPoint: {disabled: [{name: "*"}]}
    queueSort: {enabled: [{name: PrioritySort}]}
    preFilter: {enabled: [{name: NodeResourcesFit}]}
    filter: {enabled: [{name: NodeResourcesFit}]}
    bind: {enabled: [{name: DefaultBinder}]}
`

func setupSnapshotTest(t *testing.T, ctx context.Context, nodes []*corev1.Node, pods []*corev1.Pod) (*ClusterSnapshot, *cache.Snapshot, any) {
	t.Helper()
	client, err := simulator.NewReadonlyClient(simulator.ObjectList{})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.NewSchedulingSimulator(ctx, &berth.Config{Kubernetes: 36, SchedulerConfiguration: onlyRoom}, client)
	if err != nil {
		t.Fatal(err)
	}
	made, err := sim.NewClusterSnapshot(ctx, pods, nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	seen := &cache.Snapshot{Of: made}
	for _, node := range nodes {
		seen.Names = append(seen.Names, node.Name)
	}
	return made, seen, nil
}
