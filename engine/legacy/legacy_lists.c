/* Names, evaluation order and providers of the v1.15 scheduler (predicates and priorities).
 * Source: v1.15.3, algorithm/predicates/predicates.go (order) and algorithmprovider/defaults, with
 * the gate TaintNodesByCondition at its default, on. */
#include "legacy/legacy.h"

#include "base/text.h"

#define NAME(id)             \
    {                        \
#id, sizeof(#id) - 1 \
    }
#define PLAIN(id)                               \
    {                                           \
        NAME(id), NAME(id), BERTH__LEGACY_PLAIN \
    }
#define ARGUED(id, need)                         \
    {                                            \
        NAME(id), NAME(id), BERTH__LEGACY_##need \
    }
#define REF(id, ref_weight)                      \
    {                                            \
        .name = NAME(id), .weight = (ref_weight) \
    }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* In evaluation order: a predicate's rank is its index. */
static const berth__legacy_info predicates[] = {
    PLAIN(CheckNodeCondition),
    PLAIN(CheckNodeUnschedulable),
    PLAIN(GeneralPredicates),
    PLAIN(HostName),
    PLAIN(PodFitsHostPorts),
    PLAIN(MatchNodeSelector),
    PLAIN(PodFitsResources),
    PLAIN(NoDiskConflict),
    PLAIN(PodToleratesNodeTaints),
    ARGUED(CheckNodeLabelPresence, REQUIRED),
    ARGUED(CheckServiceAffinity, REQUIRED),
    PLAIN(MaxEBSVolumeCount),
    PLAIN(MaxGCEPDVolumeCount),
    PLAIN(MaxCSIVolumeCountPred),
    PLAIN(MaxAzureDiskVolumeCount),
    PLAIN(MaxCinderVolumeCount),
    PLAIN(CheckVolumeBinding),
    PLAIN(NoVolumeZoneConflict),
    PLAIN(CheckNodeMemoryPressure),
    PLAIN(CheckNodePIDPressure),
    PLAIN(CheckNodeDiskPressure),
    PLAIN(MatchInterPodAffinity),
};

/* The name of PodFitsHostPorts in 1.0, which v1.15 still accepts. */
static const berth__legacy_info ports_alias = {NAME(PodFitsPorts), NAME(PodFitsHostPorts),
                                               BERTH__LEGACY_PLAIN};

static const berth__legacy_info priorities[] = {
    PLAIN(LeastRequestedPriority),
    PLAIN(MostRequestedPriority),
    PLAIN(BalancedResourceAllocation),
    PLAIN(SelectorSpreadPriority),
    PLAIN(ServiceSpreadingPriority),
    ARGUED(ServiceAntiAffinityPriority, REQUIRED),
    /* The name of ServiceAntiAffinityPriority in the algorithm's description. */
    {NAME(CalculateAntiAffinityPriority), NAME(ServiceAntiAffinityPriority),
     BERTH__LEGACY_REQUIRED},
    PLAIN(ImageLocalityPriority),
    PLAIN(NodeAffinityPriority),
    PLAIN(TaintTolerationPriority),
    PLAIN(InterPodAffinityPriority),
    PLAIN(NodePreferAvoidPodsPriority),
    ARGUED(NodeLabelPriority, REQUIRED),
    ARGUED(RequestedToCapacityRatioPriority, OPTIONAL),
    PLAIN(EqualPriority),
};

static const berth_plugin_ref checks[] = {
    REF(PodPassesBasicChecks, 0),
};

static const berth_plugin_ref mandatory_predicates[] = {
    REF(CheckNodeUnschedulable, 0),
    REF(PodToleratesNodeTaints, 0),
};

static const berth_plugin_ref provider_predicates[] = {
    REF(CheckNodeUnschedulable, 0), REF(GeneralPredicates, 0),       REF(NoDiskConflict, 0),
    REF(PodToleratesNodeTaints, 0), REF(MaxEBSVolumeCount, 0),       REF(MaxGCEPDVolumeCount, 0),
    REF(MaxCSIVolumeCountPred, 0),  REF(MaxAzureDiskVolumeCount, 0), REF(CheckVolumeBinding, 0),
    REF(NoVolumeZoneConflict, 0),   REF(MatchInterPodAffinity, 0),
};

/* The providers differ in the resource priority. NodePreferAvoidPodsPriority outweighs all others
 * on purpose. */
#define PROVIDER_PRIORITIES(resource_priority)                                                   \
    REF(SelectorSpreadPriority, 1), REF(InterPodAffinityPriority, 1), REF(resource_priority, 1), \
        REF(BalancedResourceAllocation, 1), REF(NodePreferAvoidPodsPriority, 10000),             \
        REF(NodeAffinityPriority, 1), REF(TaintTolerationPriority, 1),                           \
        REF(ImageLocalityPriority, 1)

static const berth_plugin_ref default_priorities[] = {
    PROVIDER_PRIORITIES(LeastRequestedPriority),
};

static const berth_plugin_ref autoscaler_priorities[] = {
    PROVIDER_PRIORITIES(MostRequestedPriority),
};

const berth__legacy_info *berth__legacy_predicate_find(berth_str name)
{
    for (uint32_t i = 0; i < COUNT(predicates); i++) {
        if (berth__str_eq(predicates[i].name, name))
            return &predicates[i];
    }
    return berth__str_eq(ports_alias.name, name) ? &ports_alias : NULL;
}

const berth__legacy_info *berth__legacy_priority_find(berth_str name)
{
    for (uint32_t i = 0; i < COUNT(priorities); i++) {
        if (berth__str_eq(priorities[i].name, name))
            return &priorities[i];
    }
    return NULL;
}

uint32_t berth__legacy_predicate_rank(berth_str name)
{
    for (uint32_t i = 0; i < COUNT(predicates); i++) {
        if (berth__str_eq(predicates[i].name, name))
            return i;
    }
    return UINT32_MAX;
}

berth_plugin_list berth__legacy_mandatory(void)
{
    return (berth_plugin_list){mandatory_predicates, COUNT(mandatory_predicates)};
}

berth_plugin_list berth__legacy_checks(void)
{
    return (berth_plugin_list){checks, COUNT(checks)};
}

berth_plugin_list berth__legacy_predicates(void)
{
    return (berth_plugin_list){provider_predicates, COUNT(provider_predicates)};
}

const berth_plugin_list *berth__legacy_priorities(berth_str provider)
{
    static const berth_plugin_list default_list = {default_priorities, COUNT(default_priorities)};
    static const berth_plugin_list autoscaler_list = {autoscaler_priorities,
                                                      COUNT(autoscaler_priorities)};
    if (berth__str_is(provider, "DefaultProvider"))
        return &default_list;
    if (berth__str_is(provider, "ClusterAutoscalerProvider"))
        return &autoscaler_list;
    return NULL;
}
