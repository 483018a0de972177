//go:build kube1_37

package kube

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/topologyaware"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

const orderedPlacements = "OrderedPlacements"

// placementOrder makes placements deterministic: kube-scheduler tries them in the order of a Go
// map, and chooses at random among the best. With this plugin, it tries them by name and chooses
// the first of the best, because the other scores count a thousandfold.
type placementOrder struct {
	fwk.PlacementGeneratePlugin
	places map[string]map[string]int // by group, by name
}

func (*placementOrder) Name() string { return orderedPlacements }

func (p *placementOrder) GeneratePlacements(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo,
	parent *fwk.Placement,
) (*fwk.GeneratePlacementsResult, *fwk.Status) {
	result, status := p.PlacementGeneratePlugin.GeneratePlacements(ctx, state, group, parent)
	if !status.IsSuccess() {
		return result, status
	}
	slices.SortFunc(result.Placements, func(a, b *fwk.Placement) int { return cmp.Compare(a.Name, b.Name) })
	places := map[string]int{}
	for i, placement := range result.Placements {
		places[placement.Name] = i
	}
	p.places[group.GetKey()] = places
	return result, status
}

func (p *placementOrder) ScorePlacement(_ context.Context, _ fwk.PlacementCycleState, group fwk.PodGroupInfo,
	placement *fwk.PodGroupAssignments,
) (int64, *fwk.Status) {
	return fwk.MaxScore - int64(p.places[group.GetKey()][placement.Name]), nil
}

func (*placementOrder) PlacementScoreExtensions() fwk.PlacementScoreExtensions { return nil }

// atPoint returns those of the named plugins that run at a point, with weights: entries of the
// point's own list override those of multiPoint.
func atPoint(set, multi schedulerapi.PluginSet, names ...string) []schedulerapi.Plugin {
	var found []schedulerapi.Plugin
	of := func(entries []schedulerapi.Plugin, name string) int {
		return slices.IndexFunc(entries, func(p schedulerapi.Plugin) bool { return p.Name == name })
	}
	for _, name := range names {
		if at := of(set.Enabled, name); at >= 0 {
			found = append(found, set.Enabled[at])
		} else if at := of(multi.Enabled, name); at >= 0 && of(set.Disabled, name) < 0 && of(set.Disabled, "*") < 0 {
			found = append(found, multi.Enabled[at])
		}
	}
	return found
}

// orderPlacements adds the plugin to the profiles that generate placements, if placements are tried
// at all.
func orderPlacements(profiles []schedulerapi.KubeSchedulerProfile) []scheduler.Option {
	if !utilfeature.DefaultFeatureGate.Enabled("TopologyAwareWorkloadScheduling") {
		return nil
	}
	for i := range profiles {
		plugins := profiles[i].Plugins
		if len(atPoint(plugins.PlacementGenerate, plugins.MultiPoint, names.TopologyPlacementGenerator)) == 0 {
			continue
		}
		scores := atPoint(plugins.PlacementScore, plugins.MultiPoint, names.NodeResourcesFit, names.PodGroupPodsCount)
		plugins.PlacementGenerate = schedulerapi.PluginSet{
			Enabled:  []schedulerapi.Plugin{{Name: orderedPlacements}},
			Disabled: []schedulerapi.Plugin{{Name: names.TopologyPlacementGenerator}},
		}
		plugins.PlacementScore = schedulerapi.PluginSet{
			Enabled:  []schedulerapi.Plugin{{Name: orderedPlacements, Weight: 1}},
			Disabled: []schedulerapi.Plugin{{Name: "*"}},
		}
		for _, plugin := range scores {
			plugin.Weight = max(plugin.Weight, 1) * 1000
			plugins.PlacementScore.Enabled = append(plugins.PlacementScore.Enabled, plugin)
		}
	}
	registry := frameworkruntime.Registry{
		orderedPlacements: func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			generator, err := topologyaware.New(ctx, args, handle,
				feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
			if err != nil {
				return nil, err
			}
			return &placementOrder{PlacementGeneratePlugin: generator, places: map[string]map[string]int{}}, nil
		},
	}
	return []scheduler.Option{scheduler.WithFrameworkOutOfTreeRegistry(registry)}
}
