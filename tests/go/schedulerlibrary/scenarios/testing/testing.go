// Package testing compares snapshots with what a scenario wants.
package testing

import (
	"slices"
	"testing"

	"berth/tests/schedulerlibrary/scenarios/cache"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// podsOf returns the names of the pods on each node of a snapshot.
func podsOf(t *testing.T, snap *cache.Snapshot) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	if snap.Of == nil {
		return out
	}
	for _, name := range snap.Names {
		placement, err := snap.Of.MakePlacement([]string{name})
		if err != nil {
			continue // the node is not there any more
		}
		out[name] = []string{}
		for _, pod := range placement.Nodes[0].GetPods() {
			out[name] = append(out[name], pod.GetPod().Name)
		}
		slices.Sort(out[name])
	}
	return out
}

// VerifySnapshot fails unless the snapshot has these nodes, and on each of them pods of these names.
func VerifySnapshot(t *testing.T, snap *cache.Snapshot, wanted map[string][]string) {
	t.Helper()
	less := func(x, y string) bool { return x < y }
	if diff := cmp.Diff(wanted, podsOf(t, snap), cmpopts.EquateEmpty(), cmpopts.SortSlices(less)); diff != "" {
		t.Errorf("the snapshot differs (-want +got):\n%s", diff)
	}
}

// VerifySnapshotPodCounts fails unless the snapshot has these nodes, and so many pods on each.
func VerifySnapshotPodCounts(t *testing.T, snap *cache.Snapshot, wanted map[string]int) {
	t.Helper()
	found := map[string]int{}
	for name, pods := range podsOf(t, snap) {
		found[name] = len(pods)
	}
	if diff := cmp.Diff(wanted, found, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("numbers of pods differ (-want +got):\n%s", diff)
	}
}
