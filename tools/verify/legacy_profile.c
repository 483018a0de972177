/* The profiles under which the v1.15 decision vectors were recorded. */
#include "verify/legacy_profile.h"

#define TEXT(text)               \
    {                            \
        (text), sizeof(text) - 1 \
    }
#define PREDICATE(id)     \
    {                     \
        .name = TEXT(#id) \
    }
#define PRIORITY(id, its_weight)                  \
    {                                             \
        .name = TEXT(#id), .weight = (its_weight) \
    }
#define LIST(refs)                               \
    {                                            \
        (refs), sizeof(refs) / sizeof((refs)[0]) \
    }

static const berth_plugin_ref predicates[] = {
    PREDICATE(CheckNodeCondition),     PREDICATE(HostName),
    PREDICATE(PodFitsHostPorts),       PREDICATE(MatchNodeSelector),
    PREDICATE(PodFitsResources),       PREDICATE(NoDiskConflict),
    PREDICATE(PodToleratesNodeTaints), PREDICATE(MaxEBSVolumeCount),
    PREDICATE(MaxGCEPDVolumeCount),    PREDICATE(MaxAzureDiskVolumeCount),
    PREDICATE(NoVolumeZoneConflict),   PREDICATE(CheckNodeMemoryPressure),
    PREDICATE(CheckNodePIDPressure),   PREDICATE(CheckNodeDiskPressure),
    PREDICATE(MatchInterPodAffinity),
};

static const berth_plugin_ref counted[] = {
    PRIORITY(SelectorSpreadPriority, 1),          PRIORITY(InterPodAffinityPriority, 1),
    PRIORITY(LeastRequestedPriority, 1),          PRIORITY(BalancedResourceAllocation, 1),
    PRIORITY(NodePreferAvoidPodsPriority, 10000), PRIORITY(NodeAffinityPriority, 1),
    PRIORITY(TaintTolerationPriority, 1),         PRIORITY(ImageLocalityPriority, 1),
};

static const berth_str rack = TEXT("rack");

static const berth_plugin_args rack_args = {.label.labels = {&rack, 1}};

static const berth_plugin_ref recorded[] = {
    PRIORITY(MostRequestedPriority, 1),
    {.name = TEXT("ServiceAntiAffinityPriority"), .weight = 1, .args = &rack_args},
};

#define PROFILE(priorities)                                                                       \
    {                                                                                             \
        .era = BERTH_ERA_V1ALPHA1, .percentage_of_nodes_to_score = 100, .always_check_all = true, \
        .points =                                                                                 \
            (const berth_plugin_list[]){                                                          \
                [BERTH_POINT_FILTER] = LIST(predicates), [BERTH_POINT_SCORE] = LIST(priorities)}, \
        .point_count = BERTH_POINT_SCORE + 1,                                                     \
    }

const berth_profile legacy_profile_counted = PROFILE(counted);
const berth_profile legacy_profile_recorded = PROFILE(recorded);
